"""Sections of pages, found by their words, without accents and capitals."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LONGEST: Final = 200  # characters of a question that are read
_MOST_WORDS: Final = 8
_MOST: Final = 20  # results of a page
_AROUND: Final = 90  # characters before the first word that was found
_EXCERPT: Final = 260
_OFTEN: Final = 5  # a word that comes oftener counts no more


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page that has an address. page: the title of its page. weight: what a hit in it counts."""

    url: str
    title: str
    page: str
    text: str
    language: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class _Read:
    """A section as it is searched: with a blank before each word, and as many characters as it has."""

    section: Section
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that was found. excerpt: parts of its text, each with whether it is a word that was asked for."""

    section: Section
    excerpt: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Best first. whole: all words are in each of them. count: of all, of which the first are here."""

    hits: tuple[Hit, ...]
    count: int
    whole: bool


class Index:
    """Sections that can be searched. They are read once, and questions change nothing.

    ours: our words for others that stand nowhere.
    """

    def __init__(self, sections: Iterable[Section], ours: Mapping[str, str] = MappingProxyType({})) -> None:
        self._read = [_read(one) for one in sections]
        self._ours = {folded(theirs): folded(word) for theirs, word in ours.items()}

    def find(self, question: str) -> Found:
        """Finds sections with all words: where words begin, else anywhere, else those with some."""
        words = [self._ours[word] if self._is_strange(word) else word for word in words_of(question)]
        starts = [f" {word}" for word in words]
        for needles, everywhere in ((starts, True), (words, True), (words, False)):
            found = [one for one in self._read if _has(one, needles, everywhere=everywhere)] if words else []
            if found:
                best = sorted(found, key=lambda one, by=needles: -_score(one, by))[:_MOST]  # type: ignore[misc]
                return Found(tuple(Hit(one.section, _excerpt(one, needles)) for one in best), len(found), everywhere)
        return Found((), 0, whole=True)

    def _is_strange(self, word: str) -> bool:
        """Tells whether a word stands nowhere, and we have another for it."""
        return word in self._ours and not any(word in one.text or word in one.title for one in self._read)


def words_of(question: str) -> list[str]:
    """Returns the first different words of a question, without accents and capitals."""
    text = unicodedata.normalize("NFC", question[:LONGEST])
    return [*dict.fromkeys(folded(text).split())][:_MOST_WORDS]


def folded(text: str) -> str:
    """Returns small letters without accents, character by character; a blank for all else."""
    return "".join(map(_plain, text))


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0].lower()[0]
    return base if base.isalnum() else " "


def _read(section: Section) -> _Read:
    return _Read(section, " " + folded(f"{section.title} {section.page}"), " " + folded(section.text))


def _has(one: _Read, needles: Sequence[str], *, everywhere: bool) -> bool:
    found = (needle in one.text or needle in one.title for needle in needles)
    return all(found) if everywhere else any(found)


def _score(one: _Read, needles: Sequence[str]) -> float:
    """Returns how well it fits: a word of the title counts most, then how often each comes."""
    titled = sum(needle in one.title for needle in needles)
    often = sum(min(one.text.count(needle), _OFTEN) for needle in needles)
    whole = 4.0 if titled == len(needles) else 0.0
    return (8.0 * titled + often + whole) * one.section.weight - len(one.title) / 1_000


def _excerpt(one: _Read, needles: Sequence[str]) -> tuple[tuple[str, bool], ...]:
    """Returns the text around the first found word, cut at blanks."""
    places = [place for needle in needles if (place := one.text.find(needle)) >= 0]
    text = one.section.text
    begin = max(0, min(places, default=0) - _AROUND)
    begin = 0 if begin == 0 else text.find(" ", begin) + 1 or begin
    end = len(text) if len(text) - begin <= _EXCERPT else text.rfind(" ", begin, begin + _EXCERPT)
    end = end if end > begin else begin + _EXCERPT
    return _with_the_rest(text[begin:end], _marked(one.text[begin : end + 1], needles), begin > 0, end < len(text))


def _marked(text: str, needles: Sequence[str]) -> list[tuple[int, int]]:
    """Returns where words stand in the section's own text, one blank shorter."""
    spans = []
    for needle in needles:
        word, before = needle.lstrip(), len(needle) - len(needle.lstrip())
        place = text.find(needle)
        while place >= 0:
            start = place + before - 1
            if start >= 0:
                spans.append((start, start + len(word)))
            place = text.find(needle, place + 1)
    return sorted(spans)


def _with_the_rest(
    text: str, spans: Sequence[tuple[int, int]], is_begun: bool, goes_on: bool
) -> tuple[tuple[str, bool], ...]:
    parts: list[tuple[str, bool]] = [("… ", False)] if is_begun else []
    done = 0
    for start, stop in spans:
        if start >= done:
            parts += [(text[done:start], False), (text[start:stop], True)]
            done = stop
    parts += [(text[done:], False), (" …" if goes_on else "", False)]
    return tuple(part for part in parts if part[0])
