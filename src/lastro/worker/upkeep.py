"""The database's upkeep: folding of credits, deletion of old rows, new signing keys, what a crash has left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from lastro.companies import TOKEN
from lastro.core.unowned_rows import UnownedRows
from lastro.people import forget_not_ended
from lastro.webhooks import forget

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import timedelta
    from uuid import UUID

    from lastro.banks import Banks
    from lastro.companies import Keychain
    from lastro.core.db import Database

FOLD_EVERY_SECONDS = 0.5
FOLD_ALL_EVERY_SECONDS = 60.0
FORGET_EVERY_SECONDS = 3600.0
ROTATE_EVERY_SECONDS = 3600.0
RENEW_EVERY_SECONDS = 60.0
REPAIR_EVERY_SECONDS = 300.0  # each look reads every account's number in every shard
_LEAST_CREDITS = 20  # behind an account's fold, before folding is worth its row lock
_MOST_ACCOUNTS = 200  # locked by one call
_RESTS = 9  # times as long as a fold took: one looks at every balance of its company, which may have very many
_AT_ONCE = 1000

_FOLD = "SELECT fold($1, $2, $3)"
# Of orders the key answers for ever, its body for a month; of everything else nothing is kept after a week.
_FORGET_BODIES = """
UPDATE answers SET body = NULL WHERE company_id = $1 AND (operation, key) IN (
  SELECT operation, key FROM answers WHERE company_id = $1 AND keep = 'month' AND body IS NOT NULL
     AND created_at < (SELECT business_now()) - interval '30 days' LIMIT $2) RETURNING 1
"""
_FORGET_ANSWERS = """
DELETE FROM answers WHERE company_id = $1 AND (operation, key) IN (
  SELECT operation, key FROM answers WHERE company_id = $1 AND keep = 'week' AND body IS NOT NULL
     AND created_at < (SELECT business_now()) - interval '7 days' LIMIT $2) RETURNING 1
"""
# The slowest of them is full again within an hour, and one that is not there begins full.
_FORGET_BUCKETS = """
DELETE FROM directory_buckets WHERE name IN (
  SELECT name FROM directory_buckets WHERE filled_at < machine_now() - interval '1 day' LIMIT $1) RETURNING 1
"""


_log = structlog.get_logger(__name__)


def rotating(chain: Keychain, every: timedelta) -> Callable[[], Awaitable[bool]]:
    """Rotates the key of tokens once it has signed for so long; of many workers, one does.

    The key of locations is rotated by people alone: its certificate may be known to others, or be an authority's.
    """

    async def rotate() -> bool:
        kid = await chain.rotate(TOKEN, older_than=every)
        if kid is not None:
            _log.info("keys.rotated", kind=TOKEN, id=kid)
        return False

    return rotate


async def renew(known: Banks, database: Database) -> bool:
    """Reads a newer bank list, for payers' bank names. Never says that there is more."""
    async with database.session() as session:
        await known.read(session)
    return False


def repairing(database: Database, work: Database) -> Callable[[], Awaitable[bool]]:
    """Takes away what crashes left of Writes in two parts. Two rounds must have seen it."""
    rows: UnownedRows | None = None

    async def repair() -> bool:
        nonlocal rows
        if rows is None:
            rows = UnownedRows(database, work, asyncio.get_running_loop().time)
        if await work.is_spread():
            for row in await rows.look():
                _log.warning("distribute.repaired", kind=row.table, company_id=row.company_id)
        return False

    return repair


class Upkeep:
    """The upkeep. `seen` learns the active companies. feed: how long events' bodies are kept; None: for ever."""

    def __init__(self, database: Database, work: Database, feed: timedelta | None = None) -> None:
        self._database = database
        self._work = work
        self._feed = feed
        self._active: set[UUID] = set()
        self._rests: dict[UUID, float] = {}  # until when, by the loop's clock

    def seen(self, _topic: str, company_id: UUID | None) -> None:
        """Notes a company's commit."""
        if company_id is not None:
            self._active.add(company_id)

    async def fold_active(self) -> bool:
        """Folds for companies that were active since the last time. Never says that there is more. It has its own pace."""
        clock = asyncio.get_running_loop().time
        active, self._active = self._active, set()
        for company_id in active:
            if (begun := clock()) < self._rests.get(company_id, begun):
                self._active.add(company_id)
                continue
            await self._fold(company_id)
            self._rests[company_id] = clock() + _RESTS * (clock() - begun)
        return False

    async def fold_all(self) -> bool:
        """Folds for every company."""
        for company_id in await self._companies():
            await self._fold(company_id)
        return False

    async def forget(self) -> bool:
        """Deletes what is over: answers, bodies of events, full buckets of look-ups, what was to end people and did not."""
        async with self._database.session() as session:
            while len(await session.fetch(_FORGET_BUCKETS, _AT_ONCE)) == _AT_ONCE:
                pass
            await forget_not_ended(session)
        for company_id in await self._companies():
            for sql in (_FORGET_BODIES, _FORGET_ANSWERS):
                gone = _AT_ONCE
                while gone == _AT_ONCE:
                    async with self._database.session(company_id) as session:
                        gone = len(await session.fetch(sql, company_id, _AT_ONCE))
            gone = _AT_ONCE
            while self._feed is not None and gone == _AT_ONCE:
                async with self._database.session(company_id) as session:
                    gone = await forget(session, company_id, self._feed, _AT_ONCE)
        return False

    async def _fold(self, company_id: UUID) -> None:
        folded = _MOST_ACCOUNTS
        while folded == _MOST_ACCOUNTS:
            async with self._database.session_for(company_id) as session:
                folded = await session.value(_FOLD, company_id, _LEAST_CREDITS, _MOST_ACCOUNTS)
                session.company_id = company_id

    async def _companies(self) -> list[UUID]:
        async with self._work.session() as session:
            return [row["company_id"] for row in await session.fetch("SELECT company_id FROM company_numbers")]
