"""One call as it is sent, and what to do after each attempt. Pure: both clients send by it."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from lastro_client.errors import ApiError, Unreachable, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_WAIT_SECONDS = 60.0
_FIRST_WAIT_SECONDS = 0.5
# Nothing was done: the request was turned away at the door.
_TURNED_AWAY = frozenset({429})
# It may have been done. Under its key it is not done twice.
_UNSURE = frozenset({500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class File:
    """A file to be sent. media: its type, such as `image/png`."""

    name: str
    content: bytes
    media: str = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation. key: its idempotency key, the same over all attempts; empty: it takes none."""

    operation: str
    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    body: object = None
    media: str = "application/json"
    fields: Mapping[str, object] = field(default_factory=dict)
    accept: str = "application/json"
    key: str = ""
    request_id: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def is_safe_to_repeat(self) -> bool:
        """Tells whether a second attempt changes nothing that the first has not changed."""
        return self.method == "GET" or bool(self.key)

    def request(self, http: httpx.Client | httpx.AsyncClient, base_url: str, token: str) -> httpx.Request:
        """Returns the request of an attempt."""
        headers = {"authorization": f"Bearer {token}", "accept": self.accept, "x-request-id": self.request_id}
        if self.key:
            headers["idempotency-key"] = self.key
        query = {name: _text(value) for name, value in self.query.items() if value is not None}
        if self.fields:
            given = {name: value for name, value in self.fields.items() if value is not None}
            files = {n: (f.name, f.content, f.media) for n, f in given.items() if isinstance(f, File)}
            texts = {n: _text(value) for n, value in given.items() if not isinstance(value, File)}
            return http.build_request(
                self.method, base_url + self.path, params=query, data=texts, files=files, headers=headers
            )
        content = self.body if isinstance(self.body, bytes) else None
        if content is None and self.body is not None:
            content = json.dumps(self.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if content is not None:
            headers["content-type"] = self.media
        return http.build_request(self.method, base_url + self.path, params=query, content=content, headers=headers)


def new_key(given: str | None) -> str:
    """Returns the caller's idempotency key, or a new one."""
    return str(uuid.uuid4()) if given is None else given


def segment(text: str) -> str:
    """Quotes one part of a path."""
    return quote(text, safe="")


def wait_after(call: Call, attempt: int, answer: httpx.Response | httpx.TransportError, chance: float) -> float | None:
    """Returns the seconds to wait before the next attempt; None: there is to be none. chance: from 0 to 1."""
    backoff = _FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1) * (0.5 + chance / 2)
    if isinstance(answer, httpx.TransportError):
        never_sent = isinstance(answer, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        return backoff if never_sent or call.is_safe_to_repeat else None
    told = _told_to_wait(answer)
    # A conflict with a time is one with itself: the first attempt is still being worked on.
    may = answer.status_code in _TURNED_AWAY or (
        call.is_safe_to_repeat and (answer.status_code in _UNSURE or (answer.status_code == 409 and told is not None))
    )
    if not may or (told or 0) > LONGEST_WAIT_SECONDS:
        return None
    return backoff if told is None else told + backoff / 10


def error_of(call: Call, answer: httpx.Response | httpx.TransportError) -> ApiError | Unreachable:
    """Returns the error that ends a call."""
    if isinstance(answer, httpx.TransportError):
        return Unreachable(
            f"{type(answer).__name__}: {answer}", request_id=call.request_id, idempotency_key=call.key or None
        )
    return refused(
        call.operation, answer.status_code, answer.content, request_id=answer.headers.get("x-request-id", call.request_id),
        idempotency_key=call.key or None, retry_after=_told_to_wait(answer),
    )  # fmt: skip


def decoded(answer: httpx.Response) -> Any:
    """Returns the answer's body: JSON as a value, other types as bytes, an empty one as None."""
    if not answer.content:
        return None
    media = answer.headers.get("content-type", "").partition(";")[0]
    return json.loads(answer.content) if media == "application/json" else answer.content


def _told_to_wait(answer: httpx.Response) -> float | None:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdecimal() else None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
