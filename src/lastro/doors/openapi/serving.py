"""Serving the document, its reference and the schemas of events: made once, at the start, and sent to who lacks them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import msgspec

from lastro.base.errors import Kind, Refused
from lastro.doors.http import Response, refusal
from lastro.doors.openapi import reference
from lastro.doors.openapi.event_schemas import event_schema, event_schemas
from lastro.doors.openapi.open_paths import SCHEMA
from lastro.doors.openapi.words import wanted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from litestar.types import HTTPScope

    from lastro.webhooks import Notice

_POLICY = b"default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class _Text:
    body: bytes
    etag: bytes
    content_type: bytes
    headers: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def of(cls, body: bytes, content_type: bytes, *headers: tuple[bytes, bytes]) -> Self:
        etag = b'"%s"' % hashlib.sha256(body).hexdigest()[:32].encode()
        return cls(body, etag, content_type, ((b"etag", etag), (b"cache-control", b"no-cache"), *headers))

    def for_(self, headers: Mapping[bytes, bytes]) -> Response:
        """The text, or that the caller has it (RFC 9110 §13.1.2)."""
        held = [tag.strip().removeprefix(b"W/") for tag in headers.get(b"if-none-match", b"").split(b",")]
        if self.etag in held or b"*" in held:
            return Response(304, b"", self.content_type, self.headers)
        return Response(200, self.body, self.content_type, self.headers)


class Reference:
    """What answers /openapi.json, /docs and its style."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        page = ((b"content-security-policy", _POLICY), (b"referrer-policy", b"no-referrer"), (b"vary", b"accept-language"))
        self._document = _Text.of(msgspec.json.encode(document), b"application/json")
        self._style = _Text.of(reference.STYLE, b"text/css; charset=utf-8")
        self._pages = {
            language: _Text.of(body, b"text/html; charset=utf-8", *page, (b"content-language", language.encode()))
            for language, body in reference.pages(document).items()
        }

    async def openapi(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /openapi.json."""
        return self._document.for_(headers)

    async def page(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /docs, in the language that is asked for."""
        return self._pages[wanted(headers.get(b"accept-language", b"").decode("latin-1"))].for_(headers)

    async def style(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /docs/style.css."""
        return self._style.for_(headers)


class Schemas:
    """What answers /schemas and the paths below it. url: where this lastro is reached."""

    def __init__(self, url: str, notices: Sequence[Notice]) -> None:
        self._index = _Text.of(msgspec.json.encode(event_schemas(url, notices)), b"application/json")
        self._schemas = {
            f"{notice.name}.json": _Text.of(msgspec.json.encode(event_schema(url, notice)), SCHEMA.encode())
            for notice in notices
        }

    async def index(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /schemas."""
        return self._index.for_(headers)

    async def schema(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /schemas/{name}; 404 for what is no kind of event."""
        found = self._schemas.get(str(scope["path_params"]["name"]))
        return refusal(Refused(Kind.NOT_FOUND)) if found is None else found.for_(headers)
