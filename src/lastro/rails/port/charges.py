"""The charges that dynamic QRs lead to, as rooms see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money


@dataclass(frozen=True, slots=True)
class Charge:
    """The charge of a QR. amount None: the payer types it. may_change: another amount is taken, too."""

    key: str
    amount: Money | None
    txid: str | None
    may_change: bool = False


@dataclass(frozen=True, slots=True)
class NoCharge:
    """A dynamic QR that cannot be paid. issue: a word of the interface; text: why, for people."""

    issue: str
    text: str


class Charges(Protocol):
    """Reads the charges that dynamic QRs lead to."""

    async def read(self, location: str, now: datetime) -> Charge | NoCharge:
        """Returns the charge at a location. Transient: it was silent."""
