"""What the simulator says of each request, and what it never says."""

import asyncio
import json
import logging
import random
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from tests.in_one import in_one_test

from lastro_sim import logs
from lastro_sim.__main__ import Server
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.network import Network
from lastro_sim.settings import LASTRO_ISPB, Settings
from lastro_sim.store import Store

from .stage import TOKEN, registered_key, until

AT = 1_764_000_000_000_000


class Heard:
    """A log that is read while it is written."""

    def __init__(self, least: str = "debug") -> None:
        self.bytes = b""
        self.say = logs.lines(self._write, lambda: AT, least)

    def _write(self, line: bytes) -> None:
        self.bytes += line

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.bytes.splitlines()]


@pytest.fixture
async def noted(tmp_path: Path) -> AsyncIterator[tuple[Heard, httpx.AsyncClient]]:
    heard = Heard()
    async with _served(tmp_path, heard) as (url, _), httpx.AsyncClient(base_url=url, timeout=15) as http:
        yield heard, http


@asynccontextmanager
async def _served(tmp_path: Path, heard: Heard) -> AsyncIterator[tuple[str, Server]]:
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    settings = Settings(home=tmp_path, token=TOKEN, port=port, answer_seconds=0.0)
    store = Store(settings.store_path)
    network = Network(settings, store, Clock(lambda: time.time_ns() // 1000), Dice(random.SystemRandom()), Bells())
    server = Server(uvicorn.Config(build(network, heard.say), log_level="warning", timeout_graceful_shutdown=1))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    await until(lambda: server.started)
    yield f"http://127.0.0.1:{port}", server
    server.should_exit = True
    await task
    store.close()


async def test_a_request_is_one_line_with_the_callers_id(noted: tuple[Heard, httpx.AsyncClient]) -> None:
    heard, http = noted
    answered = await http.get("/spi/v1/payments/E1", headers={"x-request-id": "row-7", "authorization": f"Bearer {TOKEN}"})
    assert (answered.status_code, answered.headers["x-request-id"]) == (404, "row-7")
    (line,) = heard.lines
    assert line.pop("duration_ms") >= 0
    assert line == {
        "event": "request", "level": "info", "timestamp": "2025-11-24T16:00:00.000000Z", "request_id": "row-7",
        "method": "GET", "path": "/spi/v1/payments/{end_to_end_id}", "network_id": "E1", "status": 404,
    }  # fmt: skip


async def test_what_is_only_read_is_said_at_debug(noted: tuple[Heard, httpx.AsyncClient]) -> None:
    heard, http = noted
    await http.get("/health")
    await http.get("/nowhere/at/all?document=12345678909")
    await http.get("/health", headers={"host": "evil.example"})
    assert [(line["level"], line["path"], line["status"]) for line in heard.lines] == [
        ("debug", "/health", 200), ("info", "unknown", 404), ("info", "/health", 403),
    ]  # fmt: skip
    assert b"12345678909" not in heard.bytes
    assert len({line["request_id"] for line in heard.lines}) == 3


async def test_a_payment_is_said_by_its_id_and_never_by_its_people(
    noted: tuple[Heard, httpx.AsyncClient],
) -> None:
    heard, http = noted

    class Caller:
        """As much of a stage as making a key needs."""

        async def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
            return await http.request(method, path, json=body, headers={"authorization": f"Bearer {TOKEN}"})

    key = await registered_key(Caller())  # type: ignore[arg-type]
    payer = {"name": "Pagadora Canario", "document": {"type": "CPF", "number": "52998224725"}}
    paid = await http.post("/phone/transfer", json={"key": key, "amount": "12.34", "payer": payer})
    assert paid.status_code == 200, paid.text
    line = heard.lines[-1]
    assert (line["path"], line["network_id"], line["level"]) == ("/phone/transfer", paid.json()["endToEndId"], "info")
    answer = {
        "msgId": "M1", "type": "pacs.002", "createdAt": "2026-01-01T00:00:00Z", "originalMsgId": "M0",
        "endToEndId": paid.json()["endToEndId"], "status": "ACSP",
    }  # fmt: skip
    told = await http.post(
        f"/spi/v1/in/{LASTRO_ISPB}/msgs", json=answer, headers={"authorization": f"Bearer {TOKEN}", "x-request-id": "row-8"}
    )
    assert told.status_code == 201
    line = heard.lines[-1]
    assert (line["request_id"], line["path"]) == ("row-8", "/spi/v1/in/{ispb}/msgs")
    assert line["network_id"] == paid.json()["endToEndId"]
    for secret in (b"Canario", b"52998224725", b"Loja da Ana", b"11222333000181", key.encode(), TOKEN.encode(), b"12.34"):
        assert secret not in heard.bytes


@in_one_test(("least", "said"), [("debug", 3), ("info", 2), ("warning", 1), ("error", 0)])
def test_lines_below_the_level_are_not_written(least: str, said: int) -> None:
    heard = Heard(least)
    for level in ("debug", "info", "warning"):
        heard.say(level, {"event": "x"})
    assert len(heard.lines) == said


async def test_whoever_waits_for_news_when_it_stops_is_no_error(tmp_path: Path) -> None:
    heard = Heard()
    libraries, uvicorns = logs.Libraries(heard.say), logging.getLogger("uvicorn.error")
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(headers=headers) as http:
        async with _served(tmp_path, heard) as (url, server):
            uvicorns.addHandler(libraries)
            waits = asyncio.create_task(http.get(f"{url}/analysis/v1/movements?wait=30"))
            await until(lambda: bool(server.server_state.tasks))
        uvicorns.removeHandler(libraries)
        await asyncio.gather(waits, return_exceptions=True)
    cut = [line["event"] for line in heard.lines if line["level"] == "debug" and "logger" in line]
    assert cut == ["Cancel %s running task(s), timeout graceful shutdown exceeded", "Exception in ASGI application"]
    assert [line for line in heard.lines if line["level"] in ("warning", "error")] == []


def test_libraries_are_quoted_without_values() -> None:
    heard = Heard()
    handler = logs.Libraries(heard.say)
    try:
        int("52998224725 of Canario")
    except ValueError as error:
        record = logging.LogRecord("asyncio", logging.ERROR, "x", 1, "lost %s\nfuture: Canario", ("12345678909",), None)
        record.exc_info = (ValueError, error, error.__traceback__)
        handler.emit(record)
    (line,) = heard.lines
    assert (line["event"], line["level"], line["logger"]) == ("lost %s", "error", "asyncio")
    assert line["exception"].startswith("ValueError ")
    assert "test_logs.py" in line["exception"]
    assert not [word for word in (b"52998224725", b"12345678909", b"Canario") if word in heard.bytes]
