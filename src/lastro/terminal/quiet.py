"""Runs a command as `--quiet` asks: no progress, and of what went well nothing."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from lastro.terminal.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_OPTION = "--quiet"


def quietly(
    words: list[str], perform: Callable[[list[str]], str | int | None], tell_what_they_did: Collection[str]
) -> str | int | None:
    """Performs the command, and returns its status. Without --quiet it is performed as it is.

    tell_what_they_did: the commands whose lines are held back, and written only if the status is not 0. The answer of any
    other command is what was asked for, and stays.
    """
    end = words.index("--") if "--" in words else len(words)
    if _OPTION not in words[:end]:
        return perform(words)
    words = [*(word for word in words[:end] if word != _OPTION), *words[end:]]
    Progress.is_hidden = True
    if not words or words[0] not in tell_what_they_did:
        return perform(words)
    told = io.StringIO()
    status: str | int = 1  # of a command that ends by an exception, all is written
    try:
        with redirect_stdout(told):
            status = perform(words) or 0
    finally:
        if status != 0 or "--help" in words or "-h" in words:
            sys.stdout.write(told.getvalue())
    return status
