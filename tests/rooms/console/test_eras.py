"""The page of what waits after a restore: of whom, how much, what to do, and for whose eyes."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building
from tests.rooms.payouts.office import FABIO, Office
from tests.rooms.plans.bureau import Bureau
from tests.rooms.subscriptions.charging import Bank, day
from tests.rooms.subscriptions.desk import Desk

from lastro.ops import eras
from lastro.people import Role
from lastro.standards.documents import printed

HERE = "/console/eras"


@pytest.fixture
async def cast(own_database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(own_database.app)
    yield made
    await made.close()


@pytest.fixture
async def ana(cast: Cast) -> Seller:
    return await cast.ana()


async def _due(cast: Cast, seller: Seller, sql: str, row_id: str) -> None:
    async with cast.database.session(seller.company_id) as session:
        assert await session.fetch(f"{sql} WHERE company_id = tenant() AND id = $1 RETURNING 1", UUID(row_id))


async def _scheduled(cast: Cast, seller: Seller, office: Office, cents: int) -> Any:
    """A payout whose day has come."""
    made = await office.make(cents, scheduled_on=office.tomorrow())
    await _due(cast, seller, "UPDATE payouts SET start_at = business_now() - interval '1 minute'", made["id"])
    return made


async def something_of_each(cast: Cast, ana: Seller, office: Office | None = None) -> tuple[list[Any], Any, str, str]:
    """What is due of each kind: two payouts, a plan, and the subscriptions of a cycle and of a charge."""
    office = office or await Office.open(cast, ana)
    payouts = [await _scheduled(cast, ana, office, cents) for cents in (123_456, 4100)]
    bureau = Bureau(cast, ana, office, await cast.add_client(ana.company_id, "approver"))
    plan = await bureau.take(bureau.differing(2))
    bank = Bank(Desk.open(cast, ana))
    cycle = await bank.accepted(autoSchedule=True, frequencyType="WEEKLY", startDate=day(20).isoformat())
    await _due(cast, ana, "UPDATE subscriptions SET charge_at = business_now() - interval '1 minute'", cycle)
    of_charge = await bank.accepted(startDate=day(20).isoformat())
    charge = await bank.charge(of_charge, day(21))
    await _due(cast, ana, "UPDATE subscription_payments SET due_at = business_now() - interval '1 minute'", charge["id"])
    return payouts, plan, cycle, of_charge


async def restored(own_database: Any) -> None:
    """An era begins."""
    admin = await own_database.connect()
    try:
        await eras.begin(admin, url=own_database.admin.url)
    finally:
        await admin.close()


async def _released(own_database: Any) -> None:
    admin = await own_database.connect()
    try:
        await admin.execute("SET ROLE lastro_owner")
        await admin.execute(eras._RELEASE)
    finally:
        await admin.close()


async def test_what_an_era_holds_is_shown_with_whom_and_how_much(
    own_database: Any, cast: Cast, ana: Seller, house: Building
) -> None:
    office = await Office.open(cast, ana)
    visit, _ = await house.inside(Role.READ)
    assert "Nada foi restaurado aqui" in (await visit.get(HERE)).text
    payouts, plan, cycle, of_charge = await something_of_each(cast, ana, office)
    later = await office.make(999_99, scheduled_on=office.tomorrow())

    await restored(own_database)
    overview = (await visit.get("/console")).text
    assert f'<li class="some"><a href="{HERE}"><b>5</b> retidos depois de uma restauração</a>' in overview
    told = (await visit.get(HERE, accept_language="pt")).text
    for one in payouts:
        assert f'href="/console/payouts/{one["id"]}"' in told
        assert f"<code>{one['endToEndId']}</code>" in told
    assert FABIO.name in told
    assert printed(FABIO.document_number) in told
    assert "R$\N{NO-BREAK SPACE}1.234,56" in told
    assert "2 e R$\N{NO-BREAK SPACE}1.275,56" in told, "how much it is together"
    assert later["id"] not in told, "what is due later goes on"
    assert f'href="/console/plans/{plan["id"]}"' in told
    assert "2 linhas a fazer" in told, "of a plan that is not checked yet"
    assert f'href="/console/subscriptions/{cycle}"' in told
    assert f'href="/console/subscriptions/{of_charge}"' in told
    assert "<code>lastro era release</code>" in told
    assert "Nada foi restaurado" not in told
    english = (await visit.get(HERE, accept_language="en")).text
    assert "What to do" in english
    assert "2 and R$\N{NO-BREAK SPACE}1,275.56" in english
    # What was called off waits no longer; what was let go does not either.
    await office.cancel(payouts[0]["id"])
    assert payouts[0]["id"] not in (await visit.get(HERE)).text
    await _released(own_database)
    after = (await visit.get(HERE, accept_language="en")).text
    assert "goes on since" in after
    assert payouts[1]["id"] not in after
    assert "lastro era release" not in after
    assert '<li class="none"><a href="/console/eras"><b>0</b>' in (await visit.get("/console")).text


async def test_each_company_sees_its_own_and_the_institution_where_else(
    own_database: Any, cast: Cast, ana: Seller, house: Building
) -> None:
    dora = await cast.dora()
    office = await Office.open(cast, dora)
    hers = await _scheduled(cast, dora, office, 77_700)
    await restored(own_database)
    institution, _ = await house.inside(Role.READ)
    told = (await institution.get(HERE, accept_language="en")).text
    assert hers["id"] not in told
    assert "Nothing of this company waits" in told
    async with cast.database.session(dora.company_id) as session:
        name = await session.value("SELECT name FROM companies WHERE company_id = $1", dora.company_id)
    assert f"<b>1</b> {dora.number} <bdi>{name}</bdi>" in told
    own, _ = await house.inside(Role.READ, company=dora.company_id)
    told = (await own.get(HERE, accept_language="en")).text
    assert hers["id"] in told
    for word in ("lastro era release", "Companies of which", "Numbers for networks"):
        assert word not in told, "what only the institution does and knows"
    assert "Tell the institution" in told
