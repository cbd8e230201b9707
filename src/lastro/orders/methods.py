"""The payment methods of orders, and their terms. Sources: interface.md, contract.md §6 and §10."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from lastro.rails import port

if TYPE_CHECKING:
    from lastro.orders.model import Order

PIX = "PIX"
TED = "TED"
BOLETO = "BOLETO"
SPEI = "SPEI"
CREDIT_CARD = "CREDIT_CARD"
DEPOSIT = "DEPOSIT"
OXXO, OXXOPAY, PAYNET = "OXXO", "OXXOPAY", "PAYNET"
CASH = (OXXO, OXXOPAY, PAYNET)
_BRANDED = re.compile(r"[A-Z0-9]{2,16}_PAY")


@dataclass(frozen=True, slots=True)
class Method:
    """The terms of a payment method. rail: of the partner that collects, None for PIX.

    least_minor, most_minor: the bounds of the final amount. needs_address, needs_phone: the customer's are required.
    is_refundable: the partner can give money back (states.md 7). has_pix: a Pix may pay it too. is_quoted: the partner is
    asked for a rate before the order is made. takes_parts: the payer types the amount, so that it may come in parts, or be
    too much.
    """

    name: str
    currency: str
    rail: str | None = None
    least_minor: int = 1
    most_minor: int | None = None
    needs_address: bool = False
    is_refundable: bool = False
    has_pix: bool = False
    needs_phone: bool = False
    is_quoted: bool = False
    takes_parts: bool = False


METHODS = {
    PIX: Method(PIX, "BRL", is_refundable=True, has_pix=True),
    # The payer sends the money of both from a bank of his own.
    SPEI: Method(SPEI, "MXN", port.SPEI, is_refundable=True, takes_parts=True),
    DEPOSIT: Method(DEPOSIT, "BRL", port.DEPOSIT, is_refundable=True, takes_parts=True),
    # Tills take from MXN 10 (Worldpay; PPRO says 1) to MXN 10,000 (both). Paynet publishes no bounds: it has the same here.
    OXXO: Method(OXXO, "MXN", port.OXXO, least_minor=1_000, most_minor=1_000_000),
    OXXOPAY: Method(OXXOPAY, "MXN", port.OXXOPAY, least_minor=1_000, most_minor=1_000_000),
    PAYNET: Method(PAYNET, "MXN", port.PAYNET, least_minor=1_000, most_minor=1_000_000),
    CREDIT_CARD: Method(CREDIT_CARD, "MXN", port.CARD, needs_address=True, needs_phone=True, is_refundable=True),
    # The bar code has room for ten digits.
    BOLETO: Method(BOLETO, "BRL", port.BOLETO, most_minor=9_999_999_999, needs_address=True, has_pix=True),
}
# For unasked money alone: no client makes an order by it.
_COMES_BY_ITSELF = {TED: Method(TED, "BRL", port.TED)}


@lru_cache(maxsize=256)
def _branded(name: str) -> Method:
    return Method(name, "BRL", port.CRYPTO, is_quoted=True)


def method_of(name: str | None) -> Method | None:
    """Returns the method of this name; None: nothing is built for it. Crypto has one for each brand, configured or not."""
    if name is not None and _BRANDED.fullmatch(name) is not None:
        return _branded(name)
    return METHODS.get(name or "")


def known_method(name: str) -> Method:
    """Returns the method of an existing order."""
    method = method_of(name) or _COMES_BY_ITSELF.get(name)
    assert method is not None, f"{name} is the method of an order, and is not there"
    return method


def rails_of(method: Method) -> tuple[str, ...]:
    """Returns the rails that can serve a method. The usual one is first; PIX has none."""
    return () if method.rail is None else port.rails_like(method.rail)


def method_by_brand(brand: str) -> str:
    """Returns the method's name for a brand of crypto app."""
    return f"{brand}_PAY"


def is_in_parts(order: Order) -> bool:
    """Tells whether an order may be paid by several payments."""
    return known_method(order.payment_method).takes_parts


def methods_by(rails: frozenset[str], brands: tuple[str, ...] = ()) -> frozenset[str]:
    """Returns the methods that these partners make possible. Pix always is. brands: of crypto, where its partner is."""
    names = {name for name, method in METHODS.items() if method.rail is None or rails.intersection(rails_of(method))}
    return frozenset(
        names | {method_by_brand(brand) for brand in brands if rails.intersection(port.rails_like(port.CRYPTO))}
    )
