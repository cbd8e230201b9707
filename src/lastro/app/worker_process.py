"""The worker process: everything that happens without a client asking. Any number of them may run against one database."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from lastro import med
from lastro.app.banks import declare_all, figures_of, machine_now
from lastro.app.networks import place_of
from lastro.app.wiring import assemble
from lastro.core import crash, notify, work_queue
from lastro.core.concurrency import FirstOf, pause_after
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.gc_freeze import keep_what_is_built
from lastro.core.parent import watch_parent
from lastro.core.queue_worker import QueueWorker
from lastro.observability import logs
from lastro.observability.gauges import Watch
from lastro.observability.metrics import Metrics
from lastro.observability.tracing import telling, tracer_of
from lastro.ops import rollback_check
from lastro.ops.start_checks import admit, once_it_answers
from lastro.orders import WHOSE
from lastro.plans import LANE as PLAN_LANE
from lastro.rails.handling import Handler
from lastro.rails.health import Health
from lastro.rails.inbox import Inbox
from lastro.rails.port import BOOK, COLLECTING, MESSAGES, TED
from lastro.rails.sending import Sender
from lastro.rails.status_poller import StatusPoller
from lastro.reconciliation import LANE as STATEMENT_LANE
from lastro.worker import collecting, entry_posting, upkeep
from lastro.worker.due_poller import DuePoller
from lastro.worker.laws import EVERY_SECONDS as LAWS_SECONDS
from lastro.worker.laws import LawReader
from lastro.worker.sweeper import BEGINS, Sweep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence
    from uuid import UUID

    from lastro.app.wiring import Worker
    from lastro.config.settings import Settings
    from lastro.rails.port import NetworkMessage
    from lastro.webhooks import Deliverer

SWEEP_SECONDS = 1.0  # the interval of the poller's look for every queue, notified or not
_UNTOLD_SECONDS = 30.0  # the interval of a queue's own look, should the poller have failed
_PLANS_AT_ONCE = 4
_STATEMENTS_AT_ONCE = 2
_DAYS_SECONDS = 60.0  # so often it is looked whether a day is over
_CLOCK = "clock"  # the signal of a step of the sandbox's clock, after which anything may be due
GRACE_SECONDS = 3.0  # work under way may take so long after SIGTERM; then it is cut, as a crash would
# They have no events of their own; the STR's messages come on the stream of the SPI.
_WITHOUT_STREAM = frozenset({BOOK, MESSAGES, TED})
_log = structlog.get_logger(__name__)


async def run_worker(settings: Settings) -> None:
    """Runs until SIGTERM, SIGINT or the parent's end; stops within 5 s. StartRefused: nothing was started."""
    crash.install(settings.crash_at)
    stop = asyncio.Event()
    signals = notify.Signals()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    metrics = Metrics(settings.metrics_endpoints)
    tracer = metrics.tracer = tracer_of(settings.watching, "lastro-worker", time.time_ns, os.urandom)
    on_commit = signals.on_commit if tracer is None else tracer.observing(signals.on_commit)

    def hear(done: work_queue.Worked) -> None:
        if tracer is not None:
            tracer.worked(done)
        logs.worked(done)
        metrics.worked(done)

    assembled = assemble(settings, on_commit, hear)
    metrics.pools, metrics.runner = {"app": assembled.database, "work": assembled.work}, assembled.runner
    metrics.watch = Watch(assembled.work)
    metrics.banks = lambda: figures_of(assembled.at_banks.lines.values(), machine_now())
    watching = asyncio.ensure_future(watch_parent(stop.set)) if settings.has_parent else None
    try:
        keep_what_is_built()
        async with telling(tracer):
            await work(assembled, settings, signals, stop, hear, metrics)
    finally:
        if watching is not None:
            watching.cancel()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def work(
    assembled: Worker, settings: Settings, signals: notify.Signals, stop: asyncio.Event,
    hear: work_queue.OnWorked = work_queue.ignore_worked, metrics: Metrics | None = None,
) -> None:  # fmt: skip
    """Runs every queue until stop.

    signals: notified by the assembled runner's commits. hear: how work ended; metrics: of it.
    """
    heart = rollback_check.Heart(assembled.database, rollback_check.Memory(settings.home), settings.mode)
    try:
        await admit(assembled.database, assembled.work, settings, assembled.key_ring, stop, heart)
        if not stop.is_set():
            declare = partial(declare_all, settings.connections, assembled.work, assembled.runner)
            await once_it_answers(declare, stop)
            running = _lanes(assembled, settings, signals, stop, hear, {} if metrics is None else metrics.streams)
            running.append(keep("beats", partial(heart.round, stop), stop, pause=rollback_check.EVERY_SECONDS))
            if metrics is not None and settings.worker_metrics_port is not None:
                running.append(_watched(assembled, settings, metrics, stop))
            await _run_all(running, signals, stop)
            heart.demand()
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await assembled.close()


