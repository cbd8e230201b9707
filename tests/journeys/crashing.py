"""Kills a process in a gap of a journey, and holds that the journey ends as if nobody had died."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
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
LAST_BREATH_SECONDS = 2.0  # what was committed last is seen a little before the process is gone
FIRST_GAPS = ("inbox.stored", "lane.claimed", "run.decided", "commit.sent", "outbox.sent")


async def nothing(play: Play) -> None:
    """Of a journey that needs nothing to be there."""


def passes(
    decided: int, stored: int = 0, claimed: int = 0, sent: int = 0, delivered: int = 0, numbered: int = 0
) -> Mapping[str, int]:
    """How often at least a journey passes each gap: fewer would mean that the test dies in vain.

    The gaps are in the order of their last passings. Where no network has a part, an event is all that is claimed.
    """
    decides = {"run.decided": decided, "commit.sent": decided}
    counts = {
        "outbox.sent": sent, "inbox.stored": stored, **({"lane.claimed": claimed, **decides} if sent or stored else decides),
        "events.numbered": numbered, "lane.claimed": claimed, "delivery.sent": delivered,
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
        """A case for each play, in which each process dies in one gap after another."""
        both = {"worker": self.worker, "api": self.api}
        if EVERY_DEATH:
            for process, gaps in both.items():
                for gap, least in gaps.items():
                    yield f"{process} {gap}", partial(_dies_each_time, play, self, process, gap, least)
            return
        if self.dies_first_too:
            first = [f"{gap}:1" for gap in FIRST_GAPS if self.worker.get(gap, 0) > 1]
            yield f"first {first}", partial(_all_died, play, self, {"worker": first})
        last = {process: _last(gaps) for process, gaps in both.items() if gaps}
        yield f"last {last}", partial(_all_died, play, self, last)


def _last(gaps: Mapping[str, int]) -> list[str]:
    """Moments of deaths: the first at the last time that its gap is passed for certain, each other next after that."""
    (gap, least), *others = gaps.items()
    return [f"{gap}:{least}", *(f"{gap}:1" for gap, _ in others)]


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


async def _dies_each_time(play: Play, journey: Journey, process: str, gap: str, least: int) -> None:
    """The process dies each time that it passes the gap, one play after another, until nobody dies."""
    for count in range(1, MOST_PASSES):
        if await _survived(play, journey, {process: [f"{gap}:{count}"]}):
            assert count > least, f"{gap} is passed {count - 1} times"
            return
    raise AssertionError(f"{gap} has no end")


async def _all_died(play: Play, journey: Journey, moments: Mapping[str, Sequence[str]]) -> None:
    """Each process dies in each of its moments."""
    survived = await _survived(play, journey, moments)
    assert not survived, f"nobody died in {survived} of {moments}"


async def _survived(play: Play, journey: Journey, moments: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The moments in which nobody died while the journey was played, which ended as it must. moments: one for each life."""
    ready = await journey.prepare(play)
    await compared(play)
    await asyncio.gather(*(play.stage.restart(process, LASTRO_CRASH_AT=each[0]) for process, each in moments.items()))
    began = time.monotonic()
    walking = asyncio.create_task(journey.walk(play, ready))
    left = {process: list(each) for process, each in moments.items()}
    dying = [asyncio.create_task(_lives(play, process, each)) for process, each in left.items()]
    all_dead = asyncio.gather(*dying)
    try:
        await asyncio.wait((walking, all_dead), return_when=asyncio.FIRST_COMPLETED)
        if all_dead.done():
            all_dead.result()  # it raises where one could not start again
        tries = await walking
        await asyncio.wait(dying, timeout=LAST_BREATH_SECONDS)
        ends = [task.result() for task in dying if task.done()]
        is_soon = all(end - began < PATIENCE_OF_THE_NETWORK_SECONDS for end in ends)
        assert tries in (None, 1) or not is_soon, "the network's question was never answered"
    finally:
        for task in (walking, *dying):
            task.cancel()
        await asyncio.wait((walking, *dying))
        for process in moments:
            await play.stage.mend(process)
    await play.end()
    return {process: each for process, each in left.items() if each}


async def _lives(play: Play, process: str, moments: list[str]) -> float:
    """One life after another, until it has died in the last moment. moments: what is left of them; when it lived again."""
    while moments:
        await dead(play, process)
        moments.pop(0)
        await play.stage.restart(process, **({"LASTRO_CRASH_AT": moments[0]} if moments else {}))
    return time.monotonic()
