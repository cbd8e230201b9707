"""Writes log lines in a thread, so a blocked output blocks nothing. The output may be full, dead or never read."""

from __future__ import annotations

import io
import os
import select
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_WAITING: Final = 8192  # lines: some megabytes, while nobody reads
_AT_ONCE = 256  # lines of one write
_FAREWELL_SECONDS = 0.5


class LogWriter:
    """Writes lines in the order in which they were given. `write` never waits and never fails.

    lost: lines that were not written, since the output took none or too many waited. put: writes bytes and returns how many
    were taken; OSError: none. recovered: hears how many were lost, when the output takes lines again.
    """

    def __init__(
        self, put: Callable[[memoryview], int], recovered: Callable[[int], object] = lambda _: None, most: int = MOST_WAITING
    ) -> None:
        self.lost = 0
        self._put = put
        self._recovered = recovered
        self._most = most
        # Its `put` may be called anywhere, by a finalizer in the middle of another one too.
        self._lines: SimpleQueue[bytes | threading.Event] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._counting = threading.Lock()
        self._told = 0
        self._is_torn = False  # the last line in the output lacks its end
        self._has_ended = False

    def write(self, line: bytes) -> None:
        """Queues a line; one without its line feed is given it."""
        if self._has_ended or self._lines.qsize() >= self._most:
            self._lose(1)
            return
        self._lines.put(line if line.endswith(b"\n") else line + b"\n")
        if self._thread is None:
            self._start()

    def flush(self, seconds: float = _FAREWELL_SECONDS) -> None:
        """Waits until earlier lines are written or lost, at most `seconds`."""
        if self._thread is not None:
            written = threading.Event()
            self._lines.put(written)
            written.wait(seconds)

    def end(self) -> None:
        """Waits a moment for earlier lines, as the process ends. No thread can begin any more."""
        self.flush()
        self._has_ended = True

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="log", daemon=True)
                with suppress(RuntimeError):  # the system gives no thread now: the next line asks again
                    thread.start()
                    self._thread = thread

    def _run(self) -> None:
        while True:
            batch, flushed = [], None
            item = self._lines.get()
            with suppress(Empty):
                while isinstance(item, bytes):
                    batch.append(item)
                    if len(batch) == _AT_ONCE:
                        break
                    item = self._lines.get_nowait()
            if isinstance(item, threading.Event):
                flushed = item
            if batch:
                self._write_batch(batch)
            if flushed is not None:
                flushed.set()

    def _write_batch(self, batch: list[bytes]) -> None:
        begin = b"\n" if self._is_torn else b""
        data = memoryview(begin + b"".join(batch))
        written = 0
        try:
            while written < len(data):
                written += self._put(data[written:])
        except (OSError, ValueError):  # ValueError: a stream that was closed
            self._lose(bytes(data[max(written, len(begin)) :]).count(b"\n"))
        if written:
            self._is_torn = data[written - 1] != ord("\n")
        if written == len(data) and (lost := self.lost - self._told):
            self._told += lost
            self._recovered(lost)

    def _lose(self, count: int) -> None:
        with self._counting:
            self.lost += count


class LineStream(io.TextIOBase):
    """A text stream over a LogWriter, for interpreters' and libraries' direct writes.

    They write to standard output or error.
    """

    encoding = "utf-8"

    def __init__(self, writer: LogWriter, descriptor: int | None) -> None:
        super().__init__()
        self.writer = writer
        self._descriptor = descriptor
        self._begun = ""

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """Returns the descriptor behind it. OSError: it was closed when the process began."""
        if self._descriptor is None:
            raise io.UnsupportedOperation("fileno")
        return self._descriptor

    def write(self, text: str) -> int:
        """Queues each line that is whole, and keeps what has begun."""
        *whole, self._begun = (self._begun + text).split("\n")
        for line in whole:
            self.writer.write(line.encode("utf-8", "backslashreplace"))
        return len(text)

    def flush(self) -> None:
        """Queues what has begun."""
        begun, self._begun = self._begun, ""
        if begun:
            self.writer.write(begun.encode("utf-8", "backslashreplace"))

    def end(self) -> None:
        """Writes the rest, as the process ends."""
        self.flush()
        self.writer.end()


def to_descriptor(descriptor: int | None) -> Callable[[memoryview], int]:
    """Returns a function that writes to a descriptor, waiting if needed. None: it was closed at the process's start."""

    def put(data: memoryview) -> int:
        if descriptor is None:
            raise io.UnsupportedOperation("closed")
        try:
            return os.write(descriptor, data)
        except BlockingIOError:  # another process that shares it has made it so
            waiting = select.poll()
            waiting.register(descriptor, select.POLLOUT)
            waiting.poll()
            return 0

    return put


def descriptor_of(stream: object) -> int | None:
    """Returns the descriptor of a standard stream; None where the process was started without it."""
    try:
        return stream.fileno()  # type: ignore[attr-defined, no-any-return]
    except (AttributeError, OSError, ValueError):
        return None
