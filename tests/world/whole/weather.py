"""What befalls a town: everything that can die dies, lines are cut, the disk is full, nobody takes what is logged, the clock
jumps, the schema is changed.

What falls when is the seed's; a fault comes once so many requests were made.
"""

import asyncio
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from string import ascii_lowercase

import asyncpg
from tests import muted
from tests.journeys.servers import Part, parts
from tests.journeys.stage import until
from tests.world.whole import moving
from tests.world.whole.crowd import AWAY, Crowd
from tests.world.whole.town import APIS, PROCESSES, WORKERS

from lastro.core.failpoints import GAPS
from lastro.core.schema_files import schema_folder
from lastro.ops.migrate import migrate

# Those that a process of the API passes; a worker passes each.
_API_GAPS = ("run.decided", "commit.sent")
_END_BACKENDS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'lastro%'"
_MIGRATED = ("orders", "payouts", "pix_payments", "transfers", "outbox", "inbox", "events", "deliveries", "answers")
# What writes and lanes call all the time.
_FUNCTIONS = """
SELECT oid::regprocedure::text, pg_get_functiondef(oid) FROM pg_proc
 WHERE pronamespace = 'public'::regnamespace AND proname IN ('door_commit', 'use_quotas', 'number_events', 'enter', 'put_off')
"""
LONGEST_DEATH = 3.0  # seconds: who has not passed its gap by then does not die there


@dataclass(frozen=True)
class Fault:
    """What happens, and after how many requests of the storm."""

    name: str
    after: int
    happen: Callable[[Crowd], Awaitable[None]]


