"""Payments at a steady pace for as long as is asked: each from its creation to its acknowledged notification.

How long one takes, what the processes hold by then, what the database has become, and whether every law holds at the end.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.figures import Figure, Rounds, busy_seconds
from bench.house import cpu_seconds
from bench.journey import Street, Told

from lastro.ops.verify import verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.house import House

_PATIENCE_SECONDS = 60.0
_LATE_MS = 1000.0
_WARM_SECONDS = 60.0  # each connection has planned its statements, and no table is new any more
_WINDOW_SECONDS = 60.0
_LOOK_SECONDS = 60.0
_SIGN_IN_SECONDS = 1_800.0  # a token is good for twice as long
# What docs/operations.md advises for a server under load, of a machine with 8 GB. The sandbox's are for a laptop's share.
SERVER: Final = {
    "shared_buffers": "2GB",
    "effective_cache_size": "6GB",
    "max_wal_size": "16GB",
    "checkpoint_timeout": "15min",
}
_QUEUES = ("inbox", "outbox", "events", "event_numbers", "deliveries", "transfers")
_OTHERS = "others and the kernel"
_WAL = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes"
_UNDELIVERED = "SELECT count(*) AS count FROM deliveries WHERE status <> 'DELIVERED'"
_TABLES = """
SELECT relname, n_dead_tup, n_live_tup, pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables
 ORDER BY pg_total_relation_size(relid) DESC
"""


@dataclass
class _Watch:
    """What the processes hold and use, minute by minute. pids: by name. held: bytes."""

    house: House
    pids: Mapping[str, int]
    began: float = field(default_factory=time.perf_counter)
    at: list[float] = field(default_factory=list)
    held: dict[str, list[int]] = field(default_factory=dict)
    spent: list[dict[str, float]] = field(default_factory=list)  # seconds of a core by who used them, and of the machine's
    written: list[int] = field(default_factory=list)  # bytes of WAL

    async def keep(self) -> None:
        """Looks until it is cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Once."""
        self.at.append((time.perf_counter() - self.began) / 3600)
        for name, pid in self.pids.items():
            self.held.setdefault(name, []).append(_own(pid))
        server = self.house.server.pid
        assert server is not None
        self.held.setdefault("PostgreSQL", []).append(sum(_own(pid) for pid in (server, *_children(server))))
        spent = {name: cpu_seconds(pid) for name, pid in {**self.pids, "payers": os.getpid()}.items()}
        spent["PostgreSQL"] = cpu_seconds(server, family=True)
        self.spent.append({**spent, _OTHERS: busy_seconds() - sum(spent.values())})
        self.written.append(int((await self.house.as_superuser(_WAL))[0]["bytes"]))
        if len(self.at) > 1:
            used = ", ".join(f"{name} {cores[-1]:.2f}" for name, cores in self._cores().items())
            print(f"  minute {len(self.at) - 1}: cores {used}; WAL {self._wal()[-1]:.0f} MB", file=sys.stderr, flush=True)

    def figures(self) -> list[Figure]:
        """Growth in MB an hour, from the second half alone: caches fill in the first."""
        half = len(self.at) // 2
        told = []
        for name, held in self.held.items():
            at, mb = self.at[half:], [each / 1e6 for each in held[half:]]
            slope = statistics.linear_regression(at, mb).slope if len(at) > 1 else 0.0
            note = "MB: " + ", ".join(f"{each / 1e6:.0f}" for each in held[:: max(1, len(held) // 8)])
            told.append(Figure(f"memory of {name}, growth", "MB/h", Rounds((slope,)), digits=1, note=note))
        return [*told, *self._used()]

    def _cores(self) -> dict[str, list[float]]:
        """How many each used, minute by minute."""
        return {
            name: [
                (now[name] - before[name]) / ((at - at_before) * 3600)
                for at_before, at, before, now in zip(self.at, self.at[1:], self.spent, self.spent[1:], strict=False)
            ]
            for name in self.spent[0]
        }

    def _wal(self) -> list[float]:
        """Megabytes, minute by minute."""
        return [(now - before) / 1e6 for before, now in itertools.pairwise(self.written)]

    def _used(self) -> list[Figure]:
        """By whom the machine was used, somebody else too, and what was written ahead."""
        told = []
        for name, cores in self._cores().items():
            note = "the most; minute by minute: " + ", ".join(f"{each:.2f}" for each in cores)
            told.append(Figure(f"cores used by {name}", "", Rounds((max(cores, default=0.0),)), digits=2, note=note))
        wal = self._wal()
        note = "the most; minute by minute: " + ", ".join(f"{each:.0f}" for each in wal)
        return [*told, Figure("WAL of a minute", "MB", Rounds((max(wal, default=0.0),)), note=note)]


def _own(pid: int) -> int:
    """Bytes that a process holds for itself: what it shares is not counted once for each.

    A counter of the kernel's. What smaps says is found by a walk over all pages, 40 ms for each backend once it has touched
    2 GB of shared buffers; all of them together held the payers up for seconds, each minute.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0  # it has just ended
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) * 1024


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(child) for child in found.split()]


