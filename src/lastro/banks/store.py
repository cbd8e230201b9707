"""All SQL of the banks room: the lists that were imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.core.db import Session

NEWER = "SELECT number, list FROM bank_lists WHERE number > $1 ORDER BY number DESC LIMIT 1"
_ADD = "INSERT INTO bank_lists (number, imported_at, list) VALUES ($1, machine_now(), $2)"


async def newer(session: Session, number: int) -> tuple[int, str] | None:
    """Returns number and text of the newest list, if newer than `number`."""
    row = await session.row(NEWER, number)
    return None if row is None else (row["number"], row["list"])


async def add_list(session: Session, number: int, text: str) -> None:
    """Adds a list. UniqueViolationError: there is one of this number already."""
    await session.fetch(_ADD, number, text)
