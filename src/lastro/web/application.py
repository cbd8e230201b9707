"""The API process's application: the route table put under Litestar, and what every request passes around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from http.client import NOT_FOUND
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import structlog
from litestar import Litestar, Request, route
from litestar import Response as LitestarResponse
from litestar.enums import HttpMethod, ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Receive, Send  # noqa: TC002 Litestar reads the annotations when it runs

from lastro.api_kit.http import UNKNOWN, Upload, headers_of, not_allowed, refusal, unexpected
from lastro.core.errors import Kind, Refused
from lastro.web.middleware import LARGEST_BODY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from litestar.handlers import HTTPRouteHandler
    from litestar.types import HTTPScope

    from lastro.api_kit.http import Admit, Answer, Response
    from lastro.api_kit.routes import Route
    from lastro.web.middleware import Gate
    from lastro.web.operations import Operations

log = structlog.get_logger()

# Every one that Litestar knows: what a path does not take, its own answer says, with what it does.
_METHODS = tuple(HttpMethod)
LARGEST_FORM = 64 * 1024  # bytes, of what strangers send: it is read on the loop
_NOBODYS = HttpMethod.TRACE.value


def application(
    gate: Gate, operations: Operations, routes: Sequence[Route], public: Mapping[str, Mapping[str, Answer]],
    lifespan: Sequence[Callable[[], Awaitable[None]]] = (), pages: Mapping[str, Mapping[str, Answer]] = MappingProxyType({}),
) -> Litestar:  # fmt: skip
    """Builds the web app.

    routes: behind a bearer token. public: path → method → answer, without one. lifespan: called when the process ends.

    pages: as public, and in its place, for people, whose forms may be longer. A path that ends with `/*` answers for every
    address below it that no other path has.
    """
    by_path: dict[str, dict[str, Route]] = {}
    served, below = _parted({**public, **pages})
    for operation in routes:
        for path in operation.paths:
            by_path.setdefault(path, {})[operation.method] = operation
    handlers = [
        _handler(path, gate, operations.answer, _largest(table), partial(operations.admit, table))
        for path, table in by_path.items()
    ]
    handlers += [
        _handler(
            path,
            gate,
            _by_method(table),
            _largest_form(table, LARGEST_BODY if path in pages else LARGEST_FORM),
            partial(_judged_by_head, table),
        )
        for path, table in served.items()
    ]
    app = Litestar(
        handlers,
        openapi_config=None,
        on_shutdown=list(lifespan),
        logging_config=None,
        exception_handlers={HTTPException: _own_words(gate), Exception: _own_words(gate)},
    )
    inner = app.asgi_handler

    async def known(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and scope["method"] not in _METHODS:
            scope = {**scope, "method": _NOBODYS}
        for part in below if scope["type"] == ScopeType.HTTP else ():
            if part.has(scope):
                asked: Any = {**scope, "path_params": {}}
                await gate.serve(asked, receive, send, _by_method(part.table), part.name)
                return
        await inner(scope, receive, send)

    async def guarded(scope: Any, receive: Receive, send: Send) -> None:
        await gate.guard(known, scope, receive, send)

    app.asgi_handler = guarded
    return app


@dataclass(frozen=True)
class _Below:
    """Answers for addresses below a path that nothing else has. known: those that something has."""

    name: str
    table: Mapping[str, Answer]
    known: re.Pattern[str]

    def has(self, scope: Any) -> bool:
        """Tells whether it is asked: below its path, by a method it has, for what no path has."""
        path = str(scope["path"])
        below, method = self.name.removesuffix("*"), _method(scope)
        return path.startswith(below) and method in self.table and self.known.fullmatch(path.rstrip("/")) is None


def _parted(
    tables: Mapping[str, Mapping[str, Answer]],
) -> tuple[dict[str, Mapping[str, Answer]], list[_Below]]:
    """Separates paths from those for all that is below them."""
    served = {path: table for path, table in tables.items() if not path.endswith("/*")}
    known = re.compile("|".join(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)) for path in served))
    return served, [_Below(path, table, known) for path, table in tables.items() if path.endswith("/*")]


def _by_method(table: Mapping[str, Answer]) -> Answer:
    async def answer(scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        return await table[_method(scope)](scope, raw, headers)

    return answer


async def _judged_by_head(table: Mapping[str, Answer], scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response | None:
    """Rejects a wrong method, or an upload that is not admitted. No byte of the body is read before."""
    answer = table.get(_method(scope))
    if answer is None:
        return not_allowed(table)
    return await answer.admit(scope, headers) if isinstance(answer, Upload) else None


def _largest_form(table: Mapping[str, Answer], usual: int) -> int:
    return max((answer.largest_body for answer in table.values() if isinstance(answer, Upload)), default=usual)


def _method(scope: HTTPScope) -> str:
    return "GET" if scope["method"] == "HEAD" else str(scope["method"])


def _largest(table: Mapping[str, Route]) -> int:
    return max(route.largest_body or LARGEST_BODY for route in table.values())


def _handler(
    path: str, gate: Gate, answer: Answer, largest_body: int = LARGEST_BODY, admit: Admit | None = None
) -> HTTPRouteHandler:
    async def serve(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            await gate.serve(scope, receive, send, answer, path, largest_body, admit)

    # Litestar finds the handler; what the handler gives back is the answer itself, which it need not look into.
    @route(path.replace("}", ":str}"), http_method=_METHODS, status_code=200)
    async def found() -> ASGIApp:
        return serve

    return found


def _own_words(gate: Gate) -> Callable[[Request[Any, Any, Any], Exception], LitestarResponse[bytes]]:
    """Returns Litestar's handler of errors, which answers in our error format. Most are paths that do not exist."""

    def answer(request: Request[Any, Any, Any], refused: Exception) -> LitestarResponse[bytes]:
        given = unexpected()
        if isinstance(refused, HTTPException) and refused.status_code < 500:
            given = refusal(Refused(Kind.NOT_FOUND if refused.status_code == NOT_FOUND else Kind.INVALID))
        request_id = gate.request_id(dict(request.scope["headers"]))
        if given.status >= 500:
            log.error("failed", request_id=request_id.decode(), path=UNKNOWN, exc_info=refused)
        gate.unrouted(str(request.scope["method"]), request_id, given, 0.0)  # found nowhere: that takes no time
        headers = headers_of(given, request_id)
        told = {name.decode(): value.decode() for name, value in headers if name not in (b"content-type", b"content-length")}
        return LitestarResponse(given.body, status_code=given.status, media_type="application/json", headers=told)

    return answer
