"""Checks of Host and Origin on every request, since browsers reach localhost."""

import hmac
from collections.abc import Iterable
from functools import cache
from urllib.parse import urlsplit

import msgspec
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from lastro_sim.refusals import unauthorized
from lastro_sim.settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
REFUSAL = msgspec.json.encode({"error": "FORBIDDEN_ERROR", "message": "Access denied", "details": []})
SAFE_METHODS = frozenset({"GET", "HEAD"})
FROM_ELSEWHERE = frozenset({"cross-site", "same-site"})


class OwnHostOnly:
    """Lets through requests to this server's name, not from other sites' pages."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses with 403, or passes on."""
        method, hosts = str(scope.get("method", "")), _own_hosts(scope["app"].state.network.settings)
        if _each_once(scope["headers"]) and _allowed(method, dict(scope["headers"]), hosts):
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": REFUSAL, "more_body": False})


@cache
def _own_hosts(settings: Settings) -> frozenset[str]:
    """Returns this server's names with port; port 80 may be left out."""
    named = {f"{name}:{settings.port}" for name in LOOPBACK} | {host.lower() for host in settings.public_hosts}
    return frozenset(named | set(LOOPBACK) if settings.port == 80 else named)


def _allowed(method: str, headers: dict[bytes, bytes], hosts: frozenset[str]) -> bool:
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


async def participant_only(connection: ASGIConnection, _: BaseRouteHandler) -> None:  # type: ignore[type-arg]
    """Checks the participant's bearer token in constant time.

    A Litestar guard, and a coroutine, since Litestar sends a plain function to a thread, which costs more than the
    comparison.
    """
    token: str = connection.app.state.network.settings.token
    given = connection.headers.get("authorization", "")
    expected = f"Bearer {token}"
    if not token or not hmac.compare_digest(given.encode(), expected.encode()):
        raise unauthorized()
