"""The virtual clock: one for lastro and the simulated networks, which goes forward from one due instant to the next."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import aiohttp

from lastro.api_kit.routes import stamp
from lastro.core.due_work import both
from lastro.due_work import DUE_WORK
from lastro.ledger import covered_debts, watched_accounts
from lastro.reconciliation import ask_at_once, days_to_begin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.core.due_work import DueWork

_LOOK_SECONDS = 0.05
_DEBTS_COUNTED = 1000  # of a company
_PATIENCE_SECONDS = 6.0  # so long one instant may keep things busy before the clock goes on regardless

READ = "SELECT business_now() AS now, offset_us, target_at, version FROM clock"
# Only where nobody has aimed since: a step of some length is counted from the target as it was read.
AIM = """
UPDATE clock SET target_at = greatest(target_at, $1) WHERE mode = 'sandbox' AND target_at IS NOT DISTINCT FROM $2
RETURNING target_at
"""
AIMED = "SELECT pg_notify('lastro_work', 'clock')"
_STEP = """
UPDATE clock SET offset_us = offset_us + $1, version = version + 1,
                 target_at = CASE WHEN $2 AND target_at <= $4 THEN NULL ELSE target_at END
 WHERE version = $3 RETURNING offset_us
"""

_BESIDE = "statements"  # are taken beside a walk, which would stand still at the end of each day
_UNNUMBERED = """
SELECT count(*) FROM event_cursors c CROSS JOIN LATERAL (
  SELECT 1 FROM events e WHERE e.company_id = c.company_id AND e.xid >= c.numbered_below_xid AND NOT EXISTS (
    SELECT 1 FROM event_numbers n WHERE n.company_id = e.company_id AND n.event_id = e.id OFFSET 0) LIMIT 1) u
"""


def _pending(works: Iterable[DueWork]) -> str:
    """Returns the SQL that counts due work, with events without a number.

    The time is a subquery, so that it bounds an index: called bare, it is asked for each row that ever was, and the worker
    looks twenty times a second.
    """
    counts = [
        f"SELECT count(*) FROM {work.table} w WHERE"  # noqa: S608 names of our own
        f" {both(work.may_begin('(SELECT now FROM t)', '(SELECT held FROM t)'), work.ready)}"
        for work in works
    ]
    return (
        "WITH t AS MATERIALIZED (SELECT business_now() AS now, held_until() AS held)\n"
        f"SELECT {' + '.join(f'({count})' for count in [*counts, _UNNUMBERED])}"
    )


PENDING = _pending(DUE_WORK)
BUSY = _pending(work for work in DUE_WORK if work.name != _BESIDE)  # work that a walk waits for
_COMPANIES = "SELECT company_id FROM company_numbers"
# Retries go together that lie near each other, as far as a quarter of the way to the first: each endpoint that hangs takes
# as long as the clock has patience, and many of them, whose retries chance has spread, would take that long one by one.
_DELIVERIES = """
SELECT least(
  (SELECT min(due_at) FROM deliveries WHERE status <> 'RETRYING' AND due_at > $1),
  (SELECT max(r.due_at) FROM deliveries r CROSS JOIN (
     SELECT min(due_at) AS at FROM deliveries WHERE status = 'RETRYING' AND due_at > $1) f
    WHERE r.status = 'RETRYING' AND r.due_at BETWEEN f.at AND f.at + (f.at - $1) / 4),
  (SELECT min(due_at) + interval '6 hours' FROM held_deliveries))
