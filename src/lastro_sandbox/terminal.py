"""What the supervisor tells a person; it goes on whether or not anything reads there."""

import sys

from lastro.observability.log_writer import LogWriter


def say(line: str) -> None:
    """Queues a line for the terminal, which may be gone, or stand."""
    _lines.write(line.encode())


def said(seconds: float = 0.5) -> None:
    """Waits that long at most until the terminal has what was said."""
    _lines.flush(seconds)


def _put(data: memoryview) -> int:
    sys.stdout.write(bytes(data).decode())
    sys.stdout.flush()
    return len(data)


_lines = LogWriter(_put)
