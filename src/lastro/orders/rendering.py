"""Renders an order for its client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

import msgspec

from lastro.api_kit.rendering import Bank, Document, EndToEndId, Id, Money, Paged, Timestamp, Url, also, words
from lastro.api_kit.routes import Answer, stamp
from lastro.orders import blocks
from lastro.orders.codes import payload, picture
from lastro.orders.methods import TED
from lastro.orders.model import STATUSES

if TYPE_CHECKING:
    from lastro.orders import model
    from lastro.orders.model import Installation, Party


class PixCharge(Answer, frozen=True, kw_only=True):
    """The dynamic QR code of a PIX order, for one payment."""

    qrcode_image_url: Annotated[Url, msgspec.Meta(description="The picture's address. It cannot be guessed; no token.")]
    qrcode_image_base64: Annotated[
        str, msgspec.Meta(description="The picture, a PNG in base64 without a `data:` prefix.", examples=["iVBORw0KGgo="])
    ]
    qrcode_data: Annotated[
        str,
        msgspec.Meta(
            description="The code's text (EMV BR Code), to copy and paste. Drawn elsewhere, take it byte for byte: error"
            " correction level M without a logo, Q with one."
        ),
    ]
    expire_date_time: Annotated[Timestamp, msgspec.Meta(description="The last instant at which a bank may pay it.")]
    conciliation_id: Annotated[
        str, msgspec.Meta(description="The txid that the network knows the charge by.", pattern="^[0-9A-Za-z]{26,35}$")
    ]


class ListedCharge(Answer, frozen=True, kw_only=True):
    """The same in a list: its picture is at its address."""

    qrcode_image_url: Annotated[Url, msgspec.Meta(description="The picture's address. It cannot be guessed; no token.")]
    qrcode_data: Annotated[str, msgspec.Meta(description="The code's text (EMV BR Code), to copy and paste.")]
    expire_date_time: Annotated[Timestamp, msgspec.Meta(description="The last instant at which a bank may pay it.")]
    conciliation_id: Annotated[
        str, msgspec.Meta(description="The txid that the network knows the charge by.", pattern="^[0-9A-Za-z]{26,35}$")
    ]


class Fees(Answer, frozen=True, kw_only=True):
    """The fees of the order, due when it is paid."""

    fixed: Money
    variable: Annotated[
        Money | None, msgspec.Meta(description="The share of the amount; left out while an open amount is not known.")
    ] = None
    additional: Money


class CreatedOrder(Answer, frozen=True, kw_only=True):
    """An order as its create answers it."""

    id: Id
    external_id: Annotated[str, msgspec.Meta(description="The order's id in your system.")]
    code: Annotated[str, also("externalId")]
    status: Annotated[str, words(*STATUSES)]
    payment_method: Annotated[str, msgspec.Meta(examples=["PIX"])]
    amount: Annotated[Money | None, msgspec.Meta(description="Left out where the payer types it.")] = None
    description: str
    additional_info: Annotated[str, also("description")]
    created_at: Timestamp
    pix: Annotated[PixCharge | None, msgspec.Meta(description="There where the method is PIX.")] = None
    boleto: Annotated[blocks.Slip | None, msgspec.Meta(description="There where the method is BOLETO.")] = None
    three_ds: Annotated[blocks.ThreeDs | None, msgspec.Meta(description="There where the method is CREDIT_CARD.")] = None
    card: Annotated[blocks.Card | None, msgspec.Meta(description="There where the method is CREDIT_CARD.")] = None
    spei: Annotated[blocks.Spei | None, msgspec.Meta(description="There where the method is SPEI.")] = None
    deposit: Annotated[blocks.Deposit | None, msgspec.Meta(description="There where the method is DEPOSIT.")] = None
    cash: Annotated[
        blocks.CashVoucher | None, msgspec.Meta(description="There where the method is OXXO, OXXOPAY or PAYNET.")
    ] = None
    crypto: Annotated[blocks.CryptoCharge | None, msgspec.Meta(description="There where the method is `<BRAND>_PAY`.")] = (
        None
    )
    fees: Fees
    fee_fix: Annotated[Money, also("fees.fixed")]
    fee_var: Annotated[Money | None, also("fees.variable")] = None
    fee_add: Annotated[Money, also("fees.additional")]
    final_amount: Annotated[
        Money | None,
        msgspec.Meta(description="What the customer pays, fees included where the customer bears them. Open: left out."),
    ] = None
    error_message: Annotated[str | None, msgspec.Meta(description="Why the status is ERROR.")] = None
    checkout_url: Annotated[
        Url | None,
        msgspec.Meta(
            description="The page where the customer sees how to pay and what became of it. It cannot be guessed; no token."
            " There where you made the order; left out of orders older than the page."
        ),
    ] = None
    order_token: Annotated[
        Annotated[str, msgspec.Meta(pattern="^[0-9A-Za-z]{22}$")] | None,
        msgspec.Meta(description="What `returnUrl` is followed with, as `orderToken`."),
    ] = None


LeadsHere = Annotated[
    bool,
    msgspec.Meta(
        description="While an order waits for money by Pix: whether its key still leads to the account. Once it does not"
        " (claimed away, ported or deleted), its code is left out everywhere and its location answers 410: cancel the order"
        " and make another one, with another key. Where the key comes back, so does the code."
    ),
]


class Payer(Answer, frozen=True, kw_only=True):
    """The payer, as the network says."""

    name: str
    document: Document | None = None
    bank: Bank | None = None


CarriedTxid = Annotated[
    str,
    msgspec.Meta(
        description="What money that came for no order carried as txid: that of your static code, or the label of one that"
        " you printed yourself. Of an order with a charge it is `conciliationId`.",
        pattern="^[0-9A-Za-z]{1,35}$",
        examples=["00001jPPPljQLKI4tD7o5QMJX"],
    ),
]


class OfPayment(Answer, frozen=True, kw_only=True):
    """The scheduled payment of a subscription that an order collects."""

    id: Id
    external_id: Annotated[str, msgspec.Meta(description="The payment's id in your system.")]


class OfSubscription(Answer, frozen=True, kw_only=True):
    """The subscription that an order belongs to."""

    id: Id
    code: Annotated[str, msgspec.Meta(description="The subscription's `externalId`.")]
    scheduled_payment: Annotated[
        OfPayment | None, msgspec.Meta(description="There where the order is the charge of a cycle, not the first one.")
    ] = None

    @classmethod
    def maybe(cls, order: model.Order) -> Self | None:
        """Of an order that belongs to one. The charge of a cycle has the code of its payment (contract.md §10)."""
        if order.subscription_id is None or order.subscription_code is None:
            return None
        payment, code = order.scheduled_payment_id, order.subscription_code
        collects = None if payment is None else OfPayment(id=str(payment), external_id=order.external_id)
        return cls(id=str(order.subscription_id), code=code, scheduled_payment=collects)


class Order(CreatedOrder, frozen=True, kw_only=True):
    """An order, and what has happened since it was made."""

    account_id: Annotated[Id, msgspec.Meta(description="The account that it credits.")]
    return_url: str | None = None
    financial_partner: str | None = None
    updated_at: Timestamp
    paid_at: Annotated[Timestamp | None, msgspec.Meta(description="When the network settled the payment.")] = None
    paid_amount: Money | None = None
    refunded_amount: Annotated[
        Money | None, msgspec.Meta(description="What was given back so far; left out where nothing was.")
    ] = None
    end_to_end_id: EndToEndId | None = None
    control_number: Annotated[
        str | None, msgspec.Meta(description="Of a TED, as its notification has it; `externalId` is the same.")
    ] = None
    payer: Payer | None = None
    subscription: Annotated[
        OfSubscription | None,
        msgspec.Meta(description="There where the order is a charge of one; `pix` is then left out."),
    ] = None
    static_qrcode_id: Annotated[
        Id | None, msgspec.Meta(description="The static QR code that was paid; `externalId` is then the endToEndId.")
    ] = None
    txid: CarriedTxid | None = None
    leads_here: LeadsHere | None = None


class ListedOrder(Order, frozen=True, kw_only=True):
    """An order as a list shows it: what the read by id shows, without the picture of its code."""

    # Not a PixCharge, which has a picture.
    pix: Annotated[
        ListedCharge | None, msgspec.Meta(description="There where the method is PIX and you made the order.")
    ] = None  # type: ignore[assignment]


class Orders(Paged, frozen=True, kw_only=True):
    """A page of orders."""

    data: list[ListedOrder]


def created(order: model.Order, holder_name: str, city: str, place: Installation) -> CreatedOrder:
    """Renders the answer to a create; a read shows more."""
    return CreatedOrder(
        **_shown(order, place),
        pix=_pictured(order, holder_name, city, place),
        **blocks.of(order, holder_name, city, place),
    )


def in_full(order: model.Order, holder_name: str, city: str, place: Installation) -> Order:
    """Renders the answer to a read: the create's, and later events."""
    return Order(
        **_shown(order, place),
        **_since(order),
        pix=_pictured(order, holder_name, city, place),
        **blocks.of(order, holder_name, city, place),
    )


