"""The worker's metrics server, if configured: /metrics, /live and /health, and nothing else."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import uvicorn

from lastro.api_kit.http import UNKNOWN, Response, not_allowed, refusal
from lastro.core.errors import Kind, Refused
from lastro.observability.health import Health
from lastro.observability.metrics import MetricsPath
from lastro.web.middleware import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from litestar.types import HTTPScope, Receive, Send

    from lastro.api_kit.http import Answer
    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.observability.metrics import Metrics


async def watched(
    settings: Settings, database: Database, metrics: Metrics, random: Callable[[int], bytes], stop: asyncio.Event
) -> None:
    """Serves until stop, to those who may read the API's figures. random: for request ids. OSError: the port is taken."""
    port = settings.worker_metrics_port
    assert port is not None, "who asks for no door gets none"
    hosts = frozenset({*(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")), *settings.public_hosts})
    health = Health(database, settings.mode, lambda: True)  # a worker signs with no key of its own
    figures = MetricsPath(metrics, settings.metrics_networks, behind_proxy=bool(settings.proxies.networks))
    served = {"/live": _read(health.live), "/health": _read(health.ready), "/metrics": figures.answer}
    config = uvicorn.Config(
        application(Gate(hosts, random, settings.proxies), served), lifespan="off", ws="none", access_log=False,
        log_config=None, server_header=False, proxy_headers=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    # Bound here: a port that somebody has ends this listener, to be opened again, and not the worker.
    family = socket.AF_INET6 if ":" in settings.bind else socket.AF_INET
    with socket.create_server((settings.bind, port), family=family) as listener:
        serving, stopping = asyncio.ensure_future(server.serve([listener])), asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
            server.should_exit = True
            await serving
        finally:
            stopping.cancel()


def application(gate: Gate, served: Mapping[str, Answer]) -> Callable[[Any, Receive, Send], Any]:
    """Returns an application of a few paths behind the API's gate. served: by path."""

    async def inner(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"] if scope["path"] in served else UNKNOWN
            await gate.serve(scope, receive, send, served.get(path, _nowhere), path)

    async def guarded(scope: Any, receive: Receive, send: Send) -> None:
        await gate.guard(inner, scope, receive, send)

    return guarded


def _read(answer: Answer) -> Answer:
    async def read(scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        return await answer(scope, raw, headers) if scope["method"] in ("GET", "HEAD") else not_allowed(("GET",))

    return read


async def _nowhere(*_: object) -> Response:
    return refusal(Refused(Kind.NOT_FOUND))
