"""Selects the page language that its reader prefers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from litestar.types import HTTPScope

_LONGEST = 500  # characters that are read: the header is the reader's to fill
_LONGEST_QUERY = 4_000  # bytes
_WEIGHT = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")
_ANY = "*"


def language_asked(scope: HTTPScope, headers: Mapping[bytes, bytes], offered: Sequence[str]) -> tuple[str, bool]:
    """Returns the language of a page, and whether its address names it: `?lang=`, else Accept-Language."""
    named = dict(parse_qsl(scope["query_string"][:_LONGEST_QUERY].decode("latin-1"))).get("lang")
    if named in offered:
        return str(named), True
    return preferred(headers.get(b"accept-language", b"").decode("latin-1"), offered), False


def preferred(accepted: str, offered: Sequence[str]) -> str:
    """Returns the offer that an Accept-Language (RFC 9110 §12.5.4) prefers.

    It is the first offer if the header wants none. offered: primary subtags such as `pt`, which stand for every `pt-…`. Of
    equals the one named first wins, and the languages of `*` come in the order in which we offer. A malformed weight counts
    as 0.
    """
    wishes: dict[str, tuple[float, int]] = {}
    for place, part in enumerate(accepted[:_LONGEST].split(",")):
        name, _, weight = (text.strip().lower() for text in part.partition(";"))
        primary = name.partition("-")[0]
        wish = (_weight(weight), -place)
        wishes[primary] = max(wish, wishes.get(primary, wish))
    nothing = (0.0, 0)
    best = max(offered, key=lambda one: wishes.get(one, wishes.get(_ANY, nothing)))
    return best if wishes.get(best, wishes.get(_ANY, nothing))[0] > 0 else offered[0]


def _weight(text: str) -> float:
    if not text:
        return 1.0
    found = _WEIGHT.fullmatch(text)
    return float(found[1]) if found else 0.0
