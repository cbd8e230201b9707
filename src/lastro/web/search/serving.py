"""Serving /docs/search: the index of a language is made at its first question, and kept."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from lastro.api_kit.cached_text import Text
from lastro.api_kit.catalogue import Speech
from lastro.api_kit.language import language_asked
from lastro.web.search.form import BASE, JINJA, TEXTS, form
from lastro.web.search.index import LONGEST, Found, Index, words_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer, Response
    from lastro.web.search.index import Section

_OURS: Final[Mapping[str, str]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
LANGUAGES: Final = ("en", "pt")
_LONGEST_QUERY: Final = 4_000  # bytes: a character is up to twelve of them
_HTML: Final = b"text/html; charset=utf-8"
_HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"vary", b"accept-language"),
)


class Search:
    """Serves /docs/search. sources: each gives what can be found in a language."""

    def __init__(self, sources: Sequence[Callable[[str], Awaitable[Iterable[Section]]]]) -> None:
        self._sources = sources
        self._made: dict[str, asyncio.Future[Index]] = {}

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of its paths, by method."""
        return {BASE: {"GET": self.answer}}

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /docs/search?q=, in the client's language or that of `?lang=`."""
        given = dict(parse_qsl(scope["query_string"][:_LONGEST_QUERY].decode("latin-1"), errors="replace"))
        language, asked = language_asked(scope, headers, LANGUAGES)
        question = _printable(given.get("q", ""))
        found = (await self._index(language)).find(question) if words_of(question) else Found((), 0, whole=True)
        page = _page(question, found, language, asked=asked)
        return Text.of(page.encode(), _HTML, *_HEADERS, (b"content-language", language.encode()), pack=True).for_(headers)

    async def _index(self, language: str) -> Index:
        """Makes the index once for all concurrent questions. A failure is retried by the next."""
        making = self._made.get(language)
        if making is None or (making.done() and making.exception() is not None):
            making = self._made[language] = asyncio.ensure_future(self._read(language))
        return await asyncio.shield(making)

    async def _read(self, language: str) -> Index:
        sections = [one for source in self._sources for one in await source(language)]
        return await asyncio.to_thread(Index, sections, _OURS)


def _page(question: str, found: Found, language: str, *, asked: bool) -> str:
    say = Speech(language, TEXTS)
    query = f"?lang={language}" if asked else ""
    other = next(one for one in LANGUAGES if one != language)

    def address(url: str) -> str:
        place, _, fragment = url.partition("#")
        return place + query + (f"#{fragment}" if fragment else "")

    return JINJA.get_template("results.html").render(
        say=say, language=language, query=query, question=question, found=found, told=_told(question, found, say),
        address=address, form=form(language, asked=asked, question=question),
        elsewhere=f"{BASE}?{urlencode({'q': question, 'lang': other})}",
    )  # fmt: skip


def _told(question: str, found: Found, say: Speech) -> str:
    """Returns a sentence of what was found."""
    if not question:
        return say("empty")
    if found.count == 0:
        return say("none")
    if not found.whole:
        return say("some", count=found.count)
    if found.count == 1:
        return say("one")
    shown = len(found.hits)
    return say("all", count=found.count) if shown == found.count else say("first", count=found.count, shown=shown)


def _printable(question: str) -> str:
    """Returns the question as it may stand on a page: what cannot be printed is a blank."""
    shown = "".join(one if one.isprintable() else " " for one in question[:LONGEST])
    return " ".join(shown.split())
