"""Marked secrets and people are sent through every route and every way in; then logs, figures, traces and tables are searched.

Real processes at their most talkative. Which column may hold what is decided in HOLDS: a new one is a decision.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from tests.collector import Collector, collecting
from tests.databases import Database
from tests.house import canary, planted
from tests.house.canary import Marks, RawRequest
from tests.house.entering import enter
from tests.house.examples import KEYS
from tests.http_contract import contract
from tests.journeys.conftest import opened
from tests.journeys.play import ORDERS, Play
from tests.journeys.stage import Stage, until
from tests.laws import connected
from yarl import URL

AT_ONCE = 8
TALKATIVE = {"LASTRO_LOG_LEVEL": "debug"}
_GUIDE = re.compile(r"/start(?:[/?]|$)")
_BOOM = "CANARYBOOM"
# An error of the database that quotes what was to be written. (Of a row behind row-level security it does not by itself.)
_TRAP = f"""
CREATE FUNCTION trap(name text, document text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF name LIKE '%{_BOOM}%' THEN RAISE EXCEPTION 'no place for % %', name, document USING DETAIL = name; END IF;
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION trap TO lastro_app;
ALTER TABLE parties ADD CONSTRAINT trap CHECK (trap(name, document_number))
"""
# The columns that may hold each mark, and that this test reaches: where the search finds nothing, it would see no leak.
HOLDS: dict[str, set[str]] = {
    "name of the customer": {"parties.name", "events.body"},
    "document of the customer": {"parties.document_number", "events.body"},
    "name of the payer": {"parties.name", "events.body", "inbox.body"},
    "document of the payer": {"parties.document_number", "events.body", "inbox.body"},
    "name of the stranger": {"parties.name", "inbox.body"},
    "document of the stranger": {"parties.document_number", "inbox.body"},
    "e-mail": {"parties.email"},
    "phone": {"parties.phone"},
    "street": {"parties.address"},
    "postal code": {"parties.address"},
    "ip": {"parties.ip"},
    "description": {"orders.description", "answers.body", "events.body", "pix_payments.remittance", "inbox.body"},
    "return url": {"orders.return_url", "answers.body"},
    "webhook url": {"orders.notification_url", "events.url", "deliveries.url"},
    "receivers answer": {"delivery_attempts.message"},
    "idempotency key": {"answers.key", "payouts.idempotency_key"},
    "location token": {"orders.location_token", "answers.body"},
    "order token": {"orders.order_token", "answers.body"},
    "name of an example": {
        "parties.name", "account_requests.trade_name", "payout_plan_lines.request", "payout_plan_lines.destination",
    },
    "document of an example": {
        "parties.document_number", "payout_plan_lines.request", "payout_plan_lines.destination",
    },
    "e-mail of an example": {"parties.email"},
    "phone of an example": {"parties.phone"},
    "ip of an example": {"parties.ip"},
    "address of an example": {"parties.address"},
    "bank account of an example": {"parties.bank", "payout_plan_lines.request", "payout_plan_lines.destination"},
    "Pix key of an example": {"pix_key_validations.key"},
    "description of an example": {
        "orders.description", "payouts.description", "refunds.description", "refunds.refund_reason",
        "subscriptions.description", "pix_static_qrcodes.description", "pix_static_qrcodes.qrcode_data",
        "payout_plan_lines.request", "account_close_requests.reason", "history.reason", "answers.body", "outbox.body",
    },
    "return url of an example": {"orders.return_url"},
    "webhook url of an example": {
        "orders.notification_url", "subscriptions.webhook_url", "webhook_settings.url", "events.url", "deliveries.url",
        "answers.body",
    },
}  # fmt: skip


@pytest.fixture
def loud(own_database: Database, tmp_path: Path) -> Iterator[Stage]:
    yield from opened(tmp_path / "home", own_database)


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    async with collecting() as made:
        yield made


@pytest.fixture
async def play(loud: Stage, collector: Collector) -> AsyncIterator[Play]:
    books = await connected(loud.dsn("lastro_audit"))
    await loud.restart(**TALKATIVE, LASTRO_OTLP_URL=collector.url)
    async with aiohttp.ClientSession(trust_env=False) as http:
        yield Play(loud, http, books)
    await books.close()


async def send(play: Play, base: str, request: RawRequest) -> int:
    """Its status, whatever it is; a connection that the server ends is an answer too. What our API says is as documented.

    The guide at /start is pages for people, as the console is, of which no document tells.
    """
    url = URL(base + request.target, encoded=True)
    try:
        async with play.http.request(
            request.method, url, headers=request.headers, data=request.body, allow_redirects=False
        ) as answer:
            status, headers, body = answer.status, answer.headers, await answer.read()
    except (aiohttp.ClientError, ValueError):
        return 0
    if base == play.stage.base_url and not _GUIDE.match(request.target):
        contract().holds(request.method, request.target, status, headers, body)
    return status


async def send_all(play: Play, base: str, requests: Iterable[RawRequest]) -> Sequence[int]:
    """The status of each, in their order; none may say that something of ours broke."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(request: RawRequest) -> int:
        async with gate:
            status = await send(play, base, request)
        assert status < 500, request
        return status

    return await asyncio.gather(*(one(request) for request in requests))


def order_of(play: Play, marks: Marks, **customer: Any) -> dict[str, Any]:
    """A create in which every text is marked."""
    people = marks.people
    document = {"type": "CPF", "number": people["document of the customer"]}
    address = {"street": people["street"], "postalCode": people["postal code"], "city": people["street"]}
    who = {
        "name": people["name of the customer"], "entityType": "INDIVIDUAL", "document": document, "email": people["e-mail"],
        "phone": people["phone"], "birthDate": "1990-01-31", "country": "BR", "address": address, "ip": people["ip"], **customer,
    }  # fmt: skip
    asked = play.asking("10.00", customer=who, description=people["description"], returnUrl=people["return url"])
    asked["order"]["notificationUrl"] += f"?token={marks.hidden['webhook url']}"
    return asked


async def live(play: Play, marks: Marks) -> dict[str, Any]:
    """An order is made, shown, paid, told of and answered badly; money comes for nobody; a secret is rotated."""
    people, key = marks.people, marks.hidden["idempotency key"]
    body = {"message": marks.hidden["receivers answer"]}
    await play.act("/merchant/behaviour", {"status": 500, "body": body, "times": 1})
    order = (await play.call("PUT", ORDERS, order_of(play, marks), key=key)).json
    assert (await play.call("PUT", ORDERS, order_of(play, marks), key=key)).status == 409, "another request under its key"
    marks.hidden["location token"] = order["pix"]["qrcodeImageUrl"].rpartition("/")[2].removesuffix(".png")
    assert (await play.location(order)).status == 200
    marks.hidden["order token"] = order["orderToken"]
    for path in ("", "/state"):
        assert (await play.ask("GET", order["checkoutUrl"] + path)).status == 200
    payer = {"name": people["name of the payer"], "document": people["document of the payer"]}
    assert (await play.pay(order, payer=payer))["status"] == "SETTLED"
    await play.becomes(order, "PAID")
    await play.wait_for(
        "SELECT true FROM delivery_attempts WHERE event_id IN (SELECT id FROM events WHERE reference_id = $1::text::uuid)",
        order["id"],
    )
    canceled = (await play.call("PUT", ORDERS, order_of(play, marks))).json
    assert (await play.call("POST", f"{ORDERS}/{canceled['id']}/cancel", {}, key=f"{key}cancel")).status == 200
    stranger = {"name": people["name of the stranger"], "document": people["document of the stranger"]}
    nobody = {"branch": "0001", "account": "999999999"}
    for fault in (None, "late"):
        if fault is not None:
            await play.fault("payin", fault)
        await play.act("/phone/transfer", {"account": nobody, "amount": "3.00", "payer": stranger})
    await play.wait_for("SELECT true FROM pix_payments WHERE state = 'RETURNED'")
    rotated = await play.call("POST", "/order/v1/webhook/rotate-secret", key=f"{key}rotate")
    marks.hidden["rotated webhook secret"] = rotated.json["secret"]
    made: dict[str, Any] = order
    return made


async def ask_as_examples_do(play: Play, marks: Marks, token: str, order_id: str) -> None:
    """Every operation once, its body marked; those of planted.TAKEN do what they say."""
    account = play.account
    KEYS[account["id"]] = account["pixKey"]
    objects = {"order": order_id, "paid order": order_id, "account": account["id"], "event": order_id}
    hook = f"{play.stage.simulator_url}/merchant/webhooks/planted"
    asked = planted.good_requests(marks, token, objects, hook)
    statuses = dict(zip(asked, await send_all(play, play.stage.base_url, asked.values()), strict=True))
    assert not {name: statuses[name] for name in planted.TAKEN if statuses[name] not in (200, 201, 202)}


async def fail(play: Play, marks: Marks, admin: Any) -> None:
    """Errors of the database that quote the row: in the API, and in the worker under a payment."""
    await admin.execute(_TRAP)
    name = f"{_BOOM} {marks.people['name of the customer']}"
    broken = await play.call("PUT", ORDERS, order_of(play, marks, name=name))
    assert (broken.status, broken.json["error"]) == (500, "INTERNAL_ERROR")
    assert not canary.in_text(broken.body, marks.people | marks.hidden)
    order = (await play.call("PUT", ORDERS, order_of(play, marks))).json
    payer = {"name": f"{_BOOM} {marks.people['name of the payer']}", "document": marks.people["document of the payer"]}
    paying = play.meanwhile(play.pay(order, payer=payer, force=True))

    async def told() -> bool:
        return b"inbox.not_handled" in (play.stage.home / "logs" / "worker.log").read_bytes()

    await until(told, "the worker's failure")
    await admin.execute("ALTER TABLE parties DROP CONSTRAINT trap")
    await asyncio.gather(paying, return_exceptions=True)


def secrets_of(stage: Stage, token: str) -> dict[str, str]:
    """What the installation itself must keep to itself."""
    found = {
        "client secret": stage.sandbox["clientSecret"], "other client secret": stage.sandbox["otherClient"]["clientSecret"],
        "webhook secret": stage.sandbox["webhookSecret"], "bearer token": token, "signature of a token": token.rpartition(".")[2],
        "network token": stage.environment["LASTRO_NETWORK_TOKEN"],
    }  # fmt: skip
    keys = (stage.home / "keys").read_text(encoding="utf-8").split()
    return found | {f"sealing key {n}": part for n, part in enumerate(keys) if len(part) > 40}


async def test_no_secret_and_no_person_is_told(play: Play, own_database: Database, collector: Collector) -> None:
    marks, stage = Marks.new(), play.stage
    admin = await own_database.connect()
    await play.balance()
    token = play.tokens[stage.client()["clientId"]]
    order = await live(play, marks)
    await enter(stage, marks.hidden)
    await play.ask("GET", stage.base_url + "/health", None, {"x-request-id": marks.request_id})
    await play.ask("POST", stage.simulator_url + "/phone/read", {}, {"x-request-id": marks.request_id})
    await ask_as_examples_do(play, marks, token, order["id"])
    statuses = await send_all(play, stage.base_url, canary.requests(canary.api_paths(), marks, token))
    assert {400, 401, 403, 404, 405, 415} <= set(statuses)
    statuses = await send_all(play, stage.simulator_url, canary.requests(canary.simulator_paths(), marks, token))
    assert {400, 401, 403, 404} <= set(statuses)
    await fail(play, marks, admin)
    await play.act("/merchant/behaviour", {"times": 1, "status": 200})
    await play.rest()
    figures = (await play.ask("GET", stage.base_url + "/metrics")).body
    hidden, logs = {**marks.hidden, **secrets_of(stage, token)}, stage.home / "logs"
    assert figures.startswith(b"#")
    assert canary.in_text(figures, {**hidden, **marks.people}) == []
    leaked = canary.in_files(logs, {**hidden, **marks.people})
    assert not leaked, "\n".join(leaked)
    await spans(collector, marks, {**hidden, **marks.people})
    found = await canary.in_database(admin, {**hidden, **marks.people})
    strays = {name: places - HOLDS.get(name, set()) for name, places in found.items()}
    assert not {name: places for name, places in strays.items() if places}
    never = {name: HOLDS[name] - found[name] for name in HOLDS if HOLDS[name] - found[name]}
    assert not never, "these columns were not reached: the search would not see a leak there either"
    await seen(play, marks, logs)
    await admin.close()


async def spans(collector: Collector, marks: Marks, unsaid: Mapping[str, str]) -> None:
    """What the three processes told the collector of all this: what may be said is there, and nothing else."""

    async def told() -> bool:
        return marks.request_id.encode() in collector.raw

    await until(told, "the spans")
    assert {span.service for span in collector.spans} == {"lastro-api", "lastro-worker", "lastro-sim"}
    assert canary.in_text(bytes(collector.raw), unsaid) == []


async def seen(play: Play, marks: Marks, logs: Path) -> None:
    """The search finds what may be said, so that it would have found the rest: in each log."""
    told = {"x-request-id": marks.request_id}
    where = {line.partition(":")[0] for line in canary.in_files(logs, told)}
    assert {"api.log", "simulator.log"} <= where
    worker = (logs / "worker.log").read_bytes()
    assert b"RaiseError" in worker, "the failure was told, and nothing of the row"
    assert b"RaiseError" in (logs / "api.log").read_bytes()


SPELT: dict[str, Callable[[str], str]] = {
    "as it is": lambda mark: mark,
    "in an address": lambda mark: quote(f"?x={mark}", safe=""),
    "in hexadecimal": lambda mark: f"{mark}".encode().hex(),
    "in large hexadecimal": lambda mark: f"{mark}".encode().hex().upper(),
    "as a word of base64": lambda mark: b64encode(mark.encode()).decode(),
    "within base64": lambda mark: b64encode(f"id:{mark} and more".encode()).decode(),
    "within base64, a letter on": lambda mark: b64encode(f"id::{mark}".encode()).decode(),
    "within base64, two letters on": lambda mark: b64encode(f"id:::{mark}".encode()).decode(),
}


@pytest.mark.parametrize("spelt", SPELT)
def test_a_line_that_leaks_is_found(tmp_path: Path, spelt: str) -> None:
    marks = Marks.new()
    written = SPELT[spelt](marks.hidden["wrong secret"])
    (tmp_path / "api.log").write_text(f'{{"event":"fine"}}\n{{"reason":"{written}"}}\n', encoding="utf-8")
    (line,) = canary.in_files(tmp_path, marks.hidden)
    assert line.startswith("api.log:2 wrong secret:")
    assert canary.in_files(tmp_path, marks.people) == []


def test_a_document_that_leaks_is_found_with_its_points(tmp_path: Path) -> None:
    marks = Marks.new()
    name, number = next((name, mark) for name, mark in marks.people.items() if name.startswith("document of"))
    (tmp_path / "api.log").write_text(f"{number[:3]}.{number[3:6]}.{number[6:9]}-{number[9:]}", encoding="utf-8")
    (line,) = canary.in_files(tmp_path, marks.people)
    assert line.startswith(f"api.log:1 {name}:")
