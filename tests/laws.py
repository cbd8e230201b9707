"""The laws of the database, read as `lastro verify` reads them.

A test that asks for `lawful` gets a database of its own and fails when a law is broken at its end. Import the fixture where
it is used: `from tests.laws import lawful as lawful`.
"""

from collections.abc import AsyncIterator, Iterable
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from lastro.core.db import Dsn

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


async def some_broken(connection: "asyncpg.Connection[asyncpg.Record]", companies: Iterable[UUID]) -> bool:
    """Whether a law that holds at any moment is broken in these companies: one question, where `broken` has one for each law."""
    each = " OR ".join(
        f"EXISTS (SELECT FROM {law} WHERE company_id = ANY ($1::uuid[]))"
        for law in await laws(connection)
        if not law.endswith("_at_rest")
    )
    return bool(await connection.fetchval(f"SELECT {each}", list(companies)))


@pytest.fixture
async def lawful(own_database: Any) -> AsyncIterator[Any]:
    """A database of the test's own, in which every law holds at the end."""
    yield own_database
    assert await breaches(own_database.audit) == {}
