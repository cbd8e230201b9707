"""What a worker's looks for due work ask of the shards of a cluster: statements and sessions are counted."""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from lastro.core.db import LONGEST_KEPT, PLANNED_ONCE, Database
from lastro.due_work import DUE_WORK
from lastro.worker.due_poller import DuePoller

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")
LOOKS = 3
_HERE = "SELECT current_setting('lastro.shard') AS shard"
_PLANNED = "SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE 'WITH now%'"


@pytest.fixture
async def work(own_database: Any) -> AsyncIterator[Database]:
    made = Database(own_database.work, size=4, settings=PLANNED_ONCE)
    yield made
    await made.close()


async def test_a_look_near_a_company_asks_its_shard_alone(work: Database) -> None:
    everywhere = {row["shard"] for row in await work.in_reach(_HERE)}
    ones = [[row["shard"] for row in await work.in_reach(_HERE, near=[UUID(int=n)])] for n in range(40)]
    assert {len(one) for one in ones} == {1}
    assert {one[0] for one in ones} == everywhere
    assert len(await work.in_reach(_HERE, near=[UUID(int=n) for n in range(40)])) == len(everywhere), "each of them once"


async def test_looks_that_come_again_are_planned_once_in_each_shard(work: Database) -> None:
    due_poller, wake = DuePoller(work), asyncio.Event()
    while sum(map(len, due_poller.statements)) <= LONGEST_KEPT:
        due_poller.watch(wake, *(sql for each in DUE_WORK for sql in each.sweeps.values()))
    for _ in range(LOOKS):
        await due_poller.round()
    shards = len(await work.in_reach(_HERE))
    assert [row["generic_plans"] for row in await work.in_reach(_PLANNED)] == [LOOKS] * shards * len(due_poller.statements)


async def test_looks_at_once_share_two_sessions_of_a_shard(work: Database) -> None:
    """Each session plans for itself, and keeps what it has planned."""
    found = await asyncio.gather(*(work.in_reach(f"{_HERE}, pg_backend_pid() AS pid, pg_sleep(0.02)") for _ in range(6)))
    sessions = {(row["shard"], row["pid"]) for rows in found for row in rows}
    assert len(sessions) <= 2 * len({shard for shard, _ in sessions})
