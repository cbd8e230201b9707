"""A bank's webhook rings a bell: whoever has no secret reaches nothing, and what a body claims books nothing."""

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from structlog.testing import capture_logs
from tests.in_one import in_one_test
from tests.self_signed import self_signed

from lastro.api_kit.proxies import LOOPBACK, Proxies, thumbprint
from lastro.app.banks import receivers_of
from lastro.core.db import Database, Dsn
from lastro.core.secrets import Secret
from lastro.observability import logs
from lastro.rails.api_pix import DIALECTS, Connection
from lastro.web.application import application
from lastro.web.bank_webhooks import BankWebhooks
from lastro.web.middleware import Gate

from .api_pix_branch import KEY, RAIL, TXID, Branch, branch_of
from .conftest import House, Scene, until

HOST, SECRET = "pay.example", "s3cret-of-the-webhook-0001"
OURS, BARE = f"/rails/{RAIL}/{SECRET}/pix", f"/rails/{RAIL}/{SECRET}"
NAMES = [f"E{number:031d}" for number in range(1, 10_001)]


def connection(**changes: Any) -> Connection:
    given: dict[str, Any] = {
        "name": RAIL, "company": 7, "dialect": DIALECTS["efi"], "base_url": "https://bank.example/v2", "client_id": "c",
        "token_url": "https://bank.example/oauth/token", "client_secret": Secret("x"), "certificate": None, "ca_file": None,
        "keys": {KEY: "000000019"}, "webhook": f"https://{HOST}", "secret": Secret(SECRET), **changes,
    }  # fmt: skip
    return Connection(**given)


