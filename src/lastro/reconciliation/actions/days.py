"""Begins statements of ended days, pages through, finishes and retakes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.reconciliation import store
from lastro.reconciliation.problems import BEING_TAKEN, DAY_BEGUN
from lastro.reconciliation.states import STATEMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.reconciliation.model import Statement

_FREE = {"lease_token": None, "leased_until": None}


@dataclass(frozen=True)
class Begin(Act[None]):
    """Begins statements for a rail's ended days. They are of the institution's company."""

    rail: str
    days: Sequence[date]

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing: a known day refuses its second row."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """Adds a statement for each, due at once."""
        del known
        write = Write(context.company_id)
        for day in self.days:
            values = {
                "id": context.chance.uuid(context.now), "rail": self.rail, "day": day, "due_at": context.now,
                "created_at": context.now, "updated_at": context.now,
            }  # fmt: skip
            write += Write(context.company_id, rows=STATEMENTS.born(values, context.now, ("begin",)))
        return Done(write, b"")

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses days that another worker has begun."""
        return DAY_BEGUN.refused()


@dataclass(frozen=True)
class Note(Act[None]):
    """Stores the progress of a statement.

    Only the holder of its lease may: a worker that was too slow finds another's token.
    """

    statement: Statement
    token: UUID
    sets: Mapping[str, Any]

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing: version and token permit the write."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """Sets the columns alone: its state is as before."""
        del known
        touch = Touch("statements", self.statement.id, self.statement.version, self.sets, also={"lease_token": self.token})
        return Done(Write(context.company_id, touches=(touch,)), b"")


@dataclass(frozen=True)
class Finish(Act[None]):
    """Finishes a statement whose lines are all stored and compared.

    look_at: the time of the next look for messages that it told first.
    """

    statement: Statement
    look_at: datetime | None

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing: the version permits the write."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """Moves the statement to TAKEN, and frees its lease."""
        del known
        move = STATEMENTS.move(self.statement, "finish", context.now, due_at=self.look_at, **_FREE)
        return Done(Write(context.company_id, moves=(move,)), b"")


@dataclass(frozen=True)
class Again(Act["Statement | None"]):
    """Takes a statement once more that the partner issued anew. by: the author, for the history."""

    rail: str
    day: date
    by: str

    async def read(self, session: Session, context: RequestContext) -> Statement | None:
        """Reads the statement of the day."""
        return await store.of_day(session, context.company_id, self.rail, self.day)

    def decide(self, known: Statement | None, context: RequestContext) -> Done | Refused:
        """Moves the statement to TAKING, from page one of a new edition."""
        if known is None:
            return NOT_FOUND
        if not STATEMENTS.allows(known.state, "again"):
            return BEING_TAKEN.refused()
        move = STATEMENTS.move(
            known, "again", context.now, reason=f"by {self.by}", edition=known.edition + 1, place=None, lines=0, in_minor=0,
            out_minor=0, looks=0, due_at=context.now,
        )  # fmt: skip
        said = {"rail": known.rail, "day": known.day.isoformat(), "edition": known.edition + 1, "state": "TAKING"}
        return Done(Write(context.company_id, moves=(move,)), render(said))
