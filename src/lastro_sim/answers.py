"""Rendering of answers: JSON, the Error body, and the framework's errors."""

import logging
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.types import Receive, Scope, Send

from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.refusals import RefusedError, forbidden, not_found, unauthorized

LOG = logging.getLogger("lastro_sim")
Asked = Request[Any, Any, State]
LARGEST_BODY = 262_144


async def body(receive: Receive) -> bytes:
    """Reads a request's body. It takes a third of the framework's time, for requests that are frequent."""
    read = b""
    while (event := await receive())["type"] == "http.request":
        read += event["body"]
        if len(read) > LARGEST_BODY:
            raise HTTPException(status_code=413)
        if not event["more_body"]:
            return read
    raise HTTPException(status_code=400)


class Encoded(Response[bytes]):
    """An encoded JSON answer, sent as it is. Litestar's own steps would cost more than its making."""

    def __init__(self, body: bytes, status: int, headers: dict[str, str]) -> None:
        self.content, self.status_code = body, status
        self._started: Any = {"type": "http.response.start", "status": status, "headers": [
            (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)),
            *((name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()),
        ]}  # fmt: skip

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        """Returns the answer as an ASGI application."""
        return self.sent

    async def sent(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the answer."""
        await send(self._started)
        await send({"type": "http.response.body", "body": self.content, "more_body": False})


def answer(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Encoded:
    """Returns a JSON answer."""
    return Encoded(msgspec.json.encode(value), status, headers or {})


def nothing(status: int = 204, headers: dict[str, str] | None = None) -> Response[None]:
    """Returns an answer without a body."""
    return Response(None, status_code=status, headers=headers)


async def hung_up(request: Asked) -> None:
    """Returns once the caller has disconnected."""
    await request.body()
    while (await request.receive())["type"] != "http.disconnect":
        pass


def refused(_: Asked | None, error: RefusedError) -> Encoded:
    """Returns the Error body of a refusal."""
    body = {
        "error": error.code,
        "message": error.message,
        "details": [problem._asdict() for problem in error.problems],
    }
    return answer(body, error.status, error.headers)


def refused_by_directory(_: Asked, no: RefusedError) -> Response[bytes]:
    """Returns a refusal in the directory's form; a 5xx in the usual one."""
    if no.status >= 500:
        return refused(_, no)
    kind = {"NOT_FOUND": "NotFound", "INVALID_REQUEST": "BadRequest"}.get(no.code, no.code)
    body: dict[str, Any] = {"type": kind, "title": no.message, "status": no.status}
    if no.problems:
        body["violations"] = [{"property": problem.field, "reason": problem.description} for problem in no.problems]
    return answer(body, no.status, no.headers)


# The directory's endpoints for participants.
DIRECTORY: Final[dict[str, Any]] = {
    "opt": PARTICIPANT_ONLY, "exception_handlers": {RefusedError: refused_by_directory},
}  # fmt: skip


def broken(request: Asked | None, error: Exception) -> Encoded:
    """Logs a bug of the simulator and answers 500 without details."""
    LOG.error("failed", exc_info=error)
    return refused(request, RefusedError(500, "INTERNAL_ERROR", "Unexpected error"))


def from_framework(request: Asked | None, error: HTTPException) -> Encoded:
    """Turns the framework's HTTP errors into lastro's Error body."""
    known = {401: unauthorized, 403: forbidden, 404: not_found}.get(error.status_code)
    if known is not None:
        return refused(request, known())
    if error.status_code >= 500:
        return refused(request, RefusedError(error.status_code, "INTERNAL_ERROR", "Unexpected error"))
    return refused(request, RefusedError(error.status_code, "INVALID_REQUEST", "Request is not valid"))


def failed(error: Exception) -> Encoded:
    """Returns the answer to a request that failed, outside the framework."""
    if isinstance(error, RefusedError):
        return refused(None, error)
    return from_framework(None, error) if isinstance(error, HTTPException) else broken(None, error)
