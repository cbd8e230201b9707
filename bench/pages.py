"""Whether one company's largest pages, asked for by many at once, are felt by another company that reads one row.

Everything is compared with what the same process did just before in the same run.
"""

from __future__ import annotations

import asyncio
import statistics
from typing import TYPE_CHECKING

from bench.figures import Figure, Rounds
from bench.lists import FILL, page_request
from bench.load import closed, opened
from bench.reads import ordered, reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.house import House

_ROWS = 20_000  # of the company that asks for much
_LIMIT = 5000  # rows of one page: the most that an operation gives
_CONNECTIONS = 8  # that ask for such pages at once
_PACE = 50  # reads a second of the other company, at random instants
_HEADSTART_SECONDS = 1.0  # of the pages, before the first read counts


async def beside_large_pages(house: House, rounds: int, seconds: float) -> list[Figure]:
    """The p99 of a read of one row beside eight connections that read 5,000, by the same without them."""
    port, busy, quiet = house.settings.port, house.payees[0], house.payees[-1]
    await house.as_superuser(FILL.format(company=busy.company_id, account=busy.account_id, rows=_ROWS))
    await house.as_superuser("VACUUM ANALYZE orders")
    large = page_request(busy, port, f"/order/v2/transparent?limit={_LIMIT}")
    one = [reading(quiet, port, await ordered(house, quiet, 800))]
    times, alone, pages = [], [], []
    async with house.api():
        await closed(house.home, port, [large], 1, 1)
        await opened(port, one, _PACE, 2)
        for _ in range(rounds):
            alone.append(await _p99(port, one, seconds))
            asking = asyncio.ensure_future(closed(house.home, port, [large], _CONNECTIONS, seconds + 2 * _HEADSTART_SECONDS))
            await asyncio.sleep(_HEADSTART_SECONDS)
            beside = await _p99(port, one, seconds)
            seen = await asking
            if seen.others:
                raise RuntimeError(f"{seen.others} large pages were refused")
            times.append(beside / alone[-1])
            pages.append(seen.rate)
    note = (
        f"alone {statistics.median(alone):.1f} ms at {_PACE}/s; {statistics.median(pages):.1f} pages of {_LIMIT:,} a second"
    )
    return [
        Figure(
            f"p99 of one row beside {_CONNECTIONS} x limit={_LIMIT}, by alone", "x", Rounds(tuple(times)), None, 3, 2,
            at_most=True, digits=2, note=note,
        )
    ]  # fmt: skip


async def _p99(port: int, texts: Sequence[str], seconds: float) -> float:
    seen = await opened(port, texts, _PACE, seconds)
    if seen.others:
        raise RuntimeError(f"{seen.others} reads were refused")
    return statistics.quantiles(seen.latencies_ms, n=100)[98]
