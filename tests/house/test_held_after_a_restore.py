"""What was due when an era began may have been paid in the time that is lost: it waits for people, and whatever is due later goes on."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.payouts.office import Office
from tests.rooms.plans.bureau import Bureau
from tests.rooms.subscriptions.charging import Bank, day
from tests.rooms.subscriptions.desk import Desk

from lastro.config.settings import read
from lastro.core.db import Database
from lastro.due_work import DUE_WORK
from lastro.ops import eras
from lastro.plans import LANE
from lastro_sandbox.clock import BUSY

_FINDERS = {work.held: sql for work in DUE_WORK if work.held and work.by == "sweep" for sql in work.sweeps.values()}


@pytest.fixture
async def cast(own_database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(own_database.app)
    yield made
    await made.close()


@pytest.fixture
async def ana(cast: Cast) -> Seller:
    return await cast.ana()


@pytest.fixture
async def work(own_database: Any) -> AsyncIterator[Database]:
    made = Database(own_database.work, size=1)
    yield made
    await made.close()


async def _found(work: Database) -> dict[str, int]:
    """How much of each kind a worker finds to begin."""
    async with work.session() as session:
        found = {kind: len(await session.fetch(sql, 100)) for kind, sql in _FINDERS.items()}
        return found | {"plan": len(await session.fetch(LANE.find_sql))}


async def _due(cast: Cast, ana: Seller, sql: str, row_id: str) -> None:
    async with cast.database.session(ana.company_id) as session:
        assert await session.fetch(f"{sql} WHERE company_id = tenant() AND id = $1 RETURNING 1", UUID(row_id))


async def test_what_was_due_waits_until_people_say_go_on(
    own_database: Any, cast: Cast, ana: Seller, work: Database, tmp_path: Path
) -> None:
    office = await Office.open(cast, ana)
    paid, owed, later = [await office.make(1000 + n, scheduled_on=office.tomorrow()) for n in range(3)]
    for one in (paid, owed):
        await _due(cast, ana, "UPDATE payouts SET start_at = business_now() - interval '1 minute'", one["id"])
    bureau = Bureau(cast, ana, office, await cast.add_client(ana.company_id, "approver"))
    await bureau.take(bureau.differing(1))
    bank = Bank(Desk.open(cast, ana))
    cycle = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    await _due(cast, ana, "UPDATE subscriptions SET charge_at = business_now() - interval '1 minute'", cycle)
    charge = await bank.charge(await bank.accepted(startDate=day(20).isoformat()), day(21))
    await _due(cast, ana, "UPDATE subscription_payments SET due_at = business_now() - interval '1 minute'", charge["id"])
    before = await _found(work)
    assert before == {"payout": 2, "charge": 1, "subscription": 1, "plan": 1}

    admin = await own_database.connect()
    busy = await admin.fetchval(BUSY)
    begun = await eras.begin(admin)
    assert begun.held == before
    assert "2 payouts" in begun.lines()[-1]
    assert not any((await _found(work)).values()), "nothing of it is begun"
    era = 1  # is due to be told of
    assert await admin.fetchval(BUSY) == busy - sum(before.values()) + era, "the sandbox's clock waits for none of it"
    await _due(cast, ana, "UPDATE payouts SET start_at = business_now()", later["id"])
    assert (await _found(work))["payout"] == 1, "what is due since then goes on"

    settings = read({"LASTRO_HOME": str(tmp_path), "LASTRO_DATABASE_URL": own_database.admin.url})
    said: list[str] = []

    def types(*words: str) -> str:
        assert eras.perform(words, lambda: settings, said.append) == 0
        return said.pop()

    shown = await asyncio.to_thread(types, "held")
    assert all(one in shown for one in (paid["id"], owed["id"], paid["endToEndId"], cycle, charge["id"]))
    assert later["id"] not in shown
    await office.cancel(paid["id"])  # its company has found it among what the network paid
    assert paid["id"] not in await asyncio.to_thread(types, "held", "--json")
    assert "1 payout," in await asyncio.to_thread(types, "release")
    assert await _found(work) == before, "of the payouts those that were not called off"
    assert "nothing" in await asyncio.to_thread(types, "release")
    assert '"releasedAt": null' in await asyncio.to_thread(types, "list", "--json"), "of the first era there was nothing"
    # An era of its own holds anew.
    await eras.begin(admin)
    assert not any((await _found(work)).values())
    await admin.close()
