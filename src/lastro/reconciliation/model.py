"""The values of reconciliation: statements, lines, our rows and differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from datetime import date, datetime
    from uuid import UUID

    from lastro.core.money import Money

# Of a line: as the books have it, or of a kind that no book has.
MATCHED = "MATCHED"
COST = "COST"
# Differences.
UNHEARD = "UNHEARD"  # nobody told us, or the contrary, and what the line tells can be booked
UNTOLD = "UNTOLD"  # ours waits for just this word
MISSING = "MISSING"  # ours is booked, and no statement has it
TWICE = "TWICE"  # another line has said it
AMOUNT = "AMOUNT"
REFERENCE = "REFERENCE"
CONTRADICTED = "CONTRADICTED"  # ours was told that it failed
UNKNOWN = "UNKNOWN"  # nothing of ours, and nothing that could be booked by itself
DIFFERENCES = (UNHEARD, UNTOLD, MISSING, TWICE, AMOUNT, REFERENCE, CONTRADICTED, UNKNOWN)
FED = frozenset({UNHEARD, UNTOLD})  # the line's message is put into the inbox, as if the network had told it

DONE, WAITS, ENDED = "DONE", "WAITS", "ENDED"  # stages of what is ours: booked; to be ended by the network; ended without

Name: TypeAlias = tuple[str, str]  # kind of line and id in the network: what both sides mean by one movement


@dataclass(frozen=True, slots=True)
class Statement:
    """A rail's day as far as it is taken. place: the start of its next page. looks: those after messages that it told
    first, so far.
    """

    id: UUID
    company_id: UUID
    rail: str
    day: date
    state: str
    edition: int
    place: str | None
    lines: int
    in_minor: int
    out_minor: int
    currency: str
    looks: int
    version: int


@dataclass(frozen=True, slots=True)
class Theirs:
    """A line as it is compared. line_id: the partner's own."""

    name: Name
    line_id: str
    amount: Money
    reference: str | None


@dataclass(frozen=True, slots=True)
class Ours:
    """Our row for a line. state: the room's own word for its stage."""

    object_id: UUID
    stage: str
    state: str
    amount_minor: int
    reference: str | None


@dataclass(frozen=True, slots=True)
class Item:
    """A difference. line_id: None where the partner has no line."""

    id: UUID
    name: Name
    difference: str
    state: str
    version: int
    line_id: str | None


@dataclass(frozen=True, slots=True)
class Open:
    """An open difference, as a person is shown it. company: its number. theirs, ours: amounts."""

    id: UUID
    company: int
    rail: str
    day: date
    kind: str
    network_id: str
    difference: str
    line_id: str | None
    theirs: Money | None
    ours: Money | None
    their_reference: str | None
    our_reference: str | None
    our_state: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a rail.

    lines: of its statement; of these matched as they came, and differences by their state. before: the closing of the day
    before, where that is taken; None: it is not there.
    """

    rail: str
    day: date
    state: str
    edition: int
    lines: int
    came_in: Money
    went_out: Money
    opening: Money | None
    closing: Money | None
    matched: int
    booked: int
    explained: int
    accepted: int
    open: tuple[Open, ...]
    before: Money | None = None

    @property
    def has_gap(self) -> bool:
        """True where its opening is not the day before's closing. One of both statements is wrong."""
        return None not in (self.before, self.opening) and self.before != self.opening

    @property
    def tells_balance(self) -> bool:
        """True where the partner says what we had there. Else its movements alone can be compared."""
        return None not in (self.opening, self.closing)

    @property
    def is_reconciled(self) -> bool:
        """True where it is taken, without a gap, and nothing is open. Without balances its movements decide."""
        return self.state == "TAKEN" and not self.open and not self.has_gap
