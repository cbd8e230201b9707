"""The request body of a pay-in."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lastro.api_kit.forms import BrlAmount, Description, ExternalId, Form, Name
from lastro.orders.forms import DocumentForm  # noqa: TC001 msgspec reads the annotations when it runs
from lastro.standards.pix_keys import canonical


class PayInPayer(Form):
    """The customer of the order. Anybody may pay it."""

    name: Name
    document: DocumentForm


class CreatePayIn(Form):
    """The pay-in to create."""

    external_id: Annotated[ExternalId, msgspec.Meta(description="The order's id in your system.", examples=["book-1"])]
    account_id: Annotated[
        str,
        msgspec.Meta(description="The account that is credited.", extra_json_schema={"format": "uuid"}),
    ]
    payment_method: Annotated[Literal["PIX"], msgspec.Meta(description="PIX alone.")]
    amount: Annotated[
        BrlAmount, msgspec.Meta(description="What is to be paid. An open amount is had by `PUT /order/v2/transparent`.")
    ]
    pix_key: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=77, pattern=r"^[!-~]*$(?!\n)")] | None,
        msgspec.Meta(description="A key of the account; its oldest random key where nothing is said."),
    ] = None
    payer: Annotated[
        PayInPayer | None,
        msgspec.Meta(description="Required, except where your company has a route that takes the customer from who pays."),
    ] = None
    description: Annotated[
        Description | None,
        msgspec.Meta(description="What is paid; the payer reads it. Left out, he reads `externalId`.", examples=["A book"]),
    ] = None
    expiration: Annotated[
        Annotated[int, msgspec.Meta(ge=60, le=2_592_000)] | None,
        msgspec.Meta(description="Seconds until it can no longer be paid; 86,400 where nothing is said.", examples=[3600]),
    ] = None

    def __post_init__(self) -> None:
        """Writes the key as the directory has it, however it was typed."""
        if self.pix_key is not None:
            self.pix_key = canonical(self.pix_key)
