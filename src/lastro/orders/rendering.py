"""How an order is shown to the client that made it."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lastro.base.api import present, stamp
from lastro.standards import qrcode
from lastro.standards.brcode import BrCode, ascii_text, encode

if TYPE_CHECKING:
    from lastro.base.money import Money
    from lastro.orders.model import Order, Place


def payload(order: Order, holder_name: str, city: str, place: Place) -> str:
    """The text of an order's QR: dynamic, for one use, with the location that serves the signed charge."""
    assert order.location_token is not None
    return encode(
        BrCode(
            location=place.location(order.location_token),
            amount=None if order.final_amount is None else str(order.final_amount),
            merchant_name=_merchant(holder_name, 25),
            merchant_city=_merchant(city, 15),
            single_use=True,
        )
    )


@lru_cache(maxsize=4096)
def _merchant(text: str, longest: int) -> str:
    return ascii_text(text, longest) or "NAO INFORMADO"


def wire(order: Order, holder_name: str, city: str, place: Place) -> dict[str, Any]:
    """The answer to a create; reading shows more beside it."""
    pix = None
    if order.txid is not None and order.expires_at is not None and order.location_token is not None:
        text = payload(order, holder_name, city, place)
        pix = {
            "qrcodeImageUrl": place.image_url(order.location_token),
            "qrcodeImageBase64": b64encode(qrcode.png(text)).decode(),
            "qrcodeData": text,
            "expireDateTime": stamp(order.expires_at),
            "conciliationId": order.txid,
        }
    return present(
        id=str(order.id),
        externalId=order.external_id,
        status=order.state,
        paymentMethod=order.payment_method,
        amount=None if order.amount is None else order.amount.wire(),
        description=order.description,
        createdAt=stamp(order.created_at),
        pix=pix,
        fees=_fees(order),
        finalAmount=None if order.final_amount is None else order.final_amount.wire(),
        errorMessage=order.error_message,
    )


def wire_in_full(order: Order, holder_name: str, city: str, place: Place) -> dict[str, Any]:
    """The answer to a read: the create's, and what has happened since."""
    shown = wire(order, holder_name, city, place)
    payer = order.payer
    shown |= present(
        accountId=str(order.account_id),
        returnUrl=order.return_url,
        financialPartner=order.financial_partner,
        updatedAt=stamp(order.updated_at),
        paidAt=None if order.paid_at is None else stamp(order.paid_at),
        paidAmount=None if order.paid is None else order.paid.wire(),
        endToEndId=order.end_to_end_id,
        payer=None
        if payer is None
        else present(
            name=payer.name,
            document=present(type=payer.document_type, number=payer.document_number) or None,
            bank=payer.bank,
        ),
    )
    return shown


def _fees(order: Order) -> dict[str, Any]:
    base: Money | None = order.amount or order.paid
    variable = None if base is None else base.share(order.fees.variable_basis_points).wire()
    return present(fixed=order.fees.fixed.wire(), variable=variable, additional=order.fees.additional.wire())
