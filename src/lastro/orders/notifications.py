"""The notifications of orders to clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from lastro.accounts import OwnerBank, owner_at_bank, owner_bank
from lastro.api_kit.rendering import Bank, EndToEndId, Id, Money, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.orders.methods import TED
from lastro.orders.rendering import CarriedTxid, OfSubscription, bank_of
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Account
    from lastro.core import money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.orders.model import Installation, Order, Party

# In English for the client, in Portuguese for its customer (contract.md §10).
TEXTS = {
    "PAID": ("Order paid", "Pagamento recebido"),
    "EXPIRED": ("Order expired", "O prazo de pagamento terminou"),
    "CANCELED": ("Order canceled", "Pedido cancelado"),
    "ERROR": ("Order failed: {error}", "Pagamento não concluído"),
}


class PayerDocument(Answer, frozen=True, kw_only=True):
    """The payer's tax id. A payer in BRL has a CPF or a CNPJ; a customer has the document that you gave."""

    type: Annotated[str, words("CPF", "CNPJ", "CURP", "RFC", "OTHERS")]
    number: Annotated[str, msgspec.Meta(description="Without punctuation.", examples=["12345678909"])]


class NotifiedPayer(Answer, frozen=True, kw_only=True):
    """The payer; of an unpaid order the customer, by the document you gave.

    Without a customer: NAO IDENTIFICADO, a CPF of zeros.
    """

    name: str
    document: PayerDocument
    bank: Bank | None = None


class PayInNotification(Answer, frozen=True, kw_only=True):
    """An order has been paid, or will not be."""

    id: Id
    code: Annotated[str, msgspec.Meta(description="The order's `externalId`.")]
    event: Annotated[str, words(*(f"ORDER-PAYIN.{status}" for status in TEXTS))]
    status: Annotated[str, words(*TEXTS)]
    paid_at: Annotated[Timestamp | None, msgspec.Meta(description="When the network settled the payment; null: it did not.")]
    updated_at: Annotated[Timestamp, msgspec.Meta(description="When the status changed here.")]
    end_to_end_id: EndToEndId | None
    control_number: Annotated[
        str | None, msgspec.Meta(description="Of a TED: the STR's, or from another account here ours; else null.")
    ]
    type: Literal["PAY-IN"]
    message: Annotated[str, msgspec.Meta(description="In English, for you.")]
    customer_message: Annotated[str, msgspec.Meta(description="In Portuguese, for your customer.")]
    description: str
    amount: Annotated[Money, msgspec.Meta(description="The order's; of an open one what was paid, 0.00 where nothing was.")]
    owner_bank: Annotated[
        OwnerBank | None,
        msgspec.Meta(
            description="The account that the money is for. Of an order by a connection `bank` is your own bank,"
            " without branch and account; left out where your operator has not said which bank that is."
        ),
    ] = None
    payer: NotifiedPayer
    subscription: Annotated[OfSubscription | None, msgspec.Meta(description="There where the order is a charge of one.")] = (
        None
    )
    static_qrcode_id: Annotated[
        Id | None, msgspec.Meta(description="The static QR code that was paid; `code` is then the endToEndId.")
    ] = None
    txid: CarriedTxid | None = None


def pay_in(
    context: RequestContext, order: Order, status: str, account: Account, place: Installation, *,
    amount: money.Money | None, payer: Party | None = None, end_to_end_id: str | None = None,
    paid_at: datetime | None = None, error: str | None = None,
    paid_to_key: tuple[str, str] | None = None,
) -> Event:  # fmt: skip
    """ORDER-PAYIN.<status>. amount: the order's, or what was paid into an open one; None prints 0.00.

    payer: who paid; nobody did: the customer. paid_to_key: type and text of the key the money used.
    """
    message, customer_message = TEXTS[status]
    fields = fields_of(
        context, order, account, place, amount=amount, payer=payer, end_to_end_id=end_to_end_id, paid_at=paid_at,
        paid_to_key=paid_to_key,
    )  # fmt: skip
    body = PayInNotification(
        **fields,
        event=f"ORDER-PAYIN.{status}",
        status=status,
        type="PAY-IN",
        message=message.format(error=error),
        customer_message=customer_message,
    )
    return event_of(context, body.event, order.id, order.notification_url, body)


def fields_of(
    context: RequestContext, order: Order, account: Account, place: Installation, *, amount: money.Money | None,
    payer: Party | None, end_to_end_id: str | None, paid_at: datetime | None, paid_to_key: tuple[str, str] | None,
) -> dict[str, Any]:  # fmt: skip
    """Returns the fields of every notification about an order. Arguments as of `pay_in`."""
    return {
        "id": str(order.id),
        "code": order.external_id,
        "paid_at": None if paid_at is None else stamp(paid_at),
        "updated_at": stamp(context.now),
        "end_to_end_id": end_to_end_id,
        "control_number": order.external_id if order.payment_method == TED else None,
        "description": order.description,
        "amount": Money(currency=order.currency, value="0.00") if amount is None else Money.of(amount),
        "owner_bank": _owner(order, account, place, paid_to_key),
        "payer": _payer(payer or order.customer),
        "subscription": OfSubscription.maybe(order),
        "static_qrcode_id": None if order.static_qrcode_id is None else str(order.static_qrcode_id),
        "txid": order.paid_txid,
    }


def _owner(order: Order, account: Account, place: Installation, key: tuple[str, str] | None) -> OwnerBank | None:
    """Returns where the money is: at a connection's bank, else at our own institution. None: that bank is not known."""
    if order.connection is None:
        return owner_bank(account, place.institution, key)
    at_bank = place.at_banks.get(order.connection)
    if at_bank is None or at_bank.ispb is None:
        return None
    listed = place.banks.known.by_ispb(at_bank.ispb)
    bank = Bank(ispb=at_bank.ispb) if listed is None else Bank(ispb=listed.ispb, name=listed.short_name, code=listed.compe)
    return owner_at_bank(account, bank, key)


def _payer(party: Party | None) -> NotifiedPayer:
    document = PayerDocument(type="CPF", number="00000000000")
    if party is None:
        return NotifiedPayer(name="NAO IDENTIFICADO", document=document)
    if party.document_type is not None and party.document_number is not None:
        document = PayerDocument(type=party.document_type, number=party.document_number)
    return NotifiedPayer(name=party.name, document=document, bank=bank_of(party))
