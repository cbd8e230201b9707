"""Before a person decides, the page says who, how much and at what cost: at a desk in Portuguese, on a phone in English."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any
from uuid import UUID

import pytest
import uvicorn
from playwright.async_api import Browser
from tests.browser.conftest import Street, Window
from tests.cast import Cast
from tests.conftest import Database, lent
from tests.rooms.console.visiting import building
from tests.rooms.laws.world import World

from lastro.people import Role

pytestmark = pytest.mark.anyio

# Each page by what is picked from the world; and what a person must read on it.
PAGES = {
    "/console/payouts": ("Fabio de Fora", "24681357928"),
    "/console/payouts/{out_review}": ("Fabio de Fora", "24681357928"),
    "/console/payouts/{out_review}/approve": ("Fabio de Fora", "24681357928", "R$"),
    "/console/plans/{plan_ready}": ("R$",),
    "/console/plans/{plan_ready}/approve": ("R$", "Fabio de Fora"),
    "/console/plans/{plan_approved}/apply": ("R$", "Fabio de Fora"),
    "/console/orders/{disputed}": ("R$",),
    "/console/disputes/{notice}": ("R$",),
    "/console/disputes/{notice}/answer": ("R$",),
    "/console/events": (),
    "/console/audit": (),
    "/console/developers/webhooks/secret": (),
}


@pytest.fixture(scope="module")
def apart(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database of their own: what a world holds is no other test's."""
    yield from lent(request, "clone", secrets.token_hex(4))


@pytest.fixture(scope="module")
async def town(apart: Database, chromium: Browser) -> AsyncIterator[tuple[World, Street]]:
    """A world in which everything waits for a person, and its console on a port that was free."""
    cast = Cast.of(apart.app, size=4)
    world = await World.make(cast)
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        site = f"http://127.0.0.1:{door.getsockname()[1]}"
        house = building(cast, world.ana, url=site)
        server = uvicorn.Server(uvicorn.Config(house.asgi, log_config=None, access_log=False, lifespan="on", loop="none"))
        serving = asyncio.ensure_future(server.serve(sockets=[door]))
        yield world, Street(house, site, chromium)
        server.should_exit = True
        await serving
    await cast.close()


async def names(world: World) -> dict[str, Any]:
    """The objects by name; notice: one that waits for its verdict; disputed: the order that it is about."""
    sql = (
        f"SELECT m.id, p.order_id FROM med_objects m JOIN pix_payments p USING (company_id, end_to_end_id)"
        f" WHERE m.status = 'RECEIVED' AND m.company_id = '{world.ana.company_id}' AND p.order_id IS NOT NULL LIMIT 1"
    )
    async with world.cast.database.session(world.ana.company_id) as session:
        row = await session.row(sql)
    assert row is not None, "a notice waits"
    return {**world.names, "notice": row["id"], "disputed": row["order_id"]}


async def look(window: Window, found: dict[str, Any], picture: str) -> None:
    for path, words in PAGES.items():
        await window.go(path.format(**found))
        text = await window.page.inner_text("main")
        for word in words:
            assert word in text, f"{path} does not say {word}: {text}"
        await window.is_clean()
        await window.picture(f"deciding-{picture}-{path.replace('/', '-').replace('{', '').replace('}', '')}")


@pytest.mark.parametrize(("size", "colours", "language"), [("desktop", "light", "pt-BR"), ("phone", "dark", "en-US")])
async def test_nobody_decides_blind(town: tuple[World, Street], size: str, colours: str, language: str) -> None:
    world, street = town
    found, person = await names(world), await street.person(Role.OPERATE, Role.APPROVE, Role.ADMINISTER)
    async with street.window(size, color_scheme=colours, locale=language, java_script_enabled=True) as window:
        await window.sign_in(person)
        await window.page.click(f"button[value='{street.house.ana.company_id}']")
        await look(window, found, f"{language[:2]}-{size}")
        await window.go(f"/console/orders/{found['disputed']}")
        await window.page.click("p.disputed a")
        await window.page.wait_for_url(f"**/console/disputes/{found['notice']}")
        assert await window.page.locator(f"a[href='/console/orders/{found['disputed']}']").count() == 1
        await window.go(f"/console/disputes/{found['notice']}/answer")
        assert await window.page.locator("input[type=radio]:checked").count() == 0, "no verdict is presumed"
        assert "R$" in await window.page.inner_text("main form button.main")
        assert UUID(str(found["notice"]))