class Walk:
    """Payments that begin at instants of their own. began: when each was meant to. behind: how late the latest one began."""

    def __init__(self, street: Street) -> None:
        self._street = street
        self.began: dict[str, float] = {}
        self.failed: Counter[str] = Counter()  # by how
        self.behind = 0.0

    async def pace(self, rate: float, seconds: float) -> None:
        """So many a second (Poisson), whether or not earlier ones have ended."""
        chance = random.Random(1)
        end = time.perf_counter() + seconds
        due, running = time.perf_counter(), set()
        while (due := due + chance.expovariate(rate)) < end:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            self.behind = max(self.behind, time.perf_counter() - due)
            one = asyncio.ensure_future(self._one(due))
            running.add(one)
            one.add_done_callback(running.discard)
        await asyncio.gather(*running)

    async def _one(self, due: float) -> None:
        name = ""
        try:
            name, code = await self._street.order()
            self.began[name] = due
            await self._street.pay(name, code)
        except (OSError, RuntimeError) as failed:
            self.failed[str(failed)] += 1  # no reason to end an hour
            self.began.pop(name, None)


async def paid(house: House, minutes: float, rate: float) -> list[Figure]:
    """Payments at `rate` a second for so many minutes."""
    first_byte: dict[str, float] = {}
    receiver = await asyncio.get_running_loop().create_server(lambda: Told(first_byte), "127.0.0.1", 0)
    webhook_url = f"http://127.0.0.1:{receiver.sockets[0].getsockname()[1]}/webhooks"
    async with (
        house.api() as api,
        house.process("worker", "lastro.cli.main", "worker") as worker,
    ):
        street = Street(house.settings, house.payees, webhook_url)
        warm = Walk(street)
        await warm.pace(rate, _WARM_SECONDS)
        await all_told(warm, first_byte)
        walk = Walk(street)
        watch = _Watch(house, {"API": api.pid, "worker": worker.pid, "network": house.simulator.pid})
        beside = [asyncio.ensure_future(each) for each in (watch.keep(), _signed_in(house, street))]
        await walk.pace(rate, minutes * 60)
        for each in beside:
            each.cancel()
        await watch.look()
        untold = await all_told(walk, first_byte)
        undelivered = await _delivered(house)
    receiver.close()
    took = [(first_byte[name] - began) * 1000 for name, began in walk.began.items() if name in first_byte]
    behind = Figure("the payers began late, the most", "ms", Rounds((walk.behind * 1000,)))
    return [*_times(took, rate, minutes), behind, *await _whole(house, walk.failed, untold, undelivered), *watch.figures(),
            *await _sizes(house, len(took))]  # fmt: skip


async def _signed_in(house: House, street: Street) -> None:
    """Keeps its tokens fresh until it is cancelled."""
    while True:
        await asyncio.to_thread(house.sign_in)
        street.go_on_for(house.payees)
        await asyncio.sleep(_SIGN_IN_SECONDS)


