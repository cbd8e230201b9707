"""Errors over HTTP, with the Error body of lastro's own API."""

from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Problem(NamedTuple):
    """A problem of a request."""

    field: str
    issue: str
    description: str


class RefusedError(Exception):
    """A refusal with an Error body. code: the name of its error."""

    def __init__(
        self, status: int, code: str, message: str, problems: tuple[Problem, ...] = (), headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.problems = problems
        self.headers = headers


def malformed(*problems: Problem) -> RefusedError:
    """Returns a 400: the request cannot be read."""
    return RefusedError(400, "INVALID_REQUEST", "Request is not valid", problems)


def conflict(field: str, issue: str, description: str) -> RefusedError:
    """Returns a 409: the request contradicts an existing object."""
    return RefusedError(409, "INVALID_REQUEST", "Request is not valid", (Problem(field, issue, description),))


def not_found() -> RefusedError:
    """Returns a 404."""
    return RefusedError(404, "NOT_FOUND", "Resource not found")


def found(value: T | None) -> T:
    """Returns what was found; raises a 404 for nothing."""
    if value is None:
        raise not_found()
    return value


def forbidden() -> RefusedError:
    """Returns a 403: known, but not allowed."""
    return RefusedError(403, "FORBIDDEN_ERROR", "Access denied")


def unauthorized() -> RefusedError:
    """Returns a 401: no token, or not the participant's."""
    return RefusedError(401, "UNAUTHORIZED", "Unauthorized Request")


def away() -> RefusedError:
    """Returns a 503: a fault has the network down."""
    return RefusedError(503, "INTERNAL_ERROR", "Unexpected error", headers={"Retry-After": "1"})
