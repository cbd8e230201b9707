"""Prints amounts, times and texts for files."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from lastro.accounts.statements.model import BRASILIA
from lastro.core.money import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0 §2.2
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_TO_ESCAPE = re.compile("[&<>]")


def decimal_of(currency: str) -> Callable[[int], str]:
    """Returns a printer of amounts in the minor unit, as str(Money). Of a million lines, each is printed by one call."""
    places = DECIMALS[currency]
    if places == 0:
        return str

    def printed(minor: int) -> str:
        digits = f"{minor:0{places + 1}d}" if minor >= 0 else f"-{-minor:0{places + 1}d}"
        return f"{digits[:-places]}.{digits[-places:]}"

    return printed


def moment(at: datetime) -> str:
    """Prints an instant in Brasilia, with its offset: whoever reads it takes the day that people there had."""
    return at.astimezone(BRASILIA).isoformat(timespec="microseconds")


def escaped(text: str) -> str:
    """Escapes a text for XML or SGML; drops characters that XML cannot hold."""
    return _TO_ESCAPE.sub(lambda found: _ESCAPED[found[0]], _NO_XML.sub("", text))


def plain(text: str, width: int) -> str:
    """Returns a text in ASCII capitals, padded or cut to a width."""
    bare = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().upper()
    return "".join(c if c.isprintable() else " " for c in bare)[:width].ljust(width)
