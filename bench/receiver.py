"""A receiver of notifications that does nothing but acknowledge, in a process of its own so that its work is not ours.

Run as a program it takes one order a line from its standard input and answers each with one line.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import uvloop
from yarl import URL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_EVENT = re.compile(rb"(?i)\r\nx-event-id: *([0-9a-f-]{36})")
_BODY = b'{"returnCode":"SUCCESS"}'
ACKNOWLEDGED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
_MOST_LINE = 64 * 1024 * 1024  # an answer's line: all stamps of a run


class _Counts:
    """What all connections have seen. stamps: the first byte of each event's first request, while that is asked for."""

    def __init__(self) -> None:
        self.answered: dict[int, int] = {}
        self.stamps: dict[str, float] | None = None


class _Line(asyncio.Protocol):
    """One connection with at most one request on it."""

    def __init__(self, counts: _Counts, port: int) -> None:
        self._counts = counts
        self._port = port
        self._buffer = b""
        self._began = 0.0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own do not descend from it

    def data_received(self, data: bytes) -> None:
        if not self._buffer:
            self._began = time.monotonic()
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        length = _LENGTH.search(self._buffer, 0, end + 2) if end >= 0 else None
        if length is None or len(self._buffer) < end + 4 + int(length[1]):
            return
        if self._counts.stamps is not None and (event := _EVENT.search(self._buffer)):
            self._counts.stamps.setdefault(event[1].decode(), self._began)
        self._buffer = b""
        self._counts.answered[self._port] += 1
        assert self._transport is not None
        self._transport.write(ACKNOWLEDGED)


class _Hanging(asyncio.Protocol):
    """Accepts and never answers."""


class Receiver:
    """The process as whoever measures sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid

    async def _ask(self, order: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        return json.loads(await self._process.stdout.readline())

    async def listen(self, ports: int = 1, *, hangs: bool = False) -> list[str]:
        """The URLs of so many new endpoints."""
        opened = await self._ask({"open": ports, "hangs": hangs})
        return [f"http://127.0.0.1:{port}/webhooks" for port in opened]

    async def answered(self, urls: Sequence[str]) -> int:
        """Requests acknowledged until now by these endpoints."""
        counts = await self._ask({"answered": True})
        return sum(counts[str(URL(url).port)] for url in urls)

    async def stamps(self) -> dict[str, float]:
        """The monotonic time of the first byte of each event since this was asked last, by the event's id."""
        found: dict[str, float] = await self._ask({"stamps": True})
        return found


@asynccontextmanager
async def receiver() -> AsyncIterator[Receiver]:
    """A receiver without endpoints yet."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.receiver", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        limit=_MOST_LINE,
    )  # fmt: skip
    try:
        yield Receiver(process)
    finally:
        process.kill()
        await process.wait()


async def _obey(order: dict[str, Any], counts: _Counts, servers: list[asyncio.Server]) -> Any:
    if "open" in order:
        return [await _opened(counts, servers, hangs=order["hangs"]) for _ in range(order["open"])]
    if "stamps" in order:
        seen, counts.stamps = counts.stamps or {}, {}
        return seen
    return counts.answered


async def _opened(counts: _Counts, servers: list[asyncio.Server], *, hangs: bool) -> int:
    port = 0

    def line() -> asyncio.Protocol:
        return _Hanging() if hangs else _Line(counts, port)

    server = await asyncio.get_running_loop().create_server(line, "127.0.0.1", 0, backlog=1024)
    servers.append(server)
    port = int(server.sockets[0].getsockname()[1])
    counts.answered[port] = 0
    return port


async def _main() -> None:
    counts = _Counts()
    servers: list[asyncio.Server] = []
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        print(json.dumps(await _obey(json.loads(line), counts, servers)), flush=True)


if __name__ == "__main__":
    uvloop.run(_main())
