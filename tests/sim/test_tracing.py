"""What the simulator tells a collector: what it was asked, and what it told of it later, in the caller's trace."""

import asyncio
import json
import os
import random
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import uvicorn
from tests.collector import Collector, collecting

from lastro.standards.traces import Context
from lastro.standards.traces import collector as posted_to
from lastro_sim import tracing
from lastro_sim.__main__ import Server
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.network import Network
from lastro_sim.settings import Settings
from lastro_sim.store import Store
from lastro_sim.tracing import Tracer

from .stage import TOKEN, until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = f"00-{TRACE}-00f067aa0ba902b7-01"


@pytest.fixture
async def traced(tmp_path: Path) -> AsyncIterator[tuple[Network, Collector, httpx.AsyncClient]]:
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    settings = Settings(home=tmp_path, token=TOKEN, port=port, answer_seconds=0.0)
    store = Store(settings.store_path)
    async with collecting() as collector:
        tracer = Tracer(posted_to(collector.url), time.time_ns, os.urandom)
        dice = Dice(random.SystemRandom())
        network = Network(settings, store, Clock(lambda: time.time_ns() // 1000), dice, Bells(), tracer)
        server = Server(uvicorn.Config(build(network), log_level="warning", timeout_graceful_shutdown=1))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        await until(lambda: server.started)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=15) as http:
            yield network, collector, http
        server.should_exit = True
        await task
    store.close()


async def test_a_request_that_names_a_trace_is_part_of_it(
    traced: tuple[Network, Collector, httpx.AsyncClient],
) -> None:
    _, collector, http = traced
    asked = {"authorization": f"Bearer {TOKEN}", "traceparent": CALLER}
    await http.get("/spi/v1/payments/E1?document=52998224725", headers=asked)
    await http.get("/spi/v1/payments/E2", headers={**asked, "traceparent": CALLER[:-1] + "0"})
    await http.get("/spi/v1/payments/E3", headers={**asked, "traceparent": "nonsense"})
    await http.get("/spi/v1/payments/E4", headers={"authorization": f"Bearer {TOKEN}"})
    await until(lambda: collector.spans)
    (span,) = collector.spans
    assert (span.service, span.name) == ("lastro-sim", "GET /spi/v1/payments/{end_to_end_id}")
    assert (span.trace, span.parent, span.about["http.response.status_code"]) == (TRACE, "00f067aa0ba902b7", "404")
    assert b"52998224725" not in bytes(collector.raw)


async def test_what_is_told_later_belongs_where_it_was_last_spoken_of(
    traced: tuple[Network, Collector, httpx.AsyncClient],
) -> None:
    network, collector, _ = traced
    assert network.tracer is not None
    context = Context(bytes.fromhex(TRACE), b"\1" * 8, is_sampled=True)
    network.tracer.remember("E1", context)
    network.tracer.told("pacs.002", "E1")
    network.tracer.told("pacs.002", "E2")
    await until(lambda: collector.spans)
    assert [(span.name, span.trace, span.parent, span.about["lastro.network_id"]) for span in collector.spans] == [
        ("tell pacs.002", context.trace_id.hex(), context.span_id.hex(), "E1"),
    ]  # fmt: skip


async def test_what_waits_is_sent_though_more_comes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest are those for which there is no room."""
    monkeypatch.setattr(tracing, "MOST_WAITING", 4)
    monkeypatch.setattr(tracing, "AT_ONCE", 2)
    tracer, sent = Tracer("http://collector", time.time_ns, os.urandom), []
    context = Context(bytes.fromhex(TRACE), b"\1" * 8, is_sampled=True)

    def add(*names: str) -> None:
        for name in names:
            tracer.add(name, "server", context, os.urandom(8), 1, 2, {})

    @asynccontextmanager
    async def post(_: str, *, data: bytes, **__: Any) -> AsyncIterator[Any]:
        (told,) = (scope for one in json.loads(data)["resourceSpans"] for scope in one["scopeSpans"])
        names = [span["name"] for span in told["spans"]]
        sent.extend(names)
        if names[0] == "1":
            add("5", "6")
        yield SimpleNamespace(status=200)

    add("1", "2", "3", "4")
    http: Any = SimpleNamespace(post=post)
    await tracer._send(http)
    assert sent == ["1", "2", "3", "4"]
    add("7")
    await tracer._send(http)
    assert sent[4:] == ["7"]
