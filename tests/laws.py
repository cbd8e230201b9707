"""The laws of the database, read as `lastro verify` reads them.

A test that asks for `lawful` gets a database of its own and fails when a law is broken at its end. Import the fixture where
it is used: `from tests.laws import lawful as lawful`.
"""

import asyncio
import itertools
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import pytest

from lastro.core.db import PLANNED_ONCE, Database, Dsn
from lastro.core.laws import on_its_own, selected
from lastro.core.shards import IS_SPREAD
from lastro.core.unowned_rows import WAIT_SECONDS, UnownedRows
from lastro.ops.distribute.spreading import EVERYWHERE

T = TypeVar("T")
Read = Callable[..., Awaitable[list[asyncpg.Record]]]  # a statement and its arguments, to rows: `everywhere`, or `fetch`
_LAWS = """
SELECT relname::text FROM pg_class WHERE relkind = 'v' AND relname LIKE 'law\\_%' AND relnamespace = 'public'::regnamespace
"""
_ADDS = re.compile(r"\s*SELECT (count|sum|coalesce\(sum)\(", re.IGNORECASE)
_CHANGES = re.compile(r"\s*(INSERT INTO|UPDATE|DELETE FROM) (\w+)")
_ONE_QUESTION = 40  # laws: the plan of a longer statement would not be kept
# The laws read and compare whole tables. Planning them takes longer than reading what a test made.
_SETTINGS = {**PLANNED_ONCE, "statement_timeout": "0"}


async def connected(dsn: Dsn) -> Any:
    """A connection that sees all companies: asyncpg's own, or one in each shard of a cluster that is asked as one."""
    connection = await asyncpg.connect(dsn.url, server_settings={"role": dsn.role} if dsn.role else {})
    if not await connection.fetchval(IS_SPREAD):
        return connection
    await connection.close()
    return Spread(Database(dsn, size=4, settings=_SETTINGS))


