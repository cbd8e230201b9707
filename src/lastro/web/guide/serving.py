"""Serving the guide: each page made when somebody asks for it first, and llms.txt, which tells machines of them."""

from __future__ import annotations

import asyncio
import mimetypes
from typing import TYPE_CHECKING, Final

from lastro.api_kit.cached_text import Text
from lastro.api_kit.http import Response, refusal
from lastro.api_kit.language import language_asked
from lastro.core.errors import Kind, Refused
from lastro.web.guide import pages, shelf
from lastro.web.guide.pages import LANGUAGES
from lastro.web.guide.sections import sections

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer
    from lastro.web.guide.addresses import Addresses
    from lastro.web.search import Section

_POLICY: Final = (
    b"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HTML: Final = b"text/html; charset=utf-8"
_PLAIN: Final = b"text/plain; charset=utf-8"
_PICTURES: Final = ("image/svg+xml", "image/png")
_CLOSED: Final = ((b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox"),)


class Guide:
    """Serves /docs/guide, the paths below it and /llms.txt. places: its addresses. generated: pages made of the code."""

    def __init__(self, places: Addresses, generated: Callable[[], Mapping[str, str]]) -> None:
        self._places = places
        self._url = places.api
        self._generated = generated
        self._read: asyncio.Future[shelf.Shelf] | None = None
        self._made: dict[tuple[str, str, bool], Text] = {}

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of its paths, by method."""
        return {
            "/docs/guide": {"GET": self.start},
            "/docs/guide/{page}": {"GET": self.page},
            "/llms.txt": {"GET": self.for_machines},
        }

    async def start(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs/guide with its first page."""
        return await self._answer(shelf.START, scope, headers)

    async def page(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs/guide/{page}, in the client's language or that of `?lang=`. 404: there is no such page."""
        return await self._answer(str(scope["path_params"]["page"]), scope, headers)

    async def for_machines(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /llms.txt (llmstxt.org). It has every page with its first words, and the address of its Markdown."""
        held = await self._shelf()
        lines = [
            "# lastro",
            "",
            "> A self-hosted Brazilian payments platform: Pix, TED, boleto, cards, webhooks, a ledger.",
            "",
        ]
        lines += [f"- [API]({self._url}/openapi.json): every operation, OpenAPI 3.1", ""]
        for group, leaves in held.groups:
            lines += [f"## {group.capitalize()}", ""]
            lines += [
                f"- [{leaf.title}]({self._url}{pages.BASE}/{leaf.name}.md): {leaf.first_words[:200]}" for leaf in leaves
            ]
            lines.append("")
        return Text.of("\n".join(lines).encode(), _PLAIN, pack=True).for_(headers)

    async def sections(self, language: str) -> list[Section]:
        """Returns what a search finds in the pages, in a reader's language."""
        held = await self._shelf()
        return await asyncio.to_thread(lambda: [*sections(held, language)])

    async def _answer(self, name: str, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response:
        language, asked = language_asked(scope, headers, LANGUAGES)
        made = self._made.get((name, language, asked))
        if made is None:
            held = await self._shelf()
            made = await asyncio.to_thread(_text, held, name, language, asked=asked)
            if made is None:
                return refusal(Refused(Kind.NOT_FOUND))
            self._made[name, language, asked] = made  # only what there is, so that nobody fills it
        return made.for_(headers)

    async def _shelf(self) -> shelf.Shelf:
        """Reads the pages once for all concurrent requests. A failure is retried at the next request."""
        if self._read is None or (self._read.done() and self._read.exception() is not None):
            self._read = asyncio.ensure_future(asyncio.to_thread(self._collect))
        return await asyncio.shield(self._read)

    def _collect(self) -> shelf.Shelf:
        return self._places.on(shelf.read(shelf.docs_folder(), self._generated()))


def _text(held: shelf.Shelf, name: str, language: str, *, asked: bool) -> Text | None:
    """Returns a page, its Markdown or a file that pages link to. The name of Markdown ends in `.md`."""
    leaf = held.leaf(name)
    if leaf is not None:
        spoken = (b"vary", b"accept-language"), (b"content-language", leaf.in_(language)[0].encode())
        policy = (b"content-security-policy", _POLICY), (b"referrer-policy", b"no-referrer")
        return Text.of(pages.page(held, leaf, language, asked=asked).encode(), _HTML, *policy, *spoken, pack=True)
    source = held.leaf(name.removesuffix(".md")) if name.endswith(".md") else None
    if source is not None:
        markdown = source.in_(language)[1].encode()
        return Text.of(markdown, b"text/markdown; charset=utf-8", (b"vary", b"accept-language"), pack=True)
    content = held.files.get(name)
    if content is None:
        return None
    kind = mimetypes.guess_type(name)[0]
    return Text.of(content, kind.encode() if kind in _PICTURES else _PLAIN, *_CLOSED)
