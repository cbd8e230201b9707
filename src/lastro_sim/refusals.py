"""How the simulator says no over HTTP: the Error body that lastro's own API uses."""

from dataclasses import dataclass
from typing import NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong with a request."""

    field: str
    issue: str
    description: str


@dataclass(frozen=True)
class RefusedError(Exception):
    """A request that is answered with an Error body."""

    status: int
    error: str
    message: str
    problems: tuple[Problem, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


def malformed(*problems: Problem) -> RefusedError:
    """The request cannot be read as what it should be."""
    return RefusedError(400, "INVALID_REQUEST", "Request is not valid", problems)


def conflict(field: str, issue: str, description: str) -> RefusedError:
    """The request contradicts something that is already there."""
    return RefusedError(409, "INVALID_REQUEST", "Request is not valid", (Problem(field, issue, description),))


def not_found() -> RefusedError:
    """There is nothing by that name."""
    return RefusedError(404, "NOT_FOUND", "Resource not found")


def forbidden() -> RefusedError:
    """Known, but not allowed to do this."""
    return RefusedError(403, "FORBIDDEN_ERROR", "Access denied")


def unauthorized() -> RefusedError:
    """No token, or not the participant's."""
    return RefusedError(401, "UNAUTHORIZED", "Unauthorized Request")


def away() -> RefusedError:
    """The network plays dead because a fault says so."""
    return RefusedError(503, "INTERNAL_ERROR", "Unexpected error", headers=(("Retry-After", "1"),))
