"""A connection to a database that may be on several servers: to the one that takes writes, within a time for all of them."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import asyncpg

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 5.0  # for a connection, however many servers are asked for it
_PORT = 5432
_LOOSE_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_KIND = "target_session_attrs="
_NOT_THIS_ONE = (
    OSError,
    ValueError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    TimeoutError,
)
# The server answers, and would answer the same again.
_NO = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError, asyncpg.InsufficientPrivilegeError,
       asyncpg.UndefinedObjectError, asyncpg.InvalidParameterValueError)  # fmt: skip
# A machine that is gone says nothing. The kernel asks a silent one after 5 s, and gives a line up that nobody answers on
# for 10 s; its own pauses are of hours for a silent line, and a quarter of an hour for one on which something was sent.
_LIVELY = {
    "TCP_KEEPIDLE": 5,
    "TCP_KEEPINTVL": 2,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 10_000,  # milliseconds
}


class WatchedConnection(asyncpg.Connection):
    """A connection that detects a dead peer by TCP keep-alive and time-outs."""

    __slots__ = ()

    def __init__(self, protocol: Any, transport: Any, *others: Any) -> None:
        super().__init__(protocol, transport, *others)
        plug = transport.get_extra_info("socket")
        if plug.family in (socket.AF_INET, socket.AF_INET6):
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name, value in _LIVELY.items():
                if hasattr(socket, name):  # not every system has each
                    plug.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Servers:
    """The servers of one database; connects to a suitable one.

    url: PostgreSQL's, with one or more hosts: `postgresql://login@one:5432,other:5432/lastro`. Unless the address asks for
    another kind (`target_session_attrs`), only a server that takes writes will do: a standby, or a former primary, is passed
    by. reads: nothing will be written, so if the address names one server alone, that one will do.
    """

    def __init__(self, url: str, *, reads: bool = False) -> None:
        each = addresses(url)
        kind = "any" if reads and len(each) == 1 else "read-write"
        self._urls = [_choosy(one, kind) for one in each]
        self._first = 0

    async def connect(self, settings: Mapping[str, str] | None = None, seconds: float = SECONDS) -> asyncpg.Connection:
        """Connects to the last suitable server, else to the first that is.

        settings: of the session. Each server has its share of the time that is left, so that a silent one leaves the next
        its own. Raises what asyncpg does; of several refusals a server's own error, if there is one.
        """
        clock = asyncio.get_running_loop().time
        deadline, count = clock() + seconds, len(self._urls)
        refusals: list[Exception] = []
        for tried in range(count):
            here = (self._first + tried) % count
            share = max(deadline - clock(), 0.0) / (count - tried)
            try:
                connection: asyncpg.Connection = await asyncpg.connect(
                    self._urls[here], server_settings=dict(settings or {}), timeout=share, statement_cache_size=0,
                    connection_class=WatchedConnection,
                )  # fmt: skip
            except _NOT_THIS_ONE as refused:
                refusals.append(refused)
            else:
                self._first = here
                return connection
        raise next((one for one in refusals if isinstance(one, asyncpg.PostgresError)), refusals[-1])


def addresses(url: str) -> tuple[str, ...]:
    """Returns the database's address at each of its hosts, in order. The list may stand before the path or in `host=`."""
    head, mark, query = url.partition("?")
    scheme, _, rest = head.partition("://")
    place, slash, name = rest.partition("/")
    login, at, hosts = place.rpartition("@")
    if "," in hosts:
        return tuple(f"{scheme}://{login}{at}{host}{slash}{name}{mark}{query}" for host in hosts.split(","))
    given = parse_qsl(query, keep_blank_values=True)
    found = dict(given)
    listed, ports = found.get("host", "").split(","), found.get("port", "").split(",")
    if len(listed) == 1 or len(ports) not in (1, len(listed)):
        return (url,)
    each = zip(listed, ports * len(listed) if len(ports) == 1 else ports, strict=True)
    others = [one for one in given if one[0] not in ("host", "port")]
    return tuple(
        f"{head}?{urlencode([*others, ('host', host), *([('port', port)] if port else [])])}" for host, port in each
    )


def address_problem(url: str) -> str | None:
    """Names the fault in an address's form without repeating it: it holds a password. None: no fault."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme not in ("postgresql", "postgres"):
        return "must be an address such as postgresql://login@host:5432/database"
    if any(ord(sign) < 32 or ord(sign) == 127 for sign in unquote(rest)):
        return "must have no control characters"
    if _LOOSE_PERCENT.search(rest) or not all(_is_readable(one) for one in addresses(url)):
        return (
            "cannot be read as an address: in a password each of : / ? # [ ] @ % must be written as % and two hexadecimal"
            " digits"
        )
    return None


def _is_readable(url: str) -> bool:
    try:
        _ports(url)
        parts = urlsplit(url)
    except ValueError:  # its text may be a part of the password
        return False
    each = [part for part in parts.query.split("&") if part]
    return not parts.fragment and parts.netloc.count("@") < 2 and "@" not in parts.path and all("=" in part for part in each)


def refusal(error: BaseException) -> str | None:
    """Returns the sentence for a permanently refused connection. None: it may be accepted later."""
    if isinstance(error, ValueError):  # its text may be a part of the address
        return "The address of the database has a part that cannot be used: look at what stands behind its question mark"
    if isinstance(error, _NO):
        return f"The database does not let this login in: {str(error).splitlines()[0].rstrip('.')}"
    return None


UNREACHABLE = _NOT_THIS_ONE  # raised by `Servers.connect`


def unreachable(error: BaseException) -> str:
    """Returns the sentence for a person: why a database cannot be reached."""
    said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return f"{refusal(error) or f'The database cannot be reached: {said or type(error).__name__}'}."


def _choosy(url: str, kind: str) -> str:
    return url if _KIND in url else f"{url}{'&' if '?' in url else '?'}{_KIND}{kind}"


def with_login(url: str, login: str) -> str:
    """Returns the same address with another login. A password is left out, since it is the first login's."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    query = "&".join(p for p in parts.query.split("&") if p and not p.startswith(("user=", "password=")))
    return f"{parts.scheme}://{quote(login)}@{place}{parts.path}" + (f"?{query}" if query else "")


def elsewhere(url: str, host: str, port: int) -> str:
    """Returns the address of the same login and database at another server."""
    parts = urlsplit(url if "," not in url.partition("?")[0] else addresses(url)[0])
    login, at, _ = parts.netloc.rpartition("@")
    query = "&".join(p for p in parts.query.split("&") if p and not p.startswith(("host=", "port=")))
    return f"{parts.scheme}://{login}{at}{host}:{port}{parts.path}" + (f"?{query}" if query else "")


def ports(url: str) -> frozenset[int]:
    """Returns the TCP ports at which a database's servers are; none of one that is reached by the path of a socket."""
    return frozenset(port for one in addresses(url) for port in _ports(one)) if url else frozenset()


def _ports(url: str) -> list[int]:
    """Returns the ports as the driver reads them. A host before the path hides `host=` and `port=`; none is this machine."""
    parts = urlsplit(url)
    if parts.hostname:
        return [parts.port or _PORT]
    given = dict(parse_qsl(parts.query))
    host = given.get("host", "")
    if host.startswith("/"):
        return []
    return [int(port) for port in given.get("port", "").split(",") if port] or [urlsplit(f"//{host}").port or _PORT]
