"""The page of connections: what each is, until when it was polled, how long its certificate is good, and for whose eyes."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building
from tests.rooms.orders.shop import Shop
from tests.rooms.orders.test_connections import KEY, Connected
from tests.rooms.rails.api_pix_bank import Bank, serving

from lastro import console
from lastro.app import wiring
from lastro.app.banks import ConnectionSummary
from lastro.console.connections import HERE, tone
from lastro.people import Role
from lastro.rails.api_pix import ApiPixIssuer
from lastro.web.application import application

UNTIL = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)


@pytest.fixture
async def at_bank(cast: Cast, ana: Seller) -> AsyncIterator[Connected]:
    """Ana's shop, whose key is at a small bank that answers."""
    made = Connected(Shop(cast, ana), Bank(now=datetime.now(UTC)), {})
    await cast.connect(ana, made.rail, KEY)
    async with serving(made.bank) as line:
        made.issuers[made.rail] = ApiPixIssuer(made.rail, line, "utc")
        yield made


def reaching(house: Building, **summaries: ConnectionSummary) -> Building:
    """The same building, whose process has these connections in its file."""
    app = replace(house.house, connection_summaries=lambda: summaries)
    routes, operations = wiring.routes(app), wiring.operations(app)
    paths = wiring.public(app) | console.paths(app, routes)
    return replace(house, house=app, asgi=application(wiring.gate(app, operations), operations, routes, paths))


def summary(days: float | None, *, is_told: bool = False, gives_refunds: bool = True) -> ConnectionSummary:
    """A summary whose certificate ends in so many days and an hour."""
    until = None if days is None else datetime.now(UTC) + timedelta(days=days, hours=1)
    return ConnectionSummary("sicredi", 20, is_told, until, gives_refunds)


async def polled(cast: Cast, rail: str) -> None:
    async with cast.database.session() as session:
        await session.fetch("INSERT INTO rail_cursors (rail, stream, until) VALUES ($1, 'pix', $2)", rail, UNTIL)


async def test_a_connection_is_shown_with_its_keys_and_its_certificate(cast: Cast, ana: Seller, house: Building) -> None:
    await cast.paid_at_a_bank(ana)
    rail = f"bank{ana.number}"
    await polled(cast, rail)
    visit, _ = await reaching(house, **{rail: summary(12)}).inside(Role.READ)
    page = (await visit.get(HERE, accept_language="en")).text
    for said in (
        f">{rail}<", "<code>sicredi</code>", "<code>shop@example.com</code>", f"<code>{ana.account_number}</code>", "makes codes",
        "2026-11-20 12:00:00", "asked every 20 s", f'<a href="/console/foreign?connection={rail}&amp;status=FOUND">1</a>',
        '<span class="state waiting">12 days</span>',
    ):  # fmt: skip
        assert said in page, said
    found = await visit.get(f"/console/foreign?connection={rail}&status=FOUND", accept_language="en")
    assert "E12345678202601311200foreign0001" in found.text
    portuguese = (await visit.get(HERE, accept_language="pt-BR")).text
    assert "12 dias" in portuguese
    assert "Payments" not in portuguese


async def test_a_connection_that_makes_no_refunds_says_so(cast: Cast, ana: Seller, house: Building) -> None:
    rail = f"bank{ana.number}"
    await cast.connect(ana, rail, "shop@example.com")
    for gives_refunds, said in ((True, "are asked of the bank"), (False, "are not made from here")):
        visit, _ = await reaching(house, **{rail: summary(None, gives_refunds=gives_refunds)}).inside(Role.READ)
        assert f"<dt>Refunds</dt><dd>{said}</dd>" in (await visit.get(HERE, accept_language="en")).text


async def test_open_orders_of_a_connection_are_counted(at_bank: Connected, house: Building) -> None:
    made = [await at_bank.make(externalId=f"order-{n}") for n in range(3)]
    await at_bank.paid(made[0])
    visit, _ = await house.inside(Role.READ)
    page = (await visit.get(HERE, accept_language="en")).text
    assert re.search(r"<dt>Open orders</dt><dd>2</dd>", page), page


async def test_a_connection_that_was_never_polled_and_is_in_no_file(cast: Cast, ana: Seller, house: Building) -> None:
    await cast.connect(ana, f"old{ana.number}", "shop@example.com")
    visit, _ = await house.inside(Role.READ)
    page = (await visit.get(HERE, accept_language="en")).text
    for said in ("not in the file any more", "makes no codes", "not yet", "<dd>none</dd>"):
        assert said in page, said


async def test_only_those_of_the_company_are_shown(cast: Cast, ana: Seller, house: Building) -> None:
    """Another company's people see nothing of a connection, though the process has it in its file."""
    rail, dora = f"bank{ana.number}", await cast.dora()
    await cast.paid_at_a_bank(ana)
    await polled(cast, rail)
    visit, _ = await reaching(house, **{rail: summary(300)}).inside(Role.READ, Role.ADMINISTER, company=dora.company_id)
    page = await visit.get(HERE, accept_language="en")
    assert page.status_code == 200
    for secret in (rail, "sicredi", "shop@example.com", ana.account_number, "2026-11-20"):
        assert secret not in page.text
    assert "This company has no connection to a bank." in page.text


async def test_a_stranger_signs_in_first(house: Building) -> None:
    answer = await house.visit().get(HERE)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/console/sign-in")


@pytest.mark.parametrize(
    ("days", "expected"),
    [(None, "calm"), (-1, "bad"), (0, "bad"), (7, "bad"), (8, "waiting"), (30, "waiting"), (31, "good")],
)
def test_the_end_of_a_certificate_is_urgent_as_it_comes_near(days: int | None, expected: str) -> None:
    assert tone(days) == expected
