"""Tasks of one company that read the same at the same time share a statement, and each gets its own rows."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import born_order

from lastro.core.commit import commit
from lastro.core.db import Database, Dsn
from lastro.core.errors import DatabaseAway
from lastro.core.group_read import GroupRead
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.core.write import OURS, Write

BY_ID = "SELECT o.id, o.description FROM orders o WHERE o.company_id = $1 AND o.id = $2 AND o.status = ANY ($3::text[])"
SHARE = "SELECT o.amount_minor / $3::bigint AS share FROM orders o WHERE o.company_id = $1 AND o.id = $2"


async def orders(cast: Cast, seller: Seller, count: int) -> list[UUID]:
    at = datetime.now(UTC)
    ids = [cast.id() for _ in range(count)]
    rows = [born_order(seller, one, at + timedelta(microseconds=n), description=f"no. {n}") for n, one in enumerate(ids)]
    await commit(cast.database, Write(seller.company_id, rows=tuple(row for some in rows for row in some)))
    return ids


def by_id(order_id: UUID, *states: str) -> Query[Any]:
    return Query(BY_ID, (order_id, list(states or ("INITIAL",))), lambda rows: [row["description"] for row in rows])


async def read(group: GroupRead, seller: Seller, *queries: Query[Any]) -> list[Any]:
    found = await asyncio.gather(*(group.read(seller.company_id, OURS, query) for query in queries))
    return [query.shown(rows) for query, rows in zip(queries, found, strict=True)]


async def test_each_gets_its_own_rows(cast: Cast, ana: Seller) -> None:
    ids = await orders(cast, ana, 20)
    queries = [by_id(one) for one in [*reversed(ids), cast.id(), ids[3]]]
    expected = [[f"no. {n}"] for n in reversed(range(20))] + [[], ["no. 3"]]
    assert await read(GroupRead(cast.database), ana, *queries) == expected


async def test_one_statement_reads_all(cast: Cast, ana: Seller) -> None:
    ids = await orders(cast, ana, 5)
    group = GroupRead(cast.database)
    found = await asyncio.gather(*(group.read(ana.company_id, OURS, by_id(one)) for one in ids))
    assert [rows[0]["door_nth"] for rows in found] == [1, 2, 3, 4, 5]
    assert len({rows[0]["door_at"] for rows in found}) == 1


@dataclass(frozen=True)
class Look(Act[Any]):
    """Reads an order, and notes when it decides."""

    order_id: UUID
    times: list[datetime]

    def query(self) -> Query[Any]:
        return by_id(self.order_id)

    def decide(self, known: Any, context: RequestContext) -> Done:
        self.times.append(context.now)
        return Done(None, b"")


async def test_what_is_read_together_is_decided_at_times_of_its_own(cast: Cast, ana: Seller) -> None:
    """Two orders of a company are never made at one time."""
    times: list[datetime] = []
    looks = [Look(one, times) for one in await orders(cast, ana, 16)]
    await asyncio.gather(*(cast.runner.act(ana.company_id, look) for look in looks))
    assert len(set(times)) == 16


async def test_a_list_that_differs_is_read_apart(cast: Cast, ana: Seller) -> None:
    ids = await orders(cast, ana, 3)
    queries = [by_id(ids[0]), by_id(ids[1], "PAID"), by_id(ids[2], "PAID", "INITIAL"), by_id(ids[1])]
    assert await read(GroupRead(cast.database), ana, *queries) == [["no. 0"], [], ["no. 2"], ["no. 1"]]


async def test_one_that_cannot_be_read_hinders_no_other(cast: Cast, ana: Seller) -> None:
    ids = await orders(cast, ana, 4)

    def share(order_id: UUID, parts: int) -> Query[Any]:
        return Query(SHARE, (order_id, parts), lambda rows: [row["share"] for row in rows])

    group = GroupRead(cast.database)
    queries = [share(one, parts) for one, parts in zip(ids, (1, 0, 2, 5), strict=True)]
    calls = (group.read(ana.company_id, OURS, query) for query in queries)
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(found.pop(1), asyncpg.DivisionByZeroError)
    assert [rows[0]["share"] for rows in found] == [1000, 500, 200]  # type: ignore[index]


async def test_what_differs_in_nothing_is_read_alone(cast: Cast, ana: Seller) -> None:
    """There is nothing to make an array of."""
    await orders(cast, ana, 2)
    query = Query(
        "SELECT count(*) AS count FROM orders WHERE company_id = $1 AND status = ANY ($2::text[])", (["INITIAL"],), list
    )
    found = await asyncio.gather(*(GroupRead(cast.database).read(ana.company_id, OURS, query) for _ in range(3)))
    assert [rows[0]["count"] for rows in found] == [2, 2, 2]


async def test_nobody_reads_anothers(cast: Cast, ana: Seller) -> None:
    bia = await cast.ana()
    ids = await orders(cast, ana, 2)
    group = GroupRead(cast.database)
    mine, others = await asyncio.gather(
        read(group, ana, *map(by_id, ids)), read(group, bia, *map(by_id, ids))
    )  # fmt: skip
    assert (mine, others) == ([["no. 0"], ["no. 1"]], [[], []])


async def test_a_caller_who_goes_away_takes_no_other_along(cast: Cast, ana: Seller) -> None:
    ids = await orders(cast, ana, 3)
    group = GroupRead(cast.database)
    tasks = [asyncio.create_task(group.read(ana.company_id, OURS, by_id(one))) for one in ids]
    await asyncio.sleep(0)
    tasks[1].cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(found[1], asyncio.CancelledError)
    assert [by_id(one).shown(rows) for one, rows in ((ids[0], found[0]), (ids[2], found[2]))] == [["no. 0"], ["no. 2"]]  # type: ignore[arg-type]


async def test_a_database_that_is_away_is_away_for_all(ana: Seller) -> None:
    group = GroupRead(Database(Dsn("postgresql://127.0.0.1:1/nowhere")))
    calls = (group.read(ana.company_id, OURS, by_id(ana.account_id)) for _ in range(3))
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(one) for one in found] == [DatabaseAway] * 3


@pytest.mark.parametrize("count", [1, 2, 16, 17])
async def test_any_number(cast: Cast, ana: Seller, count: int) -> None:
    ids = await orders(cast, ana, count)
    assert await read(GroupRead(cast.database), ana, *map(by_id, ids)) == [[f"no. {n}"] for n in range(count)]
