"""A database that is emptied between the tests of a room: to clone one for each takes longer than most of them do."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from asyncpg import ForeignKeyViolationError

# What refers to others was made after them.
_TABLES = (
    "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid DESC"
)
_TIME = """
UPDATE clock SET offset_us = 0, target_at = NULL, version = version + 1 WHERE offset_us <> 0 OR target_at IS NOT NULL;
UPDATE beats SET era = (SELECT min(began_at) FROM eras);
DELETE FROM eras WHERE began_at > (SELECT min(began_at) FROM eras)
"""


async def empty_tables(connection: Any) -> list[str]:
    """Reads which tables of a new database have no row."""
    tables = [name for (name,) in await connection.fetch(_TABLES)]
    filled = await _filled(connection, tables)
    return [name for name in tables if name not in filled]


async def empty(connection: Any, tables: Sequence[str]) -> None:
    """Leaves nothing of earlier tests: no row in these tables, no other time, no other era."""
    filled = await _filled(connection, tables)
    for _ in range(2):  # the second time for what was still referred to
        for name in filled:
            with suppress(ForeignKeyViolationError):
                await connection.execute(f"DELETE FROM {name}")
        filled = await _filled(connection, tables)
    if filled:
        await connection.execute(f"TRUNCATE {', '.join(filled)} CASCADE")
    await connection.execute(_TIME)


async def _filled(connection: Any, tables: Sequence[str]) -> list[str]:
    each = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in tables)
    found = {name for (name,) in await connection.fetch(each)}
    return [name for name in tables if name in found]