@dataclass
class Bell:
    """The path of one connection, asked in this process, and the hints behind it."""

    branch: Branch
    http: httpx.AsyncClient

    async def ring(self, body: Any, path: str = OURS, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        given = {"content-type": "application/json"} | {name.replace("_", "-"): text for name, text in headers.items()}
        return await self.http.post(path, content=content, headers=given)

    async def hinted(self) -> list[str]:
        (row,) = await self.branch.scene.rows("SELECT hints FROM rail_cursors")
        return sorted(row["hints"])


def client_of(
    database: Database, scene: Scene, *connections: Connection, proxies: Proxies | None = None
) -> httpx.AsyncClient:
    paths = BankWebhooks(receivers_of(connections, database, scene.chance)).paths()
    gate = Gate(frozenset({HOST}), os.urandom, proxies or Proxies(), note=logs.request)
    asgi: Any = application(gate, Mock(), (), paths)
    return httpx.AsyncClient(transport=httpx.ASGITransport(asgi), base_url=f"http://{HOST}")


@pytest.fixture
async def bell(scene: Scene, house: House) -> AsyncIterator[Bell]:
    async with branch_of(scene, house) as branch, client_of(scene.database, scene, connection()) as http:
        await branch.cursor().take()
        yield Bell(branch, http)


def named(*names: Any) -> dict[str, Any]:
    return {"pix": [{"endToEndId": name, "valor": "10.00", "horario": "2026-11-23T13:00:00Z"} for name in names]}


@pytest.mark.parametrize("path", [OURS, BARE])
async def test_each_payment_that_is_named_is_noted_once(bell: Bell, path: str) -> None:
    answer = await bell.ring(named(NAMES[0], NAMES[1], NAMES[0]), path)
    assert (answer.status_code, answer.content) == (200, b"{}")
    assert await bell.hinted() == NAMES[:2]


RECURRENCE, CHARGE = "RR1026652320240821lab77511abf", "3136957d93134f2184b369e8f1c0729d"


@pytest.mark.parametrize(
    ("word", "body", "hint"),
    [
        ("/rec", {"recs": [{"idRec": RECURRENCE, "status": "APROVADA"}]}, RECURRENCE),
        ("/cobr", {"cobsr": [{"idRec": RECURRENCE, "txid": CHARGE, "status": "ATIVA"}]}, CHARGE),
        ("", {"recs": [{"idRec": RECURRENCE}]}, RECURRENCE),
    ],
)
async def test_a_recurrence_or_its_charge_is_noted(bell: Bell, word: str, body: dict[str, Any], hint: str) -> None:
    assert (await bell.ring(body, BARE + word)).status_code == 200
    assert await bell.hinted() == [f"recurring:{hint}"]


async def test_a_forged_recurrence_is_ignored(bell: Bell) -> None:
    forged = {
        "recs": [{"idRec": one} for one in ("RX" + RECURRENCE[2:], RECURRENCE + "x", 7, None)],
        "cobsr": [{"txid": "x"}],
    }
    assert (await bell.ring(forged, BARE + "/rec")).status_code == 200
    assert (await bell.ring({"recs": {}}, BARE + "/rec")).status_code == 400
    assert await bell.hinted() == []


async def test_a_list_alone_is_taken_as_one(bell: Bell) -> None:
    assert (await bell.ring(named(*NAMES[:2])["pix"])).status_code == 200
    assert await bell.hinted() == NAMES[:2]
    assert (await bell.ring(named(*NAMES[:1001])["pix"])).status_code == 413


async def test_a_test_call_of_a_bank_is_taken_and_notes_nothing(bell: Bell) -> None:
    calls = (b"", b"[]", b" [] ", b"{}", b'{"pix":[]}', b'{"pix":null}', b'{"evento":"teste_webhook"}')
    assert [(await bell.ring(body, BARE)).status_code for body in calls] == [200] * len(calls)
    assert await bell.hinted() == []


async def test_strangers_get_one_answer_and_reach_no_database(scene: Scene) -> None:
    """The database of these calls is nowhere: whoever reached it would be answered 503."""
    nowhere = Database(Dsn("postgresql://nobody@127.0.0.1:9/none"), size=1)
    other = connection(name="bb1", secret=Secret("o" * 32))
    quiet = connection(name="quiet1", webhook=None)
    async with client_of(nowhere, scene, connection(), other, quiet) as http:
        bell = Bell(Mock(), http)
        paths = [
            f"/rails/{RAIL}/{'x' * 26}/pix", f"/rails/nobody/{SECRET}/pix", f"/rails/bb1/{SECRET}", f"/rails/{RAIL}/{'o' * 32}",
            f"/rails/{RAIL}/{SECRET[:-1]}", f"/rails/{RAIL}/{SECRET}x/pix", f"/rails/{RAIL}/{SECRET.upper()}/pix",
            f"/rails/quiet1/{SECRET}/pix", f"/rails/{RAIL.upper()}/{SECRET}/pix", f"/rails/{RAIL}/%F0%9F%98%80/pix",
            f"/rails/{RAIL}/%ff%fe/pix",
        ]  # fmt: skip
        bodies: list[Any] = [named(NAMES[0]), b"[", b"[" * 90_000, b"x" * 2_000_000]
        answers = [await bell.ring(body, path) for path in paths for body in bodies]
        answers += [await bell.ring(b"{}", path, content_type="application/json; charset=utf-16") for path in paths]
        assert {(one.status_code, one.content) for one in answers} == {(404, answers[0].content)}
        assert len({tuple(name for name in one.headers) for one in answers}) == 1
        assert (await bell.ring(named(NAMES[0]))).status_code == 503
    await nowhere.close()


def nested(depth: int) -> bytes:
    return b'{"pix":' + b"[" * depth + b"]" * depth + b"}"


WRONG: dict[str, tuple[bytes, dict[str, str], int]] = {
    "cut off": (b'{"pix": [', {}, 400),
    "text": (b'"pix"', {}, 400),
    "number": (b"1", {}, 400),
    "a list and more": (b'[], "more": 1', {}, 400),
    "a list and another": (b'[], "pix": []', {}, 400),
    "two lists": (b"[][]", {}, 400),
    "a list cut off": (b'[{"endToEndId": "E"}', {}, 400),
    "a nested list": (b"[" * 40 + b"]" * 40, {}, 400),
    "no list": (b'{"pix": {"endToEndId": "E"}}', {}, 400),
    "a key twice": (b'{"pix": [], "pix": []}', {}, 400),
    "nested": (nested(40), {}, 400),
    "nested deeply": (nested(200_000), {}, 400),
    "latin": ('{"pix": [], "nome": "José"}'.encode("latin-1"), {}, 400),
    "utf-16": ('{"pix": []}'.encode("utf-16"), {}, 400),
    "says latin": (b'{"pix": []}', {"content_type": "application/json; charset=ISO-8859-1"}, 400),
    "says utf-8": (b'{"pix": []}', {"content_type": 'application/json; charset="UTF-8"'}, 200),
    "says text": (b'{"pix": []}', {"content_type": "text/plain"}, 200),
    "gzip": (b'{"pix": []}', {"content_encoding": "gzip"}, 415),
    "2 MB": (b'{"pix": [' + b" " * 2_000_000 + b"]}", {}, 413),
    "1 MB": (b'{"pix": [' + b" " * (1024 * 1024 - 11) + b"]}", {}, 200),
    "1,001 items": (msgspec.json.encode(named(*NAMES[:1001])), {}, 413),
    "10,000 items": (msgspec.json.encode({"pix": [{"endToEndId": name} for name in NAMES]}), {}, 413),
}


@in_one_test("wrong", WRONG, str)
async def test_a_body_that_is_none_is_refused(bell: Bell, wrong: str) -> None:
    body, headers, status = WRONG[wrong]
    answer = await bell.ring(body, **headers)
    assert answer.status_code == status, answer.text
    assert await bell.hinted() == []


async def test_what_is_no_payments_id_is_ignored_and_counted(bell: Bell) -> None:
    garbage = [
        "", "E", NAMES[0][:-1], NAMES[0] + "0", "D" + NAMES[0][1:], NAMES[0][:-1] + "\n", NAMES[0] + "\n", NAMES[0][:-1] + "é",
        "E" + "-" * 31, 7, None, ["E"], {"a": 1}, "'; DROP TABLE rail_cursors; --", "../" * 10,
    ]  # fmt: skip
    body = named(*garbage, NAMES[1])
    body["pix"] += [None, 1, "E", [], {}, {"txid": "x"}]
    with capture_logs() as lines:
        assert (await bell.ring(body)).status_code == 200
    (told,) = [line for line in lines if line["event"] == "bank.webhook_ignored"]
    assert (told["rail"], told["count"]) == (RAIL, len(garbage) + 6)
    assert await bell.hinted() == [NAMES[1]]


async def test_hints_have_a_bound_and_what_is_beyond_is_told(bell: Bell) -> None:
    assert (await bell.ring(named(*NAMES[:1000]))).status_code == 200
    assert await bell.hinted() == NAMES[:1000]
    with capture_logs() as lines:
        assert (await bell.ring(named(NAMES[1000]))).status_code == 200
    assert [(line["count"], line["rail"]) for line in lines if line["event"] == "bank.hints_dropped"] == [(1, RAIL)]
    assert await bell.hinted() == NAMES[:1000]


async def test_no_line_holds_the_secret(bell: Bell) -> None:
    with capture_logs() as lines:
        for path in (OURS, BARE, BARE + "/rec", BARE + "/pix/x", BARE.replace(RAIL, "nobody"), BARE + "x"):
            for body in (b"{}", b"[", named("x"), named(NAMES[0])):
                await bell.ring(body, path)
            await bell.http.get(path)
    assert {line["path"] for line in lines if line["event"] == "request"} == {
        "/rails/{connection}/{secret}", "/rails/{connection}/{secret}/pix", "/rails/{connection}/{secret}/rec", "unknown"
    }  # fmt: skip
    assert not [line for line in lines if SECRET in repr(line)]


async def test_only_the_banks_certificate_is_let_in_where_one_is_named(scene: Scene, house: House, tmp_path: Path) -> None:
    certificates = [
        x509.load_pem_x509_certificate(self_signed(tmp_path / f"{name}.pem", f"{name}.example").read_bytes())
        for name in ("bank", "other")
    ]
    shown = [f":{base64.b64encode(one.public_bytes(Encoding.DER)).decode()}:" for one in certificates]
    named_one = connection(peers=frozenset({thumbprint(certificates[0])}))
    behind, direct = Proxies(LOOPBACK, "client-cert"), Proxies((), None)
    async with branch_of(scene, house) as branch:
        await branch.cursor().take()
        async with client_of(scene.database, scene, named_one, proxies=behind) as http:
            bell = Bell(branch, http)
            statuses = [
                (await bell.ring(named(NAMES[0]), client_cert=shown[1])).status_code,
                (await bell.ring(named(NAMES[0]))).status_code,  # as Efí tries first, and wants to be refused
                (await bell.ring(named(NAMES[0]), f"/rails/{RAIL}/{'x' * 26}/pix", client_cert=shown[0])).status_code,
            ]
            assert (statuses, await bell.hinted()) == ([403, 403, 404], [])
            assert (await bell.ring(named(NAMES[0]), client_cert=shown[0])).status_code == 200
            assert await bell.hinted() == [NAMES[0]]
        async with client_of(scene.database, scene, named_one, proxies=direct) as http:
            bell = Bell(branch, http)
            assert (await bell.ring(named(NAMES[1]), client_cert=shown[0])).status_code == 403
        async with client_of(scene.database, scene, replace(named_one, peers=frozenset()), proxies=behind) as http:
            assert (await Bell(branch, http).ring(named(NAMES[1]))).status_code == 200


async def test_a_bell_is_answered_at_the_bank_and_a_forged_one_books_nothing(bell: Bell) -> None:
    branch, stop = bell.branch, asyncio.Event()
    listening = asyncio.ensure_future(branch.polling(poll_seconds=600).listen(branch.keep, stop))
    try:
        await until(lambda: _has(branch, "GET /pix"))
        paid = branch.bank.pay(1, branch.bank.now, txid=TXID)
        forged = {"endToEndId": NAMES[0], "valor": "9999.99", "horario": f"{datetime.now(UTC):%FT%TZ}", "txid": TXID}
        lied = {"endToEndId": paid, "valor": "9999.99", "horario": "2001-01-01T00:00:00Z", "txid": "x" * 32}
        assert (await bell.ring({"pix": [forged]})).status_code == 200
        await until(lambda: _has(branch, f"GET /pix/{NAMES[0]}"))
        assert (await bell.ring({"pix": [lied]})).status_code == 200
        await until(branch.told)
    finally:
        stop.set()
        await asyncio.wait_for(listening, 10)
    assert [told for _, _, told in await branch.told()] == [f"pix:{paid}"]
    assert await branch.foreign() == []
    (row,) = await branch.scene.rows("SELECT body FROM inbox")
    assert b"9999.99" not in bytes(row["body"])


async def _has(branch: Branch, asked: str) -> bool:
    return asked in branch.bank.asked
