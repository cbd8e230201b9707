"""Who may be refused what: a house of two companies, its application in this process, and an example of every route."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx
import msgspec

from lastro.accounts import Holder, Institution, OpenAccount
from lastro.base.api import Route
from lastro.base.clock import BusinessClock
from lastro.base.commit import commit
from lastro.base.db import Database
from lastro.base.errors import Refused
from lastro.base.ids import Chance
from lastro.base.run import Act, Door, Runner
from lastro.base.secrets import KeyRing, Secret
from lastro.base.write import Row, Write
from lastro.companies import PERMISSIONS, SCOPE, AddClient, FoundCompany, SigningKeys, issue
from lastro.companies.tokens import SigningKey, new_signing_key
from lastro.doors import wiring
from lastro.doors.app import application
from lastro.orders import Place
from lastro.rails.port import RAIL
from lastro.rails.spi import Place as SpiPlace
from lastro.rails.spi import Spi
from lastro.webhooks import told

if TYPE_CHECKING:
    import asyncpg

HOST = "lastro.test"
ISSUER = f"https://{HOST}"


@dataclass(frozen=True)
class Ask:
    """What a request says besides its route."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Example:
    """A good request of one operation. kind: of the object it names, None when it names none; ask: the request, by its id."""

    kind: str | None
    ask: Callable[[str], Ask]


def _order(account_id: str) -> Ask:
    order = {
        "externalId": os.urandom(8).hex(), "paymentMethod": "PIX", "description": "Bread", "accountId": account_id,
        "notificationUrl": "https://shop.example.com/hook", "amount": {"currency": "BRL", "value": "10.50"},
    }  # fmt: skip
    document = {"type": "CPF", "number": "52998224725"}
    customer = {"name": "Bento", "entityType": "INDIVIDUAL", "document": document, "email": "bento@example.com"}
    return Ask(body={"order": order, "customer": customer})


# Every operation behind a token. A new one fails its test until it stands here.
EXAMPLES: Mapping[str, Example] = {
    "create_order": Example("account", _order),
    "read_order": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "cancel_order": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "read_balance": Example("account", lambda account_id: Ask(query={"accountId": account_id})),
    "list_webhook_events": Example(None, lambda _: Ask(query={"limit": "10"})),
    "resend_webhook_event": Example("event", lambda event_id: Ask(path={"id": event_id})),
}

# Every path without a token: method, path, body and status of what somebody who knows nothing may ask.
PUBLIC: Mapping[str, tuple[tuple[str, str, bytes | None, int], ...]] = {
    "/auth/v1/token": (
        ("POST", "/auth/v1/token", b'{"clientId":"lc_0000000000000000000000","clientSecret":"lsk_x"}', 401),
        ("POST", "/auth/v1/token", b"{}", 400),
        ("POST", "/auth/v1/token", b"[", 400),
        ("GET", "/auth/v1/token", None, 405),
    ),
    "/oauth2/token": (
        ("POST", "/oauth2/token", b"grant_type=client_credentials&client_id=lc_0&client_secret=x", 401),
        ("POST", "/oauth2/token", b"grant_type=password", 400),
        ("GET", "/oauth2/token", None, 405),
    ),
    "/.well-known/jwks.json": (("GET", "/.well-known/jwks.json", None, 200),),
    "/.well-known/pix-jwks.json": (("GET", "/.well-known/pix-jwks.json", None, 200),),
    "/qr/v2/{token}": (
        ("GET", "/qr/v2/0000000000000000000000", None, 404),
        ("GET", "/qr/v2/zzzzz00000000000000000", None, 404),
        ("GET", "/qr/v2/x", None, 404),
    ),
    "/qr/image/{name}": (
        ("GET", "/qr/image/0000000000000000000000.png", None, 404),
        ("GET", "/qr/image/x", None, 404),
    ),
    "/health": (("GET", "/health", None, 200),),
}


@dataclass(frozen=True)
class Client:
    """Who asks, for which company."""

    company_id: UUID
    client_id: str


