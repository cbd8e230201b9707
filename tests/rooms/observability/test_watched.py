"""The worker's own small door: figures and health for those who watch, nothing for anybody else."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from ipaddress import ip_network
from typing import Any
from uuid import UUID

import aiohttp
import pytest

from lastro.app.metrics_server import watched
from lastro.config.settings import Settings, read
from lastro.core.db import Database
from lastro.core.work_queue import Worked
from lastro.observability.gauges import Watch
from lastro.observability.metrics import Metrics

DEADLINE_SECONDS = 20.0


@pytest.fixture
def taken() -> Any:
    """A port that stays ours: bound and not listened on, so that only a server that shares addresses can have it."""
    with socket.socket() as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


class Door:
    def __init__(self, port: int, http: aiohttp.ClientSession) -> None:
        self.port, self.http = port, http

    async def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        async with self.http.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers) as answer:
            return answer.status, await answer.text()


async def opened(database: Any, settings: Settings) -> AsyncIterator[Door]:
    pools = {"app": Database(database.app, size=2), "work": Database(database.work, size=1)}
    metrics = Metrics()
    metrics.pools, metrics.watch = pools, Watch(pools["work"])
    metrics.worked(Worked("inbox", "pix.ask", "answered", 0.02, UUID(int=1), (UUID(int=2),), UUID(int=3), "E1", 1))
    stop = asyncio.Event()
    serving = asyncio.ensure_future(watched(settings, pools["app"], metrics, os.urandom, stop))
    port = settings.worker_metrics_port
    assert port is not None
    async with aiohttp.ClientSession(trust_env=False) as http:
        door = Door(port, http)
        async with asyncio.timeout(DEADLINE_SECONDS):
            while True:
                try:
                    await door.ask("/live")
                    break
                except aiohttp.ClientConnectorError:
                    await asyncio.sleep(0.01)
        yield door
    stop.set()
    await asyncio.wait_for(serving, DEADLINE_SECONDS)
    for pool in pools.values():
        await pool.close()


@pytest.fixture
def settings(taken: int) -> Settings:
    return read({"LASTRO_WORKER_METRICS_PORT": str(taken), "LASTRO_DATABASE_URL": "postgresql:///x"})


@pytest.fixture
async def door(database: Any, settings: Settings) -> AsyncIterator[Door]:
    async for made in opened(database, settings):
        yield made


@pytest.fixture
async def closed(database: Any, settings: Settings) -> AsyncIterator[Door]:
    async for made in opened(database, replace(settings, metrics_networks=(ip_network("10.0.0.0/8"),))):
        yield made


async def test_what_it_answers(door: Door) -> None:
    assert await door.ask("/live") == (200, '{"status":"alive"}')
    assert await door.ask("/health") == (200, '{"status":"ready"}')
    status, text = await door.ask("/metrics")
    assert status == 200
    assert 'lastro_work_seconds_count{kind="pix.ask",lane="inbox",outcome="answered"} 1.0' in text
    assert 'lastro_database_pool_size{role="app"} 2.0' in text
    assert "lastro_database_reachable 1.0" in text
    assert "process_resident_memory_bytes" in text
    assert str(UUID(int=1)) not in text


async def test_what_it_refuses(door: Door) -> None:
    status, nowhere = await door.ask("/auth/v1/token", "POST")
    assert status == 404
    assert (await door.ask("/live", "POST"))[0] == 405
    assert (await door.ask("/metrics", host="rebound.example"))[0] == 400
    assert (await door.ask("/live", origin="https://evil.example"))[0] == 403
    assert await door.ask("/metrics", **{"x-forwarded-for": "203.0.113.9"}) == (404, nowhere)


async def test_who_is_not_asked_to_watch_sees_nothing(closed: Door) -> None:
    nowhere = await closed.ask("/nowhere")
    assert nowhere[0] == 404
    for method in ("GET", "POST", "DELETE"):
        assert await closed.ask("/metrics", method) == nowhere
    assert (await closed.ask("/live"))[0] == 200


async def test_a_port_that_somebody_has_is_said(database: Any, settings: Settings, door: Door) -> None:
    pool = Database(database.app, size=1)
    with pytest.raises(OSError, match=r"(?i)address already in use"):
        await watched(settings, pool, Metrics(), os.urandom, asyncio.Event())
    assert (await door.ask("/live"))[0] == 200
    await pool.close()
