"""Compares lines with the books, and stores them. A certain line is told to the inbox, any other becomes a difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.core.runner import Act, Done
from lastro.core.write import Row, Write
from lastro.rails.port import UNKNOWN as UNREADABLE
from lastro.reconciliation import store
from lastro.reconciliation.model import COST, FED, MATCHED, MISSING, Theirs
from lastro.reconciliation.rules import judge
from lastro.reconciliation.states import ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.rails.port import Booked, StatementLine
    from lastro.reconciliation.model import Name, Ours, Statement


@dataclass(frozen=True, slots=True)
class CompareContext:
    """The rows that lines are compared with.

    stored: line ids that are kept. told: lines of any statement, by what they mean.
    """

    stored: set[str]
    told: Mapping[Name, Sequence[Theirs]]
    ours: Mapping[Name, Ours]
    not_anew: set[tuple[Name, str]]


@dataclass(frozen=True)
class Compare(Act[CompareContext]):
    """Compares one company's lines, a part of a page. booked: the objects that its rail's lines may be here."""

    statement: Statement
    lines: Sequence[StatementLine]
    booked: Sequence[Booked]

    async def read(self, session: Session, context: RequestContext) -> CompareContext:
        """Reads the stored lines, and our rows for them."""
        company, names = context.company_id, {line.network_id for line in self.lines}
        return CompareContext(
            await store.stored(session, company, self.statement, [line.line_id for line in self.lines]),
            await store.lines_of(session, company, self.statement.rail, names),
            await store.ours_of(session, company, self.booked, names),
            await store.not_anew(session, company, self.statement, names),
        )

    def decide(self, known: CompareContext, context: RequestContext) -> Done:
        """Stores each line once, with its verdict."""
        rows: list[Row] = []
        seen = {name: {line.line_id for line in lines} for name, lines in known.told.items()}
        for line in self.lines:
            if line.line_id in known.stored:
                continue
            name = (line.kind, line.network_id)
            theirs = Theirs(name, line.line_id, line.amount, line.reference)
            ours, others = known.ours.get(name), seen.setdefault(name, set())
            verdict = judge(theirs, ours, twice=bool(others), readable=line.told.kind != UNREADABLE)
            others.add(line.line_id)
            rows.append(self._line(line, verdict, ours, context))
            if verdict in (MATCHED, COST) or (name, verdict) in known.not_anew:
                continue
            rows += _differs(self.statement, theirs, verdict, ours, context)
            if verdict in FED:
                rows.append(self._told(line, context))
        return Done(Write(context.company_id, rows=tuple(rows)), b"")

    def _line(self, line: StatementLine, verdict: str, ours: Ours | None, context: RequestContext) -> Row:
        s = self.statement
        values = {
            "id": context.chance.uuid(context.now), "statement_id": s.id, "edition": s.edition, "line_id": line.line_id,
            "rail": s.rail, "day": s.day, "kind": line.kind, "network_id": line.network_id, "reference": line.reference,
            "amount_minor": line.amount.minor, "currency": line.amount.currency, "settled_at": line.settled_at,
            "verdict": verdict, "object_id": None if ours is None else ours.object_id, "created_at": context.now,
        }  # fmt: skip
        return Row("statement_lines", values)

    def _told(self, line: StatementLine, context: RequestContext) -> Row:
        """Returns the inbox row of the message the network should have sent.

        It has a name of its own: the verb books it once, no matter what else tells of it.
        """
        s, told = self.statement, line.told
        values = {
            "id": context.chance.uuid(context.now), "rail": told.rail or s.rail, "kind": told.kind,
            "network_id": f"statement:{s.day}:{s.edition}:{line.line_id}", "subject": told.subject, "txid": told.txid,
            "body": told.body, "received_at": context.now, "due_at": context.now,
        }  # fmt: skip
        return Row("inbox", values)


@dataclass(frozen=True)
class Lack(Act[CompareContext]):
    """Records our rows that a taken statement lacks. They were settled on its day, and no statement has them."""

    statement: Statement
    names: Sequence[Name]
    booked: Sequence[Booked]

    async def read(self, session: Session, context: RequestContext) -> CompareContext:
        """Reads our rows, and those known to be lacking already."""
        ids = {network_id for _, network_id in self.names}
        ours = await store.ours_of(session, context.company_id, self.booked, ids)
        return CompareContext(set(), {}, ours, await store.not_anew(session, context.company_id, self.statement, ids))

    def decide(self, known: CompareContext, context: RequestContext) -> Done:
        """Stores a difference for each."""
        rows: list[Row] = []
        for name in self.names:
            ours = known.ours.get(name)
            if ours is not None and (name, MISSING) not in known.not_anew:
                rows += _born(self.statement, name, MISSING, None, ours, {}, context)
        return Done(Write(context.company_id, rows=tuple(rows)), b"")


def _differs(s: Statement, theirs: Theirs, difference: str, ours: Ours | None, context: RequestContext) -> tuple[Row, ...]:
    said = {"theirs_minor": theirs.amount.minor, "theirs": theirs.reference, "currency": theirs.amount.currency}
    return _born(s, theirs.name, difference, theirs.line_id, ours, said, context)


def _born(
    s: Statement,
    name: Name,
    difference: str,
    line_id: str | None,
    ours: Ours | None,
    said: Mapping[str, Any],
    context: RequestContext,
) -> tuple[Row, ...]:
    values = {
        "id": context.chance.uuid(context.now), "statement_id": s.id, "rail": s.rail, "day": s.day, "kind": name[0],
        "network_id": name[1], "difference": difference, "line_id": line_id, "currency": s.currency, "theirs_minor": None,
        "theirs": None, "object_id": None if ours is None else ours.object_id,
        "ours_minor": None if ours is None else ours.amount_minor, "ours": None if ours is None else ours.reference,
        "ours_state": None if ours is None else ours.state, "created_at": context.now, "updated_at": context.now, **said,
    }  # fmt: skip
    return ITEMS.born(values, context.now, ("differ",), reason=difference)
