"""A connection that shows a certificate, writes slowly, or breaks off.

The outgoing client does none of these. This one goes where that would go: the same check of the URL and of every address,
one address, no redirects.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httptools
from yarl import URL

from lastro.http_client import Failure, Outcome, SystemResolver, address_allowed, port_allowed, url_problem
from lastro_tools.certify.model import Pace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lastro.http_client import Resolver
    from lastro_tools.certify.model import Request

_PIECES = 20
_CLOSING_SECONDS = 1
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Unreached(Exception):  # noqa: N818 it says what happened
    """The error that there is no connection. failure: why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.value)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class ReceiverClient:
    """The connection to a receiver. own_ports, resolver, tls: as of the outgoing client. max_bytes: of an answer's body."""

    url: str
    is_sandbox: bool
    own_ports: frozenset[int] = frozenset()
    resolver: Resolver = field(default_factory=SystemResolver)
    tls: ssl.SSLContext | None = None
    timeout_seconds: float = 10
    max_bytes: int = 65536

    async def lasts(self) -> tuple[float, float] | None:
        """Returns the certificate's validity in Unix seconds; None: plain http. Unreached: no connection."""
        try:
            async with asyncio.timeout(self.timeout_seconds), self._opened() as (_, writer):
                shown = writer.get_extra_info("peercert")
        except TimeoutError:
            raise Unreached(Failure.TIMEOUT) from None
        if not shown:
            return None
        return ssl.cert_time_to_seconds(shown["notBefore"]), ssl.cert_time_to_seconds(shown["notAfter"])

    async def post(self, request: Request, slow_seconds: float) -> Outcome:
        """Sends a request at its pace. Cut off, it has no answer: CONNECTION_CLOSED.

        slow_seconds: how long the body of a slow one takes; it counts among the time-out, and not in the duration.
        """
        clock = asyncio.get_running_loop().time
        took = clock()
        try:
            async with asyncio.timeout(self.timeout_seconds), self._opened() as (reader, writer):
                await self._write(writer, request, slow_seconds)
                took = clock()
                if request.pace is Pace.CUT:
                    return Outcome(0, b"", Failure.CONNECTION_CLOSED, 0)
                status, body, failure, retry_after = await self._read(reader)
        except Unreached as unreached:
            status, body, failure, retry_after = 0, b"", unreached.failure, None
        except TimeoutError:
            status, body, failure, retry_after = 0, b"", Failure.TIMEOUT, None
        except (OSError, httptools.HttpParserError):
            status, body, failure, retry_after = 0, b"", Failure.CONNECTION_CLOSED, None
        return Outcome(status, body, failure, round((clock() - took) * 1000), retry_after)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Opens a connection, and closes it afterwards. Unreached: there is none."""
        try:
            reader, writer = await self._connect()
        except TimeoutError:
            raise
        except ssl.SSLError as error:  # a certificate that is wrong is one of them
            raise Unreached(Failure.TLS_FAILURE) from error
        except (ConnectionResetError, BrokenPipeError) as error:
            raise Unreached(Failure.CONNECTION_CLOSED) from error
        except OSError as error:
            raise Unreached(Failure.CONNECTION_REFUSED) from error
        try:
            yield reader, writer
        finally:
            writer.close()
            try:
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await writer.wait_closed()
            except OSError:  # TimeoutError is one: it takes no leave
                writer.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if url_problem(self.url, sandbox=self.is_sandbox) is not None:
            raise Unreached(Failure.ADDRESS_REFUSED)
        url = URL(self.url)
        host, port = url.raw_host or "", url.port or 0
        try:
            addresses = await self.resolver.addresses(host)
        except OSError as error:
            raise Unreached(Failure.DNS_FAILURE) from error
        if not addresses:
            raise Unreached(Failure.DNS_FAILURE)
        # All are checked, as for a delivery: a name that also points inside is not an honest one.
        for address in addresses:
            if not address_allowed(address, sandbox=self.is_sandbox) or not port_allowed(address, port, self.own_ports):
                raise Unreached(Failure.ADDRESS_REFUSED)
        if url.scheme == "http":
            return await asyncio.open_connection(addresses[0], port)
        context = self.tls or ssl.create_default_context()
        return await asyncio.open_connection(addresses[0], port, ssl=context, server_hostname=host)

    async def _write(self, writer: asyncio.StreamWriter, request: Request, slow_seconds: float) -> None:
        url = URL(self.url)
        head = {
            "host": url.raw_authority, "user-agent": "lastro", "accept": "*/*", "accept-encoding": "identity",
            "connection": "close", **request.headers, "content-length": str(len(request.body)),
        }  # fmt: skip
        lines = [f"POST {url.raw_path_qs} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
        body = request.body[: len(request.body) // 2] if request.pace is Pace.CUT else request.body
        size = -(-len(body) // _PIECES) if request.pace is Pace.SLOW else len(body)
        try:
            writer.write("\r\n".join(lines).encode("latin-1"))
            for start in range(0, len(body), size):
                writer.write(body[start : start + size])
                await writer.drain()
                if request.pace is Pace.SLOW:
                    await asyncio.sleep(slow_seconds / _PIECES)
        except (ConnectionResetError, BrokenPipeError):
            return  # the receiver has read enough, and may have said why

    async def _read(self, reader: asyncio.StreamReader) -> tuple[int, bytes, Failure | None, str | None]:
        """Reads an answer: status, body, failure and Retry-After."""
        answer = _Reading()
        parser = httptools.HttpResponseParser(answer)
        while len(answer.body) <= self.max_bytes and (piece := await reader.read(65536)):
            parser.feed_data(piece)
            # A status that begins with a 1 goes before the answer itself (RFC 9110 §15.2).
            if answer.is_whole and parser.get_status_code() >= 200:
                break
        else:
            # Without a length the end of the connection is the end of the body (RFC 9112 §6.3).
            is_open = answer.has_head and not answer.is_framed and parser.get_status_code() >= 200
            if len(answer.body) <= self.max_bytes and not is_open:
                return 0, b"", Failure.CONNECTION_CLOSED, None
        status = parser.get_status_code()
        if status in _REDIRECTS:
            return status, b"", Failure.REDIRECT, answer.retry_after
        if len(answer.body) > self.max_bytes:
            return status, bytes(answer.body[: self.max_bytes]), Failure.TOO_LARGE, answer.retry_after
        return status, bytes(answer.body), None, answer.retry_after


class _Reading:
    """The callbacks of httptools for an answer."""

    def __init__(self) -> None:
        self.on_message_begin()

    def on_message_begin(self) -> None:
        """Resets all fields."""
        self.body = bytearray()
        self.has_head = self.is_framed = self.is_whole = False
        self.retry_after: str | None = None

    def on_header(self, name: bytes, value: bytes) -> None:
        """Notes whether the length is given, and Retry-After."""
        if name.lower() in (b"content-length", b"transfer-encoding"):
            self.is_framed = True
        if name.lower() == b"retry-after":
            self.retry_after = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Notes that the head is complete."""
        self.has_head = True

    def on_body(self, piece: bytes) -> None:
        """Appends a part of the body."""
        self.body += piece

    def on_message_complete(self) -> None:
        """Notes that the answer is complete."""
        self.is_whole = True
