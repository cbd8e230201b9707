"""Declares work that falls due: rows of one table that time, or a worker, does something to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from lastro.core.work_queue import HELD_UNTIL, NOW


def both(one: str, other: str) -> str:
    """Joins two conditions, either of which may be "true"."""
    return other if one == "true" else one if other == "true" else f"{one} AND {other}"


@dataclass(frozen=True, slots=True)
class DueWork:
    """One declaration of a room: its sweep, its gauge, and what the sandbox's clock goes on to are made of it.

    Every condition is SQL about one row, by its columns; `ready` may call it `w`.
    """

    name: str  # the sweep's, in logs and metrics
    table: str
    column: str  # the time that a row is due
    index: str  # partial, led by the column: every statement below is one range of it
    where: str = "true"  # the rows it is about
    by: Literal["sweep", "queue", "question"] = "sweep"  # a verb of app/scheduled_jobs.py, a Queue, a Waiting
    gauge: str | None = None  # its `lane` in lastro_due; None: other metrics cover it
    shares: tuple[tuple[str, str], ...] = ()  # several sweeps: the name of each, and which rows are its own
    grace: timedelta = timedelta()  # given to a message that is late
    held: str | None = None  # its name where it moves money: what was due when an era began is held back
    ready: str = "true"  # of a row that is due: something can be done with it now
    repeats: bool = False  # falls due again for as long as it is open: nothing for a clock to go on to
    at_once: bool = False  # the column gives the order alone: every row is due

    @property
    def sweeps(self) -> dict[str, str]:
        """Finds what may begin, and since when; at most $1, the longest due first; by the sweep's name."""
        found = f"SELECT company_id, id, {self.column} AS due_at FROM {self.table} WHERE"  # noqa: S608 names of our own
        return {
            name: f"{found} {both(self.may_begin(), own)} ORDER BY {self.column} LIMIT $1"
            for name, own in self.shares or ((self.name, "true"),)
        }

    def is_due(self, now: str = NOW) -> str:
        """Says of a row that it is due, held back or not."""
        return self.where if self.at_once else both(self.where, f"{self.column} <= {self.before(now)}")

    def may_begin(self, now: str = NOW, held_until: str = HELD_UNTIL) -> str:
        """Returns the condition of a due row that no era holds back."""
        return both(self.is_due(now), self.is_free(held_until))

    def is_free(self, held_until: str = HELD_UNTIL) -> str:
        """Says of a row that no era holds it back."""
        return f"{self.column} > {held_until}" if self.held else "true"

    def before(self, now: str) -> str:
        """Subtracts the grace from an instant."""
        return f"{now} - {self._grace}" if self.grace else now

    def next_sql(self, now: str) -> str:
        """Finds the first instant after now at which a row falls due."""
        later = f" + {self._grace}" if self.grace else ""
        return (
            f"SELECT min({self.column}){later} FROM {self.table}"  # noqa: S608 names of our own
            f" WHERE {both(self.where, f'{self.column} > {self.before(now)}')}"
        )

    @property
    def _grace(self) -> str:
        return f"interval '{self.grace.total_seconds():.0f} seconds'"
