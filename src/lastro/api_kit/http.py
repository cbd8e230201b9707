"""Builds HTTP responses: the Error body, and the status of each refusal. Nothing else is decided."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from uuid import UUID  # noqa: TC003 named in a dataclass

import msgspec

from lastro.api_kit.rendering import ApiError, ErrorDetail
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.media import JSON

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping

    from litestar.types import HTTPScope

    # One request on a path: the scope, the body's bytes, the headers by lower-case name.
    Answer = Callable[[HTTPScope, bytes, Mapping[bytes, bytes]], Awaitable["Response"]]
    # Returns the rejection of a request by its head alone; None: read its body.
    Admit = Callable[[HTTPScope, Mapping[bytes, bytes]], Awaitable["Response | None"]]

UNKNOWN = "unknown"  # the path of a request that no route was found for
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_REQUEST_ID = re.compile(rb"[\x21-\x7e]{1,128}\Z")
STATUS = {
    Kind.INVALID: 400, Kind.UNAUTHORIZED: 401, Kind.FORBIDDEN: 403, Kind.NOT_FOUND: 404, Kind.METHOD_NOT_ALLOWED: 405,
    Kind.NOT_ACCEPTABLE: 406, Kind.CONFLICT: 409, Kind.TOO_LARGE: 413, Kind.UNSUPPORTED_TYPE: 415, Kind.TOO_MANY: 429,
    Kind.UNAVAILABLE: 503,
}  # fmt: skip
_WORDS = {
    Kind.UNAUTHORIZED: ("UNAUTHORIZED", "Unauthorized Request"),
    Kind.FORBIDDEN: ("FORBIDDEN_ERROR", "Access denied"),
    Kind.NOT_FOUND: ("NOT_FOUND", "Resource not found"),
    Kind.UNAVAILABLE: ("INTERNAL_ERROR", "Not available now, try again later"),
}
_INVALID = ("INVALID_REQUEST", "Request is not valid")
_UNEXPECTED = ("INTERNAL_ERROR", "Unexpected error")


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response.

    issues: codes of a refusal's problems, which are logged and in the body anyway. more: parts that follow the body; their
    number is not known beforehand.
    """

    status: int
    body: bytes
    content_type: bytes = JSON.encode()
    headers: tuple[tuple[bytes, bytes], ...] = ()
    issues: tuple[str, ...] = ()
    more: AsyncGenerator[bytes, None] | None = None

    def with_headers(self, more: tuple[tuple[bytes, bytes], ...]) -> Response:
        """Returns the response with further headers."""
        return replace(self, headers=self.headers + more)


@dataclass(frozen=True, slots=True)
class Upload:
    """An Answer to a body above the usual size. largest_body: in bytes. admit: refuses a request before its body is read."""

    answer: Answer
    largest_body: int
    admit: Admit

    async def __call__(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers a request whose body was read."""
        return await self.answer(scope, raw, headers)


class Revoked(Exception):  # noqa: N818 it says what happened
    """The client of a long answer was revoked while it was sent."""


@dataclass(slots=True)
class RequestNotes:
    """Notes of a request for logs and metrics, filled in gradually.

    path: the route's, without values; UNKNOWN if there is no such route. objects: ids of what was made or moved. issues: the
    reasons of its refusal.
    """

    method: str
    path: str
    request_id: str
    operation: str | None = None
    company_id: UUID | None = None
    client_id: str | None = None
    objects: list[UUID | str] = field(default_factory=list)
    issues: tuple[str, ...] = ()


def request_id(given: bytes, random: Callable[[int], bytes]) -> bytes:
    """Returns the caller's x-request-id if printable, else a new one (contract.md §1)."""
    return given if _REQUEST_ID.match(given) else random(16).hex().encode()


def headers_of(response: Response, request_id: bytes) -> list[tuple[bytes, bytes]]:
    """Returns every header of an answer, but for those of the connection."""
    has_none = response.status in (204, 304)  # RFC 9110 §8.6: such an answer has no body, whose length could be told
    length = () if response.more is not None else ((b"content-length", b"%d" % len(response.body)),)
    of_body = () if has_none else ((b"content-type", response.content_type), *length)
    return [
        *of_body,
        (b"x-request-id", request_id),
        (b"x-content-type-options", b"nosniff"),
        *response.headers,
    ]


def seen_of(scope: HTTPScope) -> RequestNotes:
    """Returns the notes of a request."""
    found: RequestNotes = scope["state"]["seen"]
    return found


def refusal(refused: Refused) -> Response:
    """Returns the Error body and status of a refusal."""
    error, message = _WORDS.get(refused.kind, _INVALID)
    details = [ErrorDetail(field=p.field, issue=p.issue, description=p.description) for p in refused.problems]
    body = msgspec.json.encode(ApiError(error=error, message=message, details=details))
    headers: tuple[tuple[bytes, bytes], ...] = ()
    if refused.retry_after_seconds is not None:
        headers = ((b"retry-after", str(refused.retry_after_seconds).encode()),)
    issues = tuple(dict.fromkeys(p.issue for p in refused.problems))
    return Response(STATUS[refused.kind], body, headers=headers, issues=issues)


def unauthorized() -> Response:
    """Returns the 401 for a missing or bad token (RFC 6750 §3)."""
    refused = refusal(Refused(Kind.UNAUTHORIZED))
    return Response(refused.status, refused.body, headers=((b"www-authenticate", b"Bearer"),))


def not_allowed(methods: Iterable[str]) -> Response:
    """Returns the 405 of a path, with its methods. A path with GET has HEAD too."""
    given = tuple(methods)
    allowed = ", ".join((*given, "HEAD") if "GET" in given and "HEAD" not in given else given)
    refused = refusal(Refused(Kind.METHOD_NOT_ALLOWED, (Problem("method", "NOT_ALLOWED", f"this path takes {allowed}"),)))
    return Response(refused.status, refused.body, headers=((b"allow", allowed.encode()),), issues=refused.issues)


def unexpected(status: int = 500) -> Response:
    """Returns the answer to an internal error, without details. 503: a part of ours is away for the moment."""
    if status == STATUS[Kind.UNAVAILABLE]:
        return refusal(Refused(Kind.UNAVAILABLE, retry_after_seconds=1))
    error, message = _UNEXPECTED
    return Response(status, msgspec.json.encode(ApiError(error=error, message=message, details=[])))
