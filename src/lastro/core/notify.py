"""Notifies workers and other processes of new work.

Nothing relies on these notifications: a worker polls each second. A NOTIFY inside a transaction would put every commit in
one queue, so it is sent after the commit, on a connection of its own.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import UUID

import asyncpg
import structlog

from lastro.core.concurrency import FirstOf
from lastro.core.servers import Servers

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.core.db import Dsn
    from lastro.core.write import Write

CHANNEL = "lastro_work"
OF_A_WORKER = "lastro hints of a worker"  # the session that a worker always has, by which others know that one works
OUTBOX = "outbox"
INBOX = "inbox"
EVENTS = "events"
TOPICS = (INBOX, EVENTS)  # and one of each rail: `outbox_of`

COALESCE_SECONDS = 0.005
_SHORTEST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_STEADY_SECONDS = 5.0  # a connection that lasted so long was a good one
_ASKED_EVERY_SECONDS = 30.0  # a listener does not notice a dead peer by itself
_ANSWERS_WITHIN_SECONDS = 5.0
_MOST_COMPANIES = 100  # noted for one topic
_MOST_NAMES = 200  # in one notification: a payload is less than 8,000 bytes
# InternalClientError is what asyncpg says when it reads the server's farewell between two messages of its own.
_LOST = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, TimeoutError)
_log = structlog.get_logger(__name__)


def outbox_of(rail: str) -> str:
    """Returns the topic of one rail's outbox. Workers of other rails need not poll then."""
    return f"{OUTBOX}.{rail}"


def topics(write: Write) -> frozenset[str]:
    """Returns the queues that a committed Write concerns. A finished inbox row lets the next one about its subject go."""
    found = {outbox_of(m.rail) for m in write.messages}
    if any(f.table == "inbox" for f in write.finished) or any(r.table == "inbox" for r in write.rows):
        found.add(INBOX)
    if write.events:
        found.add(EVENTS)
    return frozenset(found)


class Bell(asyncio.Event):
    """An event that remembers for which companies it was set; `set` is for any of them."""

    def __init__(self) -> None:
        super().__init__()
        self._named: dict[UUID, None] = {}
        self._is_for_any = False

    def set(self) -> None:
        """Sets the event for any company."""
        self._is_for_any = True
        super().set()

    def name(self, company_id: UUID) -> None:
        """Sets the event for this company."""
        self._named[company_id] = None
        super().set()

    def take(self) -> list[UUID]:
        """Returns the companies named since, in order, and clears the event. Empty: any may have work."""
        named = [] if self._is_for_any or len(self._named) > _MOST_COMPANIES else list(self._named)
        self._named.clear()
        self._is_for_any = False
        self.clear()
        return named


class Signals:
    """The signals of one process. A worker of a topic gets an event of its own and clears it before it polls."""

    def __init__(self) -> None:
        self._events: dict[str, list[Bell]] = {}
        self._listeners: list[Callable[[str, UUID | None], None]] = []

    def event(self, topic: str) -> Bell:
        """Returns an event that is set whenever this topic may have work."""
        made = Bell()
        self._events.setdefault(topic, []).append(made)
        return made

    def listen(self, listener: Callable[[str, UUID | None], None]) -> None:
        """Calls the listener with topic and company of every signal. None: it may concern any company."""
        self._listeners.append(listener)

    def on_commit(self, write: Write) -> None:
        """Signals the topics of a committed Write."""
        for topic in topics(write):
            self.notify_workers(topic, write.company_id)

    def notify_workers(self, topic: str, company_id: UUID | None = None) -> None:
        """Signals that this topic may have work."""
        for event in self._events.get(topic, ()):
            if company_id is None:
                event.set()
            else:
                event.name(company_id)
        for listener in self._listeners:
            listener(topic, company_id)

    def notify_all(self) -> None:
        """Signals that every topic may have work."""
        for topic in {*TOPICS, *self._events}:
            self.notify_workers(topic)


