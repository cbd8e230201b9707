"""The data of a slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lastro.orders.codes import is_payable_by_pix, payload
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from datetime import date

    from lastro.accounts import Account
    from lastro.core.money import Money
    from lastro.orders.model import Installation, Order

Ended = Literal["PAGO", "CANCELADO", "VENCIDO"]
# The text across a slip that is not to be paid any more, by its order's status.
_ENDED: dict[str, Ended] = {
    "PAID": "PAGO", "PARTIAL_REFUNDED": "PAGO", "REFUNDED": "PAGO", "CANCELED": "CANCELADO", "ERROR": "CANCELADO",
    "EXPIRED": "VENCIDO",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SlipParty:
    """Somebody on a slip. document: its number without punctuation, of the type; address: one line, where it is known."""

    name: str
    document_type: str | None
    document: str | None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip. bank: three digits (COMPE) of whose it is, in whose name bank_name it is issued. amount: what has to be paid.

    number: the client's own. due: when it is due; payable_until: the last day on which it is taken. code: 44 digits of the
    bars. brcode: the text of a Pix that pays the same, where there is one. ended: why it is not to be paid any more.
    """

    bank: str
    bank_name: str
    receiver: SlipParty
    branch: str
    account: str
    payer: SlipParty
    description: str
    our_number: str
    number: str
    issued: date
    due: date
    payable_until: date
    amount: Money
    code: str
    brcode: str | None = None
    ended: Ended | None = None


def slip_of(order: Order, account: Account, address: dict[str, str] | None, place: Installation, today: date) -> Slip | None:
    """Returns an order's slip; None: it is paid in another way. address: its customer's. today: in Brasilia."""
    made, customer = order.instrument, order.customer
    if order.payment_method != "BOLETO" or made is None or made.face is None:
        return None
    if customer is None or order.final_amount is None:
        return None
    ended = _ENDED.get(order.state)
    if ended is None and order.state == "INITIAL" and today > made.face.payable_until:
        ended = "VENCIDO"
    holder = account.holder
    return Slip(
        bank=made.face.code[:3],
        bank_name=place.institution.name,
        receiver=SlipParty(holder.full_name, holder.document_type, holder.document_number),
        branch=account.branch,
        account=account.number,
        payer=SlipParty(customer.name, customer.document_type, customer.document_number, line_of(address)),
        description=order.description,
        our_number=made.reference,
        number=order.external_id,
        issued=brasilia_day(order.created_at),
        due=made.face.due,
        payable_until=made.face.payable_until,
        amount=order.final_amount,
        code=made.face.code,
        brcode=payload(order, holder.full_name, account.city, place) if is_payable_by_pix(order) else None,
        ended=ended,
    )


def line_of(address: dict[str, str] | None) -> str | None:
    """Joins an address: street, number, complement, neighborhood, city, state, postal code."""
    names = ("street", "number", "complement", "neighborhood", "city", "state", "postalCode")
    return ", ".join(part for name in names if (part := (address or {}).get(name))) or None
