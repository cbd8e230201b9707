"""GET over kept connections, for locations. A paid order asks for one, and aiohttp took an eighth of the order's CPU."""

import asyncio
import ssl
from collections import defaultdict
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import httptools

MOST_AT_ONCE = 100
_PATH = "/%:@!$&'()*+,;=~?"  # stands in a request as it is


class Answer(NamedTuple):
    """A status and a body. The body may be cut behind the most that is wanted."""

    status: int
    body: bytes


class Fetcher:
    """A client of HTTP/1.1 that follows no redirects and keeps its connections."""

    def __init__(self) -> None:
        self._idle: defaultdict[tuple[str, str, int], list[_Connection]] = defaultdict(list)
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._tls: ssl.SSLContext | None = None

    async def get(self, url: str, most: int, seconds: float) -> Answer:
        """Returns the answer at a URL; a longer body than `most` is cut. Else OSError, TimeoutError or ValueError."""
        parts = urlsplit(url)
        scheme, host = parts.scheme, parts.hostname or ""
        at = (scheme, host, parts.port or (443 if scheme == "https" else 80))
        target = quote(parts.path or "/", safe=_PATH) + (f"?{quote(parts.query, safe=_PATH)}" if parts.query else "")
        request = f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: */*\r\n\r\n".encode("ascii")
        async with asyncio.timeout(seconds), self._turns:
            return await self._asked(at, request, most)

    def close(self) -> None:
        """Closes the kept connections."""
        for connections in self._idle.values():
            for connection in connections:
                connection.close()

    async def _asked(self, at: tuple[str, str, int], request: bytes, most: int) -> Answer:
        """Asks on a kept connection; where that had ended, and else, on a new one."""
        while (connection := self._kept(at)) is not None:
            try:
                return await self._asked_on(connection, at, request, most)
            except ConnectionError:
                if connection.has_answered:
                    raise
        scheme, host, port = at
        tls = self._context() if scheme == "https" else None
        _, connection = await asyncio.get_running_loop().create_connection(_Connection, host, port, ssl=tls)
        return await self._asked_on(connection, at, request, most)

    async def _asked_on(self, connection: "_Connection", at: tuple[str, str, int], request: bytes, most: int) -> Answer:
        try:
            answer = await connection.ask(request, most)
        except BaseException:
            connection.close()
            raise
        if connection.is_usable:
            self._idle[at].append(connection)
        return answer

    def _kept(self, at: tuple[str, str, int]) -> "_Connection | None":
        idle = self._idle[at]
        while idle:
            connection = idle.pop()
            if connection.is_usable:
                return connection
        return None

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls


class _Connection(asyncio.Protocol):
    """A connection with at most one request on it. Its parser calls the methods that begin with `on_`."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._transport: Any = None
        self._answered: asyncio.Future[Answer] | None = None
        self._most = 0
        self.has_answered = False
        """Tells whether a byte of the present answer has come."""
        self.is_usable = False
        """Tells whether another request may go out on it."""

    async def ask(self, request: bytes, most: int) -> Answer:
        """Sends a request and returns its answer. ConnectionError: the connection ended, or this is no HTTP."""
        self._answered = asyncio.get_running_loop().create_future()
        self._most, self._status, self._body, self._is_framed = most, 0, b"", False
        self.has_answered = self.is_usable = False
        self._transport.write(request)
        return await self._answered

    def close(self) -> None:
        """Closes the connection."""
        self.is_usable = False
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins."""
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        """Ends the answer; one without a length is whole then."""
        self.is_usable = False
        is_whole = error is None and self._answered is not None and self._status != 0 and not self._is_framed
        self._settle(None if is_whole else ConnectionResetError("the connection ended before its answer"))

    def data_received(self, data: bytes) -> None:
        """Parses data; what nobody has asked for ends the connection."""
        if self._answered is None or self._answered.done():
            self.close()
            return
        self.has_answered = True
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._settle(ConnectionResetError("the answer is no HTTP"))
            self.close()

    def on_header(self, name: bytes, _value: bytes) -> None:
        """Notes whether the body says where it ends."""
        self._is_framed |= name.lower() in (b"content-length", b"transfer-encoding")

    def on_headers_complete(self) -> None:
        """Notes the status."""
        self._status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        """Gathers the body; beyond the most that is wanted the rest is not read."""
        self._body += body
        if len(self._body) > self._most:
            self._settle(None)
            self.close()

    def on_message_complete(self) -> None:
        """Ends an answer that is not a provisional one."""
        if self._status >= 200:
            self.is_usable = self._parser.should_keep_alive() and not self._transport.is_closing()
            self._settle(None)

    def _settle(self, problem: Exception | None) -> None:
        if self._answered is None or self._answered.done():
            return
        if problem is None:
            self._answered.set_result(Answer(self._status, self._body))
        else:
            self._answered.set_exception(problem)
