"""Shows progress at a terminal: one line on standard error, redrawn in place, cleared at the end."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

_CELLS: Final = 24  # of the bar
_PAUSE_SECONDS: Final = 0.1  # between two drawings: a work of many small steps is not slowed by them
_FEW: Final = 200  # steps that are each drawn, so that the line names the one that takes long, however soon it came
_CLEAR: Final = "\r\x1b[K"


class Tell(Protocol):
    """The progress callback: how much is done, how much there is, and what comes now."""

    def __call__(self, done: int, whole: int, now: str = "") -> object: ...  # noqa: D102 the class says it


def silent(done: int, whole: int, now: str = "") -> None:
    """Tells nobody."""


def is_shown(environment_variable: Callable[[str], str | None], *, is_terminal: bool) -> bool:
    """Tells whether progress is shown: on a terminal that can clear a line; not on CI, which keeps every byte."""
    return is_terminal and environment_variable("TERM") != "dumb" and not environment_variable("CI")


class Progress:
    """The progress line of one work, cleared when the `with` ends. Nothing is written where `is_shown` is false.

    what: its name, which begins the line. stream: standard error; what a pipe takes from standard output stays as it is.
    """

    is_hidden: ClassVar[bool] = False  # by --quiet, for the one command of this process

    def __init__(self, what: str, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._stream, self._clock = what, stream or sys.stderr, clock
        self._is_shown = not self.is_hidden and is_shown(os.environ.get, is_terminal=self._stream.isatty())
        self._drawn_at: float | None = None  # None: nothing of it is on the terminal now

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, done: int, whole: int, now: str = "") -> None:
        """Draws the line; of many steps not each. A whole that is not known is 0, and has no bar."""
        at = self._clock()
        if self._is_shown and (self._drawn_at is None or 0 < whole <= _FEW or at - self._drawn_at >= _PAUSE_SECONDS):
            self._drawn_at = at
            self._write(f"{_CLEAR}{line(self._what, done, whole, now)[: self._columns() - 1]}")

    def clear(self) -> None:
        """Clears the line, so that others may be written in its place."""
        if self._drawn_at is not None:
            self._drawn_at = None
            self._write(_CLEAR)

    def beside(self, say: Callable[[str], object]) -> Callable[[str], object]:
        """Wraps `say`: clears the line first. It comes back below the text when the work goes on."""

        def said(text: str) -> object:
            self.clear()
            return say(text)

        return said

    def _columns(self) -> int:
        """Of the terminal: a longer line would break, and only its end be cleared."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            return 80

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._is_shown = False  # the terminal is gone, the work goes on


def line(what: str, done: int, whole: int, now: str = "") -> str:
    """`checked [########................] 21 of 63  each balance is …`; a whole of 100 is told in percent."""
    if not whole:
        return f"{what} {done:,}  {now}".rstrip()
    filled = min(max(done, 0), whole) * _CELLS // whole
    told = f"{done} %" if whole == 100 else f"{done:,} of {whole:,}"
    return f"{what} [{'#' * filled}{'.' * (_CELLS - filled)}] {told}  {now}".rstrip()
