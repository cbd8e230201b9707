"""The API process: serves until SIGTERM, SIGINT or its parent's end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from lastro import console
from lastro.app import wiring
from lastro.app.banks import demand_declarable
from lastro.app.worker_process import keep
from lastro.companies import OWN_EVERY_SECONDS
from lastro.config.load import room_for
from lastro.core import crash, notify
from lastro.core.db import PLANNED_ONCE, Database
from lastro.core.gc_freeze import keep_what_is_built
from lastro.core.parent import watch_parent
from lastro.observability.gauges import Watch
from lastro.observability.tracing import telling, tracer_of
from lastro.ops import rollback_check
from lastro.ops.keys_file import key_ring_of
from lastro.ops.start_checks import admit, once_it_answers, warn_of_direct_callers
from lastro.standards import qrcode
from lastro.web.application import application
from lastro.web.server import server

if TYPE_CHECKING:
    from collections.abc import Coroutine

    import uvicorn

    from lastro.config.settings import Settings


# A thread that renders a page gives the interpreter back to the loop after so long: Python's own 5 ms are a request's time.
_SWITCH_SECONDS = 0.0005
_BINDING_SECONDS = 0.02  # between two looks whether the port is bound
_log = structlog.get_logger(__name__)


async def run_api(settings: Settings) -> None:
    """Serves the API.

    StartRefused: a login that row-level security does not hold for, no schema, the wrong mode, a database that went back,
    a file of banks that the worker would refuse.
    """
    crash.install(settings.crash_at)
    qrcode.prepare()  # the first picture would stall the loop
    sys.setswitchinterval(_SWITCH_SECONDS)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    watching = asyncio.ensure_future(watch_parent(stop.set)) if settings.has_parent else None
    hinter = notify.Hinter(settings.app)
    tracer = tracer_of(settings.watching, "lastro-api", time.time_ns, os.urandom)
    on_commit = hinter.on_commit if tracer is None else tracer.observing(hinter.on_commit)
    database = Database(settings.app, size=12, settings=PLANNED_ONCE)
    work = Database(settings.work, size=3, settings=PLANNED_ONCE)
    heart = rollback_check.Heart(database, rollback_check.Memory(settings.home), settings.mode)
    try:
        await admit(database, work, settings, key_ring_of(settings), stop, heart)
        if not stop.is_set():
            app_context = await wiring.open_house(settings, database, on_commit, work)
            declarable = partial(demand_declarable, settings.connections, work, app_context.runner)
            await once_it_answers(declarable, stop)
            metrics = app_context.metrics
            metrics.pools["work"], metrics.watch, metrics.tracer = work, Watch(work), tracer
            warn_of_direct_callers(settings.mode, settings.proxies)
            async with telling(tracer):
                await _serve(settings, app_context, work, hinter, heart, stop)
            await app_context.rail.close()
            await app_context.outgoing.close()
            for quotes in app_context.quotes.values():
                await quotes.close()
            for issuer in app_context.issuers.values():
                await issuer.close()
            if app_context.tokenizer is not None:
                await app_context.tokenizer.close()
            if app_context.registrar is not None:
                await app_context.registrar.close()
            heart.demand()
    finally:
        if watching is not None:
            watching.cancel()
        await database.close()
        await work.close()


async def _serve(
    settings: Settings,
    app_context: wiring.AppContext,
    work: Database,
    hinter: notify.Hinter,
    heart: rollback_check.Heart,
    stop: asyncio.Event,
) -> None:
    operations, sandbox = wiring.operations(app_context), wiring.sandbox_of(settings)
    routes = wiring.routes(app_context)
    plugin = None if sandbox is None else sandbox.plugin(settings, app_context, work)
    told = (None,) if sandbox is None else (sandbox.OPEN_PATHS, sandbox.TRIED_AT, sandbox.collection)
    pages = console.paths(app_context, routes, plugin)
    if sandbox is not None:
        pages |= sandbox.paths(settings, app_context, operations, work)
    gate = wiring.gate(app_context, operations)
    app = application(gate, operations, routes, wiring.public(app_context, *told), pages=pages)
    serves = server(
        app, behind_proxy=bool(settings.proxies.networks), connections=room_for(settings.load.connections),
        host=settings.bind, port=settings.port, loop="uvloop", lifespan="on",
    )  # fmt: skip
    keep_what_is_built()
    hinting = asyncio.ensure_future(hinter.run(stop))
    looking = [asyncio.ensure_future(look) for look in _looking(app_context, stop)]
    looking.append(
        asyncio.ensure_future(keep("beats", partial(heart.round, stop), stop, pause=rollback_check.EVERY_SECONDS))
    )
    serving = asyncio.ensure_future(serves.serve())
    looking.append(asyncio.ensure_future(_say_started(serves, settings.port, stop)))
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    serves.should_exit = True
    app_context.arrivals.end()
    stop.set()
    await asyncio.gather(serving, hinting, *looking, return_exceptions=True)
    _log.info("api.stopped")


async def _say_started(serves: uvicorn.Server, port: int, stop: asyncio.Event) -> None:
    """Logs that requests are taken from now on: the port is bound. Nothing is logged where it cannot be."""
    while not serves.started and not stop.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _BINDING_SECONDS)
    if serves.started:
        _log.info("api.started", port=port)


def _looking(app_context: wiring.AppContext, stop: asyncio.Event) -> list[Coroutine[Any, Any, None]]:
    """Polls for rotated keys, and takes them over without a restart."""

    async def own() -> bool:
        await app_context.keys.refresh()
        return False

    async def outside() -> bool:
        if app_context.outside is not None:
            await app_context.outside.refresh_if_old()
        return False

    return [keep(name, look, stop, pause=OWN_EVERY_SECONDS) for name, look in (("keys", own), ("outside keys", outside))]
