"""The sweeps of due rows: a queue gives their SELECT and the verb for each."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog

from lastro.core import trace, work_queue
from lastro.core.concurrency import pause_after
from lastro.core.errors import DatabaseAway, Refused, Stale
from lastro.worker.fair_scheduler import Shares

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.runner import Runner, Verb

_ROWS = 200  # that are read where no more are due
_SHARED_ROWS = 5000  # that are read where more are: some of every company's
_REACH = 100_000  # so many of those due longest are looked at for companies; behind them a row waits until it is among them
_AT_ONCE, _OF_ONE_COMPANY = 5, 4  # so that who comes anew finds a place, however slow those of another are
_LOOK_SECONDS = 2.0  # after so long it is looked again, whatever is left: for whoever's time has come meanwhile
_LONGEST_LOOK_SECONDS = 10.0  # where a look takes long: it is to take no more than one part in twenty
BEGINS = 64  # processes that sweep the same rows begin at one of so many, of each company's
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Due:
    """One sweep.

    find_sql: run by lastro_work, gives company_id, id and due_at of at most $1 due rows, the longest due first. verb: what
    is done with one of them; what is no longer due when it is read must write nothing.
    """

    name: str
    find_sql: str
    verb: Callable[[UUID], Verb[Any]]


def shared(find_sql: str) -> str:
    """Returns SQL that takes at most $3 of find_sql's rows fairly.

    The first of every company, then everybody's second; before them those named in $2. One range of the same index, as many
    rows as are due and at most $1: no index of a sweep begins with the company.
    """
    return (
        "SELECT company_id, id, due_at, is_vain, place"  # noqa: S608 our own
        " FROM (SELECT company_id, aged.id, due_at, age, vain.id IS NOT NULL AS is_vain,"
        " row_number() OVER (PARTITION BY company_id, vain.id IS NOT NULL ORDER BY age) AS place"
        f" FROM (SELECT company_id, id, due_at, row_number() OVER () AS age FROM ({find_sql}) due) aged"
        " LEFT JOIN unnest($2::uuid[]) AS vain (id) ON vain.id = aged.id) placed"
        " ORDER BY is_vain DESC, place, age LIMIT $3"
    )


class Sweep:
    """A sweep at work, a few rows at once, shared among companies.

    A company whose rows take long delays no other's. Rows in vain are left alone for a while, each time longer, so that they
    stand in nobody's way. begin: the number drawn before each look, below BEGINS: which of a company's rows comes first, so
    that several workers share them.
    """

    def __init__(
        self, due: Due, work: Database, runner: Runner, on_worked: work_queue.OnWorked = work_queue.ignore_worked,
        begin: Callable[[], int] = lambda: 0,
    ) -> None:  # fmt: skip
        self._on_worked = on_worked
        self._due = due
        self._work = work
        self._runner = runner
        self._begin = begin
        self._shares = Shares(_OF_ONE_COMPANY)
        self._running: dict[asyncio.Task[bool], tuple[UUID, UUID]] = {}
        self._in_vain: dict[tuple[UUID, UUID], tuple[int, float]] = {}  # the number of tries, and the end of the pause

    async def round(self) -> bool:
        """Acts on what is due; whether there may be more to do at once. DatabaseAway: try again later.

        It returns when everything is done, or after a while; what is slow goes on beside the next round, in its place.
        """
        clock = asyncio.get_running_loop().time
        in_hand, begun = set(self._running.values()), clock()
        found = await self._look()
        self._forget(set(found))
        now = clock()
        ready = [one for one in found if one not in in_hand and self._in_vain.get(one, (0, now))[1] <= now]
        self._shares.lay_out(ready, self._begin())
        until, wrote = now + min(max(_LOOK_SECONDS, 20 * (now - begun)), _LONGEST_LOOK_SECONDS), False
        while True:
            while clock() < until and len(self._running) < _AT_ONCE and (one := self._shares.take()) is not None:
                self._running[asyncio.ensure_future(self._in_turn(one))] = one
            if not self._running:
                break
            left = max(0.0, until - clock())
            done, _ = await asyncio.wait(self._running, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                break
            wrote = self._ended(done) or wrote
        return wrote or bool(self._running) or self._shares.has_more

    async def rest(self) -> None:
        """Waits until all running tasks have ended."""
        if self._running:
            await asyncio.wait(self._running)

    async def cut(self) -> None:
        """Cancels all running tasks, as a crash would."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _look(self) -> list[tuple[UUID, UUID]]:
        """Returns due rows, the longest due first; where many, some of every company's."""
        few, vain = _ROWS + len(self._in_vain), [row_id for _, row_id in self._in_vain]
        rows = await self._work.in_reach(self._due.find_sql, few)
        if len(rows) < few:
            rows.sort(key=lambda row: row["due_at"])
        else:
            most = _SHARED_ROWS + len(vain)
            rows = await self._work.in_reach(shared(self._due.find_sql), _REACH + len(vain), vain, most)
            rows = sorted(rows, key=lambda row: (not row["is_vain"], row["place"], row["due_at"]))[:most]
        return [(row["company_id"], row["id"]) for row in rows]

    def _ended(self, tasks: set[asyncio.Task[bool]]) -> bool:
        """Tells whether one of these tasks has written something. Raises a task's exception."""
        for task in tasks:
            del self._running[task]
        for error in [task.exception() for task in tasks]:
            if error is not None:
                raise error
        return any(task.result() for task in tasks)

    async def _in_turn(self, one: tuple[UUID, UUID]) -> bool:
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            return await self._act(one)
        finally:
            self._shares.give_back(one[0], clock() - begun)

    async def _act(self, one: tuple[UUID, UUID]) -> bool:
        company_id, row_id = one
        trace.take_up(str(row_id), company_id)
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            outcome = await self._runner.act(company_id, self._due.verb(row_id))
        except DatabaseAway:
            raise
        except Stale:
            return True  # a conflict, so something moved: look again
        except Exception:  # noqa: BLE001 one bad row must not stop the others
            _log.exception("due.failed", lane=self._due.name, id=str(row_id))
            return self._vain(one)
        if isinstance(outcome, Refused) or outcome.write is None or outcome.write.is_empty:
            return self._vain(one)
        self._in_vain.pop(one, None)
        seconds, objects = clock() - begun, outcome.write.objects
        self._on_worked(work_queue.Worked("due", self._due.name, "done", seconds, company_id, objects, row_id))
        return True

    def _vain(self, one: tuple[UUID, UUID]) -> bool:
        times = self._in_vain.get(one, (0, 0.0))[0] + 1
        self._in_vain[one] = (times, asyncio.get_running_loop().time() + pause_after(times))
        return False

    def _forget(self, found: set[tuple[UUID, UUID]]) -> None:
        """Rows that are no longer due need not be remembered; one that is only behind others is tried anew in its turn."""
        for one in [one for one in self._in_vain if one not in found]:
            del self._in_vain[one]
