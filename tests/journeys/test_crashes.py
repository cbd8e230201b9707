"""kill -9 in every gap, one after the other, as often as a paid order passes it: nothing is lost and nothing done twice.

Each test starts the process so that it dies when it passes the gap for the first time, then for the last one. With
LASTRO_DEATHS=all it also dies each time between, until it has survived a whole journey: then there is no further time to die.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from lastro.core.failpoints import GAPS

from .conftest import playing
from .insisting import authorizing_journey, dead, journey, return_journey
from .play import Play
from .stage import Stage

# How often at least a journey passes each gap: fewer would mean that the test dies in vain.
OF_API = {"run.decided": 1, "commit.sent": 1}
PAID = {
    "run.decided": 2, "commit.sent": 2, "inbox.stored": 2, "lane.claimed": 4, "outbox.sent": 1, "delivery.sent": 1,
    "events.numbered": 1,
}  # fmt: skip
RETURNED = {"run.decided": 2, "commit.sent": 2, "inbox.stored": 2, "lane.claimed": 3, "outbox.sent": 1}
# Paying and authorizing in one act: two events, and all else as often as an order has it.
AUTHORIZED = {"run.decided": 2, "commit.sent": 2, "inbox.stored": 2, "lane.claimed": 4, "outbox.sent": 1}
MOST_PASSES = 20
EVERY_DEATH = os.environ.get("LASTRO_DEATHS") == "all"
PATIENCE_OF_THE_NETWORK_SECONDS = 8.0  # it gives up after ten
LAST_BREATH_SECONDS = 1.0  # what was committed last is seen a little before the process is gone


@pytest.fixture
async def scene(fragile: Stage) -> AsyncIterator[Play]:
    async with playing(fragile) as made:
        yield made


async def dies_everywhere(
    play: Play,
    name: str,
    gap: str,
    walk: Callable[[Play], Coroutine[Any, Any, int]],
    least: int,
    *,
    last_alone: bool = False,
) -> None:
    """Plays journeys in which the process dies in the gap: the first and the last time that it passes it for certain.

    With LASTRO_DEATHS=all it dies ever later, until a journey ends in which nobody died. least: how often it must pass it.
    last_alone: not the first time, where nothing else is asked for.
    """
    some = [least] if last_alone else sorted({1, least})
    for count in range(1, MOST_PASSES) if EVERY_DEATH else some:
        await play.stage.restart(name, LASTRO_CRASH_AT=f"{gap}:{count}")
        began = time.monotonic()
        dying, walking = asyncio.create_task(dead(play, name)), asyncio.create_task(walk(play))
        await asyncio.wait((dying, walking), return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait((dying,), timeout=LAST_BREATH_SECONDS)
        if not dying.done():  # nobody died on the whole way
            dying.cancel()
            await walking
            assert EVERY_DEATH, f"{gap} is passed {count - 1} times"
            assert count > least
            return
        await play.stage.restart(name)
        is_soon = time.monotonic() - began < PATIENCE_OF_THE_NETWORK_SECONDS
        tries = await walking
        assert tries == 1 or not is_soon, "the network's question was never answered"
        await play.end()
    assert not EVERY_DEATH, f"{gap} has no end"


@pytest.mark.parametrize("gap", OF_API)
async def test_the_api_may_die_anywhere(scene: Play, gap: str) -> None:
    try:
        await dies_everywhere(scene, "api", gap, journey, OF_API[gap])
    finally:
        await scene.stage.mend("api")


@pytest.mark.parametrize("gap", PAID)
async def test_the_worker_may_die_anywhere(scene: Play, gap: str) -> None:
    try:
        await dies_everywhere(scene, "worker", gap, journey, PAID[gap])
    finally:
        await scene.stage.mend("worker")


@pytest.mark.parametrize("gap", RETURNED)
async def test_the_worker_may_die_anywhere_while_money_goes_back(scene: Play, gap: str) -> None:
    try:
        await dies_everywhere(scene, "worker", gap, return_journey, RETURNED[gap])
    finally:
        await scene.stage.mend("worker")


@pytest.mark.parametrize("gap", AUTHORIZED)
async def test_the_worker_may_die_anywhere_while_one_pays_and_authorizes(scene: Play, gap: str) -> None:
    try:
        await dies_everywhere(scene, "worker", gap, authorizing_journey, AUTHORIZED[gap])
    finally:
        await scene.stage.mend("worker")


def test_every_gap_is_died_in() -> None:
    assert set(OF_API) | set(PAID) | set(RETURNED) == set(GAPS)
