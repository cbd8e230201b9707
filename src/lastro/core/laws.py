"""Reads what breaks a law: a view of the schema that must be empty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lastro.core.db import Database

# About people, who are the installation's: servers that have companies do not have them.
_OF_INSTALLATION = frozenset({"law_every_change_of_a_person_is_told", "law_who_has_ended_is_known_everywhere"})
# About a sum over all companies, which is zero in none of the servers that have some of them.
OF_SUMS = {"law_in_transit_is_zero_at_rest": ("currency", "in_transit_minor")}


def broken_rows(law: str, most: int) -> str:
    """Returns the statement that reads at most `most` violations of a law.

    law: a name from the catalog. The law is planned by itself, as for all of its rows. Planned for the first few, which the
    planner takes to come soon, a law that holds was read by comparing every payment with every question: hours at 200,000 of
    them.
    """
    return f"WITH broken AS MATERIALIZED (SELECT * FROM {law}) SELECT * FROM broken LIMIT {most}"  # noqa: S608


async def broken(database: Database, law: str, most: int) -> list[Mapping[str, Any]]:
    """Returns at most `most` violations of a law, of all companies.

    database: of a role that reads everything.
    """
    sql = broken_rows(law, most)
    if law in _OF_INSTALLATION:
        async with database.session() as session:
            return [dict(row) for row in await session.fetch(sql)]
    rows: list[Mapping[str, Any]] = [dict(row) for row in await database.everywhere(sql)]
    return (added(rows, *OF_SUMS[law]) if law in OF_SUMS else rows)[:most]


def added(rows: Sequence[Mapping[str, Any]], name: str, amount: str) -> list[Mapping[str, Any]]:
    """Adds up the amounts of rows by name; leaves out what comes to zero."""
    sums: Counter[Any] = Counter()
    for row in rows:
        sums[row[name]] += row[amount]
    firsts = {row[name]: row for row in reversed(rows)}
    return [{**firsts[one], amount: minor} for one, minor in sums.items() if minor]
