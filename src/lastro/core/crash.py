"""For crash tests alone: a process that kills itself in a given gap, as kill -9 would."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass

from lastro.core import failpoints


@dataclass(frozen=True, slots=True)
class CrashAt:
    """For crash tests: the process kills itself when it passes the gap for the `count`-th time."""

    gap: str
    count: int


def crash_at(text: str, problems: list[str], *, production: bool) -> CrashAt | None:
    """What LASTRO_CRASH_AT asks for; what is wrong with it is added to `problems`, a sentence."""
    if not text:
        return None
    gap, _, count = text.partition(":")
    if production or gap not in failpoints.GAPS or re.fullmatch(r"[1-9]\d{0,8}", count or "1", re.ASCII) is None:
        problems.append(f"LASTRO_CRASH_AT must be a gap and a count, in the sandbox alone, not {text!r}.")
        return None
    return CrashAt(gap, int(count or "1"))


def install(crash_at: CrashAt | None) -> None:
    """From now on the process dies when it passes that gap for the count-th time; None: never."""
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
