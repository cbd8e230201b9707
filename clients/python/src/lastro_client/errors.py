"""What a call can end with. Each error keeps the request's id; a refusal says what is wrong and what to do."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from lastro_client.cures import cure_of

_NUMBER = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a request. cure: what to do about it; empty: nothing is known."""

    field: str
    issue: str
    description: str
    cure: str = ""

    def __str__(self) -> str:
        return f"{self.field} {self.issue}: {self.description}" + (f" → {self.cure}" if self.cure else "")


class LastroError(Exception):
    """Anything that a client raises. request_id: as the server's logs have it."""

    def __init__(self, text: str, *, request_id: str, idempotency_key: str | None = None) -> None:
        super().__init__(f"{text} (request {request_id})")
        self.request_id = request_id
        self.idempotency_key = idempotency_key


class Unreachable(LastroError):
    """No answer came. With the same idempotency key the call can be made again, and is not done twice."""


class ApiError(LastroError):
    """A refusal. code: the interface's word, such as `INVALID_REQUEST`. cure: of a refusal without problems."""

    def __init__(
        self, status: int, code: str, message: str, problems: tuple[Problem, ...], cure: str, *, request_id: str,
        idempotency_key: str | None = None, retry_after: float | None = None,
    ) -> None:  # fmt: skip
        told = "; ".join(map(str, problems)) or cure
        text = f"{status} {code}: {message}" + (f": {told}" if told else "")
        super().__init__(text, request_id=request_id, idempotency_key=idempotency_key)
        self.status = status
        self.code = code
        self.message = message
        self.problems = problems
        self.cure = cure or next((p.cure for p in problems if p.cure), "")
        self.retry_after = retry_after

    @property
    def field(self) -> str:
        """The first field at fault; empty where none is."""
        return self.problems[0].field if self.problems else ""

    @property
    def issue(self) -> str:
        """The first problem's word, such as `OUT_OF_RANGE`; empty where there is none."""
        return self.problems[0].issue if self.problems else ""


class InvalidRequest(ApiError):
    """400, 406, 413, 415: the request is at fault."""


class Unauthorized(ApiError):
    """401: the client or its secret is not known."""


class Forbidden(ApiError):
    """403: the client may not do this."""


class NotFound(ApiError):
    """404: there is no such thing of this company."""


class Conflict(ApiError):
    """409: the state of something is in the way."""


class TooManyRequests(ApiError):
    """429: too many requests. retry_after: seconds until there is room."""


class ServerError(ApiError):
    """500 and above: something failed there."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 429: TooManyRequests,
}  # fmt: skip


def refused(
    operation: str, status: int, body: bytes, *, request_id: str, idempotency_key: str | None = None,
    retry_after: float | None = None, cure: str = "",
) -> ApiError:  # fmt: skip
    """Returns the error of an answer, whoever gave it. cure: empty: as the document says."""
    said = _object(body)
    problems = tuple(_problem(operation, status, one) for one in said.get("details", ()) if isinstance(one, dict))
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else InvalidRequest)
    code, message = str(said.get("error", "UNKNOWN")), str(said.get("message", "The answer is not lastro's"))
    if not problems:
        cure = cure or cure_of(operation, status, "", "")
    return kind(
        status,
        code,
        message,
        problems,
        cure,
        request_id=request_id,
        idempotency_key=idempotency_key,
        retry_after=retry_after,
    )


def _object(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _problem(operation: str, status: int, one: dict[str, Any]) -> Problem:
    field, issue = str(one.get("field", "")), str(one.get("issue", ""))
    cure = cure_of(operation, status, _NUMBER.sub("[]", field), issue)
    return Problem(field, issue, str(one.get("description", "")), cure)
