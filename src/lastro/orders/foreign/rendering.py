"""Renders foreign payments for clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit.rendering import BrlMoney, Id, Paged, Timestamp
from lastro.api_kit.routes import Answer, stamp
from lastro.orders.foreign.model import STATES
from lastro.rails.port import FOREIGN_REASONS as REASONS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.orders.foreign.model import KeptForeign


class ForeignPayment(Answer, frozen=True, kw_only=True):
    """A Pix at your own bank that no order asked for. Its money is not moved here, and never given back."""

    id: Id
    status: Annotated[
        str,
        msgspec.Meta(
            description="`CLAIMED`: a person of yours says which order it pays. `CLOSED`: that it pays none.",
            extra_json_schema={"enum": list(STATES)},
        ),
    ]
    connection: Annotated[str, msgspec.Meta(description="The connection to your bank that found it.", examples=["efi1"])]
    end_to_end_id: Annotated[
        str, msgspec.Meta(description="The Pix's id, as the bank tells it.", examples=["E12345678202601311200a1b2c3d4e5f"])
    ]
    txid: Annotated[str | None, msgspec.Meta(description="That it carried. Left out where the bank tells none.")] = None
    pix_key: Annotated[str | None, msgspec.Meta(description="Your paid key. Left out where the bank tells none.")] = None
    reason: Annotated[
        str | None,
        msgspec.Meta(
            description="Why it pays no order although one of yours has its txid: its amount is not the order's, it is older"
            " than the order, or it came to another key. `REHEARSAL`: lastro made it itself, and gives it back. The others:"
            " what your bank said when a person claimed it. Left out for the rest.",
            extra_json_schema={"enum": list(REASONS)},
        ),
    ] = None
    amount: BrlMoney
    paid_at: Annotated[Timestamp, msgspec.Meta(description="When your bank had it.")]
    order_id: Annotated[Id | None, msgspec.Meta(description="The order that it was claimed for.")] = None
    created_at: Annotated[Timestamp, msgspec.Meta(description="When it was found here.")]
    updated_at: Timestamp


class ForeignPayments(Paged, frozen=True, kw_only=True):
    """A page of foreign payments."""

    data: list[ForeignPayment]


def shown(foreign: KeptForeign) -> ForeignPayment:
    """Renders the answer to a read, and a row of a list."""
    return ForeignPayment(
        id=str(foreign.id), status=foreign.state, connection=foreign.rail, end_to_end_id=foreign.payment_id,
        txid=foreign.txid, pix_key=foreign.pix_key, reason=foreign.reason, amount=BrlMoney.of(foreign.amount),
        paid_at=stamp(foreign.paid_at), order_id=None if foreign.order_id is None else str(foreign.order_id),
        created_at=stamp(foreign.created_at), updated_at=stamp(foreign.updated_at),
    )  # fmt: skip


def shown_foreign(foreign: KeptForeign, state: str, order_id: UUID | None) -> dict[str, Any]:
    """Renders a foreign payment for lastro's operator. state: that it has now; order_id: of the claim."""
    return {
        "id": str(foreign.id), "state": state, "rail": foreign.rail, "currency": foreign.amount.currency,
        "amount": str(foreign.amount), "paymentId": foreign.payment_id, "txid": foreign.txid, "pixKey": foreign.pix_key,
        "reason": foreign.reason, "paidAt": foreign.paid_at, "foundAt": foreign.created_at,
        "orderId": None if order_id is None else str(order_id),
    }  # fmt: skip
