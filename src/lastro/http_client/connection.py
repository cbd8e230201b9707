"""Limits a connection to one bounded answer for each request.

The parser bounds neither lines and headers, nor the number of heads before the one that counts (RFC 9110 §15.2: any number
of 1xx), nor what stands around the body's bytes, nor what comes behind the body. All of it is bounded here.
"""

from __future__ import annotations

import asyncio
import ssl
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

import httptools

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BEFORE = 65_536  # bytes up to the end of the head that counts
_LONGEST_HEADER = 8190  # bytes of a name and its value
_MOST_HEADERS = 128
_PIECE = 16_384  # so much is read at once, so that little is read in vain when there is too much
# A body in chunks of one byte takes six bytes for each; trailers come on top.
_AROUND_A_BYTE = 8
_SWITCHING = 101
# An answer with one of these redirects, so its body is not read.
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Ended(ConnectionResetError):  # noqa: N818 - reads as what happened
    """The connection ended before the first byte of an answer. From a kept one it says nothing about the receiver."""


class NoAnswer(ConnectionError):  # noqa: N818 - reads as what happened
    """The received bytes are no HTTP answer, or not a whole one."""


class ReceivedAnswer(NamedTuple):
    """An answer. body: up to the limit, and whether that was all of it. The headers as sent; more: those asked for."""

    status: int
    body: bytes
    is_whole: bool
    retry_after: str | None
    cache_control: str | None = None
    date: str | None = None
    more: Mapping[str, str] = MappingProxyType({})


class _Stop(Exception):  # noqa: N818 - the parser's only way to be stopped from inside
    """Stops the parser: nothing behind this is read."""


class Connection(asyncio.Protocol):
    """One connection, with at most one request on it. `most_body_bytes`: of a body. `wanted`: names of further headers."""

    def __init__(self, most_body_bytes: int, wanted: tuple[str, ...] = ()) -> None:
        self._wanted = {name.lower().encode(): name for name in wanted}
        self._most_body = most_body_bytes
        self._most = _MOST_BEFORE + _AROUND_A_BYTE * most_body_bytes
        self._transport: asyncio.Transport | None = None
        self._parser: httptools.HttpResponseParser | None = None
        self._answered: asyncio.Future[ReceivedAnswer] | None = None
        self._keeps = False
        self._begin()

    def _begin(self) -> None:
        self._received = 0
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._begin_head()

    def _begin_head(self) -> None:
        self._status = 0  # until a head is whole that is an answer's
        self._headers = 0
        self._is_framed = False
        self._retry_after: str | None = None
        self._cache_control: str | None = None
        self._date: str | None = None
        self._more: dict[str, str] = {}
        self._trailing: int | None = None  # bytes since a chunk's size, while none of its own have come

    @property
    def may_be_kept(self) -> bool:
        """True if another request may go out on it."""
        return self._keeps and self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes) -> ReceivedAnswer:
        """Sends a whole request and returns its answer. Ended, NoAnswer, OSError: there is none; then hang up."""
        if self._transport is None or self._transport.is_closing():
            raise Ended("the connection has ended")
        self._begin()
        self._keeps = False
        if self._parser is None:
            self._parser = httptools.HttpResponseParser(self)
            # As other clients do: small servers end their lines with LF alone (RFC 9112 §2.2).
            self._parser.set_dangerous_leniencies(lenient_optional_cr_before_lf=True)
        self._answered = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answered

    def hang_up(self) -> None:
        """Closes at once, without sending or reading the rest."""
        self._answered = None
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """Closes in good order: nothing is under way."""
        if self._transport is not None:
            self._transport.close()

    # ── what the connection says ──

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport of the new connection."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own do not descend from it

    def connection_lost(self, error: Exception | None) -> None:
        """Ends the answer; for a body without a length that is its end."""
        self._transport = self._parser = None  # the parser knows the line, and both would wait for the collector
        if self._answered is None:
            return
        if error is None and self._status and not self._is_framed:
            self._settle(is_whole=True)
        elif not self._received and not isinstance(error, ssl.SSLError):
            self._fail(Ended("closed before an answer"))
        else:
            self._fail(error or NoAnswer("closed within an answer"))

    def data_received(self, data: bytes) -> None:
        """Parses data in pieces."""
        if len(data) <= _PIECE:
            self._read(data)
            return
        for start in range(0, len(data), _PIECE):
            if not self._read(data[start : start + _PIECE]):
                return

    def _read(self, piece: bytes) -> bool:
        """Parses a piece; tells whether more may be read."""
        if self._parser is None or not self._is_waited_for():
            self.hang_up()  # nothing may wait here to be taken for the answer to the next request
            return False
        self._received += len(piece)
        try:
            self._parser.feed_data(piece)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            # An answer that is whole stays one, whatever stands behind it.
            self._fail(NoAnswer("no HTTP answer"))
            self.hang_up()
            return False
        if not self._is_waited_for():
            return True
        if self._trailing is not None:
            self._trailing += len(piece)
        if (not self._status and self._received > _MOST_BEFORE) or (self._trailing or 0) > 2 * _PIECE:
            self._fail(NoAnswer("more before or behind an answer than one takes"))
        elif self._received > self._most:
            self._settle(is_whole=False)
        else:
            return True
        self.hang_up()
        return False

    # ── what the parser says ──

    def on_message_begin(self) -> None:
        """Begins a head. An answer has none behind it."""
        if self._answered is None:
            raise _Stop
        self._begin_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Reads one header, of a head or behind the last chunk."""
        self._headers += 1
        if self._headers > _MOST_HEADERS or len(name) + len(value) > _LONGEST_HEADER:
            raise _Stop
        if self._status:
            return
        known = name.lower()
        if known == b"retry-after":
            self._retry_after = self._retry_after or value.decode("latin-1")
        elif known == b"cache-control":
            self._cache_control = self._cache_control or value.decode("latin-1")
        elif known == b"date":
            self._date = self._date or value.decode("latin-1")
        elif known == b"content-length" or (known == b"transfer-encoding" and value.lower().endswith(b"chunked")):
            self._is_framed = True
        elif known in self._wanted:
            self._more.setdefault(self._wanted[known], value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        """Ends a head: it is an answer's unless it is interim (1xx)."""
        assert self._parser is not None
        status = self._parser.get_status_code()
        if status == _SWITCHING or not 100 <= status < 200:
            self._status = status
        if status == _SWITCHING or status in REDIRECTS:
            self._settle(is_whole=True)
            raise _Stop

    def on_chunk_header(self) -> None:
        """Begins a chunk of some size, or the trailers."""
        self._trailing = 0

    def on_body(self, piece: bytes) -> None:
        """Bytes of the body."""
        self._trailing = None
        self._body.append(piece)
        self._body_bytes += len(piece)
        if self._body_bytes > self._most_body:
            self._settle(is_whole=False)
            raise _Stop

    def on_message_complete(self) -> None:
        """Ends the answer, or one of the interim heads before it."""
        if self._status:
            assert self._parser is not None
            self._keeps = self._parser.should_keep_alive()
            self._settle(is_whole=True)

    def _is_waited_for(self) -> bool:
        return self._answered is not None

    def _settle(self, *, is_whole: bool) -> None:
        answered, self._answered = self._answered, None
        if answered is not None and not answered.done():
            body = b"".join(self._body)[: self._most_body]
            answered.set_result(
                ReceivedAnswer(self._status, body, is_whole, self._retry_after, self._cache_control, self._date, self._more)
            )

    def _fail(self, error: Exception) -> None:
        answered, self._answered = self._answered, None
        if answered is not None and not answered.done():
            answered.set_exception(error)
