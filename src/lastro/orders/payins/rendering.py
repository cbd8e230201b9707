"""Renders an order for the API of pay-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

import msgspec

from lastro.api_kit.rendering import EndToEndId, Id, Money, Timestamp, words
from lastro.api_kit.routes import Answer
from lastro.orders.model import STATUSES
from lastro.orders.rendering import CarriedTxid, LeadsHere, Payer, created, in_full

if TYPE_CHECKING:
    from lastro.accounts import Account
    from lastro.orders.model import Installation, Order, OrderShown

Picture = Annotated[
    str, msgspec.Meta(description="The picture, a PNG in base64 without a `data:` prefix.", examples=["iVBORw0KGgo="])
]
Text = Annotated[str, msgspec.Meta(description="The code's text (EMV BR Code), to copy and paste.")]
LastInstant = Annotated[Timestamp, msgspec.Meta(description="The last instant at which a bank may pay it.")]
Txid = Annotated[
    str, msgspec.Meta(description="The txid that the network knows the charge by.", pattern="^[0-9A-Za-z]{26,35}$")
]


class CreatedPayIn(Answer, frozen=True, kw_only=True):
    """A pay-in as its create answers it: what is needed to have it paid."""

    id: Annotated[Id, msgspec.Meta(description="Of the order, which has the same id at `/order/v2/transparent`.")]
    status: Annotated[str, words(*STATUSES)]
    qrcode_data: Text
    qrcode_image_base64: Picture
    expire_date_time: LastInstant
    conciliation_id: Txid

    @classmethod
    def of(cls, order: Order, account: Account, place: Installation) -> Self:
        """Renders a Pix order that was just made."""
        whole = created(order, account.holder.full_name, account.city, place)
        assert whole.pix is not None, "an order that was made here has its code"
        return cls(
            id=whole.id, status=whole.status, qrcode_data=whole.pix.qrcode_data,
            qrcode_image_base64=whole.pix.qrcode_image_base64, expire_date_time=whole.pix.expire_date_time,
            conciliation_id=whole.pix.conciliation_id,
        )  # fmt: skip


class PayIn(Answer, frozen=True, kw_only=True):
    """An order, shown as a pay-in. Its fees and its story are at `/order/v2/transparent/{id}`."""

    id: Annotated[Id, msgspec.Meta(description="Of the order, which has the same id at `/order/v2/transparent`.")]
    external_id: Annotated[str, msgspec.Meta(description="The order's id in your system.")]
    status: Annotated[str, words(*STATUSES)]
    account_id: Annotated[Id, msgspec.Meta(description="The account that it credits.")]
    payment_method: Annotated[str, msgspec.Meta(examples=["PIX"])]
    amount: Annotated[Money | None, msgspec.Meta(description="Left out where the payer types it.")] = None
    description: str
    qrcode_data: Annotated[
        Text | None, msgspec.Meta(description="This, and what goes with it, where the order has a Pix code of its own.")
    ] = None
    qrcode_image_base64: Picture | None = None
    expire_date_time: LastInstant | None = None
    conciliation_id: Txid | None = None
    created_at: Timestamp
    updated_at: Timestamp
    paid_at: Annotated[Timestamp | None, msgspec.Meta(description="When the network settled the payment.")] = None
    paid_amount: Money | None = None
    end_to_end_id: EndToEndId | None = None
    payer: Annotated[Payer | None, msgspec.Meta(description="Who paid, as the network says.")] = None
    static_qrcode_id: Annotated[Id | None, msgspec.Meta(description="The static QR code by which its money came.")] = None
    txid: CarriedTxid | None = None
    leads_here: LeadsHere | None = None
    error_message: Annotated[str | None, msgspec.Meta(description="Why the status is ERROR.")] = None

    @classmethod
    def of(cls, shown: OrderShown, place: Installation) -> Self:
        """Renders any order of the company, whichever API made it."""
        whole = in_full(shown.order, shown.holder_name, shown.city, place)
        pix = whole.pix
        return cls(
            id=whole.id, external_id=whole.external_id, status=whole.status, account_id=whole.account_id,
            payment_method=whole.payment_method, amount=whole.amount, description=whole.description,
            qrcode_data=None if pix is None else pix.qrcode_data,
            qrcode_image_base64=None if pix is None else pix.qrcode_image_base64,
            expire_date_time=None if pix is None else pix.expire_date_time,
            conciliation_id=None if pix is None else pix.conciliation_id, created_at=whole.created_at,
            updated_at=whole.updated_at, paid_at=whole.paid_at, paid_amount=whole.paid_amount,
            end_to_end_id=whole.end_to_end_id, payer=whole.payer, static_qrcode_id=whole.static_qrcode_id,
            txid=whole.txid, leads_here=whole.leads_here, error_message=whole.error_message,
        )  # fmt: skip
