"""HTTP as a bench asks it: whole requests over connections that are kept.

The client shares the cores with what it measures, so it does no more than that.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import Final, NamedTuple, cast

CUT: Final = b"cut"  # in place of a status: the connection ended before its answer, or it never came
_LENGTH = re.compile(rb"(?i)content-length: (\d+)")
_PATIENCE_SECONDS = 60.0
_KEPT_SECONDS = 2.0  # a server closes what is idle for 5 s, and might just as a request is on its way


class Answer(NamedTuple):
    """status: its three digits, or CUT."""

    status: bytes
    body: bytes = b""


class _Line(asyncio.Protocol):
    """One connection with at most one request on it; an answer counts when its last byte is here."""

    def __init__(self) -> None:
        self._buffer = b""
        self._answered: asyncio.Future[Answer] | None = None
        self._transport: asyncio.Transport | None = None
        self.is_closed = False
        self.idle_since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own do not descend from it

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, gap, body = self._buffer.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if gap and length and len(body) >= int(length[1]):
            self._buffer = b""
            self._end(Answer(head[9:12], body))

    def connection_lost(self, error: Exception | None) -> None:
        self.is_closed = True
        self._end(Answer(CUT))

    def _end(self, answer: Answer) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(answer)

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    async def ask(self, request: bytes) -> Answer:
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        self._answered = loop.create_future()
        self._transport.write(request)
        late = loop.call_later(_PATIENCE_SECONDS, self._transport.abort)
        try:
            return await self._answered
        finally:
            late.cancel()


class Lines:
    """As many connections to one port of this machine as there are requests at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[_Line] = []

    async def ask(self, request: bytes) -> Answer:
        """What is answered to a whole request, head and body. OSError where nobody listens."""
        line = self._free() or await self._new()
        answer = await line.ask(request)
        if answer.status is not CUT:
            line.idle_since = time.monotonic()
            self._idle.append(line)
        return answer

    def _free(self) -> _Line | None:
        """One on which nothing is; those that are idle too long, or closed, are forgotten."""
        while self._idle:
            line = self._idle.pop()
            if not line.is_closed and time.monotonic() - line.idle_since < _KEPT_SECONDS:
                return line
            line.close()
        return None

    async def _new(self) -> _Line:
        return (await asyncio.get_running_loop().create_connection(_Line, "127.0.0.1", self._port))[1]
