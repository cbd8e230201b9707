"""Who may be refused what: a house of two companies, and its application in this process."""

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from uuid import UUID, uuid4

import httpx
import msgspec
from tests.house.asking import Ask
from tests.house.charged import furnish_foreign, furnish_payments, furnish_refunds
from tests.house.examples import CODES, EXAMPLES, HASHES, KEYS, NOTICE_OF, SENT, approval, plan
from tests.house.examples_of_keys import ACCOUNT_OF, TOKENS
from tests.house.registering import TownDirectory, TownTokenizer
from tests.house.town_claims import furnish_claims
from tests.house.town_disputes import TownRail
from tests.http_contract import contract, holding
from tests.rooms.med.recovery import notice
from tests.rooms.rails.test_locations import key as location_key

from lastro import banks, keys, ledger, payouts, plans
from lastro.accounts import Holder, Institution, OpenAccount
from lastro.api_kit.routes import Route
from lastro.app import inbox_handlers, wiring
from lastro.companies import PERMISSIONS, SCOPE, AddClient, FoundCompany, OwnKeys, SigningKeys, issue
from lastro.companies.tokens import SigningKey, new_signing_key
from lastro.core import work_queue
from lastro.core.clock import BusinessClock
from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.errors import Refused
from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.runner import Act, RequestContext, Runner
from lastro.core.secrets import KeyRing, Secret
from lastro.core.write import Row, Transfer, Write
from lastro.med import TERMS
from lastro.orders import EVENT_TYPES, Installation
from lastro.rails import port
from lastro.rails.handling import LANE
from lastro.rails.port import PIX, RAILS, TED
from lastro.rails.spi import SpiEndpoint as SpiPlace
from lastro.web.application import application
from lastro.webhooks import event_of

if TYPE_CHECKING:
    import asyncpg

