"""Opens connections to strangers."""

from __future__ import annotations

import asyncio
import socket
import ssl
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

from lastro.http_client.addresses import is_loopback
from lastro.http_client.connection import Connection
from lastro.http_client.guard import AddressRefused, Guard, NoAddress
from lastro.http_client.kept_lines import KeptLines
from lastro.http_client.tunnel import NoWay, Proxy, open_tunnel

if TYPE_CHECKING:
    from collections.abc import Callable

# Servers commonly close idle connections after 5 s. One that closes just as we write costs a failed delivery, so we
# let go first; under load connections are used again long before this.
_IDLE_SECONDS = 2.0
_MANY_PINS = 4096

# Errors that tell more than that there was no connection.
_TELLING = (AddressRefused, NoAddress, NoWay, ssl.SSLError, TimeoutError, ConnectionResetError, BrokenPipeError)


class NotThere(OSError):  # noqa: N818 - reads as what happened
    """Nobody takes connections at this address."""


class Origin(NamedTuple):
    """The origin of a connection; two names at one address are two. host: in ASCII, IPv6 without brackets."""

    is_tls: bool
    host: str
    port: int


@dataclass(slots=True)
class _Looking:
    """A look-up under way. waiting: how many requests want what it finds."""

    task: asyncio.Task[str]
    waiting: int = 0


class Connector:
    """Opens connections to addresses that the guard has checked.

    A kept connection leads where it led when its address was checked; a new one is checked anew, by a look-up that is at
    most `pin_seconds` old. `proxy`: carries every connection but those to loopback, which only the sandbox admits: at the
    proxy that would mean another machine. `tls`: made when first needed, since reading the system's authorities takes a
    while.
    """

    def __init__(
        self, guard: Guard, most_body_bytes: int, pin_seconds: float, tls: ssl.SSLContext | None, proxy: Proxy | None
    ) -> None:
        self._guard = guard
        self._made: Callable[[], Connection] = partial(Connection, most_body_bytes)
        self._pin_seconds = pin_seconds
        self._tls = tls
        self._proxy = proxy
        self._pins: dict[tuple[str, int], tuple[str, float]] = {}
        self._looking: dict[tuple[str, int], _Looking] = {}
        self.lines: KeptLines[Origin] = KeptLines(_IDLE_SECONDS)

    # ── opening ──

    async def open(self, place: Origin) -> Connection:
        """Opens a new connection. Raises AddressRefused, NoAddress, NoWay, NotThere, or what TLS or the system says."""
        address = await self._address(place.host, place.port)
        try:
            carried = await self._carried(address, place.port)
            # The name stays what the certificate is checked against and what the receiver is told.
            trust, name = (self._trust(), place.host.rstrip(".")) if place.is_tls else (None, None)
            _, line = await asyncio.get_running_loop().create_connection(
                self._made, sock=carried, ssl=trust, server_hostname=name
            )
        except _TELLING:
            raise
        except OSError as error:
            raise NotThere(str(error)) from error
        return self.lines.opened(line)

    async def _address(self, host: str, port: int) -> str:
        """Returns a name's checked address, or the literal address. The guard checks a literal address last of all."""
        try:
            ip_address(host)
        except ValueError:
            pass
        else:
            return host
        where = (host, port)
        pinned = self._pins.get(where)
        if pinned is not None and asyncio.get_running_loop().time() < pinned[1]:
            return pinned[0]
        looking = self._looking.get(where)
        if looking is None:
            # Many who want one name wait for one look-up, which goes on when one of them gives up.
            task = asyncio.get_running_loop().create_task(self._guard.resolve(host, port))
            looking = self._looking[where] = _Looking(task)
            task.add_done_callback(partial(self._pin, where))
        looking.waiting += 1
        try:
            return await asyncio.shield(looking.task)
        finally:
            looking.waiting -= 1
            if not looking.waiting and not looking.task.done():
                # With the last of them it ends, or those that nobody waits for would be in the way of others.
                looking.task.cancel()
                self._forget(where, looking.task)

    def _forget(self, where: tuple[str, int], looked: asyncio.Task[str]) -> None:
        """Drops a finished look-up, unless a newer one has replaced it."""
        looking = self._looking.get(where)
        if looking is not None and looking.task is looked:
            del self._looking[where]

    def _pin(self, where: tuple[str, int], looked: asyncio.Task[str]) -> None:
        self._forget(where, looked)
        if looked.cancelled() or looked.exception() is not None:
            return
        now = asyncio.get_running_loop().time()
        if len(self._pins) >= _MANY_PINS:
            self._pins = {place: pinned for place, pinned in self._pins.items() if now < pinned[1]}
        if self._pin_seconds > 0:
            self._pins[where] = (looked.result(), now + self._pin_seconds)

    async def _carried(self, address: str, port: int) -> socket.socket:
        """Returns a connected socket, our own or the proxy's tunnel."""
        if self._proxy is not None and not is_loopback(address):
            self._guard.check(address, port)
            return await open_tunnel(self._proxy, address, port)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        made = self._guard.socket((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port)))
        try:
            made.setblocking(False)
            await asyncio.get_running_loop().sock_connect(made, (address, port))
        except BaseException:
            made.close()
            raise
        return made

    def _trust(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls

    def close(self) -> None:
        """Ends every connection and look-up."""
        for looking in self._looking.values():
            looking.task.cancel()
        self.lines.close()
