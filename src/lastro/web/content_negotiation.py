"""Selects a media type by the Accept header (RFC 9110 §12.5.1)."""

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
    """Returns the best offer, or None if none is acceptable.

    accepted: all lines of the header as one. offered: best first. A type's weight is that of the narrowest range it is in.
    Of equals the more narrowly named wins, then the earlier offer. No header, an empty one and one without a single range
    wish for nothing: the first is sent. Malformed ranges are ignored, and so are parameters of a range: we have one of each
    type.
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
    """Returns an offer's weight and the width of its matching range."""
    ranges = ("*/*", offer.partition("/")[0] + "/*", offer)
    width, weight = max(((ranges.index(name), weight) for name, weight in wishes if name in ranges), default=(0, 0.0))
    return weight, width
