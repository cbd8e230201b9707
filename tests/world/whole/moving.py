"""A shard of a cluster goes to another server beside everybody who trades in it; that server may die meanwhile."""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg
from tests.cluster.nodes import Cluster, Node
from tests.journeys.servers import put_out
from tests.world.whole.crowd import AWAY, Crowd

from lastro.config.settings import read
from lastro.core.declined import CommandFailed
from lastro.ops.distribute.command import perform
from lastro.ops.distribute.servers import where

TRIES, PAUSE_SECONDS = 40, 0.5


def moves(chance: random.Random) -> tuple[str, Callable[[Crowd], Awaitable[None]]]:
    """One of the two companies, by the command. In some of them one of both servers dies while it moves."""
    number, is_cut, pause = chance.choice((1, 1, 2)), chance.random() < 0.4, chance.random() * 4
    dies = chance.choice((0, 1))

    async def happen(crowd: Crowd) -> None:
        server = crowd.town.server
        assert isinstance(server, Cluster)
        here, there = await _nodes(server, number)
        moving = asyncio.create_task(_move(server, number, there))
        if is_cut:
            await asyncio.wait([moving], timeout=pause)
            await put_out(server, signal.SIGKILL, 0.2, [(here, there)[dies]])
        tries = await moving
        crowd.done["shards moved"] += 1
        crowd.done["moves begun again"] += tries - 1

    cut = f", {('source', 'target')[dies]} dies after {pause:.1f} s" if is_cut else ""
    return f"move company {number}{cut}", happen


async def _nodes(server: Cluster, number: int) -> tuple[Node, Node]:
    """Where the company is, and where it is not."""
    while True:
        with suppress(*AWAY):
            connection = await asyncpg.connect(server.dsn())
            try:
                port = (await where(connection, str(number))).port
            finally:
                await connection.close()
            here = next(node for node in server.data_nodes if node.port == port)
            return here, next(node for node in server.data_nodes if node is not here)
        await asyncio.sleep(PAUSE_SECONDS)


async def _move(server: Cluster, number: int, to: Node) -> int:
    """How often it was begun until it had moved. AssertionError: why it has not."""
    settings = read({"LASTRO_DATABASE_URL": server.dsn()})
    words = ["move", str(number), f"127.0.0.1:{to.port}", "--json"]
    for tries in range(1, TRIES + 1):
        try:
            await asyncio.to_thread(perform, words, lambda: settings, lambda _: None)
        except (*AWAY, CommandFailed) as failed:
            if "is on" in str(failed) and "already" in str(failed):  # what was cut off had come to its end
                return tries
            said = failed
            await asyncio.sleep(PAUSE_SECONDS)
        else:
            return tries
    raise AssertionError(f"company {number} does not move: {said}")
