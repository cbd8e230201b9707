"""The request body of a refund."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lastro.api_kit.forms import Amount, Description, ExternalId, Form, Line
from lastro.orders.refunds.rules import CODES


class CreateRefund(Form):
    """Money to be given back to who has paid an order."""

    order_id: Annotated[str, msgspec.Meta(description="The order that was paid.", extra_json_schema={"format": "uuid"})]
    external_id: Annotated[ExternalId, msgspec.Meta(description="The refund's id in your system.", examples=["back-7"])]
    amount: Annotated[Amount, msgspec.Meta(description="Part of what was paid, or all of it.")]
    refund_code: Annotated[
        str,
        msgspec.Meta(
            description="MD06: you or the payer ask for it. Or an upper-case word of yours such as RECEIVER_REQUEST: it is"
            " kept, and MD06 is sent.",
            examples=["MD06"], pattern=r"^([A-Z]{2}[0-9]{2}|[A-Z_]{3,40})$(?!\n)",
            extra_json_schema={"pattern": f"^({'|'.join(CODES)}|[A-Z_]{{3,40}})$"},
        ),
    ]  # fmt: skip
    refund_reason: Annotated[
        Line | None, msgspec.Meta(description="Why, for your own records; told to nobody.", examples=["Out of stock"])
    ] = None
    description: Annotated[
        Description | None,
        msgspec.Meta(description="What the payer is told with the money.", examples=["Your book is gone"]),
    ] = None
