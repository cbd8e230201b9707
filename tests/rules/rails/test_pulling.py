"""Pulling goes on after whatever a pull meets."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from structlog.testing import capture_logs

from lastro.core.errors import Stale
from lastro.rails.port import Transient
from lastro.rails.pulling import pull_until


async def test_a_pause_that_the_network_asks_for_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first pause of our own would be a tenth of a second; an hour is the longest."""
    stop, pauses = asyncio.Event(), list[float]()

    async def wait_for(waiting: Coroutine[Any, Any, Any], seconds: float) -> None:
        waiting.close()
        pauses.append(seconds)
        raise TimeoutError

    met = list[Exception]([Transient("asked too often", 600), Transient("away"), Transient("away", 10**6), ValueError()])

    async def pull() -> bool:
        if met:
            raise met.pop(0)
        stop.set()
        return False

    monkeypatch.setattr(asyncio, "wait_for", wait_for)
    await pull_until(stop, pull)
    assert pauses == [600, 0.2, 3600, 0.8]


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
