"""The data of a voucher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lastro.orders.methods import CASH

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Account
    from lastro.core.money import Money
    from lastro.orders.model import Order

Ended = Literal["PAGADO", "CANCELADO", "VENCIDO"]
# The text across a voucher that is not to be paid any more, by its order's status. An announced payment counts as paid.
_ENDED: dict[str, Ended] = {
    "PENDING": "PAGADO", "PAID": "PAGADO", "PARTIAL_REFUNDED": "PAGADO", "REFUNDED": "PAGADO", "CANCELED": "CANCELADO",
    "ERROR": "CANCELADO", "EXPIRED": "VENCIDO",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Voucher:
    """A voucher. method: OXXO, OXXOPAY or PAYNET. reference: what the till scans. receiver: who gets the money.

    number: the client's own. expires_at: the last instant at which a till takes it. ended: why it is not to be paid any
    more.
    """

    method: str
    reference: str
    amount: Money
    receiver: str
    customer: str
    number: str
    description: str
    issued_at: datetime
    expires_at: datetime
    ended: Ended | None = None


def voucher_of(order: Order, account: Account, now: datetime) -> Voucher | None:
    """Returns an order's voucher; None: it is paid in another way."""
    made, customer = order.instrument, order.customer
    if order.payment_method not in CASH or made is None or customer is None:
        return None
    if order.final_amount is None or order.expires_at is None:
        return None
    ended = _ENDED.get(order.state)
    if ended is None and now > order.expires_at:
        ended = "VENCIDO"
    return Voucher(
        method=order.payment_method,
        reference=made.reference,
        amount=order.final_amount,
        receiver=account.holder.full_name,
        customer=customer.name,
        number=order.external_id,
        description=order.description,
        issued_at=order.created_at,
        expires_at=order.expires_at,
        ended=ended,
    )
