"""The console of a company with a million orders: how long its pages take, near and deep, beside a page that shows nothing.

What is measured is what a person waits for: one request after another over HTTP, of somebody who is signed in. All pages
are asked for in turn in each round, so that a busy machine slows all of them.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from html import unescape
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from bench.console_fill import Found, fill
from bench.figures import Figure, Rounds

from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.core.secrets import load_key_ring
from lastro.people import Entrance, Register, Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.house import House

_BAR_MS, _AIM_MS = 100.0, 50.0
_DEEPER_BAR, _DEEPER_AIM = 1.3, 1.1  # what a page deep in a list may take by its first one
_ROUNDS_EACH = 15  # of one person: the console answers each only so often in a minute
_PASSWORD = "four unlike grey horses"
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_FLOOR = "a page that shows nothing"


@dataclass
class Browser:
    """One person's browser. cookies: what it keeps."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    connection: HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = HTTPConnection("127.0.0.1", self.port, timeout=60)

    def get(self, path: str) -> tuple[int, str]:
        """Status and text of a page."""
        return self._asked("GET", path, None)

    def post(self, path: str, form: Mapping[str, str]) -> tuple[int, str]:
        """Status and text of what a form is answered with."""
        return self._asked("POST", path, urlencode(form))

    def send(self, page: str, path: str, **form: str) -> tuple[int, str]:
        """Sends a form with what the page that holds it carries unseen."""
        unseen = {name: unescape(value) for name, value in _HIDDEN.findall(self.get(page)[1])}
        return self.post(path, {**unseen, **form})

    def _asked(self, method: str, path: str, body: str | None) -> tuple[int, str]:
        headers = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body is not None:
            headers |= {"origin": f"http://127.0.0.1:{self.port}", "content-type": "application/x-www-form-urlencoded"}
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for line in answer.headers.get_all("set-cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, text


async def measured(house: House, rounds: int, rows: int) -> list[Figure]:
    """Milliseconds of each page of a company with so many orders, and what deep pages take by first ones."""
    begun = time.monotonic()
    found = await fill(house, rows)
    filled = time.monotonic() - begun
    pages = _pages(found)
    took: dict[str, list[float]] = {name: [] for name in pages}
    async with house.api():
        for number in range(rounds):
            if number % _ROUNDS_EACH == 0:
                browser = await _signed_in(house, str(found.company_id))
                await asyncio.to_thread(_round, browser, pages)  # the first look makes connections and plans
            for name, milliseconds in (await asyncio.to_thread(_round, browser, pages)).items():
                took[name].append(milliseconds)
    return [*_figures(took, f"{rows:,} orders, filled in {filled:.0f} s"), *_deeper(took)]


def _pages(found: Found) -> dict[str, str]:
    """Each page by its name. What is named `deep …` is the list of the name behind it, at row 900,000 of a million."""
    deep = quote(found.deep_cursor)
    order, search = f"/console/orders/{found.order_id}", "/console/search?all=1&q="
    return {
        _FLOOR: "/console/me",
        "overview": "/console",
        "overview of 7 days": "/console?period=7d",
        "orders": "/console/orders",
        "deep orders": f"/console/orders?cursor={deep}",
        "orders of a status": "/console/orders?status=EXPIRED",
        "deep orders of a status": f"/console/orders?status=EXPIRED&cursor={deep}",
        "orders of an account": f"/console/orders?accountId={found.account_id}",
        "deep orders of an account": f"/console/orders?accountId={found.account_id}&cursor={deep}",
        "orders of a method": "/console/orders?paymentMethod=PIX",
        "orders of a method that none has": "/console/orders?paymentMethod=BOLETO",
        "orders of a day": f"/console/orders?from={found.day}&to={found.day}",
        "orders of a code": f"/console/orders?externalId={quote(found.external_id)}",
        "events": "/console/events?status=DELIVERED",
        "deep events": f"/console/events?status=DELIVERED&cursor={deep}",
        "events that failed": "/console/events?status=FAILED",
        "how each endpoint does": "/console/developers/webhooks",
        "payouts": "/console/payouts",
        "refunds": "/console/refunds",
        "subscriptions": "/console/subscriptions",
        "accounts": "/console/accounts",
        "an order": order,
        "an account and its statement": f"/console/accounts/{found.account_id}",
        "ledger": "/console/ledger",
        "an account of the ledger": f"/console/ledger/accounts/{found.account_id}",
        "a booking": f"/console/ledger/transfers/{found.transfer_id}",
        "search by id": f"{search}{found.order_id}",
        "search by endToEndId": f"{search}{found.end_to_end_id}",
        "search by code": f"{search}{quote(found.external_id)}",
        "search by txid": f"{search}{found.txid}",
        "search by document": f"{search}{found.document}",
        "search by amount": f"{search}{quote('R$ 10,50')}",
        "search by amount that none has": f"{search}{quote('R$ 987.654,32')}",
        "search by amount and day": f"{search}{quote(f'10,50 {found.day}')}",
        "search by key": f"{search}{found.pix_key}",
        "search by what is nowhere": f"{search}nowhere-to-be-found",
    }


def _round(browser: Browser, pages: Mapping[str, str]) -> dict[str, float]:
    took = {}
    for name, path in pages.items():
        begun = time.perf_counter()
        status, text = browser.get(path)
        took[name] = (time.perf_counter() - begun) * 1000
        if status != 200:
            raise RuntimeError(f"{name}, {path}, was answered with {status}: {text[:300]}")
    return took


async def _signed_in(house: House, company_id: str) -> Browser:
    """The browser of somebody new, who looks at this company."""
    settings = house.settings
    database, chance = Database(settings.app, size=1), Chance(os.urandom)
    try:
        now = partial(datetime.now, UTC)
        entrance = Entrance(database, load_key_ring(settings.keys_file, os.urandom), chance, now)
        email = f"{chance.uuid(now())}@bench.example"
        made = await Register(entrance).invite(email, "Rita", (Role.READ,), None)
        if not isinstance(made, tuple):
            raise RuntimeError(f"nobody was invited: {made}")  # noqa: TRY004 a refusal is no wrong type
        await entrance.by_invitation(made[1].reveal(), _PASSWORD, "bench")
    finally:
        await database.close()
    return await asyncio.to_thread(_enter, settings.port, email, company_id)


def _enter(port: int, email: str, company_id: str) -> Browser:
    browser = Browser(port)
    for status, said in (
        browser.post("/console/sign-in", {"email": email, "password": _PASSWORD}),
        browser.send("/console/company", "/console/company", company=company_id),
    ):
        if status != 303:
            raise RuntimeError(f"the console did not let in: {status}, {said[:300]}")
    return browser


def _figures(took: Mapping[str, list[float]], note: str) -> list[Figure]:
    """A line for each page, with its 99th of a hundred."""
    figures = []
    for name, times in took.items():
        is_floor = name == _FLOOR
        most = statistics.quantiles(times, n=100, method="inclusive")[98]
        bar, aim = (None, None) if is_floor else (_BAR_MS, _AIM_MS)
        told = f"p99 {most:.0f} ms" + (f"; {note}" if is_floor else "")
        figures.append(
            Figure(f"console: {name}", "ms", Rounds(tuple(times)), None, bar, aim, at_most=True, digits=1, note=told)
        )
    return figures


def _deeper(took: Mapping[str, list[float]]) -> list[Figure]:
    """What each deep page takes by the first one of the same round."""
    return [
        Figure(
            f"console: {name}, by the first page", "x",
            Rounds(tuple(d / f for d, f in zip(times, took[name.removeprefix("deep ")], strict=True))), None,
            _DEEPER_BAR, _DEEPER_AIM, at_most=True, digits=2,
        )
        for name, times in took.items() if name.startswith("deep ")
    ]  # fmt: skip