def listed(order: model.Order, holder_name: str, city: str, place: Installation) -> ListedOrder:
    """Renders an order in a list, without the picture: it is drawn anew each time and weighs the most."""
    charge = _charge(order, holder_name, city, place)
    return ListedOrder(
        **_shown(order, place),
        **_since(order),
        pix=None if charge is None else ListedCharge(**charge),
        **blocks.of(order, holder_name, city, place),
    )


def bank_of(party: Party) -> Bank | None:
    """Renders a party's bank, as the network told it."""
    return None if party.bank is None else msgspec.convert(party.bank, Bank)


def _charge(order: model.Order, holder_name: str, city: str, place: Installation) -> dict[str, str] | None:
    """Returns the shown fields of a Pix charge, alike everywhere.

    None for unasked money, where a subscription has the code, and while the key leads elsewhere.
    """
    if order.subscription_id is not None or (order.instrument is not None and order.bank_code is None):
        return None
    token = order.location_token if order.bank_code is None else order.order_token
    if order.txid is None or order.expires_at is None or token is None or not order.leads_here:
        return None
    return {
        "qrcode_image_url": place.image_url(token),
        "qrcode_data": payload(order, holder_name, city, place),
        "expire_date_time": stamp(order.expires_at),
        "conciliation_id": order.txid,
    }


