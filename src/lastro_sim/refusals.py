"""Errors over HTTP, with the Error body of lastro's own API."""

from dataclasses import dataclass
from typing import NamedTuple


class Problem(NamedTuple):
    """A problem of a request."""

    field: str
    issue: str
    description: str


@dataclass(frozen=True)
class RefusedError(Exception):
    """A refusal with an Error body."""

    status: int
    error: str
    message: str
    problems: tuple[Problem, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


def malformed(*problems: Problem) -> RefusedError:
    """Returns a 400: the request cannot be read."""
    return RefusedError(400, "INVALID_REQUEST", "Request is not valid", problems)


def conflict(field: str, issue: str, description: str) -> RefusedError:
    """Returns a 409: the request contradicts an existing object."""
    return RefusedError(409, "INVALID_REQUEST", "Request is not valid", (Problem(field, issue, description),))


def not_found() -> RefusedError:
    """Returns a 404."""
    return RefusedError(404, "NOT_FOUND", "Resource not found")


def forbidden() -> RefusedError:
    """Returns a 403: known, but not allowed."""
    return RefusedError(403, "FORBIDDEN_ERROR", "Access denied")


def unauthorized() -> RefusedError:
    """Returns a 401: no token, or not the participant's."""
    return RefusedError(401, "UNAUTHORIZED", "Unauthorized Request")


def away() -> RefusedError:
    """Returns a 503: a fault has the network down."""
    return RefusedError(503, "INTERNAL_ERROR", "Unexpected error", headers=(("Retry-After", "1"),))