def forecast(chance: random.Random, faults: int, requests: int, *, small_disk: bool, is_spread: bool = False) -> list[Fault]:
    """So many faults, spread over so many requests. is_spread: also those of a cluster."""
    weights = {kind: weight for kind, weight in _KINDS.items() if small_disk or kind is not _disk}
    weights |= _KINDS_OF_A_CLUSTER if is_spread else {}
    chosen = [
        chance.choices(list(weights), list(weights.values()))[0](random.Random(chance.random())) for _ in range(faults)
    ]
    times = sorted(chance.randint(5, max(requests * 3 // 4, 6)) for _ in chosen)
    return [Fault(name, after, happen) for after, (name, happen) in zip(times, chosen, strict=True)]


_Made = tuple[str, Callable[[Crowd], Awaitable[None]]]


def _kill(chance: random.Random) -> _Made:
    name, pause = chance.choice(PROCESSES), chance.random() * 0.4

    async def happen(crowd: Crowd) -> None:
        crowd.town.kill(name)
        await asyncio.sleep(pause)
        await back(crowd, name)

    return f"kill {name}", happen


def _crash(chance: random.Random) -> _Made:
    """A process that kills itself in a gap, once it has passed there so often."""
    gap, count = chance.choice(GAPS), chance.choice((1, 1, 2, 3, 5))
    name = chance.choice((*APIS, *WORKERS) if gap in _API_GAPS else WORKERS)

    async def happen(crowd: Crowd) -> None:
        crowd.town.kill(name)
        await settled(crowd)
        child = crowd.town.launch(name, LASTRO_CRASH_AT=f"{gap}:{count}")

        async def died() -> bool:
            return not child.is_running()

        with suppress(AssertionError):
            await until(died, f"the death of {name}", LONGEST_DEATH)
            crowd.done[f"died in {gap}"] += 1
        crowd.town.kill(name)
        await back(crowd, name)

    return f"crash {name} {gap}:{count}", happen


def _database(chance: random.Random) -> _Made:
    number, pause = chance.choice((signal.SIGKILL, signal.SIGINT, signal.SIGQUIT)), chance.random() * 0.5

    async def happen(crowd: Crowd) -> None:
        await crowd.town.put_out(number, pause)

    return f"database {number.name}", happen


def _node(chance: random.Random) -> _Made:
    """One node of a cluster: the coordinator, or one that has companies."""
    number, pause = chance.choice((signal.SIGKILL, signal.SIGINT, signal.SIGQUIT)), chance.random() * 0.5
    which = chance.choice((0, 1, 1, 2, 2))

    async def happen(crowd: Crowd) -> None:
        await crowd.town.put_out(number, pause, [parts(crowd.town.server)[which]])

    return f"node {which} {number.name}", happen


def _backends(chance: random.Random) -> _Made:
    times, pause = chance.randint(1, 3), chance.random() * 0.2

    async def happen(crowd: Crowd) -> None:
        for _ in range(times):
            for part in parts(crowd.town.server):
                await at_server(crowd, _END_BACKENDS, part)
            await asyncio.sleep(pause)

    return f"end backends {times}", happen


def _cut(chance: random.Random) -> _Made:
    times, pause = chance.randint(1, 4), chance.random() * 0.2

    async def happen(crowd: Crowd) -> None:
        for _ in range(times):
            crowd.done["lines cut"] += crowd.town.line.cut()
            await asyncio.sleep(pause)

    return f"cut lines {times}", happen


def _clock(chance: random.Random) -> _Made:
    # All of those in a storm together are less than the week for which every answer is kept.
    ahead = chance.choice((timedelta(seconds=11), timedelta(minutes=6), timedelta(hours=7), timedelta(days=1)))

    async def happen(crowd: Crowd) -> None:
        await later(crowd, ahead)

    return f"clock {ahead}", happen


def _disk(chance: random.Random) -> _Made:
    seconds = 0.2 + chance.random()

    async def happen(crowd: Crowd) -> None:
        crowd.town.fill()
        try:
            await asyncio.sleep(seconds)
        finally:
            crowd.town.empty()
        await asyncio.to_thread(crowd.town.server.revive)

    return f"disk full {seconds:.1f} s", happen


def _freeze(chance: random.Random) -> _Made:
    """A process that stands still, whose leases end meanwhile, and that goes on as if nothing had been."""
    name, seconds = chance.choice((*APIS, *WORKERS)), 0.3 + chance.random()

    async def happen(crowd: Crowd) -> None:
        pid = crowd.town.pid(name)
        if pid is None:
            return
        os.kill(pid, signal.SIGSTOP)
        try:
            await settled(crowd)
            await asyncio.sleep(seconds)
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    return f"freeze {name} {seconds:.1f} s", happen


def _unheard(chance: random.Random) -> _Made:
    """A process whose lines nobody takes from now on, until it dies of something else."""
    name, manner = chance.choice(PROCESSES), chance.choice(muted.MANNERS)

    async def happen(crowd: Crowd) -> None:
        crowd.town.kill(name)
        await settled(crowd)
        await crowd.town.start(name, **{muted.OUTPUT: manner})

    return f"unheard {name} {manner}", happen


def _migrate(chance: random.Random) -> _Made:
    """The next version's schema: columns and an index of tables that everybody is writing to, an index made beside them, or
    functions that everybody calls, dropped and made again.
    """
    tables, number, kind = chance.sample(_MIGRATED, 3), chance.randint(1000, 9999), chance.random()
    if kind < 1 / 3:
        return _remake(number)
    if kind < 2 / 3:
        sql = "".join(f"ALTER TABLE {table} ADD COLUMN storm_{number} text;\n" for table in tables)
        sql += f"CREATE INDEX storm_{number} ON {tables[0]} (company_id, storm_{number});\n"
    else:  # as for a table that grows: it waits for whoever writes, and nobody waits for it
        tables, index = tables[:1], "storm_" + "".join(chance.choices(ascii_lowercase, k=8))
        sql = f"-- Outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {tables[0]} (company_id);\n"

    async def happen(crowd: Crowd) -> None:
        with written(f"{number}_storm.sql", sql) as folder:
            await migrate(crowd.town.server.dsn(), folder=folder)

    return f"migrate {', '.join(tables)}", happen


def _remake(number: int) -> _Made:
    async def happen(crowd: Crowd) -> None:
        found = await at_server(crowd, _FUNCTIONS)
        # The views that show shards go with it; a session makes them anew.
        whole = " CASCADE" if crowd.town.manner.is_spread else ""
        sql = "".join(
            f"DROP FUNCTION {name}{whole};\n{body.replace('$function$', '$$')};\n"
            f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC;\n"
            f"GRANT EXECUTE ON FUNCTION {name} TO lastro_app, lastro_work, lastro_audit;\n"
            for name, body in found
        )
        with written(f"{number}_storm.sql", sql) as folder:
            await migrate(crowd.town.server.dsn(), folder=folder)

    return "migrate functions", happen


@contextmanager
def written(name: str, text: str) -> Iterator[Path]:
    """A folder with this file behind those of the schema."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(schema_folder() / "migrations", folder, dirs_exist_ok=True)
        Path(folder, name).write_text(text, encoding="utf-8")
        yield Path(folder)


def deaths(chance: random.Random, count: int) -> list[Fault]:
    """So many of processes alone, for when nobody asks anything: whoever reads the books goes on reading."""
    made = [chance.choice((_kill, _crash, _freeze))(random.Random(chance.random())) for _ in range(count)]
    return [Fault(name, 0, happen) for name, happen in made]


# How likely each is.
_KINDS: Mapping[Callable[[random.Random], _Made], int] = {
    _kill: 6, _crash: 8, _database: 4, _backends: 3, _cut: 3, _clock: 5, _disk: 2, _freeze: 3, _migrate: 2,
    _unheard: 3,
}  # fmt: skip
_KINDS_OF_A_CLUSTER: Mapping[Callable[[random.Random], _Made], int] = {_node: 9, moving.moves: 10}


async def back(crowd: Crowd, name: str) -> None:
    """A dead process starts again; what it held is free."""
    await settled(crowd)
    await crowd.town.start(name)


async def settled(crowd: Crowd) -> None:
    """Half a minute goes by for every lease."""

    async def ended() -> bool:
        with suppress(*AWAY):  # rows that others are writing to are locked in another order
            await crowd.town.end_leases()
            return True
        return False

    await until(ended, "the end of the leases")


async def later(crowd: Crowd, ahead: timedelta) -> None:
    """Business time is suddenly later."""

    async def jumped() -> bool:
        with suppress(*AWAY):
            await crowd.play.jump(ahead)
            return True
        return False

    await until(jumped, "the clock")


async def filled(crowd: Crowd) -> None:
    """Machine time goes by as well, for the directory's buckets here and there: a person's has a token in half a minute, and a
    plan that waits for one would see business time go by for years.
    """
    await at_server(crowd, "DELETE FROM directory_buckets")
    await crowd.act("/directory/limits", method="DELETE")


async def at_server(crowd: Crowd, statement: str, part: Part | None = None) -> list[asyncpg.Record]:
    """A statement of whoever owns the server, and its rows. part: another node than the coordinator of a cluster."""

    async def done() -> list[list[asyncpg.Record]]:
        with suppress(*AWAY):
            connection = await asyncpg.connect((part or crowd.town.server).dsn())
            try:
                return [await connection.fetch(statement)]
            finally:
                await connection.close()
        return []

    return (await until(done, "the server"))[0]