@dataclass
class Town:
    """Ana's company has one object of each kind; Dora's has nothing that Ana has."""

    house: wiring.House
    admin: "asyncpg.Connection[asyncpg.Record]"
    http: httpx.AsyncClient
    tokens: SigningKey
    objects: dict[str, str]
    ana: Client
    dora: Client
    powerless: dict[str, Client]

    def token(self, client: Client, **changed: Any) -> str:
        """A good token of a client, but for what is changed. key: who signs."""
        claims: dict[str, Any] = {
            "issuer": ISSUER, "client_id": client.client_id, "company_id": str(client.company_id),
            "now_machine": time.time(), "jti": os.urandom(8).hex(), "audience": SCOPE,
        }  # fmt: skip
        key = changed.pop("key", self.tokens)
        return issue(key, **{**claims, **changed})

    async def send(
        self, route: Route, ask: Ask, token: str | None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        given = dict(headers or {})
        if token is not None:
            given["authorization"] = f"Bearer {token}"
        if route.key == "required":
            given["idempotency-key"] = os.urandom(8).hex()
        content = None
        if ask.body is not None:
            content = msgspec.json.encode(ask.body)
            given["content-type"] = "application/json"
        path = route.path.format(**ask.path)
        return await self.http.request(route.method, path, params=dict(ask.query), content=content, headers=given)

    async def written(self) -> dict[str, tuple[int, int]]:
        """How many rows each table has, and the newest transaction that wrote one: nothing is written, nothing changes."""
        names = await self.admin.fetch(
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
        )
        each = " UNION ALL ".join(
            f"SELECT '{n[0]}' AS name, count(*), coalesce(max(xmin::text::bigint), 0) FROM {n[0]}" for n in names
        )
        return {r[0]: (r[1], r[2]) for r in await self.admin.fetch(each)}


async def settle(database: Any) -> Town:
    """Founds both companies, with everything the examples name."""
    chance, app = Chance(os.urandom), Database(database.app, size=4)
    runner = Runner(app, BusinessClock(time.monotonic), chance)
    ring = KeyRing.generate("test", os.urandom)
    institution = Institution("00000000", "Lastro", "0001")
    place = Place(institution, ISSUER, sandbox=True)
    tokens = new_signing_key(os.urandom)
    keys = SigningKeys((tokens,), (), os.urandom(32))
    rail = Spi(SpiPlace("http://127.0.0.1:9", institution.ispb, Secret("none")))
    house = wiring.House(app, runner, chance, ring, keys, place, rail, frozenset({HOST}))
    asgi = application(wiring.gate(house), wiring.operations(house), wiring.routes(house), wiring.public(house))
    http = httpx.AsyncClient(transport=httpx.ASGITransport(asgi), base_url=f"http://{HOST}")  # type: ignore[arg-type]
    ana_id, account = await _company(runner, chance, ring, institution)
    dora_id, _ = await _company(runner, chance, ring, institution)
    powerless = {p: await _client(runner, ana_id, tuple(q for q in PERMISSIONS if q != p)) for p in PERMISSIONS}
    town = Town(
        house, await database.connect(), http, tokens, {"account": account},
        await _client(runner, ana_id), await _client(runner, dora_id), powerless,
    )  # fmt: skip
    await town.admin.execute(
        "SELECT set_config('lastro.company', $1, false)", str(ana_id)
    )  # for an admin that is no superuser
    await _furnish(town)
    return town


async def leave(town: Town) -> None:
    await town.http.aclose()
    await town.admin.close()
    await town.house.rail.close()
    await town.house.database.close()


async def _company(runner: Runner, chance: Chance, ring: KeyRing, institution: Institution) -> tuple[UUID, str]:
    company_id = chance.uuid(datetime.now(UTC))
    await _done(runner, company_id, FoundCompany(f"Company {company_id}", ring, (RAIL,)))
    holder = Holder("ORGANIZATION", "Loja", "CNPJ", "11222333000181", "ana@example.com", "+5511999999999")
    opened = await _done(runner, company_id, OpenAccount(institution, holder))
    key_id, key, now = chance.uuid(datetime.now(UTC)), str(UUID(bytes=os.urandom(16), version=4)), datetime.now(UTC)
    row = {
        "id": key_id, "account_id": UUID(opened["id"]), "type": "RANDOM", "key": key, "status": "ACTIVE",
        "created_at": now, "possessed_at": now,
    }  # fmt: skip
    await commit(runner.database, Write(company_id, rows=(Row("pix_keys", row),)))
    return company_id, opened["id"]


async def _client(runner: Runner, company_id: UUID, permissions: tuple[str, ...] = PERMISSIONS) -> Client:
    epoch = datetime.fromtimestamp(0, UTC)
    made = await _done(runner, company_id, AddClient("shop", lambda: epoch, permissions))
    return Client(company_id, made["clientId"])


async def _done(runner: Runner, company_id: UUID, act: Act[Any]) -> Any:
    outcome = await runner.act(company_id, act)  # type: ignore[arg-type]
    assert not isinstance(outcome, Refused), outcome
    return msgspec.json.decode(outcome.body)


async def _furnish(town: Town) -> None:
    route = next(r for r in wiring.routes(town.house) if r.operation == "create_order")
    made = await town.send(route, EXAMPLES["create_order"].ask(town.objects["account"]), town.token(town.ana))
    assert made.status_code == route.success, made.text
    town.objects["order"] = made.json()["id"]
    now = await town.admin.fetchval("SELECT business_now()")
    door = Door(town.ana.company_id, now, town.house.chance)
    fact = told(
        door, "ORDER-PAYIN.PAID", UUID(town.objects["order"]), "https://shop.example.com/hook", {"event": "ORDER-PAYIN.PAID"}
    )
    await commit(town.house.database, Write(town.ana.company_id, facts=(fact,)))
    town.objects["event"] = str(fact.id)
