"""The console as a browser sees it: a house on a real database, people in it, and requests with a cookie and a form."""

import asyncio
import os
import re
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from html import unescape
from typing import Any
from uuid import UUID

import httpx
from tests.cast import Cast, Seller
from tests.rooms.rails.test_locations import key as location_key

from lastro import console
from lastro.accounts import Institution
from lastro.app import wiring
from lastro.companies import OwnKeys, SigningKeys
from lastro.companies.tokens import new_signing_key
from lastro.core.db import Database
from lastro.core.secrets import Secret
from lastro.med import TERMS
from lastro.orders import Installation
from lastro.people import Entrance, Person, Register, Role
from lastro.rails.port import MedContact
from lastro.rails.spi import Spi
from lastro.rails.spi import SpiEndpoint as SpiPlace
from lastro.web.application import application

HOST = "127.0.0.1:8080"
PRODUCTION = "https://pay.ana.example"
PASSWORD = "four unlike grey horses"
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


@dataclass
class Visit:
    """One browser. cookies: what it keeps; secure: the installation has https, as production has."""

    http: httpx.AsyncClient
    origin: str
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return self._kept(await self.http.get(path, headers={**self._sent(), **_named(headers)}))

    async def post(self, path: str, form: Any = None, files: Any = None, **headers: str) -> httpx.Response:
        sent = {"origin": self.origin, **self._sent(), **_named(headers)}
        sent = {name: value for name, value in sent.items() if value}
        return self._kept(await self.http.post(path, data=form or {}, files=files, headers=sent))

    async def send(self, page: str, path: str, files: Any = None, **form: Any) -> httpx.Response:
        """Sends a form as the page that holds it makes it."""
        return await self.post(path, {**hidden((await self.get(page)).text), **form}, files)

    def _sent(self) -> dict[str, str]:
        return {"cookie": "; ".join(f"{n}={v}" for n, v in self.cookies.items())} if self.cookies else {}

    def _kept(self, answer: httpx.Response) -> httpx.Response:
        for line in answer.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
            if "Max-Age=0" in line:
                del self.cookies[name]
        return answer


@dataclass
class Building:
    """A house, and who may enter it."""

    cast: Cast
    ana: Seller
    house: wiring.AppContext
    entrance: Entrance
    register: Register
    asgi: Any

    def visit(self) -> Visit:
        """Another browser."""
        url = self.house.place.public_url
        http = httpx.AsyncClient(transport=httpx.ASGITransport(_asked_once(self.asgi)), base_url=url)
        return Visit(http, url)

    async def person(self, *roles: Role, company: UUID | None = None, password: str = PASSWORD) -> Person:
        """Somebody with a password."""
        made = await self.register.invite(f"{os.urandom(6).hex()}@ana.example", "Rita", roles or (Role.READ,), company)
        assert isinstance(made, tuple)
        await self.entrance.by_invitation(made[1].reveal(), password, "test")
        found = await self.register.one(made[0].id)
        assert found is not None
        return found

    async def inside(self, *roles: Role, company: UUID | None = None) -> tuple[Visit, Person]:
        """The browser of somebody who has signed in and looks at a company."""
        person, visit = await self.person(*roles, company=company), self.visit()
        entered = await visit.post("/console/sign-in", {"email": person.email, "password": PASSWORD})
        assert entered.status_code == 303, entered.text
        if company is None:
            await visit.send("/console/company", "/console/company", company=str(self.ana.company_id))
        return visit, person


def hidden(page: str) -> dict[str, str]:
    """What a page's forms carry without showing it."""
    return {name: unescape(value) for name, value in _HIDDEN.findall(page)}


def building(cast: Cast, ana: Seller, *, url: str = f"http://{HOST}") -> Building:
    """A house of the sandbox on plain http, or of production where its address is https."""
    house, asgi = served(cast.database, url)
    entrance = Entrance(cast.database, house.key_ring, cast.chance, partial(datetime.now, UTC))
    return Building(cast, ana, house, entrance, Register(entrance), asgi)


@cache
def served(database: Database, url: str) -> tuple[wiring.AppContext, Any]:
    """One for all tests of a database, as for all requests of a process: to put it together takes longer than a test."""
    production, cast = url.startswith("https://"), Cast(database)
    institution = Institution("00000000", "Lastro", "0001")
    place = Installation(institution, url, sandbox=not production)
    keys = SigningKeys((new_signing_key(os.urandom),), (location_key("t", f"{url}/jwks"),), os.urandom(32))

    async def unchanged() -> SigningKeys:
        return keys

    own = OwnKeys(keys, unchanged, url, time.monotonic)
    rail = Spi(SpiPlace("http://127.0.0.1:9", institution.ispb, Secret("none")))
    house = wiring.AppContext(
        database, cast.runner, cast.chance, cast.key_ring, own, place, rail, frozenset({url.partition("//")[2]}),
        disputing=replace(TERMS, contact=MedContact("med@lastro.example", "+551130030000")),
    )  # fmt: skip
    routes, operations = wiring.routes(house), wiring.operations(house)
    paths = wiring.public(house) | console.paths(house, routes)
    return house, application(wiring.gate(house, operations), operations, routes, paths)


def _asked_once(app: Any) -> Any:
    """The application, before a caller of GET that says once that it sends nothing, as servers do; httpx says so twice."""

    async def called(scope: Any, receive: Any, send: Any) -> None:
        said = asyncio.Event()

        async def once() -> dict[str, Any]:
            if said.is_set():
                await asyncio.Event().wait()
            said.set()
            return {"type": "http.request", "body": b"", "more_body": False}

        await app(scope, once if scope["method"] == "GET" else receive, send)

    return called


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