async def _watched(assembled: Worker, settings: Settings, metrics: Metrics, stop: asyncio.Event) -> None:
    from lastro.app.metrics_server import watched  # noqa: PLC0415 a server is loaded only where one is asked for

    await _restarted("metrics", lambda: watched(settings, assembled.database, metrics, assembled.chance.bytes, stop), stop)


def _lanes(
    assembled: Worker, settings: Settings, signals: notify.Signals, stop: asyncio.Event, hear: work_queue.OnWorked,
    streams: dict[str, float],
) -> list[Coroutine[Any, Any, None]]:  # fmt: skip
    """Returns every queue's task, which runs until stop. streams: by rail, the time of its last message."""
    database, work_database, runner = assembled.database, assembled.work, assembled.runner
    handler = Handler(database, work_database, runner, assembled.chance, assembled.inbox_verbs, hear)
    feed = None if settings.feed_days is None else timedelta(days=settings.feed_days)
    quiet = upkeep.Upkeep(database, work_database, feed)
    stand = med.Stand(place_of(settings).institution, settings.disputing)
    collector = collecting.Collecting(database, work_database, runner, stand, hear)
    enterer = entry_posting.Entering(database, work_database)
    for seen in (quiet.seen, collector.seen, enterer.seen):
        signals.listen(seen)
    wake, due_poller = _hinted(assembled.deliverer, signals), DuePoller(work_database)
    plan_lane = QueueWorker(
        PLAN_LANE, database, work_database, assembled.chance, assembled.planner.row, at_once=_PLANS_AT_ONCE
    )
    statement_lane = QueueWorker(
        STATEMENT_LANE, database, work_database, assembled.chance, assembled.reconciler.row, at_once=_STATEMENTS_AT_ONCE
    )
    running = [
        *(
            queue
            for name in assembled.rails
            for queue in _of_rail(name, assembled, settings, signals, due_poller, stop, hear, handler.queue, streams)
        ),
        _leased("inbox", handler.queue, stop, signals.event(notify.INBOX), due_poller),
        _restarted("deliveries", lambda: assembled.deliverer.run(stop, wake), stop),
        _restarted("hints", lambda: notify.receive_signals(settings.app, signals, stop), stop),
        _leased("plans", plan_lane, stop, signals.event(_CLOCK), due_poller),
        keep("days", assembled.reconciler.begin, stop, signals.event(_CLOCK), pause=_DAYS_SECONDS),
        _leased("statements", statement_lane, stop, signals.event(_CLOCK), due_poller),
        keep("folding", quiet.fold_active, stop, pause=upkeep.FOLD_EVERY_SECONDS),
        keep("folding all", quiet.fold_all, stop, pause=upkeep.FOLD_ALL_EVERY_SECONDS),
        keep("collecting", collector.active, stop, pause=collecting.EVERY_SECONDS),
        keep("collecting all", collector.everywhere, stop, pause=collecting.ALL_EVERY_SECONDS),
        keep("entering", enterer.active, stop, pause=entry_posting.EVERY_SECONDS),
        keep("entering all", enterer.everywhere, stop, pause=entry_posting.ALL_EVERY_SECONDS),
        keep("forgetting", quiet.forget, stop, pause=upkeep.FORGET_EVERY_SECONDS),
        *(
            _swept(
                due.name,
                Sweep(due, work_database, runner, hear, lambda: assembled.chance.bytes(1)[0] % BEGINS),
                stop,
                due_poller.watch(signals.event(_CLOCK), due.find_sql),
            )
            for due in assembled.dues
        ),
        keep("bank list", partial(upkeep.renew, assembled.banks, database), stop, pause=upkeep.RENEW_EVERY_SECONDS),
        keep("repairing", upkeep.repairing(database, work_database), stop, pause=upkeep.REPAIR_EVERY_SECONDS),
        keep("outlook", due_poller.round, stop, signals.event(_CLOCK)),
    ]
    if (hours := settings.watching.law_hours) is not None:
        running.append(keep("laws", LawReader(settings.audit, database, hours, stop).round, stop, pause=LAWS_SECONDS))
    if assembled.rotating is not None:
        running.append(keep("keys", assembled.rotating, stop, pause=upkeep.ROTATE_EVERY_SECONDS))
    if assembled.stepping is not None:
        running.append(keep("clock", _rung(assembled.stepping, signals), stop, signals.event(_CLOCK)))
    return running