def _pictured(order: model.Order, holder_name: str, city: str, place: Installation) -> PixCharge | None:
    charge = _charge(order, holder_name, city, place)
    if charge is None:
        return None
    return PixCharge(**charge, qrcode_image_base64=picture(charge["qrcode_data"]))


def _shown(order: model.Order, place: Installation) -> dict[str, Any]:
    fees = _fees(order)
    return {
        "id": str(order.id),
        "external_id": order.external_id,
        "code": order.external_id,
        "status": order.state,
        "payment_method": order.payment_method,
        "amount": Money.maybe(order.amount),
        "description": order.description,
        "additional_info": order.description,
        "created_at": stamp(order.created_at),
        "fees": fees,
        "fee_fix": fees.fixed,
        "fee_var": fees.variable,
        "fee_add": fees.additional,
        "final_amount": Money.maybe(order.final_amount),
        "error_message": order.error_message,
        "checkout_url": None if order.order_token is None else place.checkout_url(order.order_token),
        "order_token": order.order_token,
    }


def _since(order: model.Order) -> dict[str, Any]:
    return {
        "account_id": str(order.account_id),
        "return_url": order.return_url,
        "financial_partner": order.financial_partner,
        "updated_at": stamp(order.updated_at),
        "paid_at": None if order.paid_at is None else stamp(order.paid_at),
        "paid_amount": Money.maybe(order.paid),
        "refunded_amount": Money.maybe(order.refunded),
        "end_to_end_id": order.end_to_end_id,
        "control_number": order.external_id if order.payment_method == TED else None,
        "payer": None if order.payer is None else _payer(order.payer),
        "subscription": OfSubscription.maybe(order),
        "static_qrcode_id": None if order.static_qrcode_id is None else str(order.static_qrcode_id),
        "txid": order.paid_txid,
        "leads_here": order.leads_here if order.state == "INITIAL" and order.pix_key is not None else None,
    }


def _fees(order: model.Order) -> Fees:
    base = order.amount or order.paid
    variable = None if base is None else Money.of(base.share(order.fees.variable_basis_points))
    return Fees(fixed=Money.of(order.fees.fixed), variable=variable, additional=Money.of(order.fees.additional))


def _payer(payer: Party) -> Payer:
    document = None
    if payer.document_type is not None and payer.document_number is not None:
        document = Document(type=payer.document_type, number=payer.document_number)
    return Payer(name=payer.name, document=document, bank=bank_of(payer))
