"""Who may be refused what: a house of two companies, its application in this process, and an example of every route."""

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from uuid import UUID

import httpx
import msgspec
from tests.http_contract import contract

from lastro import ledger
from lastro.accounts import Holder, Institution, OpenAccount
from lastro.base.api import Route
from lastro.base.clock import BusinessClock
from lastro.base.commit import commit
from lastro.base.db import Database
from lastro.base.errors import Refused
from lastro.base.ids import Chance
from lastro.base.money import Money
from lastro.base.run import Act, Door, Runner
from lastro.base.secrets import KeyRing, Secret
from lastro.base.write import Row, Transfer, Write
from lastro.companies import PERMISSIONS, SCOPE, AddClient, FoundCompany, OwnKeys, SigningKeys, issue
from lastro.companies.tokens import SigningKey, new_signing_key
from lastro.doors import wiring
from lastro.doors.app import application
from lastro.orders import NOTICES, Place
from lastro.rails.port import PIX, TED
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

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        return b"" if self.body is None else msgspec.json.encode(self.body)


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


def _payout(account_id: str) -> Ask:
    """For tomorrow, so that no network is spoken to."""
    receiver = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
    bank = {"accountType": "CHECKING_ACCOUNT", "branchNumber": "0001", "accountNumber": "300003", "ispb": "99999030"}
    body = {
        "externalId": os.urandom(8).hex(), "accountId": account_id, "paymentMethod": "PIX", "receiver": receiver,
        "paymentData": {"bankAccount": bank}, "amount": {"currency": "BRL", "value": "10.50"}, "description": "Bread",
        "scheduledDate": (datetime.now(UTC) + timedelta(days=1)).date().isoformat(),
    }  # fmt: skip
    return Ask(body=body)


# The key of each account of the towns, which their own tables know: no directory is spoken to.
_KEYS: dict[str, str] = {}


def _look_up(account_id: str) -> Ask:
    key = _KEYS.get(account_id, "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20")
    return Ask(path={"id": account_id}, query={"key": key})


# Every operation behind a token. A new one fails its test until it stands here.
EXAMPLES: Mapping[str, Example] = {
    "create_order": Example("account", _order),
    "read_order": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "read_order_story": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "cancel_order": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "list_orders": Example(None, lambda _: Ask(query={"status": "INITIAL", "sort": "asc"})),
    "create_payout": Example("account", _payout),
    "read_payout": Example("payout", lambda payout_id: Ask(path={"id": payout_id})),
    "list_payouts": Example(None, lambda _: Ask(query={"status": "PENDING", "sort": "asc"})),
    "cancel_payout": Example("payout", lambda payout_id: Ask(path={"id": payout_id})),
    "look_up_key": Example("account", _look_up),
    "read_account_limits": Example("account", lambda account_id: Ask(path={"id": account_id})),
    "list_accounts": Example(None, lambda _: Ask(query={"fullName": "loja"})),
    "read_account": Example("account", lambda account_id: Ask(path={"id": account_id})),
    "list_banks": Example(None, lambda _: Ask(query={"name": "itau", "method": "PIX"})),
    "read_balance": Example("account", lambda account_id: Ask(query={"accountId": account_id})),
    "list_webhook_events": Example(None, lambda _: Ask(query={"limit": "10"})),
    "read_webhook_event": Example("event", lambda event_id: Ask(path={"id": event_id})),
    "resend_webhook_event": Example("event", lambda event_id: Ask(path={"id": event_id})),
    "resend_webhook_events": Example(None, lambda _: Ask(body={"filter": {}})),
    "read_feed": Example(None, lambda _: Ask(query={"limit": "10"})),
    "read_webhook": Example(None, lambda _: Ask()),
    "set_webhook": Example(
        None, lambda _: Ask(body={"events": [{"event": "ORDER-PAYIN.PAID", "url": "https://shop.example.com/hook"}]})
    ),
    "rotate_webhook_secret": Example(None, lambda _: Ask()),
    "test_webhook": Example(None, lambda _: Ask(body={"event": "ORDER-PAYIN.PAID", "url": "https://shop.example.com/hook"})),
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
    "/live": (("GET", "/live", None, 200),),
    "/metrics": (("GET", "/metrics", None, 200), ("POST", "/metrics", b"{}", 405)),
    "/openapi.json": (("GET", "/openapi.json", None, 200), ("POST", "/openapi.json", b"{}", 405)),
    "/schemas": (("GET", "/schemas", None, 200), ("POST", "/schemas", b"{}", 405)),
    "/schemas/{name}": (
        ("GET", "/schemas/ORDER-PAYIN.PAID.json", None, 200),
        ("GET", "/schemas/ORDER-PAYIN.PAID", None, 404),
        ("GET", "/schemas/x.json", None, 404),
    ),
    "/docs": (("GET", "/docs", None, 200),),
    "/docs/style.css": (("GET", "/docs/style.css", None, 200),),
}


