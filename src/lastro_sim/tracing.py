"""Traces of the simulator's requests, sent to lastro's collector.

A request belongs to the trace that it names. Later work, by the clock or by a person at the telephone, belongs to the trace
that last mentioned the payment.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from contextvars import ContextVar
from importlib.metadata import version
from itertools import islice
from typing import Any

import aiohttp
from litestar.types import ASGIApp, Receive, Send

from lastro.standards import traces
from lastro.standards.traces import Context, Kind, Span
from lastro_sim import logs

SERVICE = "lastro-sim"
EVERY_SECONDS = 1.0
AT_ONCE = 512
MOST_WAITING = 8192
MOST_SUBJECTS = 10_000
_present: ContextVar[Context | None] = ContextVar("lastro_sim_trace", default=None)


class Tracer:
    """A sender of spans to the collector.

    url: the collector's. now: nanoseconds since 1970. octets: for the ids of spans.
    """

    def __init__(self, url: str, now: Callable[[], int], octets: Callable[[int], bytes]) -> None:
        self.url = url
        self.now = now
        self.octets = octets
        self._waiting: deque[Span] = deque()
        self._of_subjects: OrderedDict[str, Context] = OrderedDict()

    def remember(self, subject: str, context: Context) -> None:
        """Assigns later work on this subject to that trace."""
        self._of_subjects[subject] = context
        self._of_subjects.move_to_end(subject)
        if len(self._of_subjects) > MOST_SUBJECTS:
            self._of_subjects.popitem(last=False)

    def told(self, kind: str, subject: str | None) -> None:
        """Adds a span for a message to a participant."""
        context = _present.get() or self._of_subjects.get(subject or "")
        if context is not None and context.is_sampled:
            about = {"lastro.kind": kind} | ({"lastro.network_id": subject} if subject else {})
            now = self.now()
            self.add(f"tell {kind}", "producer", context, self.octets(8), now, now, about)

    def add(
        self, name: str, kind: Kind, parent: Context, span_id: bytes, began: int, ended: int,
        attributes: dict[str, str | int | bool] | dict[str, str], *, is_failed: bool = False,
    ) -> None:  # fmt: skip
        """Adds a span under the parent; drops it where too many wait. The first ones in the queue may be on their way."""
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(
                Span(name, kind, parent.trace_id, span_id, parent.span_id, began, ended, dict(attributes), is_failed)
            )

    async def run(self) -> None:
        """Sends the spans to the collector for ever; cancelled, sends the rest."""
        async with aiohttp.ClientSession(trust_env=False, timeout=aiohttp.ClientTimeout(total=2.0)) as http:
            try:
                while True:
                    await asyncio.sleep(EVERY_SECONDS)
                    await self._send(http)
            finally:
                await self._send(http)

    async def _send(self, http: aiohttp.ClientSession) -> None:
        while batch := list(islice(self._waiting, AT_ONCE)):
            try:
                body = traces.exported(SERVICE, version("lastro"), batch)
                async with http.post(self.url, data=body, headers={"content-type": "application/json"}) as answer:
                    if answer.status >= 500:
                        return  # the collector may be back in a second
            except (aiohttp.ClientError, OSError):
                return
            for _ in batch:
                self._waiting.popleft()


class Traced:
    """Middleware with a span for each request whose traceparent is sampled."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Passes the request on and records its span."""
        headers = dict(scope["headers"]) if scope["type"] == "http" else {}
        parent = traces.read(headers.get(traces.HEADER.encode(), b"").decode("latin-1"))
        if parent is None:
            await self._app(scope, receive, send)
            return
        tracer = self._tracer
        own = Context(parent.trace_id, tracer.octets(8), parent.is_sampled)
        began, status = tracer.now(), 0

        async def answer(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        _present.set(own)
        try:
            await self._app(scope, receive, answer)
        finally:
            path = scope.get("path_template") or logs.UNKNOWN
            subject = logs.subject()
            if subject is not None:
                tracer.remember(subject, own)
            if parent.is_sampled:
                about = {
                    "http.request.method": scope["method"], "http.route": path, "http.response.status_code": status,
                    **({} if subject is None else {"lastro.network_id": subject}),
                }  # fmt: skip
                name = f"{scope['method']} {path}"
                failed = status >= 500
                tracer.add(name, "server", parent, own.span_id, began, tracer.now(), about, is_failed=failed)