"""
_FIRSTS = [
    _DELIVERIES if work.name == "deliveries" else work.next_sql("$1::timestamptz")
    for work in DUE_WORK
    if not (work.at_once or work.repeats)
]
NEXT = f"SELECT least({', '.join(f'({first})' for first in _FIRSTS)})"


@dataclass
class Stepper:
    """Walks the clock towards its target, as a queue of the worker. A target outlives a restart."""

    settings: Settings
    work: Database
    database: Database
    _told_us: int | None = field(default=None)  # the offset last sent to the simulator
    _since: float | None = field(default=None)  # machine time at which the walk, or its present instant, began
    _is_walking: bool = field(default=True)  # whether the last look found something to do
    _http: aiohttp.ClientSession | None = field(default=None)

    async def step(self) -> bool | None:
        """Looks once, and steps at most once. Tells whether the clock has moved; None: there is nothing to do."""
        if self._is_walking:
            await asyncio.sleep(_LOOK_SECONDS)
        async with self.work.session() as session:
            clock = await session.row(READ)
        assert clock is not None
        busy = 0 if clock["target_at"] is None else await _counted(self.work, BUSY)
        now = asyncio.get_running_loop().time()
        self._is_walking = clock["target_at"] is not None or clock["offset_us"] != self._told_us
        if clock["target_at"] is None or self._since is None:
            self._since = now
        if clock["offset_us"] != self._told_us:  # by somebody else, or before this process began
            return await self._tell(clock["now"], clock["offset_us"])
        if clock["target_at"] is None:
            return None
        network = await self._network()
        if (busy or network is None or not network["quiet"]) and now - self._since < _PATIENCE_SECONDS:
            return False
        await self._go(clock["now"], clock["target_at"], clock["version"], network)
        self._since = now
        return True

    async def close(self) -> None:
        """Ends its connection to the simulator."""
        if self._http is not None:
            await self._http.close()

    async def _go(self, now: datetime, target: datetime, version: int, network: dict[str, object] | None) -> None:
        instants = [await next_due(self.work, now), target]
        if network is not None and isinstance(network["nextDue"], str):
            instants.append(datetime.fromisoformat(network["nextDue"]))
        instant = min(i for i in instants if i is not None and i > now) if target > now else target
        # A millisecond beyond, so that what is due at the instant is due when it is looked for.
        ahead = max(instant - now, timedelta(0)) + timedelta(milliseconds=1)
        async with self.database.session() as session:
            offset = await session.value(_STEP, ahead // timedelta(microseconds=1), instant >= target, version, target)
        if offset is not None:
            await self._tell(now + ahead, offset)

    async def _tell(self, now: datetime, offset_us: int) -> bool:
        """Sets the simulator's clock as ours.

        A day that it was asked for meanwhile, and that was not over there, is asked for again. now: by our clock.
        """
        token = self.settings.network_token.reveal()
        try:
            async with self._client().put(
                f"{self.settings.network_url}/clock",
                json={"offsetMicroseconds": offset_us},
                headers={"authorization": f"Bearer {token}"},
            ) as answer:
                told = answer.status == 200
        except (aiohttp.ClientError, TimeoutError):
            told = False
        if told:
            told_us = 0 if self._told_us is None else self._told_us
            await ask_at_once(self.database, self.work, now - timedelta(microseconds=offset_us - told_us))
            self._told_us = offset_us
        return told

    async def _network(self) -> dict[str, object] | None:
        try:
            async with self._client().get(f"{self.settings.network_url}/clock") as answer:
                return dict(await answer.json()) if answer.status == 200 else None
        except (aiohttp.ClientError, TimeoutError):
            return None

    def _client(self) -> aiohttp.ClientSession:
        if self._http is None or self._http.closed:
            self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5), trust_env=False)
        return self._http


@dataclass(frozen=True)
class Pending:
    """Due work that is not done, of all companies.

    work: sees due times across companies. rails: those whose statements are taken.
    """

    database: Database
    work: Database
    rails: Sequence[str]

    async def count(self) -> int:
        """Counts due rows, days without statements, and payable debts or blocks."""
        async with self.work.session() as session:
            companies = [row["company_id"] for row in await session.fetch(_COMPANIES)]
        due = await _counted(self.work, PENDING)
        behind = await days_to_begin(self.database, self.work, self.rails)
        owed = 0
        for company_id in companies:
            async with self.database.session(company_id) as session:
                owed += len(await covered_debts(session, company_id, _DEBTS_COUNTED))
                owed += len(await watched_accounts(session, company_id, _DEBTS_COUNTED))
        return due + sum(len(days) for _, _, days in behind) + owed

    async def shown(self) -> dict[str, object]:
        """Returns the clock's answer. pending: the count, and one for a step that still walks."""
        async with self.work.session() as session:
            clock = await session.row(READ)
        assert clock is not None
        return {"now": stamp(clock["now"]), "pending": await self.count() + (clock["target_at"] is not None)}

    async def arrived(self, seconds: float) -> bool:
        """Waits until the clock is at its target and nothing is due. seconds: the longest wait. False: it was not enough."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            async with self.work.session() as session:
                clock = await session.row(READ)
            assert clock is not None
            if clock["target_at"] is None and not await self.count():
                return True
            if asyncio.get_running_loop().time() >= deadline:
                return False
            await asyncio.sleep(_LOOK_SECONDS)


async def next_due(work: Database, now: datetime) -> datetime | None:
    """Returns the next instant at which something falls due, of all companies."""
    rows = await work.everywhere(NEXT, now)
    return min((row[0] for row in rows if row[0] is not None), default=None)


async def _counted(work: Database, sql: str) -> int:
    return sum(row[0] for row in await work.everywhere(sql))


async def aim(database: Database, target: datetime, seen: datetime | None) -> bool:
    """Sets the clock's target, or keeps a later one; the worker walks there.

    seen: the target as it was read. False: it is another by now, and nothing was done.
    """
    async with database.session() as session:
        is_aimed = await session.value(AIM, target, seen) is not None
        if is_aimed:
            await session.fetch(AIMED)
        return is_aimed