class Spread:
    """What a test asks of a connection, asked in each shard. Counts and sums are added up."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def fetch(self, sql: str, *arguments: Any) -> list[asyncpg.Record]:
        return await self.database.everywhere(sql, *arguments)

    async def execute(self, sql: str, *arguments: Any) -> Any:
        """Changes rows where they are; of a table that every server has by way of the coordinator."""
        changes = _CHANGES.match(sql)
        if changes is not None and changes[2] in EVERYWHERE:
            async with self.database.session() as session:
                await session.fetch(sql, *arguments)
        else:
            assert changes is None or changes[1] != "INSERT INTO", "each shard would have it"
            await self.fetch(sql, *arguments)

    async def fetchrow(self, sql: str, *arguments: Any) -> Any:
        rows = await self.fetch(sql, *arguments)
        if _ADDS.match(sql) is None:
            return rows[0] if rows else None
        return {name: sum(row[name] or 0 for row in rows) for name in rows[0].keys()}  # noqa: SIM118 a record is no dict

    async def fetchval(self, sql: str, *arguments: Any) -> Any:
        rows = await self.fetch(sql, *arguments)
        if _ADDS.match(sql) is not None:
            return sum(row[0] or 0 for row in rows)
        found = [row[0] for row in rows if row[0] is not None]
        return any(found) if sql.startswith("SELECT EXISTS") else next(iter(found), None)

    async def close(self) -> None:
        await self.database.close()

    def terminate(self) -> None:
        self.database.terminate()


async def repaired(app: Dsn, audit: Dsn) -> None:
    """Of a database that is spread: names that a crash left without their owner are taken away, as upkeep does in a minute."""
    database, reader = Database(app, size=1), Database(audit, size=1)
    try:
        if await database.is_spread():
            rows = UnownedRows(database, reader, itertools.count(0.0, 2 * WAIT_SECONDS).__next__)
            for _ in range(2):
                await rows.look()
    finally:
        await database.close()
        await reader.close()


async def laws(read: Read) -> list[str]:
    if (database := await _spread(read)) is not None:  # those about people are the coordinator's alone
        async with database.session() as session:
            return sorted(r["relname"] for r in await session.fetch(_LAWS))
    return sorted({r["relname"] for r in await read(_LAWS)})


async def _spread(read: Read) -> Database | None:
    """The database that is asked, if its companies are in several shards."""
    asked = getattr(read, "__self__", None)
    database = asked.database if isinstance(asked, Spread) else asked
    return database if isinstance(database, Database) and await database.is_spread() else None


async def breaches(
    dsn: Dsn, *, at_rest: bool = True, companies: Iterable[UUID] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """What each broken law selects; empty when all hold. dsn: of a role that reads everything.

    at_rest: also the laws that hold only when nothing is on its way. companies: those whose breaches count, None: all.
    """
    database = Database(dsn, settings=_SETTINGS)
    try:
        return await broken(database.everywhere, at_rest=at_rest, companies=companies)
    finally:
        await database.close()


async def broken(
    read: Read, *, at_rest: bool = True, companies: Iterable[UUID] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """`breaches`, over a connection that is there already."""
    only = () if companies is None else (list(companies),)
    where = " WHERE company_id = ANY ($1::uuid[])" if only else ""
    spread, found = await _spread(read), {}
    for law in await laws(read):
        if at_rest or not law.endswith("_at_rest"):
            if spread is not None and not on_its_own(law):
                found[law] = await _compared(spread, law, *only)
            else:
                found[law] = [dict(r) for r in await read(f"SELECT * FROM {law}{where}", *only)]
    return {law: rows for law, rows in found.items() if rows}


async def _compared(database: Database, law: str, companies: Iterable[UUID] | None = None) -> list[dict[str, Any]]:
    """The rows of a law that shards have parts of, as `lastro verify` reads it."""
    rows = [dict(row) for row in await selected(database, law, f"SELECT * FROM {law}")]
    return rows if companies is None else [row for row in rows if row["company_id"] in companies]


async def some_broken(read: Read, *, at_rest: bool = True, companies: Iterable[UUID] | None = None) -> bool:
    """Tells whether a law is broken: a few questions, where `broken` has one for each law."""
    only = () if companies is None else (list(companies),)
    where = " WHERE company_id = ANY ($1::uuid[])" if only else ""
    asked = [law for law in await laws(read) if at_rest or not law.endswith("_at_rest")]
    if (spread := await _spread(read)) is not None:
        for law in [law for law in asked if not on_its_own(law)]:
            asked.remove(law)
            if await _compared(spread, law, *only):
                return True
    for first in range(0, len(asked), _ONE_QUESTION):
        each = " OR ".join(f"EXISTS (SELECT FROM {law}{where})" for law in asked[first : first + _ONE_QUESTION])
        if any(row[0] for row in await read(f"SELECT {each}", *only)):
            return True
    return False


class Auditor:
    """Reads the laws over the same connections for many tests: new ones would plan every law anew for each test.

    Its loop is its own, since a test's loop ends with the test.
    """

    def __init__(self, dsn: Dsn) -> None:
        self._database = Database(dsn, settings=_SETTINGS)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def breaches(
        self, *, at_rest: bool = True, companies: Iterable[UUID] | None = None
    ) -> dict[str, list[dict[str, Any]]]:
        """`breaches`, over the connections of all tests."""

        async def asked(read: Read) -> dict[str, list[dict[str, Any]]]:
            if not await some_broken(read, at_rest=at_rest, companies=companies):
                return {}
            return await broken(read, at_rest=at_rest, companies=companies)

        return await self.ask(asked)

    async def ask(self, question: Callable[[Read], Coroutine[Any, Any, T]]) -> T:
        """Asks whatever is asked of all companies."""
        asked = asyncio.run_coroutine_threadsafe(question(self._database.everywhere), self._loop)
        return await asyncio.wrap_future(asked)

    def close(self) -> None:
        """Ends the connections and the loop."""
        asyncio.run_coroutine_threadsafe(self._database.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture
async def lawful(own_database: Any) -> AsyncIterator[Any]:
    """A database of the test's own, in which every law holds at the end."""
    yield own_database
    assert await breaches(own_database.audit) == {}