class Hinter:
    """Notifies other processes of commits here.

    It sends at most one NOTIFY in 5 ms, on one connection of its own. Notifications that cannot be sent are dropped; workers
    find the rows without them.
    """

    def __init__(self, dsn: Dsn) -> None:
        self._dsn = dsn
        self._pending: defaultdict[str, set[UUID]] = defaultdict(set)
        self._some = asyncio.Event()

    def on_commit(self, write: Write) -> None:
        """Queues the topics of a committed Write. Returns at once."""
        for topic in topics(write):
            self._pending[topic].add(write.company_id)
            self._some.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Tells until stop."""
        await _connected(self._dsn, stop, self._tell)

    async def _tell(self, connection: asyncpg.Connection, stop: asyncio.Event) -> None:
        notify = await connection.prepare("SELECT pg_notify($1, $2)", name="lastro_hint")
        with FirstOf(self._some, stop) as first:
            while not stop.is_set():
                await first.wait(None)
                await asyncio.sleep(COALESCE_SECONDS)
                self._some.clear()
                pending, self._pending = self._pending, defaultdict(set)
                if pending:
                    await notify.fetch(CHANNEL, _payload(pending))


async def receive_signals(dsn: Dsn, signals: Signals, stop: asyncio.Event) -> None:
    """Signals every notification of another process, until stop. A lost connection is made anew."""

    async def listen(connection: asyncpg.Connection, stop: asyncio.Event) -> None:
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(CHANNEL, lambda *told: _ring(signals, told[3]))
        signals.notify_all()  # for notifications that came while it did not listen
        with FirstOf(lost, stop) as first:
            while not (lost.is_set() or stop.is_set()):
                await first.wait(_ASKED_EVERY_SECONDS)
                if not (lost.is_set() or stop.is_set()):
                    await connection.execute("SELECT 1", timeout=_ANSWERS_WITHIN_SECONDS)
        if not stop.is_set():
            raise ConnectionResetError("ended by the server")

    await _connected(dsn, stop, listen, OF_A_WORKER)


def _payload(pending: dict[str, set[UUID]]) -> str:
    """Returns the payload: one line a topic. It has the topic's name, then the companies, unless they are too many."""
    lines, left = [], _MOST_NAMES
    for topic, companies in pending.items():
        named = [str(c) for c in companies] if len(companies) <= min(_MOST_COMPANIES // 2, left) else []
        left -= len(named)
        lines.append(" ".join([topic, *named]))
    return "\n".join(lines)


def _ring(signals: Signals, payload: Any) -> None:
    # Any login may notify; a payload without a readable company may concern any company.
    for line in str(payload).splitlines():
        topic, *companies = line.split()[: _MOST_COMPANIES + 1] or [""]
        for company in companies or [""]:
            try:
                signals.notify_workers(topic, UUID(company))
            except ValueError:
                signals.notify_workers(topic)


async def _connected(
    dsn: Dsn, stop: asyncio.Event, act: Callable[[asyncpg.Connection, asyncio.Event], Any], name: str = "lastro hints"
) -> None:
    """Runs act on a connection of its own, reconnecting until stop. name: of its session at the server."""
    pause, servers, clock = _SHORTEST_PAUSE_SECONDS, Servers(dsn.url), asyncio.get_running_loop().time
    while not stop.is_set():
        connection: asyncpg.Connection | None = None
        began = None
        try:
            settings = {"application_name": name} | ({"role": dsn.role} if dsn.role else {})
            connection = await servers.connect(settings)
            began = clock()
            await act(connection, stop)
        except _LOST as lost:
            _log.warning("hints.connection_lost", reason=str(lost))
        finally:
            if connection is not None:
                connection.terminate()
        # A connection alone proves little: a standby takes the connection, and refuses LISTEN each time.
        if began is not None and clock() - began >= _STEADY_SECONDS:
            pause = _SHORTEST_PAUSE_SECONDS
        if not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
