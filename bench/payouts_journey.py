"""The whole way of a payout: created, sent by the worker, settled by the network, its end told with a number."""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import aiohttp
import asyncpg
from bench.figures import Figure, Rounds
from bench.house import cpu_seconds
from bench.load import closed, opened
from bench.payouts import FABIOS, enrich, to_account, to_key

if TYPE_CHECKING:
    from bench.house import House

_CONNECTIONS = 8
_CALM_PACE, _CALM_SECONDS = 20.0, 5.0
_PATIENCE_SECONDS = 120.0
_LOOK_SECONDS = 0.05  # from one look at whether all is done to the next
_NUMBERED = """
SELECT count(*) FROM event_numbers n JOIN events e ON e.company_id = n.company_id AND e.id = n.event_id
 WHERE e.type = 'ORDER-PAYOUT.PAID' AND e.created_at >= $1
"""
_WAITED = """
SELECT percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM e.created_at - p.created_at) * 1000)
  FROM payouts p JOIN events e ON e.company_id = p.company_id AND e.reference_id = p.id
 WHERE p.created_at >= $1 AND e.type = 'ORDER-PAYOUT.PAID'
"""


@dataclass
class _Clerk:
    """Looks at what has become of payouts."""

    admin: asyncpg.Connection
    since: object = None

    async def begin(self) -> None:
        """From now on."""
        self.since = await self.admin.fetchval("SELECT business_now()")

    async def numbered(self, count: int) -> None:
        """Waits until the end of so many has its number."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (done := await self.admin.fetchval(_NUMBERED, self.since)) < count:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{done} of {count} payouts were paid in time")
            await asyncio.sleep(_LOOK_SECONDS)

    async def waited(self) -> tuple[float, float]:
        """Milliseconds from a payout's creation to its end as the books have it: the median, and p99."""
        middle, late = await self.admin.fetchval(_WAITED, self.since)
        return middle, late


@dataclass
class _Meter:
    """What a payout costs each process in CPU time: on a machine that others use too, it says more than a rate does."""

    house: House
    pids: dict[str, int]
    before: dict[str, float] = field(default_factory=dict)
    milliseconds: dict[str, list[float]] = field(default_factory=dict)

    def begin(self) -> None:
        """From now on."""
        self.before = self._used()

    def end(self, count: int) -> None:
        """So many payouts were paid since."""
        for name, used in self._used().items():
            self.milliseconds.setdefault(name, []).append((used - self.before[name]) / count * 1000)

    def figure(self) -> Figure:
        """All of them together; the note has each."""
        parts = ", ".join(f"{name} {statistics.median(ms):.1f}" for name, ms in self.milliseconds.items())
        together = tuple(sum(each) for each in zip(*self.milliseconds.values(), strict=True))
        return Figure("CPU of one payout", "ms", Rounds(together), digits=1, note=f"ms: {parts}")

    def _used(self) -> dict[str, float]:
        database = self.house.server.pid
        assert database is not None
        return {name: cpu_seconds(pid) for name, pid in self.pids.items()} | {
            "PostgreSQL": cpu_seconds(database, family=True)
        }


async def paid(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Payouts per second from the first request to the last number, and how long one takes in calm."""
    await enrich(house)
    port = house.settings.port
    texts = [*(to_account(p, port, FABIOS) for p in house.payees), *(to_key(p, port) for p in house.payees)]
    await _directory_unbound(house)
    admin = await asyncpg.connect(house.dsn("postgres"))
    clerk, rates = _Clerk(admin), []
    try:
        async with house.api() as api, house.process("worker", "lastro.cli.main", "worker") as worker:
            meter = _Meter(house, {"API": api.pid, "worker": worker.pid, "simulator": house.simulator.pid})
            for _ in range(2):  # once for warming up
                await clerk.begin()
                calm = await opened(port, texts, _CALM_PACE, _CALM_SECONDS)
                await clerk.numbered(calm.answered)
            waits = await clerk.waited()
            for _ in range(rounds + 1):  # the first for warming up: each connection plans a statement anew five times
                await house.as_superuser("CHECKPOINT")
                await clerk.begin()
                meter.begin()
                started = time.monotonic()
                seen = await closed(house.home, port, texts, _CONNECTIONS, seconds)
                if seen.others or calm.others:
                    raise RuntimeError(f"{seen.others} creates were refused")
                await clerk.numbered(seen.answered)
                rates.append(seen.answered / (time.monotonic() - started))
                meter.end(seen.answered)
            for each in (rates, *meter.milliseconds.values()):
                del each[0]
    finally:
        await admin.close()
    note = f"{_CONNECTIONS} connections create for {seconds:.0f} s; simulator, API and worker share the machine"
    return [
        Figure("payouts paid and numbered", "/s", Rounds(tuple(rates)), None, 150, note=note),
        meter.figure(),
        Figure("payout to its end, p50", "ms", Rounds((waits[0],)), note=f"{_CALM_PACE:.0f} a second"),
        Figure("payout to its end, p99", "ms", Rounds((waits[1],))),
    ]


async def _directory_unbound(house: House) -> None:
    """The simulated directory counts nothing: how often it may be asked is not what is measured."""
    url = f"http://127.0.0.1:{house.settings.sim_port}/directory/limits"
    async with aiohttp.ClientSession(trust_env=False) as http, http.post(url, json={"enforced": False}) as answer:
        answer.raise_for_status()
