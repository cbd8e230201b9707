"""Writes log lines in a thread; slow output delays no request."""

import contextlib
import io
import os
import threading
from queue import SimpleQueue
from typing import TextIO

_MOST_WAITING = 4096  # lines
_FAREWELL_SECONDS = 0.5
_GATHERS_SECONDS = 0.1  # waking the thread for each line would cost more than the line
_LOST = b'{"event":"log.lines_lost","level":"warning","count":%d}\n'


class LogWriter:
    """A writer of log lines by a thread.

    descriptor: the output; None: none. lost: the number of lines not written; a line reports it once writing works again.
    """

    def __init__(self, descriptor: int | None) -> None:
        self.lost = 0
        self._descriptor = descriptor
        self._lines: SimpleQueue[bytes | threading.Event] = SimpleQueue()
        self._is_ending = threading.Event()
        self._told = 0
        self._is_torn = False
        threading.Thread(target=self._run, name="log", daemon=True).start()

    def write(self, line: bytes) -> None:
        """Queues a line with its end; drops it where too many wait."""
        if self._lines.qsize() < _MOST_WAITING:
            self._lines.put(line)
        else:
            self.lost += 1

    def end(self) -> None:
        """Waits a moment for the queued lines."""
        is_done = threading.Event()
        self._is_ending.set()
        self._lines.put(is_done)
        is_done.wait(_FAREWELL_SECONDS)

    def _run(self) -> None:
        while True:
            items = [self._lines.get()]
            self._is_ending.wait(_GATHERS_SECONDS)
            items += [self._lines.get_nowait() for _ in range(self._lines.qsize())]
            lines = [item for item in items if isinstance(item, bytes)]
            left = self._put(b"".join(lines)).count(b"\n")
            self.lost += min(left, len(lines))
            if not left and self.lost > self._told and not self._put(_LOST % (self.lost - self._told)):
                self._told = self.lost
            for item in items:
                if isinstance(item, threading.Event):
                    item.set()

    def _put(self, lines: bytes) -> bytes:
        """Writes lines, first ending a torn one; returns what did not go out."""
        rest = b"\n" + lines if self._is_torn and lines else lines
        with contextlib.suppress(OSError):
            while rest and self._descriptor is not None:
                taken = os.write(self._descriptor, rest)
                self._is_torn = rest[taken - 1 : taken] != b"\n"
                rest = rest[taken:]
        return rest


class ErrorStream(io.TextIOBase):
    """Standard error over a LogWriter, for the interpreter's own messages."""

    def __init__(self, writer: LogWriter) -> None:
        super().__init__()
        self._writer = writer
        self._begun = ""

    def writable(self) -> bool:
        """Returns True."""
        return True

    def write(self, text: str) -> int:
        """Queues each whole line."""
        *whole, self._begun = (self._begun + text).split("\n")
        for line in whole:
            self._writer.write(line.encode("utf-8", "backslashreplace") + b"\n")
        return len(text)


def descriptor_of(stream: TextIO) -> int | None:
    """Returns a standard stream's descriptor; None if started without it."""
    try:
        return stream.fileno()
    except (AttributeError, OSError, ValueError):
        return None
