"""Traces: what tasks have done goes to a collector, by OTLP over HTTP, a batch at a time. Nobody waits for it."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

import aiohttp
import structlog

from lastro.core import trace
from lastro.observability.spans import TaskSpan
from lastro.standards import traces

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from lastro.api_kit.http import RequestNotes
    from lastro.config.watching import Watching
    from lastro.core.work_queue import Worked
    from lastro.core.write import Write
    from lastro.standards.traces import Span

_EVERY_SECONDS = 1.0
_AT_ONCE = 512  # spans of a batch
MOST_WAITING = 8192  # spans: some megabytes, when the collector is away
_TIMEOUT_SECONDS = 5.0
_FAREWELL_SECONDS = 1.0
_GOOD = range(200, 300)
_AGAIN = frozenset({429, 502, 503, 504})  # OTLP/HTTP: what may be sent again
_BROKEN = frozenset({"broke", "not_sent", "refused", "alarmed", "failed"})
_log = structlog.get_logger(__name__)


class Tracer:
    """Collects one process's spans and exports them. service: the process's name.

    one_in: of so many traces one is kept. exported, dropped: how many spans arrived at the collector, and how many never
    will.
    """

    def __init__(
        self, url: str, service: str, one_in: int, clock: Callable[[], int], random: Callable[[int], bytes]
    ) -> None:
        self.exported = self.dropped = 0
        self._url = url
        self._service = service
        self._one_in = one_in
        self._clock = clock
        self._random = random
        self._waiting: deque[Span] = deque()
        self._is_away = False

    def trail(self, caller: str | None) -> TaskSpan:
        """Begins the trace of a task. caller: the traceparent of its request."""
        return TaskSpan(self._clock, self._random, self._one_in, caller)

    def observing(self, on_commit: Callable[[Write], None]) -> Callable[[Write], None]:
        """Returns a listener that notes each Write in the present trace. It then calls `heard`."""

        def observe(write: Write) -> None:
            if isinstance(left := trace.trail(), TaskSpan):
                made = {row.values["reference_id"] for row in write.rows if row.table == "history"}
                moved = {move.id for move in write.moves}
                left.wrote(*({one for one in ids if isinstance(one, UUID)} for ids in (made, moved)))
            on_commit(write)

        return observe

    def request(self, seen: RequestNotes, status: int) -> None:
        """Ends the trace of an answered request."""
        self._end(
            f"{seen.method} {seen.path}", "server", is_failed=status >= 500,
            attributes={
                "http.request.method": seen.method, "http.route": seen.path, "http.response.status_code": status,
                "lastro.request_id": seen.request_id, "lastro.operation": seen.operation,
                "lastro.company_id": seen.company_id, "lastro.client_id": seen.client_id,
                "lastro.issues": " ".join(seen.issues) or None,
            },
        )  # fmt: skip

    def worked(self, done: Worked) -> None:
        """Ends the trace of a finished piece of a worker's work."""
        self._end(
            f"{done.queue} {done.kind}", "consumer", is_failed=done.outcome in _BROKEN,
            attributes={
                "lastro.lane": done.queue, "lastro.kind": done.kind, "lastro.outcome": done.outcome,
                "lastro.company_id": done.company_id, "lastro.row_id": done.row_id, "lastro.network_id": done.network_id,
                "lastro.sends": done.sends,
            },
        )  # fmt: skip

    def _end(self, name: str, kind: trace.Kind, attributes: dict[str, Any], *, is_failed: bool) -> None:
        if not isinstance(left := trace.trail(), TaskSpan):
            return
        said = {key: value for key, value in attributes.items() if value is not None}
        told = {key: value if isinstance(value, str | int) else str(value) for key, value in said.items()}
        for span in left.end(name, kind, told, is_failed=is_failed):
            if len(self._waiting) < MOST_WAITING:
                self._waiting.append(span)
            else:
                self.dropped += 1

    async def run(self, stop: asyncio.Event) -> None:
        """Exports waiting spans until stop, then the rest if possible. The rest goes as long as the collector takes it."""
        async with aiohttp.ClientSession(trust_env=False, timeout=aiohttp.ClientTimeout(total=_TIMEOUT_SECONDS)) as http:
            while not stop.is_set():
                if not await self._send(http):
                    await _pause(stop, _EVERY_SECONDS)
            while await self._send(http):
                pass

    async def _send(self, http: aiohttp.ClientSession) -> bool:
        """Sends a batch; whether another one may follow at once."""
        batch = list(islice(self._waiting, _AT_ONCE))
        if not batch:
            return False
        body = traces.exported(self._service, version("lastro"), batch)
        try:
            async with http.post(
                self._url, data=body, headers={"content-type": "application/json"}, allow_redirects=False
            ) as answer:
                status, reason = answer.status, f"status {answer.status}"
        except (aiohttp.ClientError, OSError) as broken:
            status, reason = 503, type(broken).__name__
        if status in _AGAIN:
            if not self._is_away:
                _log.warning("traces.collector_away", reason=reason)
            self._is_away = True
            return False
        self._is_away = False
        for _ in batch:
            self._waiting.popleft()
        if status in _GOOD:
            self.exported += len(batch)
        else:
            self.dropped += len(batch)
            _log.warning("traces.refused", reason=reason, count=len(batch))
        return True


def tracer_of(watching: Watching, service: str, clock: Callable[[], int], random: Callable[[int], bytes]) -> Tracer | None:
    """Returns a tracer that records from now on; None without a collector."""
    if watching.otlp_url is None:
        return None
    made = Tracer(watching.otlp_url, service, watching.trace_one_in, clock, random)
    trace.record(made.trail)
    return made


@asynccontextmanager
async def telling(tracer: Tracer | None) -> AsyncIterator[None]:
    """Exports spans inside the `with`. At its end a moment is left for the rest."""
    if tracer is None:
        yield
        return
    stop = asyncio.Event()
    running = asyncio.ensure_future(tracer.run(stop))
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait((running,), timeout=_FAREWELL_SECONDS)
        running.cancel()


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        pass