async def all_told(walk: Walk, first_byte: Mapping[str, float]) -> int:
    """Waits until each was told of; of how many that never came."""
    deadline = time.perf_counter() + _PATIENCE_SECONDS
    while left := len(walk.began.keys() - first_byte.keys()):
        if time.perf_counter() > deadline:
            break
        await asyncio.sleep(0.1)
    return left


async def _delivered(house: House) -> int:
    """Waits until each delivery is acknowledged; how many never were."""
    deadline = time.perf_counter() + _PATIENCE_SECONDS
    while left := int((await house.as_superuser(_UNDELIVERED))[0]["count"]):
        if time.perf_counter() > deadline:
            break
        await asyncio.sleep(0.5)
    return left


def _times(took: list[float], rate: float, minutes: float) -> list[Figure]:
    steps = statistics.quantiles(took, n=1000, method="inclusive")
    late = sum(each > _LATE_MS for each in took) / len(took)
    note = f"{rate:g} a second for {minutes:g} minutes: {len(took):,} payments, from creation to notification"
    each = round(rate * _WINDOW_SECONDS)
    minutely = [took[at : at + each] for at in range(0, len(took), each)]
    shares = [sum(ms > _LATE_MS for ms in part) / len(part) * 100 for part in minutely]
    over = ", ".join(f"{minute} ({share:.0f} %)" for minute, share in enumerate(shares, start=1) if share > 1)
    halves = [statistics.median(part) for part in minutely]
    calm = f"{sum(share <= 1 for share in shares)} of {len(shares)} minutes had at most 1 %; above: {over or 'none'}"
    return [
        Figure("payments that took over 1 s", "%", Rounds((late * 100,)), None, 1, 0.1, at_most=True, digits=2, note=note),
        Figure("the same, of the worst minute", "%", Rounds((max(shares),)), digits=2, note=calm),
        *(Figure(f"payment to notification, p{of / 10:g}", "ms", Rounds((steps[of - 1],))) for of in (500, 950, 990, 999)),
        Figure(
            "the same of a minute, p50",
            "ms",
            Rounds((max(halves),)),
            note="the most; minute by minute: " + ", ".join(f"{half:.0f}" for half in halves),
        ),
        Figure("the longest", "ms", Rounds((max(took),))),
    ]


async def _whole(house: House, failed: Counter[str], untold: int, undelivered: int) -> list[Figure]:
    """What must be nothing: failures, events never told, broken laws."""
    said: list[str] = []
    status = await verify(house.settings.audit, at_rest=True, say=lambda line: said.append(str(line)))
    broken = [line for line in said if line.startswith("broken")]
    return [
        Figure("payments that failed", "", Rounds((float(failed.total()),)), None, 0, at_most=True,
               note="; ".join(f"{count:,} {how}" for how, count in failed.most_common(4))),
        Figure("payments never told of", "", Rounds((float(untold),)), None, 0, at_most=True),
        Figure("deliveries never acknowledged", "", Rounds((float(undelivered),)), None, 0, at_most=True),
        Figure("laws not found to hold", "", Rounds((float(max(status, len(broken))),)), None, 0, at_most=True,
               note="; ".join(broken) or said[-1]),
    ]  # fmt: skip


async def _sizes(house: House, payments: int) -> list[Figure]:
    """What the database has become."""
    rows = await house.as_superuser(_TABLES)
    size = int((await house.as_superuser("SELECT pg_database_size('lastro') AS bytes"))[0]["bytes"])
    largest = ", ".join(f"{row['relname']} {row['bytes'] / 1e6:.0f}" for row in rows[:6])
    dead = [row for row in rows if row["relname"] in _QUEUES]
    shown = ", ".join(f"{row['relname']} {row['n_dead_tup']:,} of {row['n_live_tup'] + row['n_dead_tup']:,}" for row in dead)
    most = max((row["n_dead_tup"] / max(1, row["n_live_tup"] + row["n_dead_tup"]) for row in dead), default=0.0)
    return [
        Figure("the database", "MB", Rounds((size / 1e6,)), note=f"MB: {largest}"),
        Figure("the same, of one payment", "kB", Rounds((size / payments / 1e3,)), digits=1),
        Figure("dead rows of queues, the most", "%", Rounds((most * 100,)), digits=1, note=shown),
    ]
