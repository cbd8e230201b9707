"""The one client for every URL a stranger gave: webhook receivers, QR locations, key sets.

It connects to addresses that were checked and to no others, follows nothing, keeps nothing and carries nothing of
ours beyond what the caller puts in. Whatever the network does comes back as an `Answer`.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import SimpleNamespace, TracebackType
from typing import Any, Self

import aiohttp
from yarl import URL

from lastro.base.outgoing.addresses import url_problem
from lastro.base.outgoing.answers import Answer, Failure
from lastro.base.outgoing.connector import GuardedConnector
from lastro.base.outgoing.guard import AddressRefused, Guard
from lastro.base.outgoing.reading import TooMuch
from lastro.base.outgoing.resolver import Resolver, SystemResolver
from lastro.base.outgoing.tunnel import Proxy, TunnelConnector

_REDIRECTS = frozenset({301, 302, 303, 307, 308})

# Servers commonly close idle connections after 5 s. One that closes just as we write costs a failed delivery, so we
# let go first; under load connections are used again long before this.
_IDLE_SECONDS = 2.0

_HEADERS = {
    "User-Agent": "lastro",
    # A compressed body could unfold to any size; with none asked for, the limit counts what was sent.
    "Accept-Encoding": "identity",
}


@dataclass(slots=True)
class _Kept:
    """Whether a request went out on a connection that an earlier one had left open."""

    used: bool = False


def _kept_connections() -> aiohttp.TraceConfig:
    """Tells each request, through its `_Kept`, whether its connection was a kept one."""

    async def note(_: aiohttp.ClientSession, context: SimpleNamespace, __: aiohttp.TraceConnectionReuseconnParams) -> None:
        context.trace_request_ctx.used = True

    trace = aiohttp.TraceConfig()
    trace.on_connection_reuseconn.append(note)
    return trace


class OutgoingClient:
    """Asks strangers' URLs. One for a process: it keeps connections, each to an address that was checked.

    `timeout_seconds` is for the whole request, from the lookup of the name to the last byte; `max_bytes` bounds the
    body. Neither bounds how many requests run at once, which is the caller's to decide, per receiver.
    `pin_seconds` is how long a checked address is used again for new connections. `proxy`: the owner's, which carries
    every connection but those to loopback; the variables that name proxies to other programs are not read.
    """

    def __init__(
        self,
        *,
        sandbox: bool,
        own_ports: frozenset[int] = frozenset(),
        timeout_seconds: float = 10,
        max_bytes: int = 65536,
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
        pin_seconds: int = 10,
        proxy: Proxy | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._max_bytes = max_bytes
        self._guard = Guard(resolver or SystemResolver(), own_ports, sandbox=sandbox, by_tunnel=proxy is not None)
        self._proxy = proxy
        self._timeout_seconds = timeout_seconds
        self._tls = tls
        self._pin_seconds = pin_seconds
        self._opened: aiohttp.ClientSession | None = None

    def _session(self) -> aiohttp.ClientSession:
        """The session, made at the first request because it belongs to the running loop."""
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                connector=self._connector(),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=_HEADERS,
                # One time-out around everything, in _ask: the library's rounds up and begins anew with each request.
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                trace_configs=[_kept_connections()],
                trust_env=False,
                auto_decompress=False,
            )
        return self._opened

    def _connector(self) -> GuardedConnector:
        """What opens connections: by sockets of our own, or by tunnels through the proxy."""
        settings: dict[str, Any] = {
            "use_dns_cache": self._pin_seconds > 0,
            "ttl_dns_cache": self._pin_seconds,
            "ssl": self._tls or True,
            "keepalive_timeout": _IDLE_SECONDS,
            # A slow receiver must not use up connections that others wait for.
            "limit": 0,
            "happy_eyeballs_delay": None,
        }
        if self._proxy is not None:
            return TunnelConnector(self._proxy, self._guard, self._max_bytes, **settings)
        return GuardedConnector(self._guard, self._max_bytes, **settings)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send a body. The caller's headers name its content type.

        It may arrive twice when a kept connection breaks, so it must be something a receiver knows again by an id.
        """
        return await self._ask("POST", url, body, headers)

    async def get(self, url: str, headers: Mapping[str, str]) -> Answer:
        """Ask for a body."""
        return await self._ask("GET", url, None, headers)

    async def _ask(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        """One request; every cause that lies in the network or in the URL ends as an Answer."""
        if url_problem(url, sandbox=self._sandbox) is not None:
            return Answer(0, b"", Failure.ADDRESS_REFUSED, 0)
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                answer = await self._ask_again_if_idle(method, _read_url(url), body, headers)
        except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
            answer = Answer(0, b"", _failure_of(error), 0)
        return replace(answer, duration_ms=round((clock() - began) * 1000))

    async def _ask_again_if_idle(self, method: str, url: URL, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        """One request, and the same once more if the connection was a kept one that ended before any answer.

        Servers close idle connections whenever they like, so such an end says nothing about the receiver. That the
        request had been read after all is possible and harmless: receivers know a repeated event by its id.
        """
        kept = _Kept()
        try:
            return await self._ask_once(method, url, body, headers, kept)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
            if not kept.used:
                raise
        return await self._ask_once(method, url, body, headers, kept)

    async def _ask_once(self, method: str, url: URL, body: bytes | None, headers: Mapping[str, str], kept: _Kept) -> Answer:
        async with self._session().request(
            method, url, data=body, headers=headers, allow_redirects=False, trace_request_ctx=kept
        ) as response:
            status, retry_after = response.status, response.headers.get("Retry-After")
            if status in _REDIRECTS:
                response.close()
                return Answer(status, b"", Failure.REDIRECT, 0, retry_after)
            received, whole = await self._read(response)
        return Answer(status, received, None if whole else Failure.TOO_LARGE, 0, retry_after)

    async def _read(self, response: aiohttp.ClientResponse) -> tuple[bytes, bool]:
        """The body up to the limit, and whether that was all of it; a longer one is cut off at the connection."""
        received = bytearray()
        try:
            async for piece in response.content.iter_any():
                received += piece
                if len(received) > self._max_bytes:
                    response.close()
                    break
        except TooMuch:
            return bytes(received), False
        return bytes(received[: self._max_bytes]), len(received) <= self._max_bytes

    async def close(self) -> None:
        """Close all connections. The client may be used again afterwards."""
        session, self._opened = self._opened, None
        if session is not None:
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


@lru_cache(maxsize=8192)
def _read_url(url: str) -> URL:
    """A URL as the library wants it; receivers are few and asked often."""
    return URL(url)


# The first row that an error fits names it; so what is more specific stands higher. An answer that is not HTTP ends
# in the last row with the connections that ended too early: what listens there hung up without answering.
_FAILURES: tuple[tuple[tuple[type[BaseException], ...], Failure], ...] = (
    ((AddressRefused, aiohttp.InvalidURL), Failure.ADDRESS_REFUSED),
    ((ssl.SSLError, ssl.CertificateError, aiohttp.ClientSSLError), Failure.TLS_FAILURE),
    ((TimeoutError,), Failure.TIMEOUT),
    ((aiohttp.ClientConnectorDNSError,), Failure.DNS_FAILURE),
    ((ConnectionResetError, BrokenPipeError), Failure.CONNECTION_CLOSED),
    ((aiohttp.ClientConnectorError,), Failure.CONNECTION_REFUSED),
    ((BaseException,), Failure.CONNECTION_CLOSED),
)


def _failure_of(error: BaseException) -> Failure:
    """The name of what went wrong, from the library's error and the system's below it."""
    causes = (error, error.os_error) if isinstance(error, aiohttp.ClientConnectorError) else (error,)
    return next(name for kinds, name in _FAILURES if any(isinstance(cause, kinds) for cause in causes))
