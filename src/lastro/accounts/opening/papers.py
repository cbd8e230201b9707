"""Rewrites PDFs as their pages, in a process that may fail (rewriting.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.accounts.opening.refusing import FileRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

SLOWEST_SECONDS: Final = 30.0  # of real time: the process has a limit of its own for CPU time
MOST_WRITTEN: Final = 20 * 1024 * 1024  # bytes
# By its path: nothing of lastro is imported there, and its library is not imported here.
PROGRAM: Final = (sys.executable, "-I", str(Path(__file__).with_name("rewriting.py")))


def written_anew(content: bytes, program: Sequence[str] = PROGRAM, slowest_seconds: float = SLOWEST_SECONDS) -> bytes:
    """Rewrites a PDF as its pages alone. FileRefused: it is no such PDF. Not for the loop."""
    try:
        done = subprocess.run(  # noqa: S603 a program of ours
            program, input=content, capture_output=True, timeout=slowest_seconds, env={}, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise _too_much() from late
    if done.returncode != 0 or len(done.stdout) > MOST_WRITTEN:
        raise _too_much()  # it was killed by its limits
    if done.stdout.startswith(b"%PDF-"):
        return done.stdout
    issue, _, why = done.stdout.decode().partition("\n")
    raise FileRefused(issue, why)


def _too_much() -> FileRefused:
    return FileRefused("TOO_LONG", "takes more work to read than a document of a few pages")
