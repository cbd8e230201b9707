"""Reads what breaks a law: a view of the schema that must be empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncpg import Record

    from lastro.core.db import Database

# About people, who are the installation's: servers that have companies do not have them.
_OF_INSTALLATION = frozenset({"law_every_change_of_a_person_is_told"})


def broken_rows(law: str, most: int) -> str:
    """Returns the statement that reads at most `most` violations of a law.

    law: a name from the catalog. The law is planned by itself, as for all of its rows. Planned for the first few, which the
    planner takes to come soon, a law that holds was read by comparing every payment with every question: hours at 200,000 of
    them.
    """
    return f"WITH broken AS MATERIALIZED (SELECT * FROM {law}) SELECT * FROM broken LIMIT {most}"  # noqa: S608


async def read_law(database: Database, law: str, sql: str) -> list[Record]:
    """Runs a statement about one law wherever its rows are.

    database: of a role that reads everything. sql: of `broken_rows`, or about it. As of `Database.everywhere`, the caller
    adds up what several servers say, and bounds it.
    """
    if law in _OF_INSTALLATION:
        async with database.session() as session:
            return await session.fetch(sql)
    return await database.everywhere(sql)
