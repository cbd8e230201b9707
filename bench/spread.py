"""What a payment costs PostgreSQL where lastro is spread over three servers, beside the same payment on one.

It needs Citus in the PostgreSQL that `pg_config` names (tests/cluster/README.md). The one server has the same settings.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import asyncpg
from bench.figures import Figure, Rounds
from bench.hour import Walk, all_told
from bench.house import House, cpu_seconds, furnished
from bench.journey import Street, Told
from tests.cluster.__main__ import start, stop
from tests.cluster.run_cluster import join

from lastro.core.servers import addresses
from lastro.ops import distribute
from lastro.ops.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

_DATABASE = "lastro"
_NODES = 3
_WARM_SECONDS, _WARM_ROUNDS = 15.0, 8
_WARM_RATE = 40.0  # at least, so that each company's sessions have planned their statements
_SHARE_BAR, _COST_BAR = 0.05, 1.3


@dataclass(frozen=True, slots=True)
class Nodes:
    """Servers that are one database; the first is the coordinator. urls: the superuser's. folders: their data."""

    urls: Sequence[str]
    folders: Sequence[Path]

    @property
    def pid(self) -> int:
        """The coordinator's process."""
        return _postmaster(self.folders[0])

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        """Returns the connection string of a database at the coordinator."""
        return f"postgresql://{user}@{urlsplit(self.urls[0]).netloc.rpartition('@')[2]}/{database}"

    def spent(self) -> list[float]:
        """Returns the seconds of CPU that each server has used."""
        return [_spent(_postmaster(folder)) for folder in self.folders]


@dataclass(slots=True)
class _Way:
    """A house and what its payments cost. each: milliseconds of each server, by round. idle: cores used without payments."""

    house: House
    nodes: Nodes
    each: list[list[float]]
    idle: list[float]


async def measured(rounds: int, seconds: float, rate: float) -> list[Figure]:
    """Payments at `rate` a second, in turns on one server and on three."""
    with tempfile.TemporaryDirectory(prefix="lastro-nodes-") as folder:
        os.chmod(folder, 0o711)  # noqa: PTH101 the servers run as another user
        async with AsyncExitStack() as stack:
            alone = await stack.enter_async_context(_way(Path(folder) / "alone", 1))
            spread = await stack.enter_async_context(_way(Path(folder) / "spread", _NODES))
            for _ in range(rounds):
                for way in (alone, spread):
                    await _round(way, seconds, rate)
        return _figures(alone, spread, rate)


@asynccontextmanager
async def _way(folder: Path, count: int) -> AsyncIterator[_Way]:
    urls = addresses(start(folder / "nodes", count, durable=True))
    try:
        nodes = Nodes(urls, [folder / "nodes" / f"node{number}" for number in range(count)])
        places = [f"{url.rpartition('/')[0]}/{_DATABASE}" for url in urls]
        for url in urls:
            connection = await asyncpg.connect(url)
            await connection.execute(f"CREATE DATABASE {_DATABASE} TEMPLATE template0")
            await connection.close()
        if count > 1:
            await join(places)
        await migrate(places[0])
        if count > 1:
            connection = await asyncpg.connect(places[0])
            await distribute.spread(connection, distribute.SHARDS)
            await connection.close()
        home = folder / "home"
        home.mkdir()
        async with furnished(home, nodes) as house:
            yield _Way(house, nodes, [], [])
    finally:
        stop(folder / "nodes")


async def _round(way: _Way, seconds: float, rate: float) -> None:
    first_byte: dict[str, float] = {}
    receiver = await asyncio.get_running_loop().create_server(lambda: Told(first_byte), "127.0.0.1", 0)
    webhook_url = f"http://127.0.0.1:{receiver.sockets[0].getsockname()[1]}/webhooks"
    async with way.house.api(), way.house.process("worker", "lastro.cli.main", "worker"):
        street = Street(way.house.settings, way.house.payees, webhook_url)
        for _ in range(_WARM_ROUNDS):  # each shard's sessions are opened, and plan their statements
            warm = Walk(street)
            await warm.pace(max(rate, _WARM_RATE), _WARM_SECONDS)
            await all_told(warm, first_byte)
            if not warm.failed:
                break
        began, before = time.monotonic(), way.nodes.spent()
        await asyncio.sleep(seconds / 4)
        way.idle.append((sum(way.nodes.spent()) - sum(before)) / (time.monotonic() - began))
        walk, before = Walk(street), way.nodes.spent()
        await walk.pace(rate, seconds)
        untold = await all_told(walk, first_byte)
        if walk.failed or untold:
            raise RuntimeError(f"payments failed: {dict(walk.failed)}, {untold} were never told of")
        used = zip(way.nodes.spent(), before, strict=True)
        way.each.append([(now - then) * 1000 / len(walk.began) for now, then in used])
    receiver.close()


def _figures(alone: _Way, spread: _Way, rate: float) -> list[Figure]:
    cost = Rounds(tuple(sum(each) for each in spread.each))
    floor = Rounds(tuple(sum(each) for each in alone.each))
    share = Rounds(tuple(each[0] / sum(each) for each in spread.each))
    servers = ", ".join(f"{sum(each) / len(spread.each):.2f}" for each in zip(*spread.each, strict=True))
    note = f"{rate:g} a second; by server, the coordinator first: {servers} ms; {distribute.SHARDS} shards, {_NODES} servers"
    return [
        Figure(
            "PostgreSQL's CPU of a payment, spread", "ms", cost, floor, _COST_BAR, 1.1, at_most=True, digits=2, note=note
        ),
        Figure("the coordinator's share of it", "", share, None, _SHARE_BAR, 0.03, at_most=True, digits=3),
        Figure("cores used without payments, spread", "", Rounds(tuple(spread.idle)), Rounds(tuple(alone.idle)), digits=3),
    ]


def _postmaster(folder: Path) -> int:
    return int((folder / "postmaster.pid").read_text(encoding="ascii").split("\n", 1)[0])


def _spent(pid: int) -> float:
    """Of a postmaster, its processes, and those that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    ended = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    return cpu_seconds(pid, family=True) + ended
