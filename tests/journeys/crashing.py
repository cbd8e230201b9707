"""Kills a process in a gap of a journey, and holds that the journey ends as if nobody had died."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from tests.journeys.insisting import dead
from tests.journeys.play import Play
from tests.journeys.stage import until

from lastro.app import wiring
from lastro.config.settings import read

MOST_PASSES = 20
EVERY_DEATH = os.environ.get("LASTRO_DEATHS") == "all"
PATIENCE_OF_THE_NETWORK_SECONDS = 8.0  # it gives up after ten
LAST_BREATH_SECONDS = 1.0  # what was committed last is seen a little before the process is gone


async def nothing(play: Play) -> None:
    """Of a journey that needs nothing to be there."""


def passes(
    decided: int, stored: int = 0, claimed: int = 0, sent: int = 0, delivered: int = 0, numbered: int = 0
) -> Mapping[str, int]:
    """How often at least a journey passes each gap: fewer would mean that the test dies in vain."""
    counts = {
        "run.decided": decided, "commit.sent": decided, "inbox.stored": stored, "lane.claimed": claimed, "outbox.sent": sent,
        "delivery.sent": delivered, "events.numbered": numbered,
    }  # fmt: skip
    return {gap: count for gap, count in counts.items() if count}


@dataclass(frozen=True)
class Journey:
    """A row of the table: what is played, and how often at least each process passes each gap."""

    walk: Callable[[Play, Any], Coroutine[Any, Any, int | None]]  # with what prepare has made; how many payments it took
    worker: Mapping[str, int]
    api: Mapping[str, int]
    prepare: Callable[[Play], Coroutine[Any, Any, Any]] = nothing  # while nobody dies
    dies_first_too: bool = False  # also the first time that a gap is passed

    def deaths(self, play: Play) -> Iterator[tuple[str, Callable[[], Coroutine[Any, Any, None]]]]:
        """A case for each gap of each process."""
        for process, gaps in (("worker", self.worker), ("api", self.api)):
            for gap in gaps:
                yield f"{process} {gap}", partial(_dies, play, process, gap, self)


async def compared(play: Play) -> None:
    """Returns when the days behind are compared with the networks: else a worker that starts would do it, and die of it."""
    worker = wiring.assemble(read(play.stage.environment), lambda _: None)
    try:
        await worker.reconciler.begin()
    finally:
        await worker.close()

    async def taken() -> bool:
        if not await play.books.fetchval("SELECT count(*) FROM statements WHERE state = 'TAKING'"):
            return True
        if not await play.books.fetchval("SELECT count(*) FROM statements WHERE due_at <= business_now()"):
            # Asked before the network had heard that the day is over, it has no statement, and is asked again later.
            await play.jump(timedelta(minutes=10))
        return False

    await until(taken, "the statements", 90.0)


async def _dies(play: Play, process: str, gap: str, journey: Journey) -> None:
    """The process dies in the gap: the last time that it passes it for certain, or each time, until nobody dies."""
    least = (journey.worker if process == "worker" else journey.api)[gap]
    some = {1, least} if journey.dies_first_too else {least}
    try:
        for count in range(1, MOST_PASSES) if EVERY_DEATH else sorted(some):
            if not await _died(play, process, f"{gap}:{count}", journey):
                assert EVERY_DEATH, f"{gap} is passed {count - 1} times"
                assert count > least
                return
        assert not EVERY_DEATH, f"{gap} has no end"
    finally:
        await play.stage.mend(process)


async def _died(play: Play, process: str, moment: str, journey: Journey) -> bool:
    """Whether it died in that moment of a journey, which then ended as it must."""
    ready = await journey.prepare(play)
    await compared(play)
    await play.stage.restart(process, LASTRO_CRASH_AT=moment)
    began = time.monotonic()
    dying, walking = asyncio.create_task(dead(play, process)), asyncio.create_task(journey.walk(play, ready))
    await asyncio.wait((dying, walking), return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait((dying,), timeout=LAST_BREATH_SECONDS)
    if not dying.done():  # nobody died on the whole way
        dying.cancel()
        await walking
        return False
    await play.stage.restart(process)
    is_soon = time.monotonic() - began < PATIENCE_OF_THE_NETWORK_SECONDS
    assert await walking in (None, 1) or not is_soon, "the network's question was never answered"
    await play.end()
    return True
