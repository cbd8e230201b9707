"""The request bodies of keys."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.base.forms import Form
from lastro.keys.model import TYPES

_Type = Annotated[str, msgspec.Meta(pattern=rf"^({'|'.join(TYPES)})$(?!\n)", extra_json_schema={"enum": list(TYPES)})]
_Key = Annotated[str, msgspec.Meta(min_length=1, max_length=77)]
_Channel = Annotated[str, msgspec.Meta(pattern=r"^(EMAIL|SMS)$(?!\n)", extra_json_schema={"enum": ["EMAIL", "SMS"]})]
_Code = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{6}$(?!\n)")]
_ValidationId = Annotated[
    str, msgspec.Meta(description="As the creation answered it.", extra_json_schema={"format": "uuid"})
]


class CreateKey(Form):
    """A key that is to lead to the account."""

    type: Annotated[
        _Type,
        msgspec.Meta(
            description="CPF and CNPJ: the holder's own. RANDOM: the directory makes one. EMAIL and PHONE: after a code.",
            examples=["EMAIL"],
        ),
    ]
    key: Annotated[
        _Key | None,
        msgspec.Meta(
            description="All but RANDOM. CPF and CNPJ without punctuation; a phone as `+5511987654321`; capitals of an"
            " e-mail address become small letters.",
            examples=["ana@example.com"],
        ),
    ] = None
    channel: Annotated[
        _Channel | None,
        msgspec.Meta(
            description="How the code is sent: EMAIL to an EMAIL key, SMS to a PHONE key; left out, as the type says.",
            examples=["EMAIL"],
        ),
    ] = None


class ConfirmKey(Form):
    """The code that was sent to the e-mail address or phone."""

    validation_id: _ValidationId
    token: Annotated[_Code, msgspec.Meta(description="The code.", examples=["052731"])]


class ResendCode(Form):
    """Another code for a validation."""

    validation_id: _ValidationId
