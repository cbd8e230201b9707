"""The pages of the guide by heading, for a search."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lastro.web.guide.pages import BASE, anchor
from lastro.web.search import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lastro.web.guide.shelf import Leaf, Shelf

_HEADING: Final = re.compile(r"(#{1,4}) (.+)")
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
# Drawings, the line below a table's head, the fences of code, and marks within a line. The longest first.
_MARKS: Final = re.compile(r"^```mermaid\n(?:(?!```).*\n)*```$|^[-|:][-\s|:]*$|^```.*$|[`*|>]", re.MULTILINE)
# What a hit counts in each group of pages: who integrates searches oftener than who asks why something was decided.
_WEIGHTS: Final = {"start": 2.0, "guides": 2.0, "running": 1.2, "reference": 1.2, "states": 0.8, "decisions": 0.4}


def sections(shelf: Shelf, language: str) -> Iterator[Section]:
    """Yields the parts of every page, each below its heading. language: a reader's."""
    for group, leaves in shelf.groups:
        for leaf in leaves:
            yield from _of(leaf, language, _WEIGHTS.get(group, 1.0))


def _of(leaf: Leaf, language: str, weight: float) -> Iterator[Section]:
    spoken, text = leaf.in_(language)
    page, place = leaf.title_in(language), f"{BASE}/{leaf.name}"
    title, where, lines, is_code = page, place, list[str](), False
    for line in text.split("\n"):
        is_code ^= line.startswith("```")
        heading = None if is_code else _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        if any(lines):
            yield Section(where, title, page, _plain(lines), spoken, weight)
        is_title = len(heading[1]) == 1
        title, lines = _LINK.sub(r"\1", heading[2]).replace("`", ""), []
        where = place if is_title else f"{place}#{anchor(heading[2])}"
    yield Section(where, title, page, _plain(lines), spoken, weight)


def _plain(lines: list[str]) -> str:
    """Returns the words of Markdown on one line."""
    return " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", "\n".join(lines))).split())
