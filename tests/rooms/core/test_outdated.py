"""What was read no longer holds: the Write came too late, two readings are of two moments, a migration replaced a function."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import Tell, born_order, count

from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.errors import DatabaseAway, NoMove, Stale
from lastro.core.retry import TRIES
from lastro.core.runner import Done, Reply, RequestContext
from lastro.core.write import Write
from lastro.orders import ORDERS

_GONE = ("XX000", "cache lookup failed for function 4711")
_GONE_BEFORE_16 = ("42883", "function with OID 4711 does not exist")
# Sequences go on where a statement fails, so that the function fails so often and no more.
_FAILS = """
CREATE SEQUENCE tries;
GRANT USAGE ON SEQUENCE tries TO PUBLIC;
CREATE FUNCTION fails(times bigint, code text, says text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  try bigint := nextval('tries');
BEGIN
  IF try <= times THEN RAISE EXCEPTION '%', says USING ERRCODE = code; END IF;
  RETURN try;
END $$;
GRANT EXECUTE ON FUNCTION fails TO PUBLIC
"""


async def asked(own_database: Any, times: int, code: str, says: str) -> Any:
    admin = await own_database.connect()
    await admin.execute(_FAILS)
    await admin.close()
    database = Database(own_database.app, size=1)
    try:
        async with database.session() as session:
            return await session.value("SELECT fails($1, $2, $3)", times, code, says)
    finally:
        await database.close()


@pytest.mark.parametrize("gone", [_GONE, _GONE_BEFORE_16])
async def test_it_is_asked_once_more(own_database: Any, gone: tuple[str, str]) -> None:
    assert await asked(own_database, 1, *gone) == 2


async def test_one_that_is_replaced_again_meanwhile_is_a_database_that_is_away(own_database: Any) -> None:
    with pytest.raises(DatabaseAway):
        await asked(own_database, 2, *_GONE)


@pytest.mark.parametrize(
    ("code", "says", "error"),
    [
        ("XX000", "missing chunk number 0 for toast value 1", asyncpg.InternalServerError),
        ("42883", "function nothing() does not exist", asyncpg.UndefinedFunctionError),
    ],
)
async def test_what_else_breaks_inside_the_server_is_told_as_it_is(
    own_database: Any, code: str, says: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await asked(own_database, 1, code, says)


_STEP = "UPDATE clock SET offset_us = offset_us + 1100000"
_WAITS = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"


@pytest.mark.parametrize("others", [0, 9])
async def test_a_write_that_waits_for_another_grows_old(own_database: Any, others: int) -> None:
    """It waits in its INSERT, for a row of the same code that then goes away; others: rows beside it, so that they come as arrays."""
    cast = Cast.of(own_database.app)
    ana = await cast.ana()
    admin = await own_database.connect()
    watches = await own_database.connect_everywhere()

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
        while not any([await watch.fetchval(_WAITS) for watch in watches]):
            assert not second.done()
            await asyncio.sleep(0.005)
        await admin.execute(_STEP)
        await first.fetch("ROLLBACK")
    with pytest.raises(Stale):
        await second
    assert await admin.fetchval("SELECT count(*) FROM orders") == 0
    for connection in (admin, *watches):
        await connection.close()
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


@dataclass(frozen=True)
class Paid:
    """An order as a torn read has it."""

    id: UUID
    state: str = "PAID"
    version: int = 1


@pytest.mark.parametrize("torn", [1, TRIES - 1])
async def test_what_was_read_at_two_moments_is_read_again(cast: Cast, ana: Seller, torn: int) -> None:
    left = [torn, torn]

    def moved(context: RequestContext) -> Write:
        left[-1] -= 1
        if left[-1] >= 0:
            raise NoMove("orders", "PAID", "pay")
        left.pop()
        return Write(context.company_id)

    told = Tell(with_parts=moved)
    assert isinstance(await cast.run(ana.client, told), Reply)
    assert isinstance(await cast.runner.act(ana.company_id, told), Done)
    assert (told.reads, await count(cast, ana, "events")) == (2 * torn + 2, 2)


async def test_a_move_that_no_reading_allows_is_a_mistake_of_ours(cast: Cast, ana: Seller) -> None:
    def never(context: RequestContext) -> Write:
        ORDERS.move(Paid(context.company_id), "pay", context.now)
        raise AssertionError

    told = Tell(with_parts=never)
    with pytest.raises(NoMove):
        await cast.run(ana.client, told)
    with pytest.raises(NoMove):
        await cast.runner.act(ana.company_id, told)
    assert (told.reads, await count(cast, ana, "events")) == (2 * TRIES, 0)
