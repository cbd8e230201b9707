"""Connects to a checked address through the owner's outbound proxy.

The proxy gets an address and a port, never a name, so it has nothing to look up: it connects to what was checked here. Plain
http goes by a tunnel too. The other way, a request line with the whole URL, would have to name the host, which the proxy
would look up again, or the address, which it would put in place of the Host header (RFC 9112 §3.2.2).
"""

import asyncio
import re
import socket
from dataclasses import dataclass

_LONGEST_HEAD = 16_384
_AGREED = re.compile(rb"HTTP/1\.[01] 2[0-9]{2}[ \r]")


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy on the owner's network. host: a name or an address, IPv6 without brackets."""

    host: str
    port: int


class NoWay(OSError):  # noqa: N818 - reads as what happened
    """The proxy is not there, or does not connect us. It says nothing about why the receiver could not be reached."""


async def open_tunnel(proxy: Proxy, address: str, port: int) -> socket.socket:
    """Opens a socket through the proxy (CONNECT, RFC 9110 §9.3.6).

    Raises NoWay. It has no time-out of its own: its caller has one for everything.
    """
    try:
        carried = await _connected(proxy)
    except (OSError, UnicodeError) as error:  # the second of a name that cannot be one
        raise NoWay("the proxy cannot be reached") from error
    try:
        await _agree(carried, f"[{address}]:{port}" if ":" in address else f"{address}:{port}")
    except OSError as error:
        carried.close()
        raise NoWay("the proxy does not connect us") from error
    except BaseException:
        carried.close()
        raise
    return carried


async def _connected(proxy: Proxy) -> socket.socket:
    """Connects to the first address of the proxy that answers. Raises OSError."""
    loop = asyncio.get_running_loop()
    failed = OSError("no address")
    for family, kind, protocol, _, place in await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM):
        made = socket.socket(family, kind, protocol)
        try:
            made.setblocking(False)
            await loop.sock_connect(made, place)
        except OSError as error:
            made.close()
            failed = error
        except BaseException:
            made.close()
            raise
        else:
            return made
    raise failed


async def _agree(carried: socket.socket, place: str) -> None:
    """Asks for the tunnel and reads that it is there. Raises OSError if it is not."""
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(carried, f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        piece = await loop.sock_recv(carried, 4096)
        head += piece
        if not piece or len(head) > _LONGEST_HEAD:
            raise OSError("no answer")
    # With TLS as with HTTP the far end waits for us, so what came early did not come from there.
    if _AGREED.match(head) is None or head.index(b"\r\n\r\n") + 4 != len(head):
        raise OSError("refused")
