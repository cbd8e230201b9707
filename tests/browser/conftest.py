"""A real browser in front of a real house: pages are looked at as people see them, and held to WCAG by axe."""

import asyncio
import io
import os
import secrets
import shutil
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Any, Protocol

import pytest
import uvicorn
from axe_playwright_python.async_playwright import Axe
from PIL import Image
from playwright.async_api import Browser, BrowserContext, Page, ViewportSize, async_playwright
from tests.cast import Cast, Seller
from tests.conftest import lent
from tests.databases import Database
from tests.journeys.conftest import opened as staged
from tests.journeys.conftest import playing
from tests.journeys.play import Play
from tests.journeys.stage import Stage, until
from tests.rooms.console.visiting import PASSWORD, Building, building

from lastro.people import Person, Role

# Nothing is looked up and nothing is asked for but this machine; the machines that run tests have no sandbox of Chromium's own.
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-default-apps",
    "--in-process-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
PATIENCE_MS = 30_000.0  # on a busy machine
_PICTURES = os.environ.get("LASTRO_PICTURES")
SIZES: dict[str, ViewportSize] = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
# Best practices beside the standard are asked, too; what axe cannot decide by itself is no finding.
_AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], "resultTypes": ["violations"]}

_PROGRAM_OF_AXE = Axe().axe_script

# Of each table that is one: cells of its first row that do not stand below their heads.
_OUT_OF_LINE = """() => [...document.querySelectorAll("table")].filter((one) => one.tHead && one.tBodies[0]?.rows[0])
  .filter((one) => getComputedStyle(one.tBodies[0].rows[0]).display === "table-row")
  .flatMap((one) => [...one.tHead.rows[0].cells].map((head, n) => [head, one.tBodies[0].rows[0].cells[n]]))
  .filter(([head, cell]) => cell && cell.colSpan === 1 &&
    Math.abs(head.getBoundingClientRect().left - cell.getBoundingClientRect().left) > 1)
  .map(([head]) => head.textContent)
"""
_COLOURS_HAVE_CHANGED = """
Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))
  .then(() => null)
"""


class Told(Protocol):
    """Of whatever runs a sandbox. sandbox: what its sandbox.json says."""

    @property
    def sandbox(self) -> dict[str, Any]:
        """As it stands there now."""


@dataclass
class Window:
    """A window of the browser. further: other addresses that may be asked for. asked: every address that a page of it asked
    for, those that it opened too; failed: what a page's console complained of.
    """

    site: str
    page: Page
    context: BrowserContext
    further: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    async def go(self, path: str) -> None:
        answer = await self.page.goto(self.site + path)
        assert answer is not None
        assert answer.status < 400, f"{path}: {answer.status}"

    async def sign_in(self, person: Person, password: str = PASSWORD) -> None:
        """As somebody does who has no second factor."""
        await self.go("/console/sign-in")
        await self.page.fill("#email", person.email)
        await self.page.fill("#password", password)
        await self.page.click("main button")

    async def choose(self, seller: Seller) -> None:
        """Chooses a company, among however many others the tests of this database have founded."""
        await self.page.wait_for_url(lambda url: "/sign-in" not in url)
        await self.go(f"/console/company?after={seller.number - 1}")
        await self.page.click(f"button[value='{seller.company_id}']")

    async def at_the_console(self, stage: Told) -> None:
        """Signed in by the link that the sandbox prints, at its company."""
        self.page.set_default_timeout(PATIENCE_MS)
        await self.page.goto(stage.sandbox["consoleUrl"])
        await self.page.click("main form button")
        await self.page.wait_for_url("**/console**")
        await self.go("/console/company")
        await self.page.click(f"button[value='{stage.sandbox['companyId']}']")

    async def comes_to_say(self, path: str, text: str, place: str = "main") -> None:
        """The page is loaded again until it says so."""
        deadline = asyncio.get_running_loop().time() + PATIENCE_MS / 1000
        await self.go(path)
        while text not in await self.page.inner_text(place):
            assert asyncio.get_running_loop().time() < deadline, f"{path} never said {text}"
            await self.go(path)

    async def is_clean(self) -> None:
        """The page breaks no rule of axe, is no wider than the window, and nothing failed on it."""
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(_PROGRAM_OF_AXE)
        found = await self.page.evaluate("options => axe.run(options).then(found => found.violations)", _AXE)
        rules = [(v["id"], [node["html"][:120] for node in v["nodes"]]) for v in found]
        assert not rules, f"{self.page.url}: {rules}"
        assert await self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{self.page.url} is too wide"
        assert not (out := await self.page.evaluate(_OUT_OF_LINE)), f"{self.page.url}: not below their heads: {out}"
        assert not self.failed, self.failed

    async def is_clean_everywhere(self) -> None:
        """At a desk in light, and on a phone in the dark."""
        await self.is_clean()
        await self.page.emulate_media(color_scheme="dark")
        await self.page.set_viewport_size(SIZES["phone"])
        await self.page.evaluate(_COLOURS_HAVE_CHANGED)
        await self.is_clean()

    async def back_to_the_desk(self) -> None:
        """As it was before `is_clean_everywhere`."""
        await self.page.emulate_media(color_scheme="light")
        await self.page.set_viewport_size(SIZES["desktop"])
        await self.page.evaluate(_COLOURS_HAVE_CHANGED)

    async def picture(self, name: str, *, whole: bool = True, page: Page | None = None) -> None:
        """Kept as `name`.png where `make screenshots` asks for pictures. whole: with what is below the window's edge.

        256 colours are all that our pages have, and a third of the bytes.
        """
        if _PICTURES:
            seen = Image.open(io.BytesIO(await (page or self.page).screenshot(full_page=whole)))
            seen.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(Path(_PICTURES) / f"{name}.png", optimize=True)

    def stayed_here(self) -> None:
        """No request left this machine for another."""
        strangers = [url for url in self.asked if not url.startswith((f"{self.site}/", "data:image/", *self.further))]
        assert self.asked, "the browser asked for nothing"
        assert not strangers, strangers


