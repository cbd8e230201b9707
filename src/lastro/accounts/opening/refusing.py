"""The refusal of an uploaded file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.accounts.opening.problems import FILE_INVALID, FILE_NOT_ALLOWED, FILE_TOO_LONG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.errors import Refusal

_BY_ISSUE: Final[Mapping[str, Refusal]] = {one.issue: one for one in (FILE_INVALID, FILE_NOT_ALLOWED, FILE_TOO_LONG)}


class FileRefused(ValueError):  # noqa: N818 it says what happens to the file
    """A file that must not be kept. issue: a word of the interface. Its text says why, and nothing of the file."""

    def __init__(self, issue: str, why: str) -> None:
        super().__init__(why)
        self.issue = issue
        self.answer = _BY_ISSUE[issue].refused(why=why)
