"""The request bodies of disputes."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.forms import PRINTABLE, PRINTABLE_LINES, Form
from lastro.med.model import LONGEST_DETAILS, SITUATIONS, UNKNOWN

Details = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_DETAILS, pattern=PRINTABLE)]
Lines = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_DETAILS, pattern=PRINTABLE_LINES)]


class DefenseForm(Form):
    """The account holder's defense against a notification about received money."""

    text: Annotated[
        Lines,
        msgspec.Meta(description="Why the money was due: what was sold, to whom, how it was delivered. Lines may break.",
                     examples=["Order 4711, delivered on January 30, signed by the buyer"]),
    ]  # fmt: skip


class ContestForm(Form):
    """A Pix that an account has sent, contested."""

    end_to_end_id: Annotated[
        str,
        msgspec.Meta(
            description="Of the Pix that the account has sent.", examples=["E9999901020260131120000001aBcDeF"],
            min_length=32, max_length=32, pattern=r"^[DE][0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}$(?!\n)",
        ),
    ]  # fmt: skip
    situation_type: Annotated[
        str,
        msgspec.Meta(
            description="What happened. OTHERS needs `details`; UNKNOWN counts as OTHERS, and needs none.",
            min_length=1, max_length=64, examples=["SCAM"], extra_json_schema={"enum": [*SITUATIONS, UNKNOWN]},
        ),
    ]  # fmt: skip
    details: Annotated[
        Details | None, msgspec.Meta(description="What happened, in words.", examples=["Paid a shop that does not exist"])
    ] = None
