"""More than can be done: what is still served at three times what is sustained, beside a noisy company, beside slow callers.

Everything is compared with what the same process did just before in the same run.
"""

from __future__ import annotations

import asyncio
import statistics
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from bench.figures import Figure, Rounds
from bench.load import closed, flooded, has_wrk, opened, template
from bench.reads import most_resident, resident

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bench.house import House
    from bench.load import Seen

_CONNECTIONS = 32  # that keep one process busy
_CALLERS = 512  # connections of those who ask too much
_LONG = 5  # so much longer they ask: to open the connections, and what is left open at the end, counts for little
# What is sustained: requests at random instants, of which hardly any is turned away. A closed loop, in which each connection
# asks again at once, gets more out of the process, and is the capacity that is compared with.
_SUSTAINED = 0.85
_TIMES = 3  # of that are asked for
_PACE = 1.2  # a connection of the flood waits for its answers, too: so much more often it would ask, to ask so often
_SLOW_OF_EACH_KIND = 150
_PORTION = 0.05  # of the capacity is what the quiet company asks for
_HEAD = b"POST /auth/v1/token HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\n"
_DROP_SECONDS = 0.2


async def measured(house: House, rounds: int, seconds: float) -> list[Figure]:
    """The share of the capacity that is accepted, its p99, memory, fairness, and what slow callers cost."""
    port = house.settings.port
    everybody = [template(p, port) for p in house.payees]
    async with house.api() as api:
        await closed(house.home, port, everybody, _CONNECTIONS, 2)
        shares, late, offered, sustained, refused = [], [], [], [], 0
        before = resident(api.pid)
        capacity = await _capacity(house, everybody, seconds)
        for _ in range(rounds):
            sustained.append(await _served_of_what_is_sustained(house, everybody, capacity, 2 * seconds))
            much, few = await _too_much(house, everybody, capacity, _LONG * seconds)
            after = await _capacity(house, everybody, seconds)
            # The machine may be slower or faster than a moment ago: what it can is the mean of before and after.
            accepted = (much.answered - much.others) / much.seconds + len(few.accepted_ms) / few.seconds
            shares.append(accepted / ((capacity + after) / 2))
            late.append(_p99(few.accepted_ms))
            offered.append((much.rate + few.rate) / ((capacity + after) / 2))
            refused += much.others + few.others
            capacity = after
        memory = most_resident(api.pid) / before  # at its highest, which is in the middle of a flood
        fair = await _fairness(house, capacity, rounds, seconds)
        slow = await _beside_slow(house, everybody, rounds, seconds)
    by = "wrk" if has_wrk() else "our own client, which takes a core of it: install wrk"
    times = statistics.median(offered)
    note = f"asked for by {by}: {times / _SUSTAINED:.1f} times that, {times:.1f} times the capacity; {refused:,} turned away"
    return [
        Figure(
            "served of what is sustained",
            "x",
            Rounds(tuple(sustained)),
            None,
            0.99,
            digits=3,
            note=f"{_SUSTAINED} of the capacity, at random instants",
        ),
        Figure(
            "accepted at three times as much, of the capacity", "x", Rounds(tuple(shares)), None, 0.8, digits=2, note=note
        ),
        Figure("the accepted, p99", "ms", Rounds(tuple(late)), None, 1000, at_most=True),
        Figure("memory at most, by before", "x", Rounds((memory,)), None, 1.2, at_most=True, digits=2),
        *fair,
        slow,
    ]


async def _too_much(house: House, texts: Sequence[str], capacity: float, seconds: float) -> tuple[Seen, Seen]:
    """What those saw who ask for three times what is sustained, and what few saw among them, whose answers are timed."""
    port = house.settings.port
    rate = _TIMES * _SUSTAINED * _PACE * capacity
    flood = asyncio.ensure_future(flooded(house.home, port, texts, rate, _CALLERS, seconds))
    few = await opened(port, texts, _PORTION * capacity, seconds)
    return await flood, few