def _of_rail(
    name: str, assembled: Worker, settings: Settings, signals: notify.Signals, due_poller: DuePoller, stop: asyncio.Event,
    hear: work_queue.OnWorked, news: QueueWorker, streams: dict[str, float],
) -> list[Coroutine[Any, Any, None]]:  # fmt: skip
    """Returns a rail's own tasks: its inbox, its outbox and its questions.

    Each rail has its own, so that a silent one makes no other wait.
    """
    database, work_database, rail = assembled.database, assembled.work, assembled.rails[name]
    outbox = notify.outbox_of(name)
    inbox = Inbox(database, work_database, assembled.chance, settings.ispb, name, assembled.runner.now)

    health = Health(database, name, time.monotonic)

    def on_worked(done: work_queue.Worked) -> None:
        hear(done)
        if name in COLLECTING:
            health.on_worked(done)
        if name == BOOK:  # its messages are in an inbox already
            signals.notify_workers(notify.INBOX)

    sender = Sender(
        database, work_database, assembled.runner, assembled.chance, name, rail, on_worked, assembled.held_back,
        assembled.early,
        whose=None if settings.watching.otlp_url is None else WHOSE, needs=assembled.needs,
    )  # fmt: skip
    poller = StatusPoller(database, work_database, inbox, name, rail, assembled.waiting.get(name, ()))

    if name not in _WITHOUT_STREAM:
        streams[name] = time.monotonic()

    async def keep_message(messages: Sequence[NetworkMessage]) -> None:
        if messages and await inbox.keep_and_take(messages, news):
            signals.notify_workers(notify.INBOX)
        streams[name] = time.monotonic()  # a message that cannot be stored counts as not received

    async def ask() -> bool:
        asked = await poller.round()
        if asked:
            signals.notify_workers(notify.INBOX)
            signals.notify_workers(outbox)
        return asked

    return [
        _restarted(f"network {name}", lambda: rail.listen(keep_message, stop), stop),
        _leased(f"outbox {name}", sender.queue, stop, signals.event(outbox), due_poller),
        keep(f"asking {name}", ask, stop, due_poller.watch(signals.event(_CLOCK), *poller.first_sql), pause=_UNTOLD_SECONDS),
        keep(f"health {name}", health.write_down, stop, health.bell),
        *(_restarted(f"nights {name}", partial(night.run, stop), stop) for night in assembled.at_banks.nights(name)),
    ]


