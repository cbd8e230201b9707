"""Works on a plan: checks its lines, then makes their payouts. A few at a time under one lease, at a measured pace."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from lastro.core import work_queue
from lastro.core.concurrency import together
from lastro.core.errors import Refused, Stale
from lastro.core.runner import Done
from lastro.payouts import Unasked
from lastro.plans import rules, store
from lastro.plans.actions.check import Check, Pace
from lastro.plans.actions.decide import Expire
from lastro.plans.actions.make import Finish, Make
from lastro.plans.due_work import PLANS_DUE
from lastro.plans.unresponsive_hosts import Silences

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database
    from lastro.core.runner import Runner
    from lastro.payouts import Ways
    from lastro.plans.model import Plan, ReadLine

LANE = work_queue.Queue(PLANS_DUE.table, only=PLANS_DUE.is_free())
_AT_A_TIME_SECONDS = 8.0  # a plan is released after so long, well before its lease is over
_CHECKED_AT_ONCE = 250
_MADE_AT_ONCE = 20
_WIDTH = 4
_MOST_KEPT = 4  # plans whose lines stay in memory between two turns
_MOST_TRIED = 1000  # plans whose progress of trying is kept
_log = structlog.get_logger(__name__)


@dataclass
class Tried:
    """The progress of trying a plan's lines. reached: the last one's number.

    again: seconds until the lines of silent merchants are retried; None: there are none.
    """

    reached: int = 0
    again: float | None = None

    def add(self, numbers: Sequence[int], outcomes: Sequence[Done | Refused | None]) -> float | None:
        """Adds outcomes, up to a line not tried; returns seconds to wait, if the directory failed."""
        for number, outcome in zip(numbers, outcomes, strict=True):
            if outcome is None:
                break
            if isinstance(outcome, Refused):
                seconds = float(outcome.retry_after_seconds or 1)
                if not isinstance(outcome, Unasked) or outcome.location is None:
                    return seconds
                self.again = seconds if self.again is None else min(self.again, seconds)
            self.reached = number
        return None


@dataclass(frozen=True)
class Planner:
    """Works on plans. ways: the directories of its look-ups. lines_per_second: the highest rate of applying a plan."""

    database: Database
    runner: Runner
    ways: Ways
    lines_per_second: float
    on_worked: work_queue.OnWorked = work_queue.ignore_worked
    _silences: Silences = field(default_factory=Silences)
    _kept: OrderedDict[UUID, list[ReadLine]] = field(default_factory=OrderedDict)
    _tried: OrderedDict[UUID, Tried] = field(default_factory=OrderedDict)

    async def row(self, row: Record) -> None:
        """Works on a claimed plan, and releases it unless it has ended."""
        clock = asyncio.get_running_loop().time
        begun, company_id = clock(), row["company_id"]
        until = begun + _AT_A_TIME_SECONDS
        plan = await self._plan(company_id, row["id"])
        pause: float | None = None
        try:
            if plan.state == "VALIDATING":
                pause = await self._check(company_id, plan)
            elif plan.state == "APPLYING":
                pause = await self._make(company_id, plan, until)
            else:
                await self.runner.act(company_id, Expire(plan.id))
        except Stale:
            pause = 0.0  # another writer changed the plan meanwhile: look again
        if pause is not None:
            await work_queue.release(self.database, LANE, row, timedelta(seconds=pause))
        self.on_worked(
            work_queue.Worked(
                "plans", plan.state.lower(), "done", clock() - begun, company_id, (plan.id,), plan.id, None, row["sends"]
            )
        )

    async def _plan(self, company_id: UUID, plan_id: UUID) -> Plan:
        async with self.database.session(company_id) as session:
            plan = await store.plan_of(session, company_id, plan_id)
        assert plan is not None, "plans are never deleted"
        return plan

    async def _check(self, company_id: UUID, plan: Plan) -> float | None:
        """Checks line after line; seconds until it is to go on, None: all lines are checked."""
        reads = self._kept.pop(plan.id, None)
        async with self.database.session(company_id) as session:
            body = await store.body_of(session, company_id, plan.id) if reads is None else b""
            place = (await store.counts_of(session, company_id, plan.id)).checked
        if body is None:
            return 0.0
        if reads is None:
            reads = await asyncio.to_thread(_reads, plan.format, body)
        self._kept[plan.id] = reads  # a plan that waits for the directory may advance by a line a turn
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)  # the least recent one: another process may have ended it
        over = asyncio.Event()  # a slow directory must not outlast the lease
        timer = asyncio.get_running_loop().call_later(_AT_A_TIME_SECONDS, over.set)
        try:
            return await self._check_lines(company_id, plan, reads[place:], over)
        finally:
            timer.cancel()

    async def _check_lines(self, company_id: UUID, plan: Plan, reads: list[ReadLine], over: asyncio.Event) -> float | None:
        place, ways = 0, self._silences.listening(self.ways, plan.id)
        while place < len(reads):
            verb = Check(plan.id, reads[place : place + _CHECKED_AT_ONCE], ways, Pace(over, self._silences))
            written = (await self.runner.act(company_id, verb)).write
            reached = 0 if written is None else len(written.rows)
            place += reached
            if verb.pace.wait_seconds is not None:
                _log.info("plan.waits", company_id=company_id, id=plan.id, count=place)
                return float(verb.pace.wait_seconds)
            if not reached or over.is_set():
                break
        if place < len(reads):
            return 0.0
        self._kept.pop(plan.id, None)
        return None

    async def _make(self, company_id: UUID, plan: Plan, until: float) -> float | None:
        """Makes payouts; returns seconds until the next turn, None: none is left.

        Lines whose merchant is silent come last: the lines behind them do not depend on it.
        """
        clock = asyncio.get_running_loop().time
        made, tried = 0, self._tried.pop(plan.id, Tried())
        while clock() < until:
            begun = clock()
            async with self.database.session(company_id) as session:
                lines = await store.lines_to_make(session, company_id, plan.id, tried.reached, _MADE_AT_ONCE)
            if not lines and tried.again is not None:
                _log.info("plan.waits", company_id=company_id, id=plan.id, count=made)
                return tried.again
            if not lines and not tried.reached:
                await self.runner.act(company_id, Finish(plan.id))
                return None
            if not lines:
                tried = Tried()
                continue
            outcomes = await self._make_some(company_id, plan.id, [line_id for _, line_id in lines], begun, until)
            made += sum(isinstance(one, Done) for one in outcomes)
            wait = tried.add([number for number, _ in lines], outcomes)
            if wait is not None:
                self._keep_tried(plan.id, tried)
                _log.info("plan.waits", company_id=company_id, id=plan.id, count=made)
                return wait
            if (await self._plan(company_id, plan.id)).state != "APPLYING":
                return None
            await asyncio.sleep(max(0.0, begun + len(lines) / self.lines_per_second - clock()))
        self._keep_tried(plan.id, tried)
        return 0.0

    async def _make_some(
        self, company_id: UUID, plan_id: UUID, ids: list[UUID], begun: float, until: float
    ) -> list[Done | Refused | None]:
        """Returns each line's outcome; None: its turn came too late."""
        clock = asyncio.get_running_loop().time
        ways = self._silences.listening(self.ways, plan_id)

        async def make(place_and_line: tuple[int, UUID]) -> Done | Refused | None:
            # Spread over time: the load of many lines at once would delay all other requests.
            await asyncio.sleep(max(0.0, begun + place_and_line[0] / self.lines_per_second - clock()))
            if clock() > until:
                return None
            return await self.runner.act(company_id, Make(place_and_line[1], ways, self._silences))

        return await together(enumerate(ids), make, _WIDTH)

    def _keep_tried(self, plan_id: UUID, tried: Tried) -> None:
        """Keeps the progress for the next turn; the oldest is dropped: another process may have ended its plan."""
        self._tried[plan_id] = tried
        if len(self._tried) > _MOST_TRIED:
            self._tried.popitem(last=False)


def _reads(form: str, body: bytes) -> list[ReadLine]:
    """Reads the lines of a plan whose body was accepted."""
    sheets = rules.sheets_of(form, body)
    assert isinstance(sheets, list)
    return rules.read_lines(form, sheets)
