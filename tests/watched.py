"""Standard error as a terminal at which somebody watches, in a test's own hands."""

import io
import sys

import pytest

CLEARED = "\r\x1b[K"


class Terminal(io.StringIO):
    """Keeps what is drawn on it."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("it has no size")

    @property
    def drawn(self) -> list[str]:
        """Each drawing of the line; the last is empty where it was cleared at the end."""
        return self.getvalue().split(CLEARED)[1:]


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A new one, which is standard error from here on."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen
