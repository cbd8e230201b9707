"""Every page of the console on a phone: it is no wider than the window, and no table hides in a box that scrolls."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any

import pytest
import uvicorn
from playwright.async_api import Browser
from tests.browser.conftest import opened
from tests.conftest import lent
from tests.databases import Database
from tests.rooms.console.test_pages import ALL, Place, every_path, standing

# Whatever is wider than the window, and each box that scrolls sideways: with what is in it.
_WIDE = """() => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  const root = document.scrollingElement, found = [];
  if (root.scrollWidth > root.clientWidth) found.push(`page ${root.scrollWidth}`);
  for (const one of document.querySelectorAll("main *"))
    if (one.scrollWidth > one.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
      found.push(`${one.tagName}.${one.className} ${one.scrollWidth}: ${one.textContent.trim().slice(0, 60)}`);
  return found;
}"""
# Looked at by axe, too: those that `test_pages` does not look at.
_HELD_TO_RULES = (
    "/console/audit", "/console/people", "/console/developers", "/console/resend", "/console/ledger/transfers", "/console/me",
    "/console/messages", "/console/company",
)  # fmt: skip
# Further pages: of people, of a period, of a list that is filtered, of an address that is not there.
_FURTHER = ("/console/audit?of=people", "/console/people/{person}", "/console/accounts/{accounts}/statement?startDate={day}",
            "/console/plans/{plans}/problems", "/console/orders?status=PAID", "/console/search?q=Loja", "/console/nothing")  # fmt: skip


@pytest.fixture(scope="module")
def apart(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database of their own: the town's."""
    yield from lent(request, "clone", secrets.token_hex(4))


@pytest.fixture(scope="module")
async def town(apart: Database) -> AsyncIterator[tuple[Place, str]]:
    """The town and its console, on a port that was free."""
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        site = f"http://127.0.0.1:{door.getsockname()[1]}"
        async with standing(apart, site) as place:
            asgi = place.building.asgi
            server = uvicorn.Server(uvicorn.Config(asgi, log_config=None, access_log=False, lifespan="on", loop="none"))
            serving = asyncio.ensure_future(server.serve(sockets=[door]))
            yield place, site
            server.should_exit = True
            await serving


async def further(place: Place, person: Any) -> list[str]:
    """More pages: of people, of a period, of what is not there."""
    day = await place.value("SELECT (now() - interval '1 day')::date::text WHERE $1::uuid IS NOT NULL")
    return [path.format(person=person.id, day=day, **place.ids) for path in _FURTHER]


async def test_no_page_scrolls_sideways_on_a_phone(town: tuple[Place, str], chromium: Browser) -> None:
    place, site = town
    visit, person = await place.building.inside(*ALL)
    # The audit has something to show.
    here = f"/console/orders/{place.town.objects['order']}/cancel"
    await visit.send(here, here)
    async with opened(chromium, site, "phone", locale="pt-BR") as window:
        await window.sign_in(person)
        number = await place.value("SELECT number FROM companies WHERE company_id = $1")
        await window.page.wait_for_url(lambda url: "/sign-in" not in url)
        await window.go(f"/console/company?after={number - 1}")
        await window.page.click(f"button[value='{place.town.ana.company_id}']")
        wide = {}
        for path in (*await every_path(place), *await further(place, person)):
            await window.page.goto(site + path)
            if found := await window.page.evaluate(_WIDE):
                wide[path] = found
            if path.startswith(_HELD_TO_RULES) or path.endswith("/receipt"):
                await window.is_clean()
    assert not wide
