"""For crash tests alone: a process that kills itself in a given gap, as kill -9 would."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from lastro.base import gaps

if TYPE_CHECKING:
    from lastro.doors.settings import CrashAt


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

    gaps.listen(passed)
