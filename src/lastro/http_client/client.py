"""The one client for every URL from strangers.

They are webhook receivers, QR locations and key sets. It connects to checked addresses only, follows no redirect, stores no
cookie and sends nothing of ours beyond what the caller puts in. Every outcome of the network comes back as an `Answer`.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Self

from yarl import URL

from lastro.http_client.addresses import url_problem
from lastro.http_client.answers import Failure, Outcome
from lastro.http_client.connection import REDIRECTS, Connection, Ended, ReceivedAnswer
from lastro.http_client.connector import Connector, NotThere, Origin
from lastro.http_client.guard import AddressRefused, Guard, NoAddress
from lastro.http_client.requests import request_bytes
from lastro.http_client.resolver import Resolver, SystemResolver
from lastro.http_client.tunnel import NoWay, Proxy

_USUAL = {"User-Agent": "lastro"}


class OutgoingClient:
    """The HTTP client for strangers' URLs.

    Asks strangers' URLs. One for a process: it keeps connections, each to an address that was checked.

    `timeout_seconds` is for the whole request, from the lookup of the name to the last byte; `max_bytes` bounds the body.
    Neither bounds how many requests run at once, which is the caller's to decide, per receiver. `pin_seconds` is how long a
    checked address is used again for new connections. `proxy`: the owner's, which carries every connection but those to
    loopback; the variables that name proxies to other programs are not read.
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
        self._timeout_seconds = timeout_seconds
        guard = Guard(resolver or SystemResolver(), own_ports, sandbox=sandbox, by_tunnel=proxy is not None)
        self._connector = Connector(guard, max_bytes, pin_seconds, tls, proxy)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """Sends a body. The caller's headers name its content type.

        It may arrive twice if a kept connection breaks, so it must be something a receiver recognises by an id.
        """
        return await self._ask("POST", url, body, headers)

    async def get(self, url: str, headers: Mapping[str, str]) -> Outcome:
        """Gets a body."""
        return await self._ask("GET", url, None, headers)

    async def _ask(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> Outcome:
        """Sends one request; every error of network or URL becomes an Outcome."""
        if url_problem(url, sandbox=self._sandbox) is not None:
            return Outcome(0, b"", Failure.ADDRESS_REFUSED, 0)
        to = _target(url)
        request = _request(method, to, body, headers)
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                received = await self._receive(to.place, request)
        except OSError as error:  # TimeoutError and what TLS says are OSErrors
            return Outcome(0, b"", _failure_of(error), round((clock() - began) * 1000))
        took = round((clock() - began) * 1000)
        if received.status in REDIRECTS:
            return Outcome(received.status, b"", Failure.REDIRECT, took, received.retry_after)
        failure = None if received.is_whole else Failure.TOO_LARGE
        return Outcome(received.status, received.body, failure, took, received.retry_after, received.cache_control)

    async def _receive(self, place: Origin, request: bytes) -> ReceivedAnswer:
        """Sends a request, and again if its kept connection had ended.

        Servers close idle connections whenever they like, so such an end before any answer says nothing about the receiver.
        It is possible, and harmless, that the receiver had read the request: receivers know a repeated event by its id.
        """
        kept = self._connector.lines.take(place)
        if kept is not None:
            try:
                return await self._exchange(place, kept, request)
            except Ended:
                pass
        return await self._exchange(place, await self._connector.open(place), request)

    async def _exchange(self, place: Origin, line: Connection, request: bytes) -> ReceivedAnswer:
        try:
            received = await line.ask(request)
        except BaseException:
            self._connector.lines.drop(line)
            raise
        self._connector.lines.keep(place, line)
        return received

    async def close(self) -> None:
        """Closes all connections. The client may be used again afterwards."""
        self._connector.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


@dataclass(frozen=True, slots=True)
class _Target:
    """The target of a request. host: for the Host header, with the port if it is not the usual one."""

    place: Origin
    path: str
    host: str


@lru_cache(maxsize=8192)
def _target(url: str) -> _Target:
    """Splits a URL. It is cached: receivers are few and asked often."""
    read = URL(url)
    assert read.raw_host is not None, "a URL whose form was checked has a host"
    assert read.port is not None, "and http or https has a port"
    return _Target(
        Origin(read.scheme == "https", read.raw_host, read.port), read.raw_path_qs, read.host_port_subcomponent or ""
    )


def _request(method: str, to: _Target, body: bytes | None, headers: Mapping[str, str]) -> bytes:
    """Returns the bytes of a request. Raises ValueError if a header would be more than one."""
    accept = {} if any(name.lower() == "accept" for name in headers) else {"Accept": "*/*"}
    return request_bytes(method, to.path, to.host, body, {**_USUAL, **accept, **headers})


# The first row that an error fits names it; so what is more specific stands higher. An answer that is not HTTP ends
# in the last row with the connections that ended too early: what listens there hung up without answering.
_FAILURES: tuple[tuple[tuple[type[OSError], ...], Failure], ...] = (
    ((AddressRefused,), Failure.ADDRESS_REFUSED),
    ((ssl.SSLError,), Failure.TLS_FAILURE),
    ((TimeoutError,), Failure.TIMEOUT),
    ((NoAddress,), Failure.DNS_FAILURE),
    ((NoWay, NotThere), Failure.CONNECTION_REFUSED),
    ((OSError,), Failure.CONNECTION_CLOSED),
)


def _failure_of(error: OSError) -> Failure:
    """Maps an error to a Failure."""
    return next(name for kinds, name in _FAILURES if isinstance(error, kinds))
