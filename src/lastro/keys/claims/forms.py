"""The request bodies of claims."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.forms import Form
from lastro.keys.claims.model import DECISIONS
from lastro.keys.claims.states import TYPES
from lastro.keys.forms import CHANNEL, CODE, KEY, TYPE, VALIDATION_ID  # noqa: TC001 msgspec reads them when it runs


def _one_of(words: tuple[str, ...]) -> msgspec.Meta:
    return msgspec.Meta(pattern=rf"^({'|'.join(words)})$(?!\n)", extra_json_schema={"enum": list(words)})


class OpenClaim(Form):
    """The key at another bank to claim for the account."""

    claim_type: Annotated[
        Annotated[str, _one_of(TYPES)],
        msgspec.Meta(
            description="PORTABILITY: the holder has it at another bank. CLAIM_OWNERSHIP: somebody else has the phone.",
            examples=["PORTABILITY"],
        ),
    ]
    type: Annotated[TYPE, msgspec.Meta(description="Of the key: CPF, CNPJ, EMAIL or PHONE.", examples=["EMAIL"])]
    key: Annotated[KEY | None, msgspec.Meta(description="As when a key is created.", examples=["ana@example.com"])] = None
    channel: Annotated[
        CHANNEL | None,
        msgspec.Meta(
            description="How the code is sent: EMAIL to an EMAIL key, SMS to a PHONE key; left out, as the type says."
            " WHATSAPP is taken for SMS.",
            examples=["EMAIL"],
        ),
    ] = None


class AnswerClaim(Form):
    """The holder's decision about a claim, with the code that verifies him."""

    validation_id: VALIDATION_ID
    token: Annotated[CODE, msgspec.Meta(description="The code.", examples=["052731"])]
    decision: Annotated[
        Annotated[str, _one_of(DECISIONS)],
        msgspec.Meta(
            description="As donor: give the key up, or keep it. As claimer: take it, or not.", examples=["CONFIRM"]
        ),
    ]
