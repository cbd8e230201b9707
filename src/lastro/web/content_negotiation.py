"""Which of the media types that an operation has a client wants, by its Accept header (RFC 9110 §12.5.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST = 50  # ranges that are read: the header is the client's to fill
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?')
_NAME = r"[!#$%&'+.^_`|~0-9A-Za-z-]+"
_RANGE = re.compile(rf"\*/\*|{_NAME}/(?:\*|{_NAME})")
_WEIGHT = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")

# A range in lower case, and how much it is liked, from 0 (not at all) to 1.
_Wish = tuple[str, float]


def chosen(accepted: str, offered: Sequence[str]) -> str | None:
    """The one that fits best, None where none is wanted. accepted: all lines of the header as one. offered: best first.

    A type's weight is that of the narrowest range it is in. Of equals that is taken which is named more narrowly, then
    that which we offer first. No header, an empty one and one without a single range wish for nothing: the first is sent.
    What is no range is passed over. Parameters of a range say nothing: we have one of each type.
    """
    # A quoted text may hold a comma or a semicolon. It is a parameter's, and those are not looked at.
    parts = _QUOTED.sub("", accepted).split(",", _MOST)[:_MOST]
    wishes = [wish for part in parts if (wish := _wish(part)) is not None]
    if not wishes:
        return offered[0]
    best = max(offered, key=lambda one: _liking(one, wishes))
    return best if _liking(best, wishes)[0] > 0 else None


def _wish(part: str) -> _Wish | None:
    name, *parameters = (text.strip(" \t") for text in part.split(";"))
    if not _RANGE.fullmatch(name):
        return None
    weight = next((text[2:] for text in parameters if text[:2].lower() == "q="), "1")
    return (name.lower(), float(weight)) if _WEIGHT.fullmatch(weight) else None


def _liking(offer: str, wishes: Iterable[_Wish]) -> tuple[float, int]:
    """How much it is liked, and how narrow the range is that says so."""
    ranges = ("*/*", offer.partition("/")[0] + "/*", offer)
    width, weight = max(((ranges.index(name), weight) for name, weight in wishes if name in ranges), default=(0, 0.0))
    return weight, width
