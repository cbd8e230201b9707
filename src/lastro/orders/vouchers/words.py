"""The texts of vouchers for tills in Mexico. They have pesos, Mexico City's clock and the steps to pay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.standards.spei_ids import MEXICO_CITY

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money


say = Speech("es", read_texts(Path(__file__).with_name("texts.toml")))


class Network(NamedTuple):
    """A cash network's voucher texts: its name, and the customer's steps. All are names of texts."""

    name: str
    steps: tuple[str, ...]


NETWORKS = {
    "OXXO": Network("OXXO", ("go-oxxo", "show", "exact", "keep-next-day")),
    "OXXOPAY": Network("OXXO Pay", ("go-oxxo-pay", "show", "exact", "keep-at-once")),
    "PAYNET": Network("Paynet", ("go-paynet", "show", "exact", "keep-at-once")),
}


def pesos(amount: Money) -> str:
    """`$1,234.56 MXN`."""
    whole, _, cents = str(amount).partition(".")
    return f"${int(whole):,}.{cents} MXN"


def moment(at: datetime) -> str:
    """`31/01/2026, 18:05 (hora de la Ciudad de México)`. at: aware."""
    return f"{at.astimezone(MEXICO_CITY):%d/%m/%Y, %H:%M} ({say('clock')})"
