"""Serving the document, its reference and the schemas of events: each made once and sent to who lacks it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import msgspec

from lastro.api_kit.cached_text import Text
from lastro.api_kit.http import Response, refusal
from lastro.api_kit.language import preferred
from lastro.core.errors import Kind, Refused
from lastro.web.openapi import reference
from lastro.web.openapi.event_schemas import event_schema, event_schemas
from lastro.web.openapi.open_paths import SCHEMA
from lastro.web.openapi.postman import collection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer
    from lastro.webhooks import EventType

_POLICY = b"default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class _Made:
    document: Text
    collection: Text
    pages: Mapping[str, Text]

    @classmethod
    def of(cls, document: Mapping[str, Any], tried_at: str, for_postman: Mapping[str, Any]) -> Self:
        page = ((b"content-security-policy", _POLICY), (b"referrer-policy", b"no-referrer"), (b"vary", b"accept-language"))
        pages = {
            language: Text.of(body, b"text/html; charset=utf-8", *page, (b"content-language", language.encode()))
            for language, body in reference.pages(document, tried_at).items()
        }
        document_text, collection_text = (msgspec.json.encode(one) for one in (document, for_postman))
        return cls(Text.of(document_text, b"application/json"), Text.of(collection_text, b"application/json"), pages)


class Reference:
    """Serves /openapi.json, /postman.json, /docs and its style.

    make: the document. tried_at: as `reference.pages`. collect: makes the collection of the document. The document and its
    pages take a second of a core, and most processes never need them: they are made at the first request, in a thread,
    while others are answered.
    """

    def __init__(
        self,
        make: Callable[[], Mapping[str, Any]],
        tried_at: str = "",
        collect: Callable[[Mapping[str, Any]], Mapping[str, Any]] = collection,
    ) -> None:
        self._make = make
        self._tried_at = tried_at
        self._collect = collect
        self._style = Text.of(reference.STYLE, b"text/css; charset=utf-8")
        self._making: asyncio.Future[_Made] | None = None

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of its paths, by method."""
        return {
            "/openapi.json": {"GET": self.openapi},
            "/postman.json": {"GET": self.postman},
            "/docs": {"GET": self.page},
            "/docs/style.css": {"GET": self.style},
        }

    async def openapi(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /openapi.json."""
        return (await self._made()).document.for_(headers)

    async def postman(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /postman.json."""
        return (await self._made()).collection.for_(headers)

    async def page(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs, in the client's language."""
        language = preferred(headers.get(b"accept-language", b"").decode("latin-1"), reference.LANGUAGES)
        return (await self._made()).pages[language].for_(headers)

    async def style(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs/style.css."""
        return self._style.for_(headers)

    async def _made(self) -> _Made:
        """Makes the document once for all concurrent requests.

        No cancelled one stops it; a failure is retried by the next.
        """
        if self._making is None or (self._making.done() and self._making.exception() is not None):
            self._making = asyncio.ensure_future(asyncio.to_thread(self._all))
        return await asyncio.shield(self._making)

    def _all(self) -> _Made:
        document = self._make()
        return _Made.of(document, self._tried_at, self._collect(document))


class Schemas:
    """Serves /schemas and the paths below it. url: of this lastro.

    A schema is made at its first request: all of them take a quarter of a process's start, and most never need one.
    """

    def __init__(self, url: str, event_types: Sequence[EventType]) -> None:
        self._url = url
        self._event_types = {f"{event_type.name}.json": event_type for event_type in event_types}
        self._index = Text.of(msgspec.json.encode(event_schemas(url, event_types)), b"application/json")
        self._schemas: dict[str, Text] = {}

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of its paths, by method."""
        return {"/schemas": {"GET": self.index}, "/schemas/{name}": {"GET": self.schema}}

    async def index(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /schemas."""
        return self._index.for_(headers)

    async def schema(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /schemas/{name}. 404: there is no such event type."""
        name = str(scope["path_params"]["name"])
        event_type = self._event_types.get(name)
        if event_type is None:
            return refusal(Refused(Kind.NOT_FOUND))
        if name not in self._schemas:
            self._schemas[name] = Text.of(msgspec.json.encode(event_schema(self._url, event_type)), SCHEMA.encode())
        return self._schemas[name].for_(headers)
