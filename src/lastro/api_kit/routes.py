"""Describes a room's operations to the web app: route, form, verb."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

import msgspec

from lastro.core.errors import Kind, Refused, invalid
from lastro.core.media import JSON

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import datetime

    from lastro.api_kit.forms import Form
    from lastro.core.errors import Refusal
    from lastro.core.media import Media
    from lastro.core.runner import Verb

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_NO_OFFSET = timedelta(0)
NOT_FOUND = Refused(Kind.NOT_FOUND)
NO_NETWORK = invalid(
    "path", "NOT_SUPPORTED", "needs an institution's network, and this lastro works with banks alone",
    "The operation needs an institution's network, and this lastro has none: it works with companies' banks alone.",
    "Do it at your bank. Orders by a bank, refunds and all lists are there.",
)  # fmt: skip
# Of an id in a path, and of a key that has to be one. A filter takes any text: what is no id finds nothing.
ID_SCHEMA: Mapping[str, Any] = {"type": "string", "format": "uuid"}


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request after its token and its bytes were found good. path: the route's parameters. query: each name once.

    raw: the body's bytes, b"" where the operation takes none; body: the same as plain JSON. company_id: whose token it was.
    key: the idempotency key. gone: ends when the caller has hung up; None where nobody can tell. media: what the answer is
    to be, one of what the route has. body_media: what the body is; where the operation reads it itself, `body` is empty.
    boundary: between the parts of a multipart form.
    """

    company_id: UUID
    path: Mapping[str, str]
    query: Mapping[str, str]
    raw: bytes
    body: Mapping[str, Any]
    key: str | None
    gone: Callable[[], Awaitable[None]] | None = None
    media: str = JSON
    body_media: str = JSON
    boundary: str | None = None

    def id(self, name: str) -> UUID | None:
        """Returns a path parameter as a lower-case id, else None. None gets the same response as an unknown id."""
        return as_id(self.path[name])


class Parse(Protocol):
    """Parses a request into one verb, or into all its problems. It runs in a thread for a route with a `largest_body`."""

    def __call__(self, incoming: Incoming, /) -> Verb[Any] | Refused:
        """Looks at the request alone."""


class Answer(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True, frozen=True):
    """The body of an answer, or a part of it: what is sent is made of it, and so is what the documentation says.

    A field whose default is None is left out when it is None; one that is to be null has no default.
    """


@dataclass(frozen=True, slots=True)
class Query:
    """A query parameter. schema: JSON Schema of its value as a text or number. is_required: it must be given."""

    name: str
    description: str
    schema: Mapping[str, Any]
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Doc:
    """The documentation of an operation.

    /openapi.json, /docs, /docs/guide/errors and the tests read it. summary: a few words. description: Markdown. form: of the
    body, None if it takes none. answer: of the success. request, response: examples as JSON values. headers: that a success
    may have, beside those of every answer. media: types of a success beside JSON, or in place of it if there is no `answer`;
    the client's Accept chooses. bodies: types of the request's body beside JSON, or in place of it if there is no `form`.
    """

    summary: str
    description: str = ""
    form: type[Form] | None = None
    answer: type[msgspec.Struct] | None = None
    refusals: tuple[Refusal, ...] = ()
    request: Mapping[str, Any] | None = None
    response: Mapping[str, Any] | None = None
    headers: tuple[str, ...] = ()
    media: tuple[Media, ...] = ()
    bodies: tuple[Media, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. permission: what a client must hold. key: whether an idempotency key is required, optional or none;
    of which length at most, and whether it has to be a UUID.

    parse: bound by the wiring to what the room needs. queries: the query parameters it knows, others are refused. also:
    statuses of success besides its own. An answer that is kept under a key is JSON, so only an operation without one may
    have it in another way too. largest_body: in bytes, where the body may be larger than others'. Such a one is read by the
    operation itself; it is the same request again where it says the same as JSON, or, of another kind, is the same bytes.
    same_at: further paths at which it is the same operation. not_compared: a field of the body, and names below it, at any
    depth, of which nothing may be kept; "" for the body's own fields. They say nothing about whether a request is the same.
    needs_network: an institution's; where lastro has none, the operation is refused.
    """

    method: str
    path: str
    operation: str
    permission: str
    parse: Parse
    doc: Doc
    success: int = 200
    key: str = "none"
    key_longest: int = 255
    key_is_uuid: bool = False
    queries: tuple[Query, ...] = ()
    also: tuple[int, ...] = ()
    largest_body: int | None = None
    same_at: tuple[str, ...] = ()
    not_compared: tuple[str, frozenset[str]] | None = None
    needs_network: bool = False

    def __post_init__(self) -> None:
        assert self.key == "none" or not self.doc.media, "what is kept under a key is JSON"

    @property
    def may_be_empty(self) -> bool:
        """True if a request without a body equals one with `{}`. It is a POST of whose form every field may be left out."""
        form = self.doc.form
        return self.method == "POST" and form is not None and not any(f.required for f in msgspec.structs.fields(form))

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path at which it is served."""
        return (self.path, *self.same_at)

    @property
    def offered(self) -> tuple[str, ...]:
        """The media types that a client may choose from, ours first. Empty: there is no choice."""
        own = () if self.doc.answer is None else (JSON,)
        return (*own, *(one.name for one in self.doc.media)) if self.doc.media else ()

    def without_network(self) -> Route:
        """Returns it as a lastro without an institution's network serves it: refused, if it needs one."""
        return replace(self, parse=_refused_without_network) if self.needs_network else self

    def knows(self, query: str) -> bool:
        """Tells whether it has such a query parameter."""
        return any(q.name == query for q in self.queries)


def _refused_without_network(_: Incoming, /) -> Refused:
    return NO_NETWORK.refused()


def as_id(text: str | None) -> UUID | None:
    """Reads a UUID in the one form we print, else None."""
    return UUID(text) if text is not None and _UUID.match(text) else None


def stamp(at: datetime) -> str:
    """Writes a time as ISO 8601 in UTC with Z and microseconds. at: in UTC."""
    assert at.utcoffset() == _NO_OFFSET, "times are kept in UTC"
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def render(value: Mapping[str, Any] | Answer) -> bytes:
    """Returns the JSON bytes of an answer. Its builder leaves absent optional fields out of the mapping."""
    return msgspec.json.encode(value)


def present(**values: Any) -> dict[str, Any]:
    """Drops the absent optional fields of an answer."""
    return {k: v for k, v in values.items() if v is not None}
