"""A worker says for how long a network has told it nothing; a network that has nothing new to tell says so."""

import asyncio
from typing import Any

from lastro.app import worker_process
from lastro.observability.metrics import Metrics
from lastro.rails import port

from .conftest import House, until
from .network import ask
from .test_worker import Assembled, _settings, assembled

__all__ = ["assembled"]


async def test_a_network_with_nothing_new_is_heard_and_one_whose_answers_are_lost_is_not(
    assembled: Assembled, own_database: Any, house: House
) -> None:
    metrics, stop, scene = Metrics(), asyncio.Event(), assembled.scene
    settings = _settings(own_database)
    parts: Any = assembled
    running = asyncio.ensure_future(worker_process.work(parts, settings, scene.signals, stop, metrics=metrics))
    heard: set[float] = set()

    async def heard_again() -> bool:
        heard.add(metrics.streams.get(port.PIX, 0.0))
        return len(heard) >= 4

    async def lost_again() -> bool:
        return len(scene.network.given) >= 3

    try:
        await until(heard_again)
        assert 'lastro_network_silent_seconds{rail="pix"} ' in (await metrics.text()).decode()
        scene.network.lose_pulls = 1_000_000
        scene.network.tell(ask("M1", 1, house.account))
        await until(lambda: asyncio.sleep(0, bool(scene.network.given)))
        last = metrics.streams[port.PIX]
        await until(lost_again)
        assert metrics.streams[port.PIX] == last
    finally:
        stop.set()
        await asyncio.wait_for(running, worker_process.GRACE_SECONDS + 2)
