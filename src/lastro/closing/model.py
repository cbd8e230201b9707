"""The records of a closing request and of its obstacles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.money import Money

STATUSES: Final = ("REQUESTED", "COMPLETED", "REFUSED")
# Each in the words of clients of other platforms.
LISTED_STATUSES: Final = {"REQUESTED": "PENDING", "COMPLETED": "CONFIRMED", "REFUSED": "CANCELLED"}
# As `account_obstacles` of the schema calls them: first money, in each currency; then what is unfinished, counted.
MONEY: Final = ("AVAILABLE", "HELD", "BLOCKED", "OWED")
UNFINISHED: Final = ("PAYOUTS", "PLANS", "REFUNDS", "PAYMENTS", "ORDERS", "SCHEDULED_PAYMENTS", "DISPUTES")
OBSTACLES: Final = (*MONEY, *UNFINISHED)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle to closing. amount: of money; count: of unfinished objects."""

    kind: str
    amount: Money | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class CloseRequest:
    """A request as it was read. reason: in the requester's words. obstacles: of one that is REFUSED."""

    id: UUID
    state: str
    version: int
    account_id: UUID
    reason_code: str
    reason: str | None
    obstacles: tuple[Obstacle, ...]
    created_at: datetime
    updated_at: datetime