@dataclass(frozen=True)
class Client:
    """Who asks, for which company."""

    company_id: UUID
    client_id: str


@dataclass(frozen=True)
class Answer:
    """What came back. headers: by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Field and issue of each detail, in order."""
        return [(detail["field"], detail["issue"]) for detail in self.json.get("details", ())]

    @property
    def told(self) -> tuple[int, bytes, dict[str, str]]:
        """All of it but what counts requests and names them."""
        kept = {n: v for n, v in self.headers.items() if n != "x-request-id" and not n.startswith("ratelimit-")}
        return self.status, self.body, kept


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
    asgi: Any
    audit: "asyncpg.Connection[asyncpg.Record]"

    def token(self, client: Client, **changed: Any) -> str:
        """A good token of a client, but for what is changed. key: who signs."""
        claims: dict[str, Any] = {
            "issuer": ISSUER, "client_id": client.client_id, "company_id": str(client.company_id),
            "now_machine": time.time(), "jti": os.urandom(8).hex(), "audience": SCOPE,
        }  # fmt: skip
        key = changed.pop("key", self.tokens)
        return issue(key, **{**claims, **changed})

    async def client(self, company_id: UUID) -> Client:
        """One more client that may do everything."""
        return await _client(self.house.runner, company_id)

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
        answer = await self.http.request(route.method, path, params=dict(ask.query), content=content, headers=given)
        target = answer.request.url.raw_path.decode()
        contract().holds(route.method, target, answer.status_code, answer.headers, answer.content)
        return answer

    async def knock(
        self, method: str, target: str, headers: Sequence[tuple[str, str]] = (), body: bytes = b"", asgi: Any = None
    ) -> Answer:
        """A request byte for byte, as the server hands it on. target: path and query, escaped. asgi: another application."""
        path, _, query = target.partition("?")
        named = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
        if not any(name == b"host" for name, _ in named):
            named.append((b"host", HOST.encode()))
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "headers": named,
            "client": ("127.0.0.1", 50_000), "server": ("127.0.0.1", 80), "state": {},
        }  # fmt: skip
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await (asgi or self.asgi)(scope, receive, send)
        start, *parts = sent
        told = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        assert len(told) == len(start["headers"]), "a header is told twice"
        answer = Answer(start["status"], told, b"".join(part.get("body", b"") for part in parts))
        if asgi is None:
            contract().holds(method, target, answer.status, answer.headers, answer.body)
        return answer

    async def contents(self) -> str:
        """A hash over every row of every table."""
        tables = await self.admin.fetch(
            "SELECT relname::text, has_table_privilege('lastro_audit', oid, 'SELECT') FROM pg_class"
            " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
        )
        whole = hashlib.md5(usedforsecurity=False)
        # The auditor reads every company's rows, whoever the admin is; what he may not see belongs to no company.
        for connection, is_audits in ((self.audit, True), (self.admin, False)):
            each = " UNION ALL ".join(
                f"SELECT '{name}', md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '')) FROM {name} t"
                for name, may in tables
                if may == is_audits
            )
            for row in await connection.fetch(each):
                whole.update(repr(tuple(row)).encode())
        return whole.hexdigest()

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
    own = OwnKeys(keys, partial(_unchanged, keys), ISSUER, time.monotonic)
    rail = Spi(SpiPlace("http://127.0.0.1:9", institution.ispb, Secret("none")))
    house = wiring.House(app, runner, chance, ring, own, place, rail, frozenset({HOST}))
    asgi = application(wiring.gate(house), wiring.operations(house), wiring.routes(house), wiring.public(house))
    http = httpx.AsyncClient(transport=httpx.ASGITransport(asgi), base_url=f"http://{HOST}")  # type: ignore[arg-type]
    ana_id, account = await _company(runner, chance, ring, institution)
    dora_id, _ = await _company(runner, chance, ring, institution)
    powerless = {p: await _client(runner, ana_id, tuple(q for q in PERMISSIONS if q != p)) for p in PERMISSIONS}
    town = Town(
        house, await database.connect(), http, tokens, {"account": account},
        await _client(runner, ana_id), await _client(runner, dora_id), powerless, asgi,
        await database.connect(database.audit),
    )  # fmt: skip
    await town.admin.execute(
        "SELECT set_config('lastro.company', $1, false)", str(ana_id)
    )  # for an admin that is no superuser
    await _furnish(town)
    return town


