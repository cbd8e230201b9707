"""Checks addresses between the look-up of a name and its socket."""

import errno
import socket

from lastro.http_client.addresses import address_allowed, is_loopback, port_allowed
from lastro.http_client.resolver import Resolver

AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[object, ...]]


class AddressRefused(OSError):  # noqa: N818 - reads as what happened
    """An address we do not connect to."""


class NoAddress(OSError):  # noqa: N818 - reads as what happened
    """A name that comes to no address."""


class Guard:
    """Looks a name up once, checks every address and returns one.

    The connection goes to that address. All are checked, not only the one that is used: a name that also points inside is
    not an honest one. `by_tunnel`: everything but this machine itself is reached through a proxy, and by no socket of ours.
    """

    def __init__(self, resolver: Resolver, own_ports: frozenset[int], *, sandbox: bool, by_tunnel: bool = False) -> None:
        self._resolver = resolver
        self._own_ports = own_ports
        self._sandbox = sandbox
        self._by_tunnel = by_tunnel

    def check(self, address: str, port: int) -> None:
        """Refuses an address and port that must not be connected to. Raises AddressRefused."""
        if not address_allowed(address, sandbox=self._sandbox) or not port_allowed(address, port, self._own_ports):
            raise AddressRefused(errno.EACCES, "address refused")

    async def resolve(self, host: str, port: int) -> str:
        """Returns the one address to connect to. Raises AddressRefused, or NoAddress if the name has none."""
        try:
            addresses = await self._resolver.addresses(host)
        except OSError as error:
            raise NoAddress(str(error)) from error
        if not addresses:
            raise NoAddress("no address")
        for address in addresses:
            self.check(address, port)
        return addresses[0]

    def socket(self, info: AddressInfo) -> socket.socket:
        """Makes a socket for an address about to be connected to. This is the last check, and the only one of literals."""
        family, kind, protocol, _, (address, port, *_rest) = info
        self.check(str(address), int(str(port)))
        if self._by_tunnel and not is_loopback(str(address)):
            # Tunnels are opened before this is asked for. Should that ever change, nothing passes the proxy by.
            raise AddressRefused(errno.EACCES, "only by the proxy")
        return socket.socket(family, kind, protocol)
