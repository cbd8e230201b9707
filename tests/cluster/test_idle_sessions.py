"""How many connections a process keeps to the shards of a cluster."""

import asyncio
import os
from typing import Any
from uuid import UUID

import pytest
from tests.journeys.stage import until

from lastro.core.db import Database

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")
AT_ONCE, COMPANIES = 3, 40
_CONNECTED = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'lastro_app' AND application_name = 'lastro'"


async def test_one_of_each_shard_stays(own_database: Any) -> None:
    """After each shard had as many at once as it may have, and some time."""
    app = Database(own_database.app, size=AT_ONCE, idle_seconds=0.05)

    async def use(company_id: UUID) -> None:
        async with app.session(company_id) as session:
            await session.value("SELECT pg_sleep(0.02)")

    servers = await own_database.connect_everywhere()
    shards = await servers[0].fetchval("SELECT count(*) FROM shards.all()")

    async def connected() -> int:
        found: list[int] = [await server.fetchval(_CONNECTED) for server in servers[1:]]
        return sum(found)

    async def are_few() -> bool:
        await use(UUID(int=1))
        return await connected() <= int(shards)

    for number in range(COMPANIES):
        await asyncio.gather(*(use(UUID(int=number)) for _ in range(AT_ONCE)))
    await until(are_few, "the end of the sessions that nobody uses")
    await app.close()
    for server in servers:
        await server.close()
