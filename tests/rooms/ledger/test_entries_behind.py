"""Statements whose server's clock stepped back: what is committed behind the watermark is entered all the same, behind what is there."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from msgspec import structs
from tests.cast import Cast, Seller
from tests.conftest import lent
from tests.databases import Database as Lent
from tests.laws import laws as every_law

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.db import PLANNED_ONCE, Database
from lastro.core.errors import Stale
from lastro.core.write import LedgerAccount, Row, Transfer, Write

from .test_entries import SECOND, enter, entries


@pytest.fixture(scope="module")
def apart(request: pytest.FixtureRequest) -> Iterator[Lent]:
    """A database whose clock steps."""
    yield from lent(request, "clone", secrets.token_hex(4))


@pytest.fixture(scope="module")
async def pool(apart: Lent) -> AsyncIterator[Database]:
    made = Database(apart.app, size=10, settings=PLANNED_ONCE)
    yield made
    await made.close()


@pytest.fixture(scope="module")
async def admin(apart: Lent) -> AsyncIterator[Any]:
    made = await apart.connect()
    yield made
    await made.close()


@pytest.fixture
async def cast(pool: Database, admin: Any) -> AsyncIterator[Cast]:
    yield Cast(pool)
    await step(admin, timedelta(0))


@pytest.fixture
async def ana(cast: Cast) -> Seller:
    return await cast.ana()


async def step(admin: Any, by: timedelta) -> None:
    """The server's clock steps: what SQL reads of it, as with an NTP that sets it."""
    await admin.execute(
        "CREATE OR REPLACE FUNCTION machine_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
        f" 'SELECT clock_timestamp() + interval ''{by.total_seconds()} seconds'''"
    )


async def now(cast: Cast) -> datetime:
    async with cast.database.session() as session:
        said: datetime = await session.value("SELECT business_now()")
    return said


async def write(
    cast: Cast, seller: Seller, debit: LedgerAccount, credit: LedgerAccount, amount: int, **more: Any
) -> Transfer:
    at = await now(cast)
    made = structs.replace(cast.transfer(debit, credit, amount, **more), at=at)
    await commit(cast.database, Write(seller.company_id, transfers=(made,)), decided_at=at)
    return made


async def laws(admin: Any, seller: Seller) -> set[str]:
    """Those of entries that her company breaks."""
    names = [law for law in await every_law(admin.fetch) if "entr" in law]
    return {
        law for law in names if await admin.fetchval(f"SELECT count(*) FROM {law} WHERE company_id = $1", seller.company_id)
    }


async def flags(admin: Any, seller: Seller) -> int:
    return int(await admin.fetchval("SELECT count(*) FROM entries_behind WHERE company_id = $1", seller.company_id))


async def test_a_write_without_transfers_has_no_entry_to_be_behind(admin: Any, cast: Cast, ana: Seller) -> None:
    async def write_party(at: datetime) -> None:
        row = Row("parties", {"id": cast.id(), "name": "Bento Braga"})
        await commit(cast.database, Write(ana.company_id, rows=(row,)), decided_at=at)

    await write(cast, ana, ana.clearing, ana.customer, 100)
    await enter(cast, ana, await now(cast))
    await step(admin, -timedelta(hours=1))
    at = await now(cast)
    await write_party(at)
    assert await flags(admin, ana) == 0
    with pytest.raises(Stale):
        await write_party(at - 2 * SECOND)


async def test_what_is_committed_behind_the_watermark_is_entered(admin: Any, cast: Cast, ana: Seller) -> None:
    own = ana.customer
    await write(cast, ana, ana.clearing, own, 100)
    before = await now(cast)
    await enter(cast, ana, before)
    assert await flags(admin, ana) == 0
    await step(admin, -timedelta(hours=1))
    # What takes is of a moment before what gave it, and all of it of before the watermark.
    await write(cast, ana, ana.clearing, own, 50)
    await write(cast, ana, own, ana.clearing, 120)
    assert await flags(admin, ana) == 2
    assert await laws(admin, ana) == set(), "what waits to be entered is no breach"
    async with cast.database.session(ana.company_id) as session:
        await ledger.post_entries(session, ana.company_id)
    found = await entries(cast, ana, own)
    assert [(side, amount, balance) for side, amount, balance, *_ in found] == [(1, 100, 100), (1, 50, 150), (-1, 120, 30)]
    assert [row[-1] for row in found] == sorted({row[-1] for row in found})
    assert found[1][-1] > before - 2 * SECOND, "nothing that was shown has changed"
    assert await flags(admin, ana) == 0
    assert await laws(admin, ana) == set()
    # The clock catches up, and everything goes on.
    await step(admin, timedelta(0))
    await write(cast, ana, ana.clearing, own, 7)
    await enter(cast, ana, await now(cast))
    assert (await entries(cast, ana, own))[-1][:3] == (1, 7, 37)
    assert await laws(admin, ana) == set()


