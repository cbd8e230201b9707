"""The supervisor's output for a person; it goes on whether or not anything reads it."""

import sys

from lastro.observability.log_writer import LogWriter


def say(line: str) -> None:
    """Queues a line for the terminal, which may be gone or blocked."""
    _lines.write(line.encode())


def said(seconds: float = 0.5) -> None:
    """Waits until the terminal has every queued line. seconds: the longest wait."""
    _lines.flush(seconds)


def _put(data: memoryview) -> int:
    sys.stdout.write(bytes(data).decode())
    sys.stdout.flush()
    return len(data)


_lines = LogWriter(_put)
