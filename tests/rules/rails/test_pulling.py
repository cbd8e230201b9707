"""Pulling goes on after whatever a pull meets."""

import asyncio

from structlog.testing import capture_logs

from lastro.core.errors import Stale
from lastro.rails.pulling import pull_until


async def test_a_stream_that_another_process_reads_by_now_is_no_fault() -> None:
    """So it is for a process that stood still for longer than its lease."""
    stop, met = asyncio.Event(), list[Exception]([Stale("rail_cursors"), ValueError()])

    async def pull() -> bool:
        if met:
            raise met.pop(0)
        stop.set()
        return False

    with capture_logs() as logs:
        await pull_until(stop, pull)
    assert [(one["event"], one["log_level"]) for one in logs] == [
        ("network.read_by_another", "info"), ("network.messages_not_stored", "error"),
    ]  # fmt: skip