async def test_what_came_behind_is_not_entered_before_what_it_stood_on(admin: Any, cast: Cast, ana: Seller) -> None:
    own = ana.customer
    credit = await write(cast, ana, ana.clearing, own, 100)
    await step(admin, -20 * SECOND)
    await write(cast, ana, own, ana.clearing, 30)  # its watermark is a second before the credit
    async with cast.database.session(ana.company_id) as session:
        await ledger.post_entries(session, ana.company_id)
        await step(admin, -10 * SECOND)
        await write(cast, ana, own, ana.clearing, 20)  # that of the second is after it
        # As far as the credit is proven, the first could be entered with it and the second could not.
        while not await session.value("SELECT proven_until > $1 FROM entry_cursors", credit.at):
            await asyncio.sleep(0.01)
            await ledger.post_entries(session, ana.company_id)
        await ledger.post_entries(session, ana.company_id)
    assert await entries(cast, ana, own) == []
    await step(admin, 6 * SECOND)
    await enter(cast, ana, await now(cast) - 2 * SECOND)
    assert [(side, balance) for side, _, balance, *_ in await entries(cast, ana, own)] == [(1, 100), (-1, 70), (-1, 50)]
    assert await flags(admin, ana) == 0
    assert await laws(admin, ana) == set()


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_the_clock_does_every_transfer_has_its_entries(
    admin: Any, cast: Cast, ana: Seller, seed: int
) -> None:
    chance, own = Random(seed), ana.customer
    await write(cast, ana, ana.clearing, own, 1_000_000)
    is_over = asyncio.Event()

    async def entering() -> None:
        while not is_over.is_set():
            async with cast.database.session(ana.company_id) as session:
                await ledger.post_entries(session, ana.company_id, chance.choice((2, 5, 100)))
            await asyncio.sleep(0.02)

    running = asyncio.ensure_future(entering())
    for _ in range(6):
        await step(admin, timedelta(seconds=chance.choice((-3600, -20, -4, -2, 0, 0, 5))))
        for _ in range(12):
            pair = (ana.clearing, own) if chance.random() < 0.5 else (own, ana.clearing)
            await write(cast, ana, *pair, chance.randint(1, 90))
            await asyncio.sleep(chance.random() * 0.05)
    await step(admin, timedelta(seconds=6))
    is_over.set()
    await running
    await write(cast, ana, ana.clearing, own, 1)
    await enter(cast, ana, await now(cast))
    async with cast.database.session(ana.company_id) as session:
        await ledger.post_entries(session, ana.company_id)
    assert await flags(admin, ana) == 0
    assert await laws(admin, ana) == set()


async def test_what_an_older_version_left_out_is_mended_and_listed(admin: Any, cast: Cast, ana: Seller) -> None:
    own = ana.customer
    await write(cast, ana, ana.clearing, own, 100)
    await enter(cast, ana, await now(cast))
    lost = structs.replace(cast.transfer(ana.clearing, own, 30), at=await now(cast) - timedelta(hours=1))
    await commit(cast.database, Write(ana.company_id, transfers=(lost,)))  # without its time, as nothing looked at it
    assert await laws(admin, ana) == {"law_transfers_have_their_entries"}
    async with cast.database.session(ana.company_id) as session:
        (entered,) = await ledger.mend(session, ana.company_id)
        assert (entered["number"], entered["amount_minor"], entered["balance_minor"]) == (2, 30, 130)
        assert entered["booked_at"] == lost.at < entered["created_at"]
        assert await ledger.mend(session, ana.company_id) == []
    assert await laws(admin, ana) == set()


_SLOWLY = """
CREATE OR REPLACE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END';
CREATE TRIGGER slowly BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION slowly()
"""


async def test_mending_takes_as_long_as_it_takes(apart: Lent, admin: Any, cast: Cast, ana: Seller) -> None:
    """It reads every transfer of a company, which may be longer than another statement may take."""
    await write(cast, ana, ana.clearing, ana.customer, 100)
    await enter(cast, ana, await now(cast))
    lost = structs.replace(cast.transfer(ana.clearing, ana.customer, 30), at=await now(cast) - timedelta(hours=1))
    await commit(cast.database, Write(ana.company_id, transfers=(lost,)))
    await admin.execute(_SLOWLY)
    database = Database(apart.app, size=1, settings={"statement_timeout": "1s"})
    try:
        async with database.session(ana.company_id) as session:
            assert len(await ledger.mend(session, ana.company_id)) == 1
            assert await session.value("SHOW statement_timeout") == "1s"
    finally:
        await database.close()
        await admin.execute("DROP TRIGGER slowly ON entries")
