"""A database that is emptied between the tests of a room: to clone one for each takes longer than most of them do.

In a cluster each node empties the tables that it has itself, shards among them: through the coordinator it takes seconds.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from asyncpg import ForeignKeyViolationError

# What refers to others was made after them.
_TABLES = (
    "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid DESC"
)
_IS_OF_CLUSTER = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
# A node's shards are seen and written to as the tables that they are.
_AS_TABLES = "SET citus.override_table_visibility = off; SET citus.enable_manual_changes_to_shards = on"
_SHELLS = "SELECT relname::text FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid"
_FIRST_ERA = "SELECT min(began_at) FROM eras"
# Each of one table: what joins the coordinator's own with what every node has is planned for a node.
_TIME = (
    "UPDATE clock SET offset_us = 0, target_at = NULL, version = version + 1 WHERE offset_us <> 0 OR target_at IS NOT NULL"
)
_ERA = ("UPDATE beats SET era = $1", "DELETE FROM eras WHERE began_at > $1")


class Emptied:
    """Those tables of a new database that have no row yet, on each of its servers."""

    def __init__(self, connections: Sequence[Any]) -> None:
        self._connections = connections
        self._tables: list[list[str]] = []

    async def begin(self) -> None:
        self._tables = list(await asyncio.gather(*map(_empty_tables, self._connections)))

    async def empty(self) -> None:
        """Leaves nothing of earlier tests: no row in these tables, no other time, no other era."""
        await asyncio.gather(*map(_empty, self._connections, self._tables))
        first, *_ = self._connections
        await first.execute(_TIME)
        began_at = await first.fetchval(_FIRST_ERA)
        for statement in _ERA:
            await first.execute(statement, began_at)

    async def close(self) -> None:
        for one in self._connections:
            await one.close()


async def _empty_tables(connection: Any) -> list[str]:
    shells = set()
    if await connection.fetchval(_IS_OF_CLUSTER):
        await connection.execute(_AS_TABLES)
        shells = {name for (name,) in await connection.fetch(_SHELLS)}
    tables = [name for (name,) in await connection.fetch(_TABLES) if name not in shells]
    filled = await _filled(connection, tables)
    return [name for name in tables if name not in filled]


async def _empty(connection: Any, tables: Sequence[str]) -> None:
    filled = await _filled(connection, tables)
    for _ in range(2):  # the second time for what was still referred to
        for name in filled:
            with suppress(ForeignKeyViolationError):
                await connection.execute(f"DELETE FROM {name}")
        filled = await _filled(connection, tables)
    if filled:
        await connection.execute(f"TRUNCATE {', '.join(filled)} CASCADE")


async def _filled(connection: Any, tables: Sequence[str]) -> list[str]:
    each = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in tables)
    found = {name for (name,) in await connection.fetch(each)}
    return [name for name in tables if name in found]
