"""Kills a process in a gap of a journey, and holds that the journey ends as if nobody had died."""

import asyncio
import os
import random
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.journeys.insisting import dead
from tests.journeys.play import Play
from tests.journeys.stage import until

from lastro.app import wiring
from lastro.config.settings import read

MOST_PASSES = 20
EVERY_DEATH = os.environ.get("LASTRO_DEATHS") == "all"
OF_A_JOURNEY = 2  # deaths in one run
PATIENCE_OF_THE_NETWORK_SECONDS = 8.0  # it gives up after ten
LAST_BREATH_SECONDS = 1.0  # what was committed last is seen a little before the process is gone


async def nothing(play: Play) -> None:
    """Of a journey that needs nothing to be there."""


def passes(
    decided: int, stored: int = 0, claimed: int = 0, sent: int = 0, delivered: int = 0, numbered: int = 0, together: int = 0
) -> Mapping[str, int]:
    """How often at least a journey passes each gap: fewer would mean that the test dies in vain.

    together: of what is decided, so much may share a statement with another.
    """
    counts = {
        "run.decided": decided, "commit.sent": decided - together, "inbox.stored": stored, "lane.claimed": claimed,
        "outbox.sent": sent, "delivery.sent": delivered, "events.numbered": numbered,
    }  # fmt: skip
    return {gap: count for gap, count in counts.items() if count}


@dataclass(frozen=True, order=True)
class Death:
    """Of a process, the count-th time that it passes a gap. least: how often it passes it for certain."""

    process: str
    gap: str
    count: int
    least: int

    @property
    def place(self) -> tuple[str, str]:
        """Which process, and where."""
        return self.process, self.gap


@dataclass(frozen=True)
class Journey:
    """A row of the table: what is played, and how often at least each process passes each gap."""

    walk: Callable[[Play, Any], Coroutine[Any, Any, int | None]]  # with what prepare has made; how many payments it took
    worker: Mapping[str, int]
    api: Mapping[str, int]
    prepare: Callable[[Play], Coroutine[Any, Any, Any]] = nothing  # while nobody dies
    dies_first_too: bool = False  # also the first time that a gap is passed

    @property
    def deaths(self) -> list[Death]:
        """Where each process dies: the last time that it passes a gap for certain."""
        return [
            Death(process, gap, count, least)
            for process, gaps in (("worker", self.worker), ("api", self.api))
            for gap, least in gaps.items()
            for count in ({1, least} if self.dies_first_too else {least})
        ]

    def cases(self, play: Play, deaths: Sequence[Death]) -> Iterator[tuple[str, Callable[[], Coroutine[Any, Any, None]]]]:
        """A case for each of these."""
        for death in deaths:
            yield f"{death.process} {death.gap}:{death.count}", partial(_dies, play, death, self)


def drawn(journeys: Mapping[str, Journey], chance: random.Random) -> Mapping[str, list[Death]]:
    """Some deaths of each journey, so that each process dies in each gap that it ever dies in."""
    some = {name: set(chance.sample(one.deaths, OF_A_JOURNEY)) for name, one in journeys.items()}
    every = [(name, death) for name, one in journeys.items() for death in one.deaths]
    for place in sorted({death.place for _, death in every}):
        if all(death.place != place for deaths in some.values() for death in deaths):
            name, death = chance.choice([(name, death) for name, death in every if death.place == place])
            some[name].add(death)
    return {name: sorted(deaths) for name, deaths in some.items()}


async def compared(play: Play) -> None:
    """Returns when the days behind are compared with the networks: else a worker that starts would do it, and die of it."""
    worker = wiring.assemble(read(play.stage.environment), lambda _: None)
    try:
        await worker.reconciler.begin()
    finally:
        await worker.close()

    async def taken() -> bool:
        return not await play.books.fetchval("SELECT count(*) FROM statements WHERE state = 'TAKING'")

    await until(taken, "the statements", 90.0)


async def _dies(play: Play, death: Death, journey: Journey) -> None:
    """The process dies then; where all deaths are asked for, each time that it passes the gap, until nobody dies."""
    gap = death.gap
    try:
        for count in range(1, MOST_PASSES) if EVERY_DEATH else [death.count]:
            if not await _died(play, death.process, f"{gap}:{count}", journey):
                assert EVERY_DEATH, f"{gap} is passed {count - 1} times at most"
                assert count > death.least
                return
        assert not EVERY_DEATH, f"{gap} has no end"
    finally:
        await play.stage.mend(death.process)


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
