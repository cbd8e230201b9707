"""A proxy on loopback that carries tunnels where a test says, and remembers what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from .loopback import Receiver, receiver


class Tunnels:
    """What the proxy does with a connection. `ways`: a place that may be asked for, and the port here that it stands for."""

    def __init__(self, ways: Mapping[str, int]) -> None:
        self._ways = ways
        self.heads: list[str] = []

    @property
    def places(self) -> list[str]:
        """What was asked for, in order."""
        return [head.split(" ")[1] for head in self.heads]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        method, place, _ = head.split(" ", 2)
        if method != "CONNECT" or place not in self._ways:
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._ways[place])
        writer.write(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n")
        await asyncio.gather(_carry(reader, far_writer), _carry(far_reader, writer))


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def proxy(ways: Mapping[str, int]) -> AsyncIterator[tuple[Tunnels, Receiver]]:
    tunnels = Tunnels(ways)
    async with receiver(tunnels.serve) as at:
        yield tunnels, at
