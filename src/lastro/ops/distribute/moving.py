"""Adds a server, and moves shards between servers while everybody works on."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import asyncpg

from lastro.core.declined import CommandFailed
from lastro.core.session import LOST
from lastro.ops.distribute.spreading import set_up_servers

if TYPE_CHECKING:
    from lastro.ops.distribute.servers import Place
    from lastro.terminal.progress import Tell

_LOOK_SECONDS = 1.0  # the pause between two looks at what moves
# By logical replication: reads and writes go on, but for the moment in which the new server takes over.
_HOW = "force_logical"
_ADD = "SELECT citus_add_node($1, $2)"
_COPY = f"SELECT replicate_reference_tables('{_HOW}')"
_IS_SERVER = "SELECT EXISTS (SELECT FROM pg_dist_node WHERE nodename = $1 AND nodeport = $2 AND noderole = 'primary')"
_MOVE = f"SELECT citus_move_shard_placement($1, $2, $3, $4, $5, '{_HOW}')"
_BEGIN = f"SELECT citus_rebalance_start(shard_transfer_mode => '{_HOW}')"
_JOB = "SELECT job_id FROM citus_rebalance_status() WHERE state IN ('scheduled', 'running', 'cancelling', 'failing')"
_STATE = """
SELECT j.state::text AS state, count(t.task_id) AS tasks, count(t.task_id) FILTER (WHERE t.status = 'done') AS done,
       coalesce(max(t.message) FILTER (WHERE t.status IN ('error', 'unscheduled', 'runnable')), '') AS message
  FROM pg_dist_background_job j LEFT JOIN pg_dist_background_task t USING (job_id) WHERE j.job_id = $1 GROUP BY j.state
"""
_BYTES = """
SELECT coalesce(sum(target_shard_size), 0)::bigint AS done, coalesce(sum(source_shard_size), 0)::bigint AS whole
  FROM get_rebalance_progress()
"""
_GOES_ON = frozenset({"scheduled", "running", "cancelling", "failing"})


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server, as the engine knows it."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> Address:
        """Reads HOST:PORT. ValueError: it is neither."""
        host, mark, port = text.rpartition(":")
        if not mark or not host or not port.isdecimal() or not 0 < int(port) < 2**16:
            raise ValueError(f"{text} is not HOST:PORT")
        return cls(host, int(port))

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


async def add(connection: asyncpg.Connection, server: Address, *, is_spread: bool) -> None:
    """Adds a server, which gets what every server has. CommandFailed: why not."""
    try:
        await connection.fetchval(_ADD, server.host, server.port)
    except asyncpg.InsufficientPrivilegeError:
        raise
    except asyncpg.PostgresError as refused:
        raise CommandFailed(
            f"{server} cannot be added: {said(refused)}. It needs a database of this one's name with the extension citus,"
            " and has to let this login in from the coordinator."
        ) from refused
    if is_spread:
        await set_up_servers(connection)
        await connection.execute(_COPY)


async def rebalance(connection: asyncpg.Connection, progress: Tell) -> int:
    """Spreads the shards evenly, and waits for it; returns how many moves it took. CommandFailed: it could not.

    It waits for one that is under way as well.
    """
    job = await connection.fetchval(_JOB)
    if job is None:
        job = await connection.fetchval(_BEGIN)
    if job is None:
        return 0
    while True:
        state = await connection.fetchrow(_STATE, job)
        if state is None:
            raise CommandFailed("The engine knows no more of it: lastro distribute status shows where the shards are.")
        if state["state"] not in _GOES_ON:
            break
        progress(state["done"], state["tasks"], "shards")
        await asyncio.sleep(_LOOK_SECONDS)
    if state["state"] != "finished":
        why = (state["message"].splitlines() or [state["state"]])[0].removeprefix("ERROR:").strip().rstrip(".")
        raise CommandFailed(f"Some shards have not moved: {why}. Say lastro distribute rebalance again.")
    return int(state["tasks"])


async def move(
    connection: asyncpg.Connection, looking: asyncpg.Connection, place: Place, server: Address, progress: Tell
) -> None:
    """Moves a company's shard with all that are in it. looking: a second connection, for the progress.

    CommandFailed: it could not, and is where it was.
    """
    if not await connection.fetchval(_IS_SERVER, server.host, server.port):
        raise CommandFailed(f"{server} is no server of this database: lastro distribute status shows them.")
    if (server.host, server.port) == (place.host, place.port):
        raise CommandFailed(f"The company's shard is on {server} already.")
    moving = asyncio.ensure_future(connection.execute(_MOVE, place.shard, place.host, place.port, server.host, server.port))
    while not (await asyncio.wait([moving], timeout=_LOOK_SECONDS))[0]:
        with suppress(*LOST, asyncpg.PostgresError):  # every server is asked for it, also one that does not answer
            found = await looking.fetchrow(_BYTES)
            if found is not None:
                progress(found["done"], found["whole"], "bytes")
    try:
        await moving
    except asyncpg.InsufficientPrivilegeError:
        raise
    except (*LOST, asyncpg.PostgresError) as refused:
        raise CommandFailed(f"The shard has not moved: {said(refused)}.") from refused


def said(refused: Exception) -> str:
    """Returns the first line of what the engine said."""
    return (str(refused).splitlines() or [type(refused).__name__])[0].rstrip(".")