HOST = "lastro.test"
ISSUER = f"https://{HOST}"


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
    """Ana's company has one object of each kind; Dora's has nothing that Ana has. http: holds each answer against the document."""

    house: wiring.AppContext
    admin: "asyncpg.Connection[asyncpg.Record]"
    http: httpx.AsyncClient
    tokens: SigningKey
    objects: dict[str, str]
    ana: Client
    dora: Client
    powerless: dict[str, Client]
    asgi: Any
    audit: "asyncpg.Connection[asyncpg.Record]"
    tables: Sequence[str]

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
            given["idempotency-key"] = str(uuid4())
        content = ask.content or None
        if content is not None:
            given["content-type"] = ask.media
        path = route.path.format(**ask.path)
        answer = await self.http.request(route.method, path, params=dict(ask.query), content=content, headers=given)
        if answer.is_success and b"validationId" in answer.content:
            # A day has fewer codes than the tests of one town ask for.
            await self.admin.execute("UPDATE quotas SET used_minor = 1 WHERE kind IN ('codes', 'codes to')")
        return answer

    async def sent_earlier(self, kind: str) -> None:
        """A code was sent a minute ago."""
        at = await self.admin.fetchval("SELECT sent_at FROM pix_key_validations WHERE id::text = $1", self.objects[kind])
        sql = "UPDATE pix_key_validations SET sent_at = $2 WHERE id::text = $1"
        await self.admin.execute(sql, self.objects[kind], at - timedelta(seconds=61))

    async def send_raw(
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
        told_headers = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        assert len(told_headers) == len(start["headers"]), "a header is told twice"
        answer = Answer(start["status"], told_headers, b"".join(part.get("body", b"") for part in parts))
        if asgi is None:
            contract().holds(method, target, answer.status, answer.headers, answer.body)
        return answer

    async def written(self) -> dict[str, tuple[int, int]]:
        """How many rows each table has, and the newest transaction that wrote one: nothing is written, nothing changes."""
        each = " UNION ALL ".join(
            f"SELECT '{name}' AS name, count(*), coalesce(max(xmin::text::bigint), 0) FROM {name}" for name in self.tables
        )
        return {r[0]: (r[1], r[2]) for r in await self.admin.fetch(each)}

    async def assert_as(self, before: Mapping[str, tuple[int, int]]) -> None:
        """Nothing was written since; else the newest row of each table that changed is told."""
        changed = [name for name, seen in (await self.written()).items() if before[name] != seen]
        newest = {
            name: await self.admin.fetchval(f"SELECT t::text FROM {name} t ORDER BY xmin::text::bigint DESC LIMIT 1")
            for name in changed
        }
        assert not newest, f"written to: {newest}"


def writes_nothing(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Of a test that asks the town: when it is through, every table is as it was."""

    @wraps(test)
    async def run(*, town: Town, **asked: Any) -> None:
        before = await town.written()
        await test(town=town, **asked)
        await town.assert_as(before)

    return run


async def settle(database: Any) -> Town:
    """Founds both companies, with everything the examples name."""
    chance, app = Chance(os.urandom), Database(database.app, size=4)
    runner = Runner(app, BusinessClock(time.monotonic), chance)
    ring = KeyRing.generate("test", os.urandom)
    institution = Institution("00000000", "Lastro", "0001")
    place = Installation(institution, ISSUER, sandbox=True)
    tokens = new_signing_key(os.urandom)
    keys = SigningKeys((tokens,), (location_key("town", f"{ISSUER}/jwks"),), os.urandom(32))
    own = OwnKeys(keys, partial(_unchanged, keys), ISSUER, time.monotonic)
    rail = TownRail(SpiPlace("http://127.0.0.1:9", institution.ispb, Secret("none")))
    house = wiring.AppContext(app, runner, chance, ring, own, place, rail, frozenset({HOST}), registry=TownDirectory(),
                         disputing=replace(TERMS, contact=port.MedContact("med@lastro.example", "+551130030000")),
                         tokenizer=TownTokenizer())  # fmt: skip
    gate = wiring.gate(house)
    gate.note = house.metrics.request  # and no line: of thousands of requests, nobody reads any
    asgi = application(gate, wiring.operations(house), wiring.routes(house), wiring.public(house))
    within: Any = httpx.ASGITransport(asgi)  # type: ignore[arg-type]
    http = httpx.AsyncClient(transport=within, base_url=f"http://{HOST}", event_hooks={"response": [holding]})
    ana_id, account = await _company(runner, chance, ring, institution)
    dora_id, _ = await _company(runner, chance, ring, institution)
    powerless = {p: await _client(runner, ana_id, tuple(q for q in PERMISSIONS if q != p)) for p in PERMISSIONS}
    admin = await database.connect()
    names = await admin.fetch(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
    )
    town = Town(
        house, admin, http, tokens, {"account": account}, await _client(runner, ana_id), await _client(runner, dora_id),
        powerless, asgi, await database.connect(database.audit), [name for (name,) in names],
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
    await _done(runner, company_id, FoundCompany(f"Company {company_id}", ring, RAILS))
    holder = Holder("ORGANIZATION", "Loja", "CNPJ", "11222333000181", "ana@example.com", "+5511999999999")
    opened = await _done(runner, company_id, OpenAccount(institution, holder))
    key_id, key, now = chance.uuid(datetime.now(UTC)), str(UUID(bytes=os.urandom(16), version=4)), datetime.now(UTC)
    row = {
        "id": key_id, "account_id": UUID(opened["id"]), "type": "RANDOM", "key": key, "created_at": now,
        "updated_at": now, "possessed_at": now,
    }  # fmt: skip
    await commit(
        runner.database,
        Write(company_id, rows=(*keys.KEYS.born(row, now), Row("own_keys", {"key": key, "account_id": row["account_id"]}))),
    )
    KEYS[opened["id"]] = key
    return company_id, opened["id"]


async def _client(runner: Runner, company_id: UUID, permissions: tuple[str, ...] = PERMISSIONS) -> Client:
    made = await _done(runner, company_id, AddClient("shop", permissions))
    return Client(company_id, made["clientId"])


async def _done(runner: Runner, company_id: UUID, act: Act[Any]) -> Any:
    outcome = await runner.act(company_id, act)  # type: ignore[arg-type]
    assert not isinstance(outcome, Refused), outcome
    return msgspec.json.decode(outcome.body)


async def _furnish(town: Town) -> None:
    routes = {r.operation: r for r in wiring.routes(town.house)}
    for kind in ("order", "payout", "subscription", "static_qrcode"):
        route = routes[f"create_{kind}"]
        made = await town.send(route, EXAMPLES[route.operation].ask(town.objects["account"]), town.token(town.ana))
        assert made.status_code == route.success, made.text
        town.objects[kind] = made.json()["id"]
        CODES[made.json()["id"]] = made.json().get("externalId", "")
    await _furnish_keys(town, routes["create_key"])
    await furnish_claims(town, routes)
    asked = await town.send(routes["open_account"], EXAMPLES["open_account"].ask(""), town.token(town.ana))
    town.objects["account request"] = asked.json()["accountRequestId"]
    await furnish_payments(town, routes)
    await _credit(town, 100_000_000)
    town.objects["paid payout"] = await _paid_payout(town, routes["create_payout"])
    await furnish_refunds(town, routes)
    await furnish_foreign(town)
    for named in ("dispute", "dispute to cancel", None):
        payout_id = await _paid_payout(town, routes["create_payout"])
        SENT["sent"] = str(
            await town.admin.fetchval("SELECT end_to_end_id FROM payouts WHERE id = $1::text::uuid", payout_id)
        )
        if named is not None:
            ask = EXAMPLES["contest_med"].ask(town.objects["account"])
            made = await town.send(routes["contest_med"], ask, town.token(town.ana))
            town.objects[named] = made.json()["referenceId"]
    await _furnish_notice(town)
    given = await town.send(
        routes["attach_med_document"], EXAMPLES["attach_med_document"].ask(town.objects["notice"]), town.token(town.ana)
    )
    town.objects["defense document"] = document_id = given.json()["documentId"]
    NOTICE_OF[document_id] = town.objects["notice"]
    await _furnish_plans(town, routes)
    now = await town.admin.fetchval("SELECT business_now()")
    context = RequestContext(town.ana.company_id, now, town.house.chance)
    event = event_of(
        context, "ORDER-PAYIN.PAID", UUID(town.objects["order"]), "https://shop.example.com/hook", EVENT_TYPES[0].example
    )
    await commit(town.house.database, Write(town.ana.company_id, events=(event,)))
    town.objects["event"] = str(event.id)
    close = EXAMPLES["request_account_close"].ask(town.objects["account"])
    refused = await town.send(routes["request_account_close"], close, town.token(town.ana))
    assert refused.json()["status"] == "REFUSED", "the account has money"
    town.objects["close request"] = refused.json()["id"]


async def _furnish_notice(town: Town) -> None:
    """Somebody contests money that the account has received."""
    now = await town.admin.fetchval("SELECT business_now()")
    write = notice(town.house.chance, town.ana.company_id, UUID(town.objects["account"]), now)
    await commit(town.house.database, write)
    town.objects["notice"] = str(write.objects[0])


async def _furnish_keys(town: Town, route: Route) -> None:
    """Proofs under way, one of them a while ago; and a key beside the account's first."""
    account = town.objects["account"]
    for kind in ("validation", "validation to resend"):
        made = await town.send(route, EXAMPLES[route.operation].ask(account), town.token(town.ana))
        assert made.status_code == route.success, made.text
        town.objects[kind] = validation_id = made.json()["validationId"]
        ACCOUNT_OF[validation_id] = account
        number, sealed_by = await town.admin.fetchrow(
            "SELECT number, sealed_by FROM pix_key_validations WHERE id = $1::text::uuid", validation_id
        ) or (0, "")
        TOKENS[validation_id] = keys.Codes(town.house.key_ring).code(UUID(validation_id), number, sealed_by) or ""
    await town.sent_earlier("validation to resend")
    body = {"type": "RANDOM"}
    made = await town.send(route, Ask(path={"accountId": account}, body=body), town.token(town.ana))
    assert made.status_code == 201, made.text
    town.objects["key to delete"] = made.json()["id"]
    ACCOUNT_OF[made.json()["id"]] = account


async def _paid_payout(town: Town, route: Route) -> str:
    """A payout of Ana's for today, which its network says it has settled; its id."""
    ask = EXAMPLES[route.operation].ask(town.objects["account"])
    today = {name: value for name, value in (ask.body or {}).items() if name != "scheduledDate"}
    made = await town.send(route, Ask(body=today), town.token(town.ana))
    assert made.status_code == route.success, made.text
    company, now, name = town.ana.company_id, datetime.now(UTC), made.json()["endToEndId"]
    row_id = town.house.chance.uuid(now)
    values = {
        "id": row_id, "rail": PIX, "kind": port.PAYMENT_FINAL, "network_id": str(row_id), "subject": name,
        "body": port.encode(port.PaymentFinal(name, True, settled_at=now)), "received_at": now, "due_at": now,
    }  # fmt: skip
    await commit(town.house.database, Write(company, rows=(Row("inbox", values),)))
    (r,) = await work_queue.claim(town.house.database, LANE, company, town.house.chance.uuid(now), 50)
    row = port.InboxRow(
        port.Claimed(r["id"], r["lease_token"]), company, r["rail"], r["kind"], r["network_id"], r["subject"], r["txid"],
        bytes(r["body"]), r["received_at"], r["sends"],
    )  # fmt: skip
    outcome = await town.house.runner.act(company, inbox_handlers.inbox_verbs(town.house.place)[r["kind"]](row))
    assert not isinstance(outcome, Refused), outcome
    return str(made.json()["id"])


async def _furnish_plans(town: Town, routes: Mapping[str, Route]) -> None:
    """Plans of another client of Ana's company, so that hers may sign: taken in, ready, signed."""
    house, company = town.house, town.ana.company_id
    author, signer = await town.client(company), await town.client(company)
    ways = payouts.Ways(house.place.institution, house.directory, house.charges, banks.Banks(sandbox=True))
    planner = plans.Planner(house.database, house.runner, ways, 1000.0)
    for kind in ("ready plan", "approved plan", "plan", "plan to cancel"):
        made = await town.send(routes["create_payout_plan"], plan(town.objects["account"]), town.token(author))
        town.objects[kind] = made.json()["id"]
        if kind.endswith("y plan") or kind.startswith("approved"):
            for row in await work_queue.claim(house.database, plans.LANE, company, house.chance.uuid(datetime.now(UTC)), 1):
                await planner.row(row)
        seen = await town.send(routes["read_payout_plan"], Ask(path={"id": made.json()["id"]}), town.token(author))
        HASHES[made.json()["id"]] = seen.json().get("hash", "")
    await town.send(routes["approve_payout_plan"], approval(town.objects["approved plan"]), town.token(signer))


async def _credit(town: Town, minor: int) -> None:
    """Ana's account has so much, so that a payout may be for today."""
    company, account = town.ana.company_id, UUID(town.objects["account"])
    net, to = ledger.clearing(company, TED, "BRL"), ledger.customer(company, account, "BRL")
    chance, now = town.house.chance, datetime.now(UTC)
    moved = Transfer(chance.uuid(now), "moved", net, to, Money(minor, "BRL"), "TEST", chance.uuid(now), now)
    await commit(town.house.database, Write(company, transfers=(moved,)))