async def _served_of_what_is_sustained(house: House, texts: Sequence[str], capacity: float, seconds: float) -> float:
    """The share of those who ask for as much as is sustained that is served."""
    seen = await flooded(house.home, house.settings.port, texts, _SUSTAINED * capacity, _CALLERS, seconds)
    return 1 - seen.others / seen.answered


async def _capacity(house: House, texts: Sequence[str], seconds: float) -> float:
    """Creates per second in a closed loop."""
    seen = await closed(house.home, house.settings.port, texts, _CONNECTIONS, seconds)
    if seen.others:
        raise RuntimeError(f"{seen.others} of {seen.answered} creates were refused below the capacity")
    return seen.rate


async def _fairness(house: House, capacity: float, rounds: int, seconds: float) -> list[Figure]:
    """A company that asks for a twentieth of the capacity, beside one that asks for three times all of it."""
    port = house.settings.port
    noisy, quiet = house.payees[0], next(p for p in house.payees if p.company_id != house.payees[0].company_id)
    little, much = [template(quiet, port)], [template(noisy, port)]
    served, beside, shared = [], [], []
    for _ in range(rounds):
        # At its capacity, but asked by all alike: what a process that is busy and not overrun gives to each.
        # Together they ask for a little more than that, so that one may be refused.
        alike = [template(p, port) for p in house.payees]
        busy = asyncio.ensure_future(closed(house.home, port, alike, _CONNECTIONS, 2 * seconds))
        shared.append(_p99((await opened(port, little, _PORTION * capacity, 2 * seconds)).accepted_ms))
        await busy
        flood = asyncio.ensure_future(flooded(house.home, port, much, _TIMES * capacity, _CALLERS, 2 * seconds))
        seen = await opened(port, little, _PORTION * capacity, 2 * seconds)
        await flood
        served.append(len(seen.accepted_ms) / seen.answered)
        beside.append(_p99(seen.accepted_ms))
    return [
        Figure("a quiet company's requests served beside a noisy one's", "x", Rounds(tuple(served)), None, 0.99, digits=3),
        Figure("the quiet company's p99 beside the noisy one", "ms", Rounds(tuple(beside)), Rounds(tuple(shared)), 2.0,
               at_most=True, note="floor: where all others together ask for as much as can be done"),
    ]  # fmt: skip


async def _beside_slow(house: House, texts: Sequence[str], rounds: int, seconds: float) -> Figure:
    """What is served of the capacity while callers keep connections open and say next to nothing on them."""
    without, beside = [], []
    for _ in range(rounds):
        without.append(await _capacity(house, texts, seconds))
        async with _slow(house.settings.port):
            beside.append(await _capacity(house, texts, seconds))
    note = f"{3 * _SLOW_OF_EACH_KIND} connections: silent, half a head, a body a byte at a time"
    return Figure("creates beside slow callers, of those without", "/s", Rounds(tuple(beside)), Rounds(tuple(without)), 0.9,
                  note=note)  # fmt: skip


@asynccontextmanager
async def _slow(port: int) -> AsyncIterator[None]:
    head = _HEAD % port
    kinds = (b"", head[:30], head + b"content-length: 1000\r\n\r\n")
    callers = [asyncio.ensure_future(_drips(port, begin)) for begin in kinds for _ in range(_SLOW_OF_EACH_KIND)]
    await asyncio.sleep(2 * _DROP_SECONDS)
    try:
        yield
    finally:
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)


async def _drips(port: int, begin: bytes) -> None:
    """One such caller; where it is hung up on, it comes again."""
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(begin)
                while not reader.at_eof():
                    await asyncio.sleep(_DROP_SECONDS)
                    writer.write(b" " if begin.endswith(b"\r\n\r\n") else begin[:0])
                    await writer.drain()
            finally:
                writer.close()


def _p99(latencies_ms: Sequence[float]) -> float:
    return statistics.quantiles(latencies_ms, n=100)[98]
