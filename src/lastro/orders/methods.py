"""The payment methods that an order can be paid by, and the terms of each (interface.md, contract.md §6 and §10)."""

from __future__ import annotations

from dataclasses import dataclass

from lastro.rails import port

PIX = "PIX"
BOLETO = "BOLETO"


@dataclass(frozen=True, slots=True)
class Method:
    """What sets a method apart. rail: of the partner that collects, None for PIX. most_minor: the largest final amount.

    needs_address: whether the customer's address has to be given.
    """

    name: str
    currency: str
    rail: str | None = None
    most_minor: int | None = None
    needs_address: bool = False


METHODS = {
    PIX: Method(PIX, "BRL"),
    # The bar code has room for ten digits.
    BOLETO: Method(BOLETO, "BRL", port.BOLETO, most_minor=9_999_999_999, needs_address=True),
}
