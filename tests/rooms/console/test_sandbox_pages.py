"""What a sandbox adds to the console stands behind the console's door, and a production install has none of it."""

import re
from pathlib import Path

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building, building, hidden

from lastro import console
from lastro.app import wiring
from lastro.console.pages import PAGES
from lastro.console.shell import Act
from lastro.people import Role
from lastro.web.application import application
from lastro_sandbox import controls
from lastro_sandbox.clock import Pending
from lastro_sandbox.consoled import TEMPLATES
from lastro_sandbox.controls import Controls, Simulator
from lastro_sandbox.paths import ClockPath


def made(house: wiring.AppContext, home: Path) -> console.Plugin:
    """The controls, whose simulated network is away."""
    path = ClockPath(Pending(house.database, house.database, ()))
    away = Controls(home, house.database, path, Simulator("http://127.0.0.1:9"))
    return console.Plugin(templates=(TEMPLATES,)) + controls.pages_of(away)


@pytest.fixture
async def sandbox(cast: Cast, ana: Seller, tmp_path: Path) -> tuple[Building, console.Plugin]:
    house = building(cast, ana)
    plugin = made(house.house, tmp_path)
    routes, operations = wiring.routes(house.house), wiring.operations(house.house)
    paths = wiring.public(house.house) | console.paths(house.house, routes, plugin)
    house.asgi = application(wiring.gate(house.house, operations), operations, routes, paths)
    return house, plugin


def address(path: str) -> str:
    return re.sub(r"\{\w+\}", "first", path)


async def test_nobody_is_led_to_where_one_comes_in(sandbox: tuple[Building, console.Plugin]) -> None:
    house, plugin = sandbox
    for page in plugin.pages:
        visit = house.visit()
        path = address(page.path)
        answer = await (visit.get(path) if page.method == "GET" else visit.post(path))
        assert answer.status_code == 303, page
        assert answer.headers["location"].startswith("/console/sign-in"), page


async def test_a_role_reaches_its_own_pages_alone_and_forms_of_others_do_nothing(
    sandbox: tuple[Building, console.Plugin],
) -> None:
    house, plugin = sandbox
    visit, _ = await house.inside(Role.READ)
    good = hidden((await visit.get("/console/me")).text)
    for page in plugin.pages:
        if page.role is not Role.READ:
            path = address(page.path)
            answer = await (visit.get(path) if page.method == "GET" else visit.post(path, good))
            assert answer.status_code == 403, page
    everybody, _ = await house.inside(*Role)
    for page in plugin.pages:
        if isinstance(page, Act):
            assert (await everybody.post(address(page.path), {})).status_code == 403, page


async def test_snapshots_are_not_for_somebody_of_one_company(sandbox: tuple[Building, console.Plugin]) -> None:
    house, _ = sandbox
    visit, _ = await house.inside(*Role, company=house.ana.company_id)
    good = hidden((await visit.get("/console/me")).text)
    assert (await visit.post("/console/sandbox/snapshots", {**good, "name": "first"})).status_code == 403
    whole, _ = await house.inside(*Role)
    good = hidden((await whole.get("/console/me")).text)
    assert (await whole.post("/console/sandbox/snapshots/first/restore", good)).status_code == 404
    assert (await whole.get("/console/sandbox/snapshots/..%2f..")).status_code == 404


def test_an_installation_without_the_sandbox_has_none_of_it() -> None:
    assert not [page for page in PAGES if page.path.startswith("/console/sandbox")]


async def test_production_answers_404(cast: Cast, ana: Seller) -> None:
    house = building(cast, ana)
    visit, _ = await house.inside(*Role)
    for path in ("/console/sandbox", "/console/sandbox/magic", "/console/sandbox/snapshots/first"):
        assert (await visit.get(path)).status_code == 404
