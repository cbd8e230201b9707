"""Reads what breaks a law: a view of the schema that must be empty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lastro.core.db import Database

# About people, who are the installation's: servers that have companies do not have them.
_OF_INSTALLATION = frozenset({"law_every_change_of_a_person_is_told", "law_who_has_ended_is_known_everywhere"})
# About two companies, which may be in two shards: there the coordinator compares them.
_OF_TWO = frozenset({"law_a_payment_is_of_one_company", "law_a_reference_is_of_one_company"})
_HOWEVER_MANY = "SELECT set_config('citus.max_intermediate_result_size', '-1', false)"  # names, on the coordinator's disk
# About days, of which another shard than the company's knows whether they are explained.
_OF_DAYS = frozenset({"law_a_reconciled_day_is_in_the_ledger"})
_TAKEN = "SELECT rail, day FROM statements WHERE state = 'TAKEN'"
_UNEXPLAINED = "SELECT rail, day FROM statement_items WHERE state = 'OPEN'"
# About a sum over all companies, which is zero in none of the servers that have some of them.
_OF_SUMS = {"law_in_transit_is_zero_at_rest": ("currency", "in_transit_minor")}


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
    is_cut = law not in _OF_DAYS or not await database.is_spread()
    sql = broken_rows(law, most) if is_cut else f"SELECT * FROM {law}"  # noqa: S608
    return (await selected(database, law, sql))[:most]


async def selected(database: Database, law: str, sql: str) -> list[Mapping[str, Any]]:
    """Returns what a statement selects of a law, of all companies.

    sql: it selects every column, and may bound the rows unless shards have parts of what the law compares.
    """
    if law in _OF_INSTALLATION | _OF_TWO:
        is_compared = law in _OF_TWO and await database.is_spread()
        async with database.session() as session:
            if is_compared:
                await session.fetch(_HOWEVER_MANY)
            return [dict(row) for row in await session.fetch(sql)]
    rows: list[Mapping[str, Any]] = [dict(row) for row in await database.everywhere(sql)]
    if law in _OF_DAYS and await database.is_spread():
        explained = {tuple(row) for row in await database.everywhere(_TAKEN)}
        explained -= {tuple(row) for row in await database.everywhere(_UNEXPLAINED)}
        return [row for row in rows if (row["rail"], row["day"]) in explained]
    return added(rows, *_OF_SUMS[law]) if law in _OF_SUMS else rows


def on_its_own(law: str) -> bool:
    """True if each shard can tell by itself whether a law holds."""
    return law not in _OF_INSTALLATION | _OF_TWO | _OF_DAYS | _OF_SUMS.keys()


def added(rows: Sequence[Mapping[str, Any]], name: str, amount: str) -> list[Mapping[str, Any]]:
    """Adds up the amounts of rows by name; leaves out what comes to zero."""
    sums: Counter[Any] = Counter()
    for row in rows:
        sums[row[name]] += row[amount]
    firsts = {row[name]: row for row in reversed(rows)}
    return [{**firsts[one], amount: minor} for one, minor in sums.items() if minor]
