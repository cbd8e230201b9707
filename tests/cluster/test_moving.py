"""A shard goes from server to server beside those who write in it."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest
from tests.cast import Cast
from tests.journeys.stage import until
from tests.laws import breaches
from tests.rooms.orders.shop import Shop

from lastro.core.db import PLANNED_ONCE, Database
from lastro.core.errors import DatabaseAway, Stale

if TYPE_CHECKING:
    from uuid import UUID

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")
MOVES, SELLERS, CENTS = 3, 3, 100
_A_SECOND_BEHIND = 5.0  # seconds: the engine takes the tables away after fifteen
_WORK = ("SELECT number_events($1, 50)", "SELECT fold($1, 4, 100)", "SELECT enter($1, 50)")
_TO = """
SELECT n.nodename, n.nodeport FROM pg_dist_node n WHERE n.groupid > 0 AND n.shouldhaveshards AND (n.nodename, n.nodeport) <> ($1, $2) LIMIT 1
"""
_MOVE = "SELECT citus_move_shard_placement($1, $2, $3, $4, $5, 'force_logical')"


class Trade:
    """Who sells, and who numbers, folds and enters, until it is over."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.paid: list[UUID] = []
        self.refused = 0
        self.is_over = False

    async def sell(self) -> None:
        while not self.is_over:
            try:
                self.paid.append(await self.shop.paid(CENTS))
            except (DatabaseAway, Stale):
                self.refused += 1

    async def work(self) -> None:
        company_id = self.shop.ana.company_id
        while not self.is_over or await self.is_behind():
            for sql in _WORK:
                try:
                    async with self.shop.cast.database.session(company_id) as session:
                        await session.fetch(sql, company_id)
                except (DatabaseAway, Stale):
                    self.refused += 1

    async def look(self, audit: Database) -> None:
        """Counts the orders of all companies. They are never fewer than before, wherever they are."""
        seen = 0
        while not self.is_over:
            orders = sum(row[0] for row in await audit.everywhere("SELECT count(*) FROM orders"))
            assert orders >= seen
            seen = orders

    async def is_behind(self) -> bool:
        sql = "SELECT EXISTS (SELECT FROM events e WHERE NOT EXISTS (SELECT FROM event_numbers n WHERE n.event_id = e.id))"
        async with self.shop.cast.database.session(self.shop.ana.company_id) as session:
            return await session.value(sql) is True


@pytest.fixture
async def shop(own_database: Any) -> AsyncIterator[Shop]:
    cast = Cast(Database(own_database.app, size=6, settings=PLANNED_ONCE))
    yield Shop(cast, await cast.ana())
    await cast.close()


async def test_nothing_is_lost_or_told_twice(own_database: Any, shop: Shop) -> None:
    coordinator: Any = await asyncpg.connect(own_database.admin.url)
    trade, company_id = Trade(shop), shop.ana.company_id
    audit = Database(own_database.audit, size=2)
    acts = [trade.work(), trade.look(audit), *(trade.sell() for _ in range(SELLERS))]
    tasks = [asyncio.ensure_future(act) for act in acts]
    servers, sold = [], []
    for _ in range(MOVES):
        shard, host, port = await coordinator.fetchrow("SELECT * FROM shards.of($1)", company_id)
        servers.append(port)
        there = await coordinator.fetchrow(_TO, host, port)
        await coordinator.execute("CALL citus_cleanup_orphaned_resources()")  # of the move before
        before = len(trade.paid)
        await coordinator.fetchval(_MOVE, shard, host, port, *there)
        sold.append(len(trade.paid) - before)
    trade.is_over = True
    await asyncio.gather(*tasks)
    await audit.close()
    assert len(set(servers)) > 1
    assert min(sold) > 0, "it was sold while the shard moved"
    found = {row["id"]: row["status"] for row in await shop.rows("SELECT id, status FROM orders")}
    assert {found.get(order_id) for order_id in trade.paid} == {"PAID"}
    booked = sum(status == "PAID" for status in found.values())
    assert (await shop.money())[0] == CENTS * booked
    assert booked - len(trade.paid) <= trade.refused
    epochs = await coordinator.fetch("SELECT epoch FROM shards.epochs WHERE shard = $1 ORDER BY epoch", shard)
    assert [row["epoch"] for row in epochs] == list(range(MOVES + 1))
    await coordinator.close()
    assert await breaches(own_database.audit, at_rest=False) == {}


async def test_whoever_only_reads_finds_it_where_it_is(own_database: Any, shop: Shop) -> None:
    """A process that writes nothing has a session at the server that had the shard, where its tables stay for a while."""
    coordinator: Any = await asyncpg.connect(own_database.admin.url)
    reader, company_id = Database(own_database.app, size=1), shop.ana.company_id

    async def count() -> int:
        async with reader.session(company_id) as session:
            return int(await session.value("SELECT count(*) FROM orders"))

    before = await count()
    shard, host, port = await coordinator.fetchrow("SELECT * FROM shards.of($1)", company_id)
    there = await coordinator.fetchrow(_TO, host, port)
    await coordinator.fetchval(_MOVE, shard, host, port, *there)
    await coordinator.close()
    with suppress(Stale):  # as the first to write hears, who then decides again
        await shop.paid(CENTS)
    await shop.paid(CENTS)
    await until(lambda: is_more(count, before), "the order", seconds=_A_SECOND_BEHIND)
    await reader.close()


async def is_more(count: Callable[[], Awaitable[int]], than: int) -> bool:
    return await count() > than
