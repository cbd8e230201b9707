"""Servers on loopback that do what a test says, and names that resolve to what it says."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
CLOSE = "Connection: close\r\n"
JSON = {"content-type": "application/json"}


class Names:
    """A resolver whose answers are written down: the first for the first question, the last for all others."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def addresses(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class Receiver:
    """A server that does what a test says with each connection and remembers what it was sent."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._held: set[asyncio.StreamWriter] = set()
        self.connections = 0
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._held.add(writer)
        try:
            await self._behaviour(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._held.discard(writer)
            writer.close()

    def hang_up(self) -> None:
        for writer in self._held:
            writer.transport.abort()


@asynccontextmanager
async def receiver(behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    made = Receiver(behaviour)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=tls, backlog=512)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        made.hang_up()


async def read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return first, headers, await reader.readexactly(int(headers.get("content-length", "0")))


def answers(raw: bytes, *, then_close: bool = False) -> Behaviour:
    """Answers every request of a connection with the same bytes."""

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            writer.write(raw)
            await writer.drain()
            if then_close:
                return

    return behave


def http(body: bytes = b'{"returnCode":"SUCCESS"}', status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body
