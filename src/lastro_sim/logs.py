"""One JSON log line for each request: caller, request and outcome.

It never has a name, a document or a body. The line has the fields that lastro's own logs have, and the x-request-id that
lastro sent: one id leads through both.
"""

import asyncio
import logging
import re
import traceback
from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec
from litestar.types import ASGIApp, Receive, Send

from lastro_sim.clock import printed

if TYPE_CHECKING:
    from lastro_sim.network import Network

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
UNKNOWN = "unknown"  # the path of a request that no route was found for
READS = frozenset({"GET", "HEAD"})
_NETWORK_ID = re.compile(r"[ED][0-9A-Z][0-9A-Za-z]{0,30}\Z")  # a path may hold anything: what looks like one is told
_REQUEST_ID = re.compile(rb"[\x21-\x7e]{1,128}\Z")
_CUT = "Cancel %s running task(s)"  # uvicorn, of those who still wait when it stops

# Takes one line: its level and its fields.
Say: TypeAlias = Callable[[str, dict[str, Any]], None]
_present: ContextVar[dict[str, Any] | None] = ContextVar("lastro_sim_request", default=None)


def ignore_worked(_level: str, _fields: dict[str, Any]) -> None:
    """Nobody listens."""


def about(network_id: str) -> None:
    """Notes the endToEndId or return id of the present request."""
    fields = _present.get()
    if fields is not None:
        fields["network_id"] = network_id


def subject() -> str | None:
    """Returns the present request's endToEndId or return id, if known yet."""
    fields = _present.get()
    return None if fields is None else fields.get("network_id")


def lines(write: Callable[[bytes], object], now: Callable[[], int], least: str) -> Say:
    """Returns a writer of lines from a level on. now: machine time in microseconds since 1970. least: one of LEVELS."""

    def say(level: str, fields: dict[str, Any]) -> None:
        if LEVELS[level] >= LEVELS[least]:
            write(msgspec.json.encode(fields | {"level": level, "timestamp": printed(now())}) + b"\n")

    return say


class Noted:
    """Middleware that logs a line for each request."""

    def __init__(self, app: ASGIApp, network: "Network", say: Say) -> None:
        self._app = app
        self._network = network
        self._say = say

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Passes the request on and logs its answer; returns the caller's x-request-id."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        request_id = given if _REQUEST_ID.match(given) else self._network.chance.uuid().encode()
        fields: dict[str, Any] = {"event": "request", "request_id": request_id.decode(), "method": scope["method"]}
        status = 0

        async def answer(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                await self._network.store.committed()
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id)]
            await send(message)

        _present.set(fields)
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            await self._app(scope, receive, answer)
        finally:
            _place(fields, scope)
            fields |= {"status": status, "duration_ms": round((clock() - begun) * 1000, 2)}
            self._say("debug" if status < 400 and scope["method"] in READS else "info", fields)


def _place(fields: dict[str, Any], scope: MutableMapping[str, Any]) -> None:
    """Notes the route and the id in its path."""
    fields["path"] = scope.get("path_template") or UNKNOWN
    path: dict[str, Any] = scope.get("path_params") or {}
    for name in ("end_to_end_id", "return_id"):
        if name in path and _NETWORK_ID.match(str(path[name])):
            fields["network_id"] = str(path[name])


class Libraries(logging.Handler):
    """A handler of library logs: their template without values, and exceptions' origins."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one line."""
        fields = {"event": str(record.msg).partition("\n")[0][:200], "logger": record.name}
        present = _present.get()
        if present is not None:
            fields["request_id"] = present["request_id"]
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            frames = traceback.extract_tb(error.__traceback__)[-12:]
            where = (f"{frame.filename.rpartition('site-packages/')[2]}:{frame.lineno} {frame.name}" for frame in frames)
            fields["exception"] = f"{type(error).__name__} {' < '.join(where)}"
        level = record.levelname.lower()
        if isinstance(error, asyncio.CancelledError) or fields["event"].startswith(_CUT):
            level = "debug"  # whoever waits for news is cut off when the simulator stops: nothing has failed
        self._say(level if level in LEVELS else "error", fields)
