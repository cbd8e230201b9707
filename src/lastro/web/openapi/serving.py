"""Serving the document, its reference and the schemas of events: each made once and sent to who lacks it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import msgspec

from lastro.api_kit.cached_text import Text
from lastro.api_kit.http import Response, refusal
from lastro.api_kit.language import language_asked
from lastro.core.errors import Kind, Refused
from lastro.web.openapi import reference
from lastro.web.openapi.event_schemas import event_schema, event_schemas
from lastro.web.openapi.open_paths import SCHEMA
from lastro.web.openapi.postman import collection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer
    from lastro.web.search import Section
    from lastro.webhooks import EventType

_POLICY = (
    b"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class _Made:
    """The document as it is served, and as its pages show it."""

    document: Text
    collection: Text
    shown: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any], for_postman: Mapping[str, Any]) -> Self:
        text, collected = (
            Text.of(msgspec.json.encode(one), b"application/json", pack=True) for one in (document, for_postman)
        )
        return cls(text, collected, reference.inlined(document))


class Reference:
    """Serves /openapi.json, /postman.json, /docs, the pages below /docs/api, and their style.

    make: the document. tried_at: as `reference.page`. collect: makes the collection of the document. The document takes most
    of a second of a core, and most processes never need it: it is made at the first request, in a thread, while others are
    answered. A page is made when somebody asks for it first.
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
        self._style = Text.of(reference.STYLE, b"text/css; charset=utf-8", pack=True)
        self._making: asyncio.Future[_Made] | None = None
        self._pages: dict[tuple[str, str, bool], Text] = {}

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of its paths, by method."""
        return {
            "/openapi.json": {"GET": self.openapi},
            "/postman.json": {"GET": self.postman},
            "/docs": {"GET": self.contents},
            f"{reference.BASE}/{{page}}": {"GET": self.page},
            "/docs/style.css": {"GET": self.style},
        }

    async def openapi(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /openapi.json."""
        return (await self._made()).document.for_(headers)

    async def postman(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /postman.json."""
        return (await self._made()).collection.for_(headers)

    async def contents(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs: what there is, in the client's language or that of `?lang=`."""
        return await self._page(reference.CONTENTS, scope, headers)

    async def page(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs/api/{page}, likewise. 404: there is no such page."""
        return await self._page(str(scope["path_params"]["page"]), scope, headers)

    async def style(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs/style.css."""
        return self._style.for_(headers)

    async def sections(self, language: str) -> list[Section]:
        """Returns what a search finds here: in English for every reader."""
        shown = (await self._made()).shown
        return await asyncio.to_thread(lambda: [*reference.sections(shown)])

    async def _page(self, name: str, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response:
        language, asked = language_asked(scope, headers, reference.LANGUAGES)
        text = self._pages.get((name, language, asked))
        if text is None:
            shown = (await self._made()).shown
            if name not in reference.names(shown):  # only what there is, so that nobody fills it
                return refusal(Refused(Kind.NOT_FOUND))
            text = await asyncio.to_thread(self._rendered, shown, name, language, asked)
            self._pages[name, language, asked] = text
        return text.for_(headers)

    def _rendered(self, shown: Mapping[str, Any], name: str, language: str, asked: bool) -> Text:
        body = reference.page(shown, name, language, asked=asked, tried_at=self._tried_at)
        spoken = (b"vary", b"accept-language"), (b"content-language", language.encode())
        policy = (b"content-security-policy", _POLICY), (b"referrer-policy", b"no-referrer")
        return Text.of(body, b"text/html; charset=utf-8", *policy, *spoken, pack=True)

    async def _made(self) -> _Made:
        """Makes the document once for all concurrent requests.

        No cancelled one stops it; a failure is retried by the next.
        """
        if self._making is None or (self._making.done() and self._making.exception() is not None):
            self._making = asyncio.ensure_future(asyncio.to_thread(self._all))
        return await asyncio.shield(self._making)

    def _all(self) -> _Made:
        document = self._make()
        return _Made.of(document, self._collect(document))


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
