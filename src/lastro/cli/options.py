"""Options that commands share: a reason, who decides, an amount, files for documents."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

from lastro.core.declined import CommandFailed
from lastro.core.money import Money, MoneyError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

_LONGEST_NAME = 80
_LONGEST_REASON = 400
_BY = "who has decided, for the history; without it the user of this machine"
# What a command asks for by these names means the same everywhere.
HELP = {"company": "its number or id", "account": "its number or id", "--by": _BY}


def who(given: argparse.Namespace) -> str:
    """Returns the person who decides, as the history keeps it."""
    if given.by is not None:
        return line_of("--by", given.by, _LONGEST_NAME)
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user need not have a name
        return f"user {os.getuid()}"


def reason_of(given: argparse.Namespace) -> str:
    """Returns the reason of a decision, as the history keeps it."""
    return line_of("--reason", given.reason, _LONGEST_REASON)


def line_of(option: str, text: str, longest: int) -> str:
    """Returns an option's text, without spaces around it. Declined: it is not one line of so many characters."""
    line = text.strip()
    if not line or len(line) > longest or not line.isprintable():
        raise CommandFailed(f"{option} must be one line of 1 to {longest} printable characters.")
    return line


def maybe_line(option: str, text: str | None, longest: int) -> str | None:
    """Returns the text of an option that may be left out."""
    return None if text is None else line_of(option, text, longest)


def amount_of(option: str, text: str, currency: str) -> Money:
    """Returns an option's amount. Declined: it is none."""
    try:
        return Money.parse(text, currency)
    except MoneyError as error:
        raise CommandFailed(f"{option} {error}.") from error


def write_private(path: Path, content: bytes) -> None:
    """Writes a file that nobody else may read. Its folder is made. Declined: it cannot be written."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(content)
    except OSError as error:
        raise CommandFailed(f"The documents cannot be written: {error.strerror}.") from error
