"""The protocol of the simulator's server: an answer leaves in one piece.

uvicorn writes head and body apart. Each is a packet, for which the caller wakes up.
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class WholeAnswers(HttpToolsProtocol):
    """HTTP whose writes of one turn of the loop leave together."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins a connection."""
        super().connection_made(cast("asyncio.Transport", _Gathering(transport, self.loop)))


class _Gathering:
    """A transport that writes at the next turn of the loop. In all else it is the transport beneath it."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Keeps data until the next turn."""
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        """Closes once everything is written."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def _flush(self) -> None:
        if self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            self._transport.write(data)
