"""Ends a child process when its parent ends, however the parent ended."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


async def watch_parent(stop: Callable[[], None]) -> None:
    """Calls stop when the pipe on standard input closes. Returns then, or at once where standard input is no pipe.

    The parent alone holds the other end, so that the system closes it even when the parent was killed.
    """
    if not _is_pipe(sys.stdin.fileno()):
        return
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        while await reader.read(1024):
            pass
        stop()
    finally:
        transport.close()


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
