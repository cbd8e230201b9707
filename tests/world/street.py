"""The receivers of a storm: one server for each way in which strangers' servers behave, and what each of them was sent."""

import asyncio
import itertools
import socket
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from tests.rooms.http_client.loopback import Behaviour, http, read_request, receiver

SUCCESS = http()
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
_GIGABYTE = 1_000_000_000
_MOST_FAILURES = 3  # of one that recovers, fewer than a plan has attempts


@dataclass(frozen=True)
class Kind:
    """A way to behave. ends: status and message of every attempt, None where they are of two kinds.

    is_delivered: whether what is sent there is acknowledged in the end. is_slow: whether an attempt lasts until it is given
    up, so that a storm can afford few of them. sees: whether the receiver reads what is sent.
    """

    name: str
    ends: tuple[int, str] | None
    is_delivered: bool = False
    is_slow: bool = False
    sees: bool = True


KINDS = (
    Kind("good", (200, '{"returnCode":"SUCCESS"}'), is_delivered=True),
    Kind("slow", (200, '{"returnCode":"SUCCESS"}'), is_delivered=True),
    Kind("recovers", None, is_delivered=True),
    Kind("breaks", None, is_delivered=True),
    Kind("hangs", (0, "TIMEOUT"), is_slow=True),
    Kind("drips", (0, "TIMEOUT"), is_slow=True),
    Kind("floods", (200, "TOO_LARGE")),
    Kind("html", (200, "<p>Obrigado!</p>")),
    Kind("cuts", (0, "CONNECTION_CLOSED")),
    Kind("redirects", (307, "REDIRECT")),
    Kind("impostor", (0, "TLS_FAILURE"), sees=False),
    Kind("gone", (0, "CONNECTION_REFUSED"), sees=False),
    Kind("refused", (0, "ADDRESS_REFUSED"), sees=False),
    Kind("metadata", (0, "ADDRESS_REFUSED"), sees=False),
)
BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass
class Request:
    """A delivery as it came. at: its place among all readings and answers; said_yes: that of its acknowledgement.

    seconds: the time of day at which it was read.
    """

    kind: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: int
    seconds: float
    said_yes: int | None = None

    @property
    def event_id(self) -> str:
        return self.headers["x-event-id"]

    @property
    def attempt(self) -> int:
        return int(self.headers["x-delivery-attempt"])


async def say(writer: asyncio.StreamWriter, raw: bytes) -> None:
    """ConnectionResetError: whoever asked has gone, which its stream alone does not tell."""
    if writer.is_closing():
        raise ConnectionResetError
    writer.write(raw)
    await writer.drain()


class Street:
    """Every receiver, and every request that one of them has read, in order."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.bases: dict[str, str] = {}
        self.trapped = 0
        self._ticks = itertools.count(1)
        self._tries: Counter[str] = Counter()
        self._trap_port = 0

    def tick(self) -> int:
        return next(self._ticks)

    async def read(self, kind: str, reader: asyncio.StreamReader) -> Request:
        first, headers, body = await read_request(reader)
        request = Request(kind, first.split(" ")[1], headers, body, self.tick(), time.time())
        self.requests.append(request)
        return request

    async def acknowledge(self, request: Request, writer: asyncio.StreamWriter) -> None:
        await say(writer, SUCCESS)
        request.said_yes = self.tick()

    async def good(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await self.acknowledge(await self.read("good", reader), writer)

    async def slow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            request = await self.read("slow", reader)
            await asyncio.sleep(0.2)
            await self.acknowledge(request, writer)

    async def recovers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Fails a few times, which the event's id decides, then acknowledges."""
        while True:
            request = await self.read("recovers", reader)
            self._tries[request.event_id] += 1
            if self._tries[request.event_id] > int(request.event_id[-1], 16) % (_MOST_FAILURES + 1):
                await self.acknowledge(request, writer)
            else:
                await say(writer, http(b"busy", "503 Service Unavailable", "Retry-After: 90\r\n"))

    async def breaks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Acknowledges, and is gone: whether its word arrives is luck. The last tries of a plan are answered in peace."""
        request = await self.read("breaks", reader)
        self._tries[request.event_id] += 1
        await self.acknowledge(request, writer)
        if self._tries[request.event_id] < _MOST_FAILURES:
            writer.transport.abort()

    async def hangs(self, reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await self.read("hangs", reader)
        await reader.read()

    async def drips(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.read("drips", reader)
        await say(writer, _HEAD % 24)
        for byte in b'{"returnCode":"SUCCESS"}':
            await say(writer, bytes([byte]))
            await asyncio.sleep(1)

    async def floods(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.read("floods", reader)
        await say(writer, _HEAD % _GIGABYTE)
        while True:
            await say(writer, b"x" * 65536)

    async def html(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await self.read("html", reader)
            await say(writer, http(b"<p>Obrigado!</p>", more="Content-Type: text/html\r\n"))

    async def cuts(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.read("cuts", reader)
        await say(writer, SUCCESS[:-5])

    async def redirects(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            request = await self.read("redirects", reader)
            inside = ("http://169.254.169.254/latest", f"http://127.0.0.1:{self._trap_port}/")
            location = f"Location: {inside[request.at % 2]}\r\n"
            await say(writer, http(b"there", "307 Temporary Redirect", location))

    async def trap(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.trapped += 1

    async def open(self, stack: AsyncExitStack, tls: ssl.SSLContext) -> None:
        served: dict[str, Behaviour] = {
            kind.name: getattr(self, kind.name) for kind in KINDS if kind.sees
        }  # each of which is the method of its name
        for name, behaviour in served.items():
            made = await stack.enter_async_context(receiver(behaviour))
            self.bases[name] = f"http://127.0.0.1:{made.port}"
        impostor = await stack.enter_async_context(receiver(self.trap, tls))
        self.bases["impostor"] = f"https://127.0.0.1:{impostor.port}"
        self._trap_port = (await stack.enter_async_context(receiver(self.trap))).port
        self.bases["refused"] = f"http://0.0.0.0:{self._trap_port}"  # which Linux would take for loopback
        self.bases["metadata"] = "http://169.254.169.254"
        ignore_worked = stack.enter_context(socket.socket())
        ignore_worked.bind(("127.0.0.1", 0))
        self.bases["gone"] = f"http://127.0.0.1:{ignore_worked.getsockname()[1]}"


@asynccontextmanager
async def street(tls: ssl.SSLContext) -> AsyncIterator[Street]:
    async with AsyncExitStack() as stack:
        made = Street()
        await made.open(stack, tls)
        yield made
