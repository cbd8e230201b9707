"""The request bodies of keys."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.forms import Form
from lastro.keys.model import TYPES

TYPE = Annotated[str, msgspec.Meta(pattern=rf"^({'|'.join(TYPES)})$(?!\n)", extra_json_schema={"enum": list(TYPES)})]
KEY = Annotated[str, msgspec.Meta(min_length=1, max_length=77)]
_CHANNELS = ("EMAIL", "SMS", "WHATSAPP", "email", "sms", "whatsapp")
CHANNEL = Annotated[
    str, msgspec.Meta(pattern=rf"^({'|'.join(_CHANNELS)})$(?!\n)", extra_json_schema={"enum": list(_CHANNELS)})
]
CODE = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{6}$(?!\n)")]
VALIDATION_ID = Annotated[
    str, msgspec.Meta(description="As the creation answered it.", extra_json_schema={"format": "uuid"})
]


class CreateKey(Form):
    """A key that is to lead to the account."""

    type: Annotated[
        TYPE,
        msgspec.Meta(
            description="CPF and CNPJ: the holder's own. RANDOM: the directory makes one. EMAIL and PHONE: after a code.",
            examples=["EMAIL"],
        ),
    ]
    key: Annotated[
        KEY | None,
        msgspec.Meta(
            description="All but RANDOM. CPF and CNPJ without punctuation; a phone as `+5511987654321`; capitals of an"
            " e-mail address become small letters.",
            examples=["ana@example.com"],
        ),
    ] = None
    channel: Annotated[
        CHANNEL | None,
        msgspec.Meta(
            description="How the code is sent: EMAIL to an EMAIL key, SMS to a PHONE key; left out, as the type says."
            " WHATSAPP is taken for SMS.",
            examples=["EMAIL"],
        ),
    ] = None


class ConfirmKey(Form):
    """The code that was sent to the e-mail address or phone."""

    validation_id: VALIDATION_ID
    token: Annotated[CODE, msgspec.Meta(description="The code.", examples=["052731"])]


class ResendCode(Form):
    """Another code for a validation."""

    validation_id: VALIDATION_ID
