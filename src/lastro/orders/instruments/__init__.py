"""The payment instruments of collected orders: we number, register and show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.write import Row, Withdrawn, Write
from lastro.orders.instruments.card import card
from lastro.orders.instruments.crypto import crypto
from lastro.orders.instruments.model import Basis, Made
from lastro.orders.instruments.slip import slip
from lastro.orders.instruments.transfer import deposit, spei
from lastro.orders.instruments.voucher import FORMS, voucher
from lastro.rails import port

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.accounts import Account
    from lastro.core.runner import RequestContext
    from lastro.orders.forms import CustomerForm
    from lastro.orders.model import Face, Order
    from lastro.orders.returns import Sending

__all__ = ["Basis", "Made", "born", "closed", "make"]

# By kind of rail. A new method adds its maker here.
_MAKERS: Mapping[str, Callable[[Basis], Made]] = {
    port.BOLETO: slip, port.CARD: card, port.CRYPTO: crypto, port.SPEI: spei, port.DEPOSIT: deposit,
    **dict.fromkeys(FORMS, voucher),
}  # fmt: skip


def make(rail: str, basis: Basis) -> Made:
    """Makes the instrument of an order for the partner of this rail."""
    return _MAKERS[port.kind_of(rail)](basis)


def row_of(order: Order) -> Row:
    """Returns the row of an order's instrument."""
    made = order.instrument
    assert made is not None
    face = {} if made.face is None else _face(made.face)
    values = {
        "order_id": order.id, "rail": made.rail, "reference": made.reference, **face,
        "details": None if made.details is None else msgspec.json.encode(made.details).decode(),
    }  # fmt: skip
    return Row("instruments", values)


def _face(face: Face) -> dict[str, Any]:
    return {"code": face.code, "due": face.due, "payable_until": face.payable_until}


def born(
    order: Order, account: Account, customer: CustomerForm, context: RequestContext, by_card: port.CardOrder | None = None
) -> Write:
    """Returns the instrument's row, and its message to the partner. by_card: of a payment by card."""
    made = order.instrument
    assert made is not None
    assert order.customer is not None
    assert order.final_amount is not None
    holder = account.holder
    told = port.CollectionOrder(
        reference=made.reference, amount=order.final_amount, **({} if made.face is None else _face(made.face)),
        payer=port.Person(
            customer.name, customer.document.type, order.customer.document_number or "", address_line(customer)
        ),
        receiver=port.Person(holder.full_name, holder.document_type, holder.document_number),
        description=order.description, number=order.external_id, expires_at=order.expires_at, card=by_card,
    )  # fmt: skip
    message = port.collection_message(made.rail, told, order.id, context.chance.uuid(context.now), context.now)
    return Write(context.company_id, rows=(row_of(order),), messages=(message,))


def closed(order: Order, context: RequestContext, registration: Sending | None = None) -> Write:
    """Tells the partner to close the instrument, if the order has one. registration: the outbox message that registers it.

    Before anybody has tried to send that, it is withdrawn, and nothing has to be ended at the partner.
    """
    made = order.instrument
    if made is None:
        return Write(context.company_id)
    if registration is not None and not registration.sends and not registration.is_in_hand:
        return Write(context.company_id, withdrawn=(Withdrawn(registration.id, 0, context.now),))
    message = port.close_message(made.rail, made.reference, order.id, context.chance.uuid(context.now), context.now)
    return Write(context.company_id, messages=(message,))


def address_line(customer: CustomerForm) -> str | None:
    """Returns a slip's address line: street, number, complement, neighborhood, city, state, postal code."""
    a = customer.address
    if a is None:
        return None
    parts = (a.street, a.number, a.complement, a.neighborhood, a.city, a.state, a.postal_code)
    return ", ".join(part for part in parts if part)
