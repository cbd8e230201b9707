"""The request body of static codes."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.forms import BrlAmount, Description, Form
from lastro.standards.pix_keys import canonical


class CreateStaticCode(Form):
    """The static QR code to create."""

    account_id: Annotated[
        str,
        msgspec.Meta(description="The account that is credited.", extra_json_schema={"format": "uuid"}),
    ]
    pix_key: Annotated[
        str,
        msgspec.Meta(
            description="A key of that account, of any type. The code lives as long as the key leads to the account.",
            min_length=1, max_length=77, pattern=r"^[!-~]*$(?!\n)",
        ),
    ]  # fmt: skip
    amount: Annotated[
        BrlAmount | None,
        msgspec.Meta(description="Each payment's; another amount is refused. Left out, the payer types it."),
    ] = None
    description: Annotated[
        Description | None,
        msgspec.Meta(
            description="What is paid. The payer reads of it what fits into the code: without accents, and beside a random"
            " key 37 characters.",
            examples=["Mesa 5"],
        ),
    ] = None

    def __post_init__(self) -> None:
        """Writes the key as the directory has it, however it was typed."""
        if self.pix_key is not None:
            self.pix_key = canonical(self.pix_key)
