"""One process of the sandbox: started, shown, restarted when it dies, and stopped.

Its standard input is a pipe whose other end only the supervisor holds, so that it learns of the supervisor's end
even from kill -9: the child exits when its input does (LASTRO_PARENT_PIPE=1).
"""

import io
import json
import re
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol, Self

LONGEST_LOG_BYTES = 10 * 1024 * 1024
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 5.0
# A process that lived so long has not died of the same cause again.
_STEADY_SECONDS = 30.0
_SHOWN = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b|^Traceback|^\w+(\.\w+)*(Error|Exception)\b")


@dataclass(frozen=True, slots=True)
class ChildPlan:
    """A child process to run.

    `health_url` is asked until it answers 200, and None means that living is enough.
    """

    name: str
    command: Sequence[str]
    health_url: str | None = None


class Process(Protocol):
    """A started program, of which this is used; a `subprocess.Popen` is one."""

    pid: int

    @property
    def returncode(self) -> int | None:
        """The status that poll has last seen."""

    @property
    def stdin(self) -> IO[Any] | None:
        """The writing end of its standard input, where that is a pipe."""

    @property
    def stdout(self) -> IO[Any] | None:
        """The reading end of its output, where that is a pipe."""

    def poll(self) -> int | None:
        """Returns the exit status once the process has ended. Of one ended by a signal: the signal's number below zero."""

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the exit status. timeout: seconds."""

    def send_signal(self, sig: int) -> None:
        """Sends a signal; nothing to a process that has ended."""

    def kill(self) -> None:
        """Kills the process at once, by signal 9."""


class Child:
    """A running plan. start: how its program is started, with this environment."""

    def __init__(
        self,
        plan: ChildPlan,
        environment: Mapping[str, str],
        logs: Path,
        say: Callable[[str], None],
        start: Callable[[Sequence[str], Mapping[str, str]], Process] | None = None,
    ) -> None:
        self.plan = plan
        self.log_file = logs / f"{plan.name}.log"
        self.last_lines: deque[str] = deque(maxlen=20)
        self._environment = {**environment, "LASTRO_PARENT_PIPE": "1", "PYTHONUNBUFFERED": "1"}
        self._say = say
        self._begin = start or _started
        self._process: Process | None = None
        self._reader: threading.Thread | None = None
        self._started_at = 0.0
        self._restart_at: float | None = None
        self._pause = _FIRST_PAUSE_SECONDS

    def start(self) -> None:
        """Starts the process and the thread that reads its output."""
        self._process = self._begin(self.plan.command, self._environment)
        self._started_at = time.monotonic()
        self._restart_at = None
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int | None:
        """The process, while it lives."""
        return self._process.pid if self._process is not None and self.is_running() else None

    def is_running(self) -> bool:
        """Tells whether the process lives now."""
        return self._process is not None and self._process.poll() is None

    def why_it_ended(self) -> str:
        """Returns the signal that ended it, else its last line."""
        if self._reader is not None:
            self._reader.join(1.0)
        status = self._process.returncode if self._process is not None else None
        if status is not None and status < 0:
            return f"by signal {-status}"
        return self.last_lines[-1].rstrip(".") if self.last_lines else f"it ended with status {status}"

    def tend(self) -> None:
        """Restarts the process when it died, each time after a longer pause; called over and over."""
        now = time.monotonic()
        if self.is_running():
            return
        if self._restart_at is None:
            if now - self._started_at > _STEADY_SECONDS:
                self._pause = _FIRST_PAUSE_SECONDS
            self._say(f"{self.plan.name} ended ({self.why_it_ended()}); starting it again in {self._pause:g} s")
            self._restart_at = now + self._pause
            self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        elif now >= self._restart_at:
            self.start()

    def stop(self, deadline: float, hurried: Callable[[], bool]) -> None:
        """Asks the process to end; kills it at the deadline or when hurried."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        if process.stdin is not None:
            process.stdin.close()
        while process.poll() is None:
            if hurried() or time.monotonic() >= deadline:
                process.kill()
                process.wait()
            time.sleep(0.02)
        if self._reader is not None:
            self._reader.join(1.0)

    def _read(self, output: IO[str]) -> None:
        """Reads to the end, whatever becomes of the file: a process with unread output would stop."""
        with LogFile(self.log_file) as log_file, output:
            for line in output:
                log_file.keep(line)
                if line.strip():
                    self.last_lines.append(line.strip())
                if (shown := _worth_showing(line)) is not None:
                    self._say(f"{self.plan.name}: {shown}")


class LogFile:
    """A file that takes lines while it can. lost: lines that it did not take."""

    def __init__(self, path: Path) -> None:
        self.lost = 0
        self._path = path
        self._file: io.FileIO | None = None
        self._told = 0
        self._is_torn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def keep(self, line: str) -> None:
        """Appends a line. Once lines are taken again, one more says how many were not."""
        if not self._appended(line.rstrip("\n").encode(errors="replace") + b"\n"):
            self.lost += 1
        elif missing := self.lost - self._told:
            said = {"event": "log.lines_lost", "level": "warning", "count": missing}
            if self._appended(json.dumps(said).encode() + b"\n"):
                self._told += missing

    def _appended(self, line: bytes) -> bool:
        rest = b"\n" + line if self._is_torn else line
        try:
            if self._file is None:
                self._file = io.FileIO(self._path, "a")
            while rest:
                taken = self._file.write(rest) or 0
                self._is_torn = rest[taken - 1 : taken] != b"\n"
                rest = rest[taken:]
        except OSError:
            self._close()
            return False
        return True

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()


def _started(command: Sequence[str], environment: Mapping[str, str]) -> Process:
    return subprocess.Popen(  # noqa: S603 - our own programs
        list(command),
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # Ctrl-C in the terminal reaches the supervisor alone, which stops its children in order.
        start_new_session=True,
    )


def rotate(log_file: Path) -> None:
    """Moves a long log aside, in place of the one before. The log grows on where that cannot be."""
    with suppress(OSError):
        if log_file.exists() and log_file.stat().st_size > LONGEST_LOG_BYTES:
            log_file.replace(log_file.with_name(log_file.name + ".1"))


def _worth_showing(line: str) -> str | None:
    """Returns the short form of a warning or worse. None for other lines, which are in the log file alone."""
    text = line.strip()
    if text.startswith("{"):
        try:
            entry = json.loads(text)
        except ValueError:
            return None
        if isinstance(entry, dict) and str(entry.get("level", "")).lower() in {"warning", "error", "critical"}:
            return f"{entry['level']}: {entry.get('event', '')}"
        return None
    return text if _SHOWN.search(text) else None
