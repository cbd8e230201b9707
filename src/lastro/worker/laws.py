"""The laws on a schedule: at night a worker reads one after the other, and writes down what it has found."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import asyncpg
import structlog

from lastro.core.db import Database
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.laws import broken

if TYPE_CHECKING:
    from lastro.core.db import Dsn

EVERY_SECONDS = 60.0  # so often it is looked whether one is due
MOST_BREACHES = 1000  # counted of one law: that there are any is what matters
_TIMEOUT_SECONDS = 600  # the longest took 43 s over a million orders
# As `verify` asks for: tables are hashed in memory. A reader that is gone is noticed, and its law not read to the end.
_SETTINGS = {
    "statement_timeout": f"{_TIMEOUT_SECONDS}s", "work_mem": "128MB", "client_connection_check_interval": "5s",
}  # fmt: skip
# The one that was tried longest ago, each once in twenty hours: so it has its turn each night, wherever in it that falls.
_NEXT = r"""
SELECT c.relname::text AS law FROM pg_class c LEFT JOIN law_checks k ON k.law = c.relname
 WHERE c.relkind = 'v' AND c.relname LIKE 'law\_%' AND c.relname NOT LIKE '%\_at\_rest'
   AND c.relnamespace = 'public'::regnamespace
   AND (k.tried_at IS NULL OR k.tried_at < machine_now() - interval '20 hours')
   AND extract(hour FROM machine_now() AT TIME ZONE 'America/Sao_Paulo') BETWEEN $1::integer AND $2::integer - 1
 ORDER BY k.tried_at NULLS FIRST, c.relname LIMIT 1
"""
# Held by the only connection of the one that reads, which keeps it between two laws: of many workers one reads, and one that
# dies holds nothing.
_LOCK = "SELECT pg_try_advisory_lock(hashtext('lastro'), hashtext('laws'))"
_FOUND = """
INSERT INTO law_checks AS k (law, tried_at, checked_at, breaches)
VALUES ($1, machine_now(), CASE WHEN $2::integer IS NOT NULL THEN machine_now() END, $2)
ON CONFLICT (law) DO UPDATE SET tried_at = excluded.tried_at, checked_at = coalesce(excluded.checked_at, k.checked_at),
   breaches = coalesce(excluded.breaches, k.breaches)
RETURNING 1
"""
_UNTRIED = "UPDATE law_checks SET tried_at = tried_at - interval '20 hours' WHERE law = $1 RETURNING 1"
_log = structlog.get_logger(__name__)


class LawReader:
    """Reads the laws that hold while everything moves, at set hours.

    audit: the role that reads everything and writes nothing. database: the role that notes what was found. hours: (1, 5) is
    from 01:00 to 05:00 in Brasilia. stop: a law that is being read then is left.
    """

    def __init__(self, audit: Dsn, database: Database, hours: tuple[int, int], stop: asyncio.Event) -> None:
        self._audit = audit
        self._database = database
        self._hours = hours
        self._stop = stop

    async def round(self) -> bool:
        """Reads what is due, if no other worker is reading; whether there was anything. DatabaseAway: try again later."""
        if await self._next() is None:
            return False
        audit = Database(self._audit, size=1, settings=_SETTINGS)
        try:
            async with audit.session() as session:
                if not await session.value(_LOCK):
                    return False
            has_read = False
            while (law := await self._next()) is not None and await self._read(audit, law):
                has_read = True
            return has_read
        finally:
            await audit.close()

    async def _next(self) -> str | None:
        async with self._database.session() as session:
            found: str | None = await session.value(_NEXT, *self._hours)
        return found

    async def _read(self, audit: Database, law: str) -> bool:
        """Tells whether the law was read, or tried, before the stop."""
        await self._note(_FOUND, law, None)  # before: one that takes the server down with it is not the next one again
        reading, stopping = asyncio.ensure_future(_breaches(audit, law)), asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await self._note(_UNTRIED, law)
                return False
            breaches = reading.result()
        finally:
            for task in (reading, stopping):
                task.cancel()
            await asyncio.gather(reading, stopping, return_exceptions=True)
        await self._note(_FOUND, law, breaches)
        return True

    async def _note(self, sql: str, *arguments: object) -> None:
        async with self._database.session() as session:
            await session.fetch(sql, *arguments)


async def _breaches(audit: Database, law: str) -> int | None:
    """Returns the count of breaches, at most 1,000.

    None: the law cannot be read, or not in ten minutes. DatabaseAway: it ended with the connection, or with what the server
    had of disk and memory.
    """
    try:
        breaches = len(await broken(audit, law, MOST_BREACHES))
    except (asyncpg.PostgresError, Stale, DatabaseAway) as error:
        _log.error("law.unread", kind=law, cause=type(error).__name__)
        if isinstance(error, DatabaseAway):
            raise
        return None
    if breaches:
        _log.critical("law.broken", kind=law, count=breaches)
    return breaches
