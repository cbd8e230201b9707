"""A Write that has waited too long is refused: lists that go forward reckon with it (docs/decisions/lists.md)."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.cast import Cast
from tests.rooms.core.verbs import born_order

from lastro.core.commit import commit
from lastro.core.errors import Stale
from lastro.core.write import Write

_STEP = "UPDATE clock SET offset_us = offset_us + 1100000"
_WAITS = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"


@pytest.mark.parametrize("others", [0, 9])
async def test_a_write_that_waits_for_another_grows_old(own_database: Any, others: int) -> None:
    """It waits in its INSERT, for a row of the same code that then goes away; others: rows beside it, so that they come as arrays."""
    cast = Cast.of(own_database.app)
    ana = await cast.ana()
    admin = await own_database.connect()

    async def order(at: datetime) -> Write:
        rows = born_order(ana, cast.id(), at, external_id="same")
        return Write(
            ana.company_id,
            rows=(
                *rows,
                *(r for n in range(others) for r in born_order(ana, cast.id(), at + timedelta(microseconds=n + 1))),
            ),
        )

    async with cast.database.session(ana.company_id) as first:
        await first.fetch("BEGIN")
        await commit(cast.database, await order(await first.value("SELECT business_now()")), session=first)
        at = await admin.fetchval("SELECT business_now()")
        second = asyncio.ensure_future(commit(cast.database, await order(at), decided_at=at))
        while not await admin.fetchval(_WAITS):
            assert not second.done()
            await asyncio.sleep(0.005)
        await admin.execute(_STEP)
        await first.fetch("ROLLBACK")
    with pytest.raises(Stale):
        await second
    assert await admin.fetchval("SELECT count(*) FROM orders") == 0
    await admin.close()
    await cast.close()


async def test_a_write_of_a_second_ago_is_refused(own_database: Any) -> None:
    cast = Cast.of(own_database.app)
    ana = await cast.ana()
    admin = await own_database.connect()
    at = await admin.fetchval("SELECT business_now()")
    await commit(cast.database, Write(ana.company_id, rows=born_order(ana, cast.id(), at)), decided_at=at)
    await admin.execute(_STEP)
    late = Write(ana.company_id, rows=born_order(ana, cast.id(), at + timedelta(microseconds=1)))
    with pytest.raises(Stale):
        await commit(cast.database, late, decided_at=at)
    assert await admin.fetchval("SELECT count(*) FROM orders") == 1
    await admin.close()
    await cast.close()
