"""The laws of the database, read as `lastro verify` reads them.

A test that asks for `lawful` gets a database of its own and fails when a law is broken at its end. Import the fixture where
it is used: `from tests.laws import lawful as lawful`.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import pytest

from lastro.core.db import Dsn

T = TypeVar("T")
_LAWS = "SELECT relname::text FROM pg_class WHERE relkind = 'v' AND relname LIKE 'law\\_%' ORDER BY relname"


async def connected(dsn: Dsn) -> "asyncpg.Connection[asyncpg.Record]":
    return await asyncpg.connect(dsn.url, server_settings={"role": dsn.role} if dsn.role else {})


async def laws(connection: "asyncpg.Connection[asyncpg.Record]") -> list[str]:
    return [r["relname"] for r in await connection.fetch(_LAWS)]


async def breaches(
    dsn: Dsn, *, at_rest: bool = True, companies: Iterable[UUID] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """What each broken law selects; empty when all hold. dsn: of a role that reads everything.

    at_rest: also the laws that hold only when nothing is on its way. companies: those whose breaches count, None: all.
    """
    connection = await connected(dsn)
    try:
        return await broken(connection, at_rest=at_rest, companies=companies)
    finally:
        await connection.close()


async def broken(
    connection: "asyncpg.Connection[asyncpg.Record]", *, at_rest: bool = True, companies: Iterable[UUID] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """`breaches`, over a connection that is there already."""
    only = () if companies is None else (list(companies),)
    where = " WHERE company_id = ANY ($1::uuid[])" if only else ""
    found = {}
    for law in await laws(connection):
        if at_rest or not law.endswith("_at_rest"):
            rows = await connection.fetch(f"SELECT * FROM {law}{where}", *only)
            found[law] = [dict(r) for r in rows]
    return {law: rows for law, rows in found.items() if rows}


async def some_broken(
    connection: "asyncpg.Connection[asyncpg.Record]", *, at_rest: bool = True, companies: Iterable[UUID] | None = None
) -> bool:
    """Tells whether a law is broken: one question, where `broken` has one for each law."""
    only = () if companies is None else (list(companies),)
    where = " WHERE company_id = ANY ($1::uuid[])" if only else ""
    asked = [law for law in await laws(connection) if at_rest or not law.endswith("_at_rest")]
    each = " OR ".join(f"EXISTS (SELECT FROM {law}{where})" for law in asked)
    return bool(await connection.fetchval(f"SELECT {each}", *only))


class Auditor:
    """Reads the laws over one connection for many tests: a new one would plan every law anew for each test.

    Its loop is its own, since a test's loop ends with the test.
    """

    def __init__(self, dsn: Dsn) -> None:
        self._dsn = dsn
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def breaches(
        self, *, at_rest: bool = True, companies: Iterable[UUID] | None = None
    ) -> dict[str, list[dict[str, Any]]]:
        """`breaches`, over the connection of all tests."""

        async def read(connection: "asyncpg.Connection[asyncpg.Record]") -> dict[str, list[dict[str, Any]]]:
            if not await some_broken(connection, at_rest=at_rest, companies=companies):
                return {}
            return await broken(connection, at_rest=at_rest, companies=companies)

        return await self.ask(read)

    async def ask(self, question: "Callable[[asyncpg.Connection[asyncpg.Record]], Awaitable[T]]") -> T:
        """Asks whatever is asked of a connection."""

        async def asked() -> T:
            if self._connection is None or self._connection.is_closed():
                self._connection = await connected(self._dsn)
                # Planning the laws takes longer than reading what a test made.
                await self._connection.execute("SET plan_cache_mode = force_generic_plan")
            return await question(self._connection)

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked(), self._loop))

    def close(self) -> None:
        """Ends the connection, where its server still answers, and the loop."""
        if self._connection is not None:
            self._loop.call_soon_threadsafe(self._connection.terminate)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture
async def lawful(own_database: Any) -> AsyncIterator[Any]:
    """A database of the test's own, in which every law holds at the end."""
    yield own_database
    assert await breaches(own_database.audit) == {}
