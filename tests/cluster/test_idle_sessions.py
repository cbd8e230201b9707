"""How many connections a process keeps to the shards of a cluster."""

import asyncio
import os
from typing import Any
from uuid import UUID

import pytest
from tests.journeys.stage import until

from lastro.core.db import Database

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")
SIZE, AT_ONCE, COMPANIES = 4, 3, 40
_CONNECTED = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'lastro_app' AND application_name = 'lastro'"


async def test_one_of_each_shard_stays_and_a_few_more_in_all(own_database: Any) -> None:
    """After each shard had as many at once as it may have."""
    app = Database(own_database.app, size=SIZE)

    async def use(company_id: UUID) -> None:
        async with app.session(company_id) as session:
            await session.value("SELECT pg_sleep(0.02)")

    for number in range(COMPANIES):
        await asyncio.gather(*(use(UUID(int=number)) for _ in range(AT_ONCE)))
    servers = await own_database.connect_everywhere()
    shards = await servers[0].fetchval("SELECT count(*) FROM shards.all()")
    most = shards + SIZE + AT_ONCE  # those to the coordinator, which was asked for each place

    async def connected() -> int:
        found: list[int] = [await server.fetchval(_CONNECTED) for server in servers]
        return sum(found)

    async def is_bounded() -> bool:
        return (await connected()) <= int(most)

    await until(is_bounded, "the end of the sessions that are too many")
    assert await connected() > shards, "as many at once as one shard lends stay connected"
    await app.close()
    for server in servers:
        await server.close()