async def _unchanged(keys: SigningKeys) -> SigningKeys:
    return keys


async def leave(town: Town) -> None:
    await town.http.aclose()
    await town.admin.close()
    await town.audit.close()
    await town.house.rail.close()
    await town.house.database.close()


async def _company(runner: Runner, chance: Chance, ring: KeyRing, institution: Institution) -> tuple[UUID, str]:
    company_id = chance.uuid(datetime.now(UTC))
    await _done(runner, company_id, FoundCompany(f"Company {company_id}", ring, (PIX, TED)))
    holder = Holder("ORGANIZATION", "Loja", "CNPJ", "11222333000181", "ana@example.com", "+5511999999999")
    opened = await _done(runner, company_id, OpenAccount(institution, holder))
    key_id, key, now = chance.uuid(datetime.now(UTC)), str(UUID(bytes=os.urandom(16), version=4)), datetime.now(UTC)
    row = {
        "id": key_id, "account_id": UUID(opened["id"]), "type": "RANDOM", "key": key, "status": "ACTIVE",
        "created_at": now, "possessed_at": now,
    }  # fmt: skip
    await commit(
        runner.database,
        Write(company_id, rows=(Row("pix_keys", row), Row("own_keys", {"key": key, "account_id": row["account_id"]}))),
    )
    _KEYS[opened["id"]] = key
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
    routes = {r.operation: r for r in wiring.routes(town.house)}
    for kind in ("order", "payout"):
        route = routes[f"create_{kind}"]
        made = await town.send(route, EXAMPLES[route.operation].ask(town.objects["account"]), town.token(town.ana))
        assert made.status_code == route.success, made.text
        town.objects[kind] = made.json()["id"]
    await _credit(town, 100_000_000)
    now = await town.admin.fetchval("SELECT business_now()")
    door = Door(town.ana.company_id, now, town.house.chance)
    fact = told(door, "ORDER-PAYIN.PAID", UUID(town.objects["order"]), "https://shop.example.com/hook", NOTICES[0].example)
    await commit(town.house.database, Write(town.ana.company_id, facts=(fact,)))
    town.objects["event"] = str(fact.id)


async def _credit(town: Town, minor: int) -> None:
    """Ana's account has so much, so that a payout may be for today."""
    company, account = town.ana.company_id, UUID(town.objects["account"])
    net, to = ledger.clearing(company, TED, "BRL"), ledger.customer(company, account, "BRL")
    chance, now = town.house.chance, datetime.now(UTC)
    moved = Transfer(chance.uuid(now), "moved", net, to, Money(minor, "BRL"), "TEST", chance.uuid(now), now)
    await commit(town.house.database, Write(company, transfers=(moved,)))