def _rung(stepping: Callable[[], Awaitable[bool | None]], signals: notify.Signals) -> Callable[[], Awaitable[bool]]:
    """Wakes every queue at each step of the clock. So a month costs no second for each instant in it."""

    async def step() -> bool:
        moved = await stepping()
        if moved:
            signals.notify_workers(_CLOCK)
            signals.notify_all()
        return moved is not None  # without a target the next look is at the next notification

    return step


def _hinted(deliverer: Deliverer, signals: notify.Signals) -> asyncio.Event:
    """Returns the deliverer's wake event.

    A notification that names its company costs one company's numbering, any other a sweep.
    """
    wake = asyncio.Event()

    def hinted(topic: str, company_id: UUID | None) -> None:
        if topic == notify.EVENTS and company_id is None:
            wake.set()
        elif topic == notify.EVENTS and company_id is not None:
            deliverer.hint([company_id])

    signals.listen(hinted)
    return wake


async def _run_all(running: list[Coroutine[Any, Any, None]], signals: notify.Signals, stop: asyncio.Event) -> None:
    tasks = [asyncio.ensure_future(queue) for queue in running]
    try:
        _log.info("worker.started", lanes=len(tasks))
        await stop.wait()
        signals.notify_all()
        await asyncio.wait(tasks, timeout=GRACE_SECONDS)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        _log.info("worker.stopped")


async def _leased(name: str, queue: QueueWorker, stop: asyncio.Event, wake: notify.Bell, due_poller: DuePoller) -> None:
    """Runs a queue of concurrent rows; at the end they are awaited."""
    due_poller.watch(wake, queue.first_sql)
    try:
        await keep(name, partial(queue.round, wake), stop, wake, pause=_UNTOLD_SECONDS)
    finally:
        await queue.rest()


async def _swept(name: str, sweep: Sweep, stop: asyncio.Event, wake: asyncio.Event) -> None:
    """Runs a sweep of concurrent rows; at the end they are awaited. Rows that take too long are cut."""
    try:
        await keep(name, sweep.round, stop, wake, pause=_UNTOLD_SECONDS)
        await sweep.rest()
    finally:
        await sweep.cut()


async def keep(
    name: str,
    act: Callable[[], Awaitable[bool]],
    stop: asyncio.Event,
    wake: asyncio.Event | None = None,
    *,
    pause: float = SWEEP_SECONDS,
) -> None:
    """Acts again and again until stop: at once when there was something, else when woken or after `pause` seconds.

    No failure ends it; after failures in a row it waits 1, 2, 4 … 60 s, for a database that is away at most 5.
    """
    failures = 0
    with FirstOf(stop, *(() if wake is None else (wake,))) as first:
        while not stop.is_set():
            if wake is not None:
                wake.clear()
            try:
                again = await act()
                failures = 0
            except Exception as error:  # noqa: BLE001 a queue that ends would leave its work to nobody
                failures += 1
                _tell(name, error, failures)
                await _pause(stop, pause_after(failures, error))
                continue
            if not again:
                await first.wait(pause)


async def _restarted(name: str, run: Callable[[], Awaitable[None]], stop: asyncio.Event) -> None:
    """Runs a task until stop, and restarts it after an exception."""
    failures = 0
    while not stop.is_set():
        try:
            await run()
        except Exception as error:  # noqa: BLE001 as in keep
            failures += 1
            _tell(name, error, failures)
            await _pause(stop, pause_after(failures, error))


def _tell(name: str, error: Exception, failures: int) -> None:
    if isinstance(error, DatabaseAway):
        _log.warning("database.away", lane=name, reason=str(error), failures=failures)
    elif isinstance(error, Stale):
        _log.warning("lane.overtaken", lane=name, reason=str(error), failures=failures)
    else:
        _log.error("lane.broke", lane=name, failures=failures, exc_info=error)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    """Waits `seconds`, or until stop."""
    with FirstOf(stop) as first:
        await first.wait(seconds)
