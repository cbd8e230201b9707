"""Vouchers in the words and forms of those who take them to a till in Mexico: pesos, Mexico City's clock, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lastro.standards.spei_ids import MEXICO_CITY

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money


class Network(NamedTuple):
    """How a network is called on its voucher, and what the customer does there."""

    name: str
    steps: tuple[str, ...]


_EXACT = "Pague en efectivo el importe exacto: la tienda puede cobrar una comisión aparte."
NETWORKS = {
    "OXXO": Network("OXXO", (
        "Vaya a cualquier tienda OXXO y diga que quiere pagar un servicio.",
        "Muestre este código de barras, o dicte la referencia.", _EXACT,
        "Guarde su comprobante: el pago se confirma el día hábil siguiente.",
    )),
    "OXXOPAY": Network("OXXO Pay", (
        "Vaya a cualquier tienda OXXO y diga que quiere hacer un pago OXXO Pay.",
        "Muestre este código de barras, o dicte la referencia.", _EXACT,
        "Guarde su comprobante: el pago se confirma al instante.",
    )),
    "PAYNET": Network("Paynet", (
        "Vaya a una tienda o farmacia de la red Paynet.", "Muestre este código de barras, o dicte la referencia.", _EXACT,
        "Guarde su comprobante: el pago se confirma al instante.",
    )),
}  # fmt: skip


def pesos(amount: Money) -> str:
    """`$1,234.56 MXN`."""
    whole, _, cents = str(amount).partition(".")
    return f"${int(whole):,}.{cents} MXN"


def moment(at: datetime) -> str:
    """`31/01/2026, 18:05 (hora de la Ciudad de México)`. at: aware."""
    return f"{at.astimezone(MEXICO_CITY):%d/%m/%Y, %H:%M} (hora de la Ciudad de México)"
