"""PostgreSQL processes of a home that an earlier run left: waited for, and in the end stopped."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .refusal import StartRefused

_PROC = Path("/proc")
# The watchdog of a killed run asks for a fast shutdown, then for an immediate one: this is more than both take.
_WATCHDOG_SECONDS = 15.0
_QUIT_SECONDS = 5.0
_KILL_SECONDS = 5.0


def server_processes(mark: str) -> list[int]:
    """Returns every PostgreSQL process of this home, the postmaster and its children."""
    # The mark is the server's cluster_name, which PostgreSQL shows in the title of all its processes. Titles are
    # readable where /proc/<pid>/cwd is not: by root in a container without the ptrace capability.
    found = []
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if not entry.name.isdigit():
            continue
        with suppress(OSError):
            if (entry / "comm").read_text().strip() == "postgres" and mark in _title(entry):
                found.append(int(entry.name))
    return found


def _title(process: Path) -> str:
    return (process / "cmdline").read_bytes().decode(errors="replace")


def wait_until_gone(mark: str, data: Path, log: Callable[[str], None]) -> None:
    """Waits until nothing runs in the data folder, and removes its lock. The lock file is one that a crash left there."""
    if not _PROC.is_dir():  # then PostgreSQL's own check of its lock file is all there is
        return
    if not _gone_within(0.0, mark):
        log("waiting for the database of an earlier run to stop")
        if not _gone_within(_WATCHDOG_SECONDS, mark):
            _send(signal.SIGQUIT, mark)
            if not _gone_within(_QUIT_SECONDS, mark):
                _send(signal.SIGKILL, mark)
                if not _gone_within(_KILL_SECONDS, mark):
                    raise StartRefused(
                        f"The database processes {server_processes(mark)} of an earlier run in {data} do not end; "
                        "end them, or restart the machine."
                    )
    # PostgreSQL takes any living process with the old number for itself, and in a container numbers soon repeat.
    (data / "postmaster.pid").unlink(missing_ok=True)


def _gone_within(seconds: float, mark: str) -> bool:
    deadline = time.monotonic() + seconds
    while server_processes(mark):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def _send(number: signal.Signals, mark: str) -> None:
    for process in server_processes(mark):
        with suppress(ProcessLookupError):
            os.kill(process, number)
