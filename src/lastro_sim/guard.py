"""Checks of Host, Origin and token. Every request has its Host and Origin checked, since browsers reach localhost."""

import hmac
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from urllib.parse import urlsplit

import msgspec
from litestar.types import ASGIApp, Receive, Scope, Send

from lastro_sim.refusals import forbidden, unauthorized
from lastro_sim.settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
REFUSAL = msgspec.json.encode({"error": "FORBIDDEN_ERROR", "message": "Access denied", "details": []})
SAFE_METHODS = frozenset({"GET", "HEAD"})
FROM_ELSEWHERE = frozenset({"cross-site", "same-site"})


# The option of an operation for the participant alone. As a guard of Litestar the check would cost a copy of its handler.
PARTICIPANT_ONLY: Mapping[str, bool] = MappingProxyType({"participant_only": True})


class OwnHostOnly:
    """Lets through requests to this server's name, not from other sites' pages.

    A participant's operations need his token besides.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses with 403 or 401, or passes on."""
        settings: Settings = scope["app"].state.network.settings
        if is_from_here(scope, settings):
            if "participant_only" in scope["route_handler"].opt:
                check_token(scope, settings.token)
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": REFUSAL, "more_body": False})


def is_from_here(scope: Scope, settings: Settings) -> bool:
    """Tells whether Host, Origin and site of a request are our own."""
    headers = dict(scope["headers"])
    return _each_once(scope["headers"]) and _allowed(str(scope.get("method", "")), headers, _own_hosts(settings))


def check_place(scope: Scope, settings: Settings) -> None:
    """Refuses a request whose Host, Origin or site is not our own."""
    if not is_from_here(scope, settings):
        raise forbidden()


def check_token(scope: Scope, token: str) -> None:
    """Checks the participant's bearer token in constant time."""
    given, expected = dict(scope["headers"]).get(b"authorization", b""), f"Bearer {token}".encode()
    if not token or not hmac.compare_digest(given, expected):
        raise unauthorized()


@cache
def _own_hosts(settings: Settings) -> frozenset[str]:
    """Returns this server's names with port; port 80 may be left out."""
    named = {f"{name}:{settings.port}" for name in LOOPBACK} | {host.lower() for host in settings.public_hosts}
    return frozenset(named | set(LOOPBACK) if settings.port == 80 else named)


def _allowed(method: str, headers: Mapping[bytes, bytes], hosts: frozenset[str]) -> bool:
    if headers.get(b"host", b"").decode("latin-1").lower() not in hosts:
        return False
    origin = headers.get(b"origin")
    if origin is not None and not _is_own(origin.decode("latin-1"), hosts):
        return False
    return method in SAFE_METHODS or headers.get(b"sec-fetch-site", b"").decode("latin-1") not in FROM_ELSEWHERE


def _is_own(origin: str, hosts: frozenset[str]) -> bool:
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc in hosts


def _each_once(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Tells whether no header is repeated; readers would differ on a repeated one."""
    names = [name for name, _ in headers if name in (b"host", b"origin", b"sec-fetch-site")]
    return len(names) == len(set(names))
