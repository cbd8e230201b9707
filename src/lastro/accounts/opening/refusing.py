"""The error of a file that is not taken."""

from __future__ import annotations


class FileRefused(ValueError):  # noqa: N818 it says what happens to the file
    """A file that must not be kept. issue: a word of the interface. Its text says why, and nothing of the file."""

    def __init__(self, issue: str, why: str) -> None:
        super().__init__(why)
        self.issue = issue
        self.why = why
