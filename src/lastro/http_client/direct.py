"""The client for addresses that the operator named: no guard and no proxy, under the caller's TLS."""

from __future__ import annotations

import asyncio
import socket
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from yarl import URL

from lastro.http_client.connection import Connection, Ended
from lastro.http_client.connector import NotThere, Origin
from lastro.http_client.kept_lines import KeptLines
from lastro.http_client.requests import request_bytes

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from lastro.http_client.connection import ReceivedAnswer

_ADDRESS_SECONDS = 0.5  # of one address of a name, where others are left
# Asked again where a kept connection had ended: twice is as good as once (RFC 9110 §9.2.2).
_REPEATABLE = frozenset({"GET", "PUT", "DELETE"})


class _Place(NamedTuple):
    """The place of a connection, and its TLS. A certificate that was renewed gets connections of its own."""

    origin: Origin
    tls: ssl.SSLContext | None


class DirectClient:
    """Connections to addresses that the operator named.

    idle_seconds: how long one is kept. most_bytes: of a body. most_connections: at once; another request waits. wanted:
    names of headers that an answer tells of beside the usual.
    """

    def __init__(
        self, most_bytes: int, idle_seconds: float, most_connections: int = 32, wanted: tuple[str, ...] = ()
    ) -> None:
        self._made = partial(Connection, most_bytes, wanted)
        self._lines: KeptLines[_Place] = KeptLines(idle_seconds)
        self._free = asyncio.Semaphore(most_connections)

    async def ask(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, query: Mapping[str, str] | None,
        tls: ssl.SSLContext | None,
    ) -> ReceivedAnswer:  # fmt: skip
        """Makes one exchange, with no limit in time. tls: None where the URL is of http.

        NotThere: nothing was sent, by its cause. Another OSError: it is not known whether the request took effect.
        ValueError: the URL or a header is none.
        """
        base, _, behind = url.partition("://")
        netloc, slash, path = behind.partition("/")
        origin, host = _origin(base, netloc)
        target = slash + path or "/"
        if query:
            target = URL(target, encoded=True).update_query(query).raw_path_qs
        request = request_bytes(method, target, host, body, headers)
        if origin.is_tls and tls is None:
            raise ValueError("a URL of https is asked under TLS")
        place = _Place(origin, tls if origin.is_tls else None)
        async with self._free:
            kept = self._lines.take(place)
            if kept is not None:
                try:
                    return await self._exchange(place, kept, request)
                except Ended:
                    if method not in _REPEATABLE:
                        raise
            return await self._exchange(place, await self._open(place), request)

    async def _exchange(self, place: _Place, line: Connection, request: bytes) -> ReceivedAnswer:
        try:
            received = await line.ask(request)
        except BaseException:
            self._lines.drop(line)
            raise
        self._lines.keep(place, line)
        return received

    async def _open(self, place: _Place) -> Connection:
        host, loop = place.origin.host, asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, place.origin.port, type=socket.SOCK_STREAM)
            carried = await _connected(found)
            name = None if place.tls is None else host
            _, line = await loop.create_connection(self._made, sock=carried, ssl=place.tls, server_hostname=name)
        except OSError as error:
            raise NotThere(type(error).__name__) from error
        return self._lines.opened(line)

    def close(self) -> None:
        """Ends its connections. The client may be used again afterwards."""
        self._lines.close()


async def _connected(found: list[tuple[Any, ...]]) -> socket.socket:
    """Returns a socket to the first of these addresses that answers. OSError: none does, as the last one says."""
    for at, (family, kind, protocol, _, address) in enumerate(found, start=1):
        made = socket.socket(family, kind, protocol)
        try:
            made.setblocking(False)
            async with asyncio.timeout(_ADDRESS_SECONDS if at < len(found) else None):
                await asyncio.get_running_loop().sock_connect(made, address)
        except OSError:  # a TimeoutError is one
            made.close()
            if at == len(found):
                raise
        except BaseException:
            made.close()
            raise
        else:
            return made
    raise OSError("the name has no address")


@lru_cache(maxsize=256)
def _origin(scheme: str, netloc: str) -> tuple[Origin, str]:
    """Returns the origin of a URL, and its Host header. ValueError: it is none."""
    read = URL(f"{scheme}://{netloc}", encoded=True)
    if scheme not in ("http", "https") or read.raw_host is None or read.port is None:
        raise ValueError("a URL is http or https, and has a host")
    return Origin(scheme == "https", read.raw_host, read.port), read.host_port_subcomponent or ""
