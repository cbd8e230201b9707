"""The outcome of a request to a stranger's URL."""

from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """The reason for a missing answer. The last two come with the status of the answer, the others with none."""

    TIMEOUT = "TIMEOUT"
    DNS_FAILURE = "DNS_FAILURE"
    CONNECTION_REFUSED = "CONNECTION_REFUSED"
    CONNECTION_CLOSED = "CONNECTION_CLOSED"
    TLS_FAILURE = "TLS_FAILURE"
    ADDRESS_REFUSED = "ADDRESS_REFUSED"
    REDIRECT = "REDIRECT"
    TOO_LARGE = "TOO_LARGE"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one request.

    `status` is the HTTP status, 0 when there was no whole answer. `body` is at most the client's `max_bytes`.
    `retry_after` and `cache_control` are the headers of those names as sent, not yet read.
    """

    status: int
    body: bytes
    failure: Failure | None
    duration_ms: int
    retry_after: str | None = None
    cache_control: str | None = None
