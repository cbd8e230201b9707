"""Days and their statements: begun when a day is over, turned page by page, finished, taken again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.reconciliation import store
from lastro.reconciliation.states import STATEMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.reconciliation.model import Statement

_FREE = {"lease_token": None, "leased_until": None}


@dataclass(frozen=True)
class Begin(Act[None]):
    """Days of a rail that are over: their statements are to be taken. Of the institution's company."""

    rail: str
    days: Sequence[date]

    async def read(self, session: Session, context: RequestContext) -> None:
        """Nothing: a day that is there already refuses its second row."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """A statement for each, due at once."""
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
        """Another worker has begun the same days."""
        return Refused(Kind.CONFLICT, (Problem("day", "CONFLICT", "is begun already"),))


@dataclass(frozen=True)
class Note(Act[None]):
    """How far a statement is taken. Only who has it in hand may say so: a worker that was too slow finds another's token."""

    statement: Statement
    token: UUID
    sets: Mapping[str, Any]

    async def read(self, session: Session, context: RequestContext) -> None:
        """Nothing: the version and the token say whether it may be."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """The columns alone: its state is as before."""
        del known
        touch = Touch("statements", self.statement.id, self.statement.version, self.sets, also={"lease_token": self.token})
        return Done(Write(context.company_id, touches=(touch,)), b"")


@dataclass(frozen=True)
class Finish(Act[None]):
    """Every line of a statement is there and compared. look_at: when it is looked whether what it said first is booked."""

    statement: Statement
    look_at: datetime | None

    async def read(self, session: Session, context: RequestContext) -> None:
        """Nothing: the version says whether it may be."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """TAKEN, in nobody's hands."""
        del known
        move = STATEMENTS.move(self.statement, "finish", context.now, due_at=self.look_at, **_FREE)
        return Done(Write(context.company_id, moves=(move,)), b"")


@dataclass(frozen=True)
class Again(Act["Statement | None"]):
    """The partner has issued a statement anew: it is taken once more. by: who says so, for the history."""

    rail: str
    day: date
    by: str

    async def read(self, session: Session, context: RequestContext) -> Statement | None:
        """The statement of the day."""
        return await store.of_day(session, context.company_id, self.rail, self.day)

    def decide(self, known: Statement | None, context: RequestContext) -> Done | Refused:
        """TAKING from its first page, as its next edition."""
        if known is None:
            return NOT_FOUND
        if not STATEMENTS.allows(known.state, "again"):
            text = "is being taken already"
            return Refused(Kind.CONFLICT, (Problem("state", "CONFLICT", text),))
        move = STATEMENTS.move(
            known, "again", context.now, reason=f"by {self.by}", edition=known.edition + 1, place=None, lines=0, in_minor=0,
            out_minor=0, looks=0, due_at=context.now,
        )  # fmt: skip
        said = {"rail": known.rail, "day": known.day.isoformat(), "edition": known.edition + 1, "state": "TAKING"}
        return Done(Write(context.company_id, moves=(move,)), render(said))
