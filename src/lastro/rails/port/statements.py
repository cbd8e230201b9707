"""The statement of a network's day, and the rows compared with it.

A rail joins in three steps:

1. Its adapter has `statements.py` with a `Statements`; where the partner answers in the JSON of `rails/statements.py` that
   is one line, else a reader of its wire. A line names its kind, the id under which both sides know the movement, the
   amount and the time, and carries in `told` the message by which the network tells of such a movement: it says whose line
   it is, and is what our books hear where that message never came.
2. The rooms that book its movements name them in a `Booked` beside their `Waiting` (orders/model.py, payouts/model.py).
3. `app/networks.py`, `statements_of`, has it under the name of the rail.

A statement is of one day of Brasilia's calendar and final once that day is over. It comes in pages, each with the totals
of the whole day, so that one that was torn off is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date, datetime

    from lastro.core.money import Money
    from lastro.rails.port.rail import NetworkMessage

# Kinds of line.
IN = "IN"  # a payment to us
OUT = "OUT"  # a payment of ours
RETURN_IN = "RETURN_IN"  # a receiver gives back what we paid
RETURN_OUT = "RETURN_OUT"  # we give back what was paid to us
CHARGEBACK = "CHARGEBACK"  # taken from us against our will
FEE = "FEE"  # the partner's own fee; none of our books has it
KINDS = (IN, OUT, RETURN_IN, RETURN_OUT, CHARGEBACK, FEE)
INWARD = frozenset({IN, RETURN_IN})


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A movement, as the partner has it.

    line_id: its own id of the line, the same however often the statement is asked for. network_id: by which both sides know
    the movement: endToEndId, control number, payment id, return id. reference: txid, nosso número, number of the STR, or of
    a return what it gives back; None: it names none. amount: above zero, the kind says which way. told: what the network
    tells when such a thing happens; its network_id may be empty.
    """

    line_id: str
    kind: str
    network_id: str
    reference: str | None
    amount: Money
    settled_at: datetime
    told: NetworkMessage


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals of the whole day, over all its pages.

    opening, closing: our balance there before it and after it; None: the partner tells no balances.
    """

    lines: int
    came_in: Money
    went_out: Money
    opening: Money | None
    closing: Money | None

    @property
    def adds_up(self) -> bool:
        """True where the day leads from opening to closing. It is so where one of both is not told."""
        if self.opening is None or self.closing is None:
            return True
        return self.opening + self.came_in - self.went_out == self.closing


@dataclass(frozen=True, slots=True)
class StatementPage:
    """A part of a statement. following: what to ask for next, in the partner's words; None: this was the last."""

    lines: tuple[StatementLine, ...]
    totals: Totals
    following: str | None


class NotIssued(Exception):  # noqa: N818 it says what the network has not done
    """A statement is not issued yet. seconds: until it is worth asking for, where that is known."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Statements(Protocol):
    """The source of a rail's statements."""

    async def statement(self, day: date, after: str | None) -> StatementPage | None:
        """Returns a page of the statement of a day that is over; None: it is not issued yet.

        after: what the page before has named; None: the first. Transient: ask again later. NotIssued: as None, and it is
        known when to ask again.
        """


@dataclass(frozen=True, slots=True)
class Booked:
    """Objects of a room that are lines of a rail's statements. Names are of columns of its table, called `x`.

    kind: of line. name: their id in the network. at: when they settled, as our books have it; None: a statement may lack
    them. done: the states in which they
    are booked; waiting: those in which the network's word is still to come. reference: an expression for what the line's
    reference is compared with. only: which of them are this rail's, said of columns that the finding role sees.
    """

    kind: str
    table: str
    name: str
    at: str | None
    done: tuple[str, ...]
    waiting: tuple[str, ...] = ()
    state: str = "x.state"
    reference: str = "NULL::text"
    only: str = "true"

    @property
    def known_sql(self) -> str:
        """The SQL of company $1's rows with ids among $2. They are of lines of the kind: at most one for each id."""
        return (
            f"SELECT '{self.kind}' AS kind, x.{self.name} AS network_id, x.id, {self.state} AS state, x.amount_minor,"  # noqa: S608 names of our own code
            f" {self.reference} AS reference FROM {self.table} x"
            f" WHERE x.company_id = $1 AND x.{self.name} = ANY ($2::text[]) AND {self.only}"
        )

    @property
    def settled_sql(self) -> str:
        """The SQL of rows booked between $2 and $3 without a statement.

        It selects company and id of all companies' rows that no statement of rail $1 has.
        """
        states = ", ".join(f"'{s}'" for s in self.done)
        return (
            f"SELECT x.company_id, '{self.kind}' AS kind, x.{self.name} AS network_id FROM {self.table} x"  # noqa: S608
            f" WHERE x.{self.at} >= $2 AND x.{self.at} < $3 AND {self.state} IN ({states}) AND {self.only}"
            f" AND NOT EXISTS (SELECT 1 FROM statement_lines l WHERE l.company_id = x.company_id AND l.rail = $1"
            f" AND l.kind = '{self.kind}' AND l.network_id = x.{self.name} AND l.is_current)"
        )
