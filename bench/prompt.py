"""How soon an event is told: from its commit in one process to the first byte at its receiver, while another one hangs.

Run as a program it is the process that commits: one Write for each event, with the hints of an API process.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import uvloop
from bench.deliveries import BODY, EVENT, PATIENCE_SECONDS, post
from bench.figures import Figure, Rounds

from lastro.config.settings import read
from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.core.notify import Hinter
from lastro.core.write import Event, Write

if TYPE_CHECKING:
    from bench.deliveries import Post
    from bench.house import House

_RATE = 500.0
_WARM_SECONDS = 1.5


async def paced(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Events at random instants of their own. Every company has an endpoint, and the first another one, that hangs."""
    middle, late = [], []
    async with post(house) as at:
        live = await at.receiver.listen(len(at.companies))
        for _ in range(rounds):
            hanging = await at.receiver.listen(hangs=True)
            waits = await _waits(at, live, [*live, *hanging], seconds)
            steps = statistics.quantiles(waits, n=100, method="inclusive")
            middle.append(steps[49])
            late.append(steps[98])
            await at.drop()
    note = f"{_RATE:.0f} commits/s to {len(live)} endpoints that answer and one that hangs; {len(waits):,} told a round"
    return [
        Figure("commit to first byte, p50", "ms", Rounds(tuple(middle)), at_most=True, digits=1, note=note),
        Figure("commit to first byte, p99", "ms", Rounds(tuple(late)), None, 100, 50, at_most=True, digits=1),
    ]


async def _waits(at: Post, live: list[str], urls: list[str], seconds: float) -> list[float]:
    """Milliseconds of each event that was told to an endpoint that answers."""
    await at.receiver.stamps()
    lasts = _WARM_SECONDS + seconds
    plan = {"companies": [str(c) for c in at.companies], "urls": urls, "rate": _RATE, "seconds": lasts}
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.prompt", env=at.house.environment,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said = (await writer.communicate(json.dumps(plan).encode()))[0]
    if writer.returncode:
        raise RuntimeError("events could not be committed")
    told: list[tuple[str, str, float]] = json.loads(said)
    times = [committed for _, _, committed in told]
    if (late := max(times) - min(times) - lasts) > 0:
        print(f"  the last commit was {late:.2f} s late", file=sys.stderr)
    begun = min(times) + _WARM_SECONDS
    meant = {event: committed for event, url, committed in told if url in live}
    came: dict[str, float] = {}
    deadline = time.monotonic() + PATIENCE_SECONDS
    while meant.keys() - came.keys():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{len(meant.keys() - came.keys())} events were not told")
        await asyncio.sleep(0.05)
        came |= await at.receiver.stamps()
    return [(came[event] - committed) * 1000 for event, committed in meant.items() if committed >= begun]


class _Writer:
    """Commits events and remembers when each was committed."""

    def __init__(self, plan: dict[str, Any]) -> None:
        settings = read(dict(os.environ))
        self._plan = plan
        self._companies = [UUID(c) for c in plan["companies"]]
        self._database = Database(settings.app, size=10)
        self._hinter = Hinter(settings.app)
        self._chance = Chance(os.urandom)
        self._told: list[tuple[str, str, float]] = []

    async def run(self) -> list[tuple[str, str, float]]:
        """Every event's id, URL and the monotonic time of its commit."""
        stop = asyncio.Event()
        hinting = asyncio.ensure_future(self._hinter.run(stop))
        chance = random.Random(1)
        due = time.monotonic()
        end = due + self._plan["seconds"]
        acts, number = [], 0
        while (due := due + chance.expovariate(self._plan["rate"])) < end:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            acts.append(asyncio.ensure_future(self._tell(number)))
            number += 1
        await asyncio.gather(*acts)
        await asyncio.sleep(0.1)  # the last hint is under way
        stop.set()
        await hinting
        await self._database.close()
        return self._told

    async def _tell(self, number: int) -> None:
        urls = self._plan["urls"]
        url = urls[number % len(urls)]
        now = datetime.now(UTC)  # business time too: nobody has moved the clock of this house
        fact = Event(self._chance.uuid(now), EVENT.name, self._chance.uuid(now), url, BODY, now)
        write = Write(self._companies[number % len(urls) % len(self._companies)], events=(fact,))
        await commit(self._database, write)
        self._told.append((str(fact.id), url, time.monotonic()))
        self._hinter.on_commit(write)


if __name__ == "__main__":
    print(json.dumps(uvloop.run(_Writer(json.load(sys.stdin)).run())))
