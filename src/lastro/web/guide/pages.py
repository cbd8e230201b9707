"""A page of the guide: Markdown as HTML, with links that stay inside, and pictures of states as tables."""

from __future__ import annotations

import posixpath
import re
import threading
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

import jinja2
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.web.guide.shelf import PORTUGUESE, name_of
from lastro.web.search import form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from markdown_it.renderer import RendererHTML
    from markdown_it.utils import EnvType, OptionsDict

    from lastro.web.guide.shelf import Leaf, Shelf

BASE: Final = "/docs/guide"
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
# Markdown is read by one thread at a time: its rules are put together with the first text, and who begins meanwhile finds
# them half done, so that the page breaks or lacks what they make.
_READING: Final = threading.Lock()
_MOVE: Final = re.compile(r"^\s*(\S+) --> (\S+?)(?:: (.+))?$", re.MULTILINE)
# A part of a client's example, as clients/generate/snippets.py puts it there.
_CLIENT: Final = re.compile(r"(python|ts) examples/([\w.]+)#[\w-]+")
_LANGUAGES: Final = {"python": "Python", "ts": "TypeScript"}
_ANYWHERE: Final = re.compile(r"[a-z]+:")
LANGUAGES: Final = ("en", "pt")
_TEXTS: Final = read_texts(Path(__file__).with_name("texts.toml"))
_JINJA: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True,
    lstrip_blocks=True, undefined=jinja2.StrictUndefined,
)  # fmt: skip


def page(shelf: Shelf, leaf: Leaf, language: str, *, asked: bool = False) -> str:
    """Renders a page in English or Portuguese. Its text is in that language if there is one.

    asked: the address names the language; its links then name it too.
    """
    spoken, text = leaf.in_(language)
    query = f"?lang={language}" if asked else ""
    say = Speech(language, _TEXTS)
    body = html(text, partial(_inside, shelf, leaf.path, query), leaf.text, say("whole-program"))
    return _JINJA.get_template("page.html").render(
        shelf=shelf, leaf=leaf, say=say, language=language, spoken=spoken, base=BASE, query=query,
        search=form(language, asked=asked),
        body=Markup(body),  # noqa: S704 the renderer has escaped it
    )  # fmt: skip


def html(
    text: str, inside: Callable[[str], str | None], english: str | None = None, whole: str = "The whole program"
) -> str:
    """Renders Markdown as HTML.

    inside: returns a link's target here; None: no target, and then its words stand without a link. english: the page that
    this one translates: its headings' names lead to the same places here, since pages in English link to them. whole: words
    of the link from a call by a client to the program that it is a part of.
    """
    with _READING:
        tokens = _MARKDOWN.parse(text)
        names = _anchored(_MARKDOWN.parse(english or ""))
    _anchored(tokens)
    _named_also(tokens, names)
    _cornered(tokens)
    for token in tokens:
        if token.type == "inline":
            token.children = list(_led(token.children or [], inside))
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {"whole": whole}))


def anchor(title: str) -> str:
    """Returns the name of a heading in links, as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", ""))
    return kept.strip().lower().replace(" ", "-")


def _anchored(tokens: list[Token]) -> list[str]:
    """Names each heading; the names, in their order."""
    names = []
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            names.append(anchor(inline.content))
            heading.attrSet("id", names[-1])
    return names


def _named_also(tokens: list[Token], names: Sequence[str]) -> None:
    """Adds a second anchor to each heading, if the name is unused."""
    headings = [(heading, inline) for heading, inline in pairwise(tokens) if heading.type == "heading_open"]
    taken = {heading.attrGet("id") for heading, _ in headings}
    for (_, inline), name in zip(headings, names, strict=False):
        if name not in taken:
            mark = Token("html_inline", "", 0, content=f'<span id="{escape(name)}"></span>')
            inline.children = [mark, *(inline.children or [])]
            taken.add(name)


def _cornered(tokens: Sequence[Token]) -> None:
    """Makes the empty corner of a table a cell: a heading of nothing says nothing."""
    for opened, inline, closed in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opened.type == "th_open" and not inline.content:
            opened.tag = closed.tag = "td"


def _led(tokens: Iterable[Token], inside: Callable[[str], str | None]) -> Iterable[Token]:
    """Replaces each link by one that the reader can follow."""
    dropped = 0
    for token in tokens:
        if token.type == "link_open":
            target = inside(str(token.attrGet("href") or ""))
            if target is None:
                dropped += 1
                continue
            token.attrSet("href", target)
            if not target.startswith(("/", "#")):
                token.attrSet("rel", "noreferrer")
        elif token.type == "link_close" and dropped:
            dropped -= 1
            continue
        elif token.type == "image":
            token.attrSet("src", inside(str(token.attrGet("src") or "")) or "")
        yield token


def _inside(shelf: Shelf, path: PurePosixPath, query: str, link: str) -> str | None:
    """Returns the served target of a link, else None. Files outside docs/ are not served.

    path: of the link's page. query: what every address of a page ends with. A link of a page to itself leads to the other
    language.
    """
    if link.startswith("#") or _ANYWHERE.match(link):
        return link
    place, _, fragment = link.partition("#")
    target = PurePosixPath(posixpath.normpath(path.parent / place))
    name = place.removeprefix(f"{BASE}/") if place.startswith(f"{BASE}/") else shelf.place_of(target)
    if name == name_of(path) and not fragment:
        query = "?lang=pt" if place.endswith(PORTUGUESE) else "?lang=en"
    if name is None or name in shelf.files:
        query = ""
    return None if name is None else f"{BASE}/{name}{query}" + (f"#{fragment}" if fragment else "")


def _fence(renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    """Renders code as it is, but a state diagram as a table. It needs no script, and is left out if a table follows."""
    if tokens[place].info.strip() != "mermaid":
        code = _scrolled(renderer.fence(tokens, place, options, env))
        client = _CLIENT.fullmatch(tokens[place].info.strip())
        return _folded(code, _LANGUAGES[client[1]], client[2], str(env["whole"])) if client else code
    if [token.type for token in tokens[place + 1 : place + 2]] == ["table_open"]:
        return ""
    moves = [(before, after, act or "") for before, after, act in _MOVE.findall(tokens[place].content)]
    return _JINJA.get_template("moves.html").render(moves=[tuple(map(_dot, move)) for move in moves])


def _folded(code: str, language: str, file: str, whole: str) -> str:
    """Folds a call by one of our clients. A link leads to its program, which makes the client and imports what it needs."""
    link = f'<p><a href="{BASE}/examples-{language.lower()}-{file}">{escape(whole)}</a></p>'
    return f'<details class="client"><summary>{language}</summary>\n{code}{link}\n</details>\n'


def _scrolled(code: str) -> str:
    """Makes code that is wider than the window reachable by keyboard."""
    return code.replace("<pre>", '<pre tabindex="0">', 1)


def _dot(state: str) -> Markup:
    return Markup("&#9679;") if state == "[*]" else escape(state)


_MARKDOWN.add_render_rule("fence", _fence)
