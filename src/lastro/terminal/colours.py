"""Prints states in colours at a terminal. A pipe gets the plain words."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

# The colour of each word of state: the same in lists, timelines and invariants.
_SHADES: Final = {
    "good": ("ACTIVE", "AGREED", "APPROVED", "AUTHORIZED", "COMPLETED", "DELIVERED", "PAID", "SETTLED", "VALIDATED",
             "applied", "holds", "passed", "reconciled"),
    "bad": ("ERROR", "FAILED", "REJECTED", "REFUSED", "STRANDED", "broken", "failed", "unread"),
    "waiting": ("ANALYSIS", "PENDING", "PROCESSING", "RECEIVED", "RETRYING", "SCHEDULED", "open"),
    "over": ("CANCELED", "CANCELLED", "CLOSED", "EXPIRED", "REFUNDED", "revoked"),
}  # fmt: skip
_STYLES: Final = {"good": "green", "bad": "bold red", "waiting": "yellow", "over": "dim"}


def is_plain(environment_variable: Callable[[str], str | None], *, is_terminal: bool) -> bool:
    """Tells whether words stay plain: no terminal, one without colours, or NO_COLOR (no-color.org) is set."""
    return not is_terminal or bool(environment_variable("NO_COLOR")) or environment_variable("TERM") == "dumb"


def say(text: str) -> None:
    """Prints one or more lines; states get colours where standard output is a terminal."""
    if is_plain(os.environ.get, is_terminal=sys.stdout.isatty()):
        print(text, flush=True)  # noqa: T201 it is what prints
    else:
        shaded(_console()).print(text, markup=False, emoji=False, soft_wrap=True)


def shaded(console: Console) -> Console:
    """The console, that shows words of state in their colours."""
    from rich.highlighter import RegexHighlighter  # noqa: PLC0415 a pipe has no use for it
    from rich.theme import Theme  # noqa: PLC0415

    class States(RegexHighlighter):
        base_style = "state."
        highlights = [rf"\b(?P<{shade}>{'|'.join(names)})\b" for shade, names in _SHADES.items()]  # noqa: RUF012

    console.highlighter = States()
    console.push_theme(Theme({f"state.{shade}": style for shade, style in _STYLES.items()}))
    return console


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415

    return Console()
