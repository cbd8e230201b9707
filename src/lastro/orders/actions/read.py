"""Reads one order, by its id or by its payment location."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import accounts_of
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.orders import store
from lastro.orders.codes import payload
from lastro.orders.rendering import in_full
from lastro.standards import qrcode
from lastro.standards.payload import ChargePayload, Debtor
from lastro.standards.payload import encode as encode_charge

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.orders.model import Installation, Order, OrderShown


@dataclass(frozen=True)
class ReadOrder(Act["OrderShown | None"]):
    """GET /order/v2/transparent/{id}."""

    order_id: UUID | None
    place: Installation

    def query(self) -> Query[OrderShown | None] | None:
        """Returns the query of the order."""
        return None if self.order_id is None else store.shown_by_id(self.order_id)

    async def read(self, session: Session, context: RequestContext) -> OrderShown | None:
        """Returns None: the text is not an id."""
        return None

    def decide(self, known: OrderShown | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        return Done(None, render(in_full(known.order, known.holder_name, known.city, self.place)))


async def account_of(session: Session, company_id: UUID, order: Order) -> Account:
    """Reads the account that an order credits."""
    return (await accounts_of(session, company_id, [order.account_id]))[0]


def charge(shown: OrderShown, context: RequestContext) -> bytes | None:
    """Returns the JSON of an order's location (API Pix 2.9.0 CobPayload).

    None once it can never be paid again, and while its key leads elsewhere: the key's new holder would be paid.
    """
    order = shown.order
    assert order.txid is not None
    assert order.expires_at is not None
    assert order.pix_key is not None
    if order.state != "INITIAL" or context.now > order.expires_at or not order.leads_here:
        return None
    customer, debtor = order.customer, None
    if customer is not None and customer.document_number is not None:
        if customer.document_type == "CPF":
            debtor = Debtor(name=customer.name, document_type="CPF", document=customer.document_number)
        elif customer.document_type == "CNPJ":
            debtor = Debtor(name=customer.name, document_type="CNPJ", document=customer.document_number)
    return encode_charge(
        ChargePayload(
            revision=0,
            created_at=order.created_at,
            presented_at=context.now,
            expiration=round((order.expires_at - order.created_at).total_seconds()),
            txid=order.txid,
            status="ATIVA",
            amount="0.00" if order.final_amount is None else str(order.final_amount),
            open_amount=order.final_amount is None,
            key=order.pix_key,
            debtor=debtor,
            payer_request=order.description,
        )
    )


def image(shown: OrderShown, place: Installation) -> bytes | None:
    """Draws the order's QR as PNG; None where its key has left, and nobody should scan it."""
    if not shown.order.leads_here:
        return None
    return qrcode.png(payload(shown.order, shown.holder_name, shown.city, place))
