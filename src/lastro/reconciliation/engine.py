"""The worker's jobs on statements: begins days, compares pages, rechecks differences.

Workers take turns under a lease: the end of a page is kept with its counts, so that the next worker goes on there. The
lines of a page that was cut short are there already, and are passed over.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from lastro.core import work_queue
from lastro.core.concurrency import together
from lastro.core.errors import Stale
from lastro.rails.port import INWARD, NotIssued, Transient
from lastro.reconciliation import store
from lastro.reconciliation.actions.compare import Compare, Lack
from lastro.reconciliation.actions.days import Begin, Finish, Note
from lastro.reconciliation.actions.settle import FIRST, Look
from lastro.reconciliation.due_work import STATEMENTS_DUE
from lastro.standards.calendar import brasilia_day, day_bounds

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from datetime import date, datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database
    from lastro.core.money import Money
    from lastro.core.runner import Runner
    from lastro.rails.port import Booked, NetworkMessage, StatementLine, StatementPage, Statements
    from lastro.reconciliation.model import Statement

LANE = work_queue.Queue(STATEMENTS_DUE.table, recalls=False)
_AT_A_TIME_SECONDS = 8.0  # a statement is given back after so long, well before its lease is over
_WIDTH = 4  # companies at once, each of which holds a connection
_LACKING_AT_ONCE = 2000
_ITEMS_AT_ONCE = 500
_BACK_DAYS = 7  # an installation that never took a statement begins so many days ago, if it is as old
_LOOKS = 6  # at what was told to the inbox, after 5 s, 15 s, 45 s …; then with the next statement of the rail
_FIRST_LOOK = timedelta(seconds=5)
_AGAIN_SECONDS = 600.0  # until a statement that is not issued yet, or came torn, is asked for again
_log = structlog.get_logger(__name__)


async def days_to_begin(database: Database, work: Database, rails: Iterable[str]) -> list[tuple[UUID, str, list[date]]]:
    """Returns the ended days without a statement, by rail. Each is with the company that statements belong to."""
    async with work.session() as session:
        company_id = await store.institution(session)
    if company_id is None:
        return []
    async with database.session(company_id) as session:
        since, now, last = await store.begun(session, company_id)
    today, behind = brasilia_day(now), []
    first = max(brasilia_day(since), today - timedelta(days=_BACK_DAYS))
    for rail in rails:
        begins = first if rail not in last else last[rail] + timedelta(days=1)
        if days := [begins + timedelta(days=n) for n in range((today - begins).days)]:
            behind.append((company_id, rail, days))
    return behind


async def ask_at_once(database: Database, work: Database, behind: datetime) -> None:
    """Makes due the statements that may have been asked for too early.

    The clock of a sandbox's networks follows its own by a moment, and a statement is asked for as soon as its day is over
    by one of both. A statement in a worker's hands may have been asked for in that moment, too, and is taken out of them.
    behind: what the networks' clock showed until now; the days before were over there.
    """
    first = brasilia_day(behind)
    for company_id in await store.taking_since(work, first):
        async with database.session(company_id) as session:
            await store.make_due(session, company_id, first)


@dataclass(frozen=True)
class Reconciler:
    """Takes statements and looks at differences again.

    statements, booked: by rail, the source of statements and the objects that their lines may be. owners: the companies
    of messages, by their network ids. on_worked: gets the result of each claim.
    """

    database: Database
    work: Database
    runner: Runner
    statements: Mapping[str, Statements]
    booked: Mapping[str, Sequence[Booked]]
    owners: Callable[[Sequence[NetworkMessage]], Awaitable[Mapping[str, UUID]]]
    on_worked: work_queue.OnWorked = work_queue.ignore_worked

    async def begin(self) -> bool:
        """Begins the days that are over. Never says that there is more. DatabaseAway: try again later."""
        for company_id, rail, days in await days_to_begin(self.database, self.work, self.statements):
            await self.runner.act(company_id, Begin(rail, days))
        return False

    async def row(self, row: Record) -> None:
        """Continues a claimed statement; releases it if unfinished."""
        clock = asyncio.get_running_loop().time
        begun, statement = clock(), store.statement_of(row)
        pause: float | None = None
        outcome = "done"
        try:
            if statement.state == "TAKING":
                pause = await self._take(statement, row["lease_token"], begun + _AT_A_TIME_SECONDS)
            else:
                await self._look_later(statement, row["lease_token"])
        except Transient as away:
            _log.warning("statement.away", rail=statement.rail, subject=str(statement.day), reason=away.reason)
            pause, outcome = away.retry_after_seconds or 30.0, "away"
        except Stale:
            pause, outcome = 1.0, "overtaken"
        if pause is not None:
            await work_queue.release(self.database, LANE, row, timedelta(seconds=pause))
        self.on_worked(
            work_queue.Worked(
                "statements", statement.rail, outcome, clock() - begun, statement.company_id, (statement.id,), statement.id,
                None, row["sends"],
            )
        )  # fmt: skip

    async def _take(self, statement: Statement, token: UUID, until: float) -> float | None:
        """Takes page after page; seconds until it goes on, None: it is in nobody's hands."""
        clock = asyncio.get_running_loop().time
        if statement.place is None:
            statement = replace(statement, lines=0, in_minor=0, out_minor=0)
            if statement.edition > 1:
                await self._retire(statement)
        while True:
            try:
                page = await self.statements[statement.rail].statement(statement.day, statement.place)
            except NotIssued as later:
                return later.seconds
            if page is None:
                return _AGAIN_SECONDS
            statement = _turned(statement, page)
            await self._compare(statement, page.lines)
            if page.following is None:
                return await self._finish(statement, page, token)
            await self._note(statement, page, token)
            if clock() > until:
                return 0.0

    async def _compare(self, statement: Statement, lines: Sequence[StatementLine]) -> None:
        """Compares each line of a page in its company."""
        told = [replace(line.told, network_id=line.line_id) for line in lines]
        if len({one.network_id for one in told}) != len(told):
            raise Transient("two lines of the statement have one id")
        owners = await self.owners(told) if told else {}
        batches: dict[UUID, list[StatementLine]] = {}
        for line in lines:
            batches.setdefault(owners[line.line_id], []).append(line)

        async def compare(batch: tuple[UUID, list[StatementLine]]) -> None:
            await self.runner.act(batch[0], Compare(statement, batch[1], self.booked[statement.rail]))

        await together(batches.items(), compare, _WIDTH)

    async def _note(self, statement: Statement, page: StatementPage, token: UUID) -> None:
        sets = {
            "place": page.following, "lines": statement.lines, "in_minor": statement.in_minor,
            "out_minor": statement.out_minor, "opening_minor": _minor(page.totals.opening),
            "closing_minor": _minor(page.totals.closing), "currency": statement.currency,
        }  # fmt: skip
        await self.runner.act(statement.company_id, Note(statement, token, sets))

    async def _finish(self, statement: Statement, page: StatementPage, token: UUID) -> float | None:
        """Ends a statement after its last page.

        It checks the totals, finds our rows that it lacks, and closes the differences that are explained by now.
        """
        totals = page.totals
        said = (totals.lines, totals.came_in.minor, totals.went_out.minor)
        if said != (statement.lines, statement.in_minor, statement.out_minor) or not totals.adds_up:
            _log.critical("statement.torn", rail=statement.rail, subject=str(statement.day), count=statement.lines)
            # Its stored lines are of no statement: the next one is another edition, which retires them.
            anew = {"place": None, "edition": statement.edition + 1}
            await self.runner.act(statement.company_id, Note(statement, token, anew))
            return _AGAIN_SECONDS
        await self._note(statement, page, token)
        await self._goes_on(statement, _minor(totals.opening))
        await self._lack(statement)
        fed, left = await self._look(statement.rail)
        if left:
            _log.warning("statement.differs", rail=statement.rail, subject=str(statement.day), count=left)
        async with self.work.session() as session:
            now = await store.business_now(session)
        await self.runner.act(statement.company_id, Finish(statement, now + _FIRST_LOOK if fed else None))
        return None

    async def _goes_on(self, statement: Statement, opening_minor: int | None) -> None:
        """Logs a gap between this opening and the day before's closing. None: no balance is told.

        Its lines say which of both is wrong; people are told.
        """
        if opening_minor is None:
            return
        async with self.database.session(statement.company_id) as session:
            before = await store.closed_with(session, statement)
        if before is not None and before != opening_minor:
            _log.error("statement.gap", rail=statement.rail, subject=str(statement.day))

    async def _lack(self, statement: Statement) -> None:
        booked, bounds = self.booked[statement.rail], day_bounds(statement.day)
        while True:
            found = await store.lacking(self.work, statement.rail, booked, bounds, _LACKING_AT_ONCE)
            if not found:
                return
            for company_id, names in found.items():
                await self.runner.act(company_id, Lack(statement, names, booked))

    async def _look(self, rail: str) -> tuple[int, int]:
        """Looks at every open difference of a rail; how many of those that stay are on their way, and how many there are."""
        for company_id in await store.with_open(self.work, rail):
            after = FIRST
            while True:
                done = await self.runner.act(company_id, Look(rail, self.booked[rail], after, _ITEMS_AT_ONCE))
                last = getattr(done, "body", b"")
                if not last:
                    break
                after = type(after)(bytes=last)
        left = await store.with_open(self.work, rail)
        return sum(fed for fed, _ in left.values()), sum(count for _, count in left.values())

    async def _look_later(self, statement: Statement, token: UUID) -> None:
        """Looks again for a statement's messages in the books. Each look comes three times as late."""
        fed, _ = await self._look(statement.rail)
        looks = statement.looks + 1
        async with self.work.session() as session:
            now = await store.business_now(session)
        later = now + _FIRST_LOOK * 3**looks if fed and looks < _LOOKS else None
        free = {"lease_token": None, "leased_until": None}
        await self.runner.act(statement.company_id, Note(statement, token, {"looks": looks, "due_at": later, **free}))

    async def _retire(self, statement: Statement) -> None:
        async with self.work.session() as session:
            found = await store.companies(session)
        for company_id in found:
            async with self.database.session(company_id) as session:
                await store.retire(session, company_id, statement)


def _turned(statement: Statement, page: StatementPage) -> Statement:
    """Returns the statement with a page more."""
    came = sum(line.amount.minor for line in page.lines if line.kind in INWARD)
    went = sum(line.amount.minor for line in page.lines if line.kind not in INWARD)
    return replace(
        statement, place=page.following, lines=statement.lines + len(page.lines), in_minor=statement.in_minor + came,
        out_minor=statement.out_minor + went, currency=page.totals.came_in.currency,
    )  # fmt: skip


def _minor(balance: Money | None) -> int | None:
    return None if balance is None else balance.minor