@asynccontextmanager
async def opened(
    browser: Browser, site: str, size: str = "desktop", further: tuple[str, ...] = (), **context: Any
) -> AsyncIterator[Window]:
    """A window of its own, in which nothing may leave this machine."""
    made = await browser.new_context(viewport=SIZES[size], **{"locale": "pt-BR", **context})
    try:
        window = Window(site, await made.new_page(), made, further)
        made.on("request", lambda request: window.asked.append(request.url))
        made.on("console", lambda line: window.failed.append(line.text) if line.type == "error" else None)
        made.on("weberror", lambda error: window.failed.append(str(error.error)))
        yield window
        window.stayed_here()
    finally:
        await made.close()


@dataclass
class Street:
    """A house with its address, and a browser before it."""

    house: Building
    site: str
    browser: Browser

    @asynccontextmanager
    async def window(self, size: str = "desktop", **context: Any) -> AsyncIterator[Window]:
        """A window of its own, as large as a desk's or a phone's. context: of the browser, such as color_scheme."""
        async with opened(self.browser, self.site, size, **context) as window:
            yield window

    async def person(self, *roles: Role, **told: Any) -> Person:
        """Somebody with PASSWORD."""
        return await self.house.person(*roles, **told)


async def at_ana_s(street: Street, window: Window) -> None:
    """Signs in somebody who operates, at Ana's company."""
    await window.sign_in(await street.person(Role.OPERATE))
    await window.choose(street.house.ana)


_INSTALLED_WITHIN_SECONDS = 300.0
# The same engine without what draws a window for people takes two thirds of the time of a core.
_PROGRAMS = ("chromium-headless-shell", "chromium")


async def chromium_program() -> str:
    """The browser of the distribution; .ci/run installs it beside the first tests."""

    async def look() -> str | None:
        """Its file is there before what it needs is unpacked, too: whether it runs tells."""
        for program in filter(None, map(shutil.which, _PROGRAMS)):
            asked = await asyncio.create_subprocess_exec(program, "--version", stdout=PIPE, stderr=PIPE)
            await asked.communicate()
            if asked.returncode == 0:
                return program
        return None

    if not os.environ.get("CI") and await look() is None:
        pytest.skip("Chromium is not installed here; .ci/run installs it")
    return await until(look, "Chromium", _INSTALLED_WITHIN_SECONDS) or ""


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for all tests of a worker."""
    program = await chromium_program()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
async def street(database: Database, chromium: Browser) -> AsyncIterator[Street]:
    """Ana's house, served on a port that was free."""
    async with built(database, chromium) as made:
        yield made


@asynccontextmanager
async def built(database: Database, chromium: Browser) -> AsyncIterator[Street]:
    """A house of Ana's on that database."""
    cast = Cast.of(database.app)
    async with served(cast, await cast.ana(), chromium) as made:
        yield made
    await cast.close()


@asynccontextmanager
async def served(cast: Cast, ana: Seller, chromium: Browser) -> AsyncIterator[Street]:
    """Her console on a port that was free."""
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        site = f"http://127.0.0.1:{door.getsockname()[1]}"
        house = building(cast, ana, url=site)
        server = uvicorn.Server(uvicorn.Config(house.asgi, log_config=None, access_log=False, lifespan="on", loop="none"))
        serving = asyncio.ensure_future(server.serve(sockets=[door]))
        yield Street(house, site, chromium)
        server.should_exit = True
        await serving


@pytest.fixture(scope="session")
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A sandbox of their own: API, worker, simulated network."""
    for database in lent(request, "clone", f"browser_{secrets.token_hex(4)}"):
        assert isinstance(database, Database)
        yield from staged(tmp_path_factory.mktemp("browser"), database)


@pytest.fixture
async def play(stage: Stage) -> AsyncIterator[Play]:
    """What a merchant does there by the API; when it ends, everything adds up."""
    async with playing(stage) as made:
        yield made
