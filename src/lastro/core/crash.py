"""Kills the process at a given failpoint, as kill -9 would. For crash tests alone."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass

from lastro.core import failpoints


@dataclass(frozen=True, slots=True)
class CrashAt:
    """The failpoint and passing at which the process kills itself."""

    gap: str
    count: int


def crash_at(text: str, problems: list[str], *, production: bool) -> CrashAt | None:
    """Parses LASTRO_CRASH_AT; adds a sentence to `problems` if it is wrong."""
    if not text:
        return None
    gap, _, count = text.partition(":")
    if production or gap not in failpoints.GAPS or re.fullmatch(r"[1-9]\d{0,8}", count or "1", re.ASCII) is None:
        problems.append(f"LASTRO_CRASH_AT must be a gap and a count, in the sandbox alone, not {text!r}.")
        return None
    return CrashAt(gap, int(count or "1"))


def install(crash_at: CrashAt | None) -> None:
    """Makes the process die at the count-th passing of that failpoint; None: never."""
    if crash_at is None:
        return
    left = crash_at.count

    def passed(gap: str) -> None:
        nonlocal left
        if gap == crash_at.gap:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    failpoints.listen(passed)
