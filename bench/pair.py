"""Two commits in turns on this machine: `python -m bench pair COMMIT` says what this tree does for each thing of that one's.

Each side runs its own code from a folder of its own; who loads and measures is the same program for both.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tarfile
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

import asyncpg
from bench.figures import Figure, Rounds
from bench.house import Payee, cpu_seconds
from bench.journey import Street, Told, all_told
from bench.load import closed, filled, template
from bench.payouts import FABIOS, to_account
from bench.reads import reading
from bench.wire import Lines

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

_ROOT = Path(__file__).parents[1]
_HOUSE = _ROOT / "bench" / "pair_house.py"
_KEPT = _ROOT / "build" / "pair"
_PINNED = re.compile(r"^([A-Za-z0-9_.-]+==\S+)", re.MULTILINE)
_PAYERS = 32
_CONNECTIONS = 8
_PATIENCE_SECONDS = 120.0
_LOOK_SECONDS = 0.02
_WAL = "SELECT wal_bytes::bigint AS bytes FROM pg_stat_wal"
_PAID = """
SELECT count(*) FROM event_numbers n JOIN events e ON e.company_id = n.company_id AND e.id = n.event_id
 WHERE e.type = 'ORDER-PAYOUT.PAID'
"""


# Of each kind of round what each of its rounds showed, by name: the rate, and what one act cost.
_Spent: TypeAlias = "Mapping[str, list[dict[str, float]]]"


@dataclass(frozen=True, slots=True)
class _Ports:
    port: int
    sim_port: int


@dataclass
class Side:
    """One commit's running house. spent: of each kind of round, what one of its acts cost, by what was paid."""

    name: str
    process: asyncio.subprocess.Process
    home: Path
    settings: _Ports
    pids: Mapping[str, int]
    admin: asyncpg.Connection
    payees: list[Payee]
    spent: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(time.time_ns() // 1000))

    async def used(self) -> dict[str, float]:
        """Milliseconds of CPU by process and kilobytes of WAL, until now."""
        cpu = {name: cpu_seconds(pid, family=name == "PostgreSQL") * 1000 for name, pid in self.pids.items()}
        return cpu | {"WAL": await self.admin.fetchval(_WAL) / 1024}

    async def sign_in(self) -> None:
        """Takes new tokens: one is good for an hour."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.payees = _payees(await _said(self.process))


async def compared(commit: str, *, quick: bool) -> tuple[list[Figure], str]:
    """The figures of this tree beside those of a commit, and the line of ratios."""
    there = await asyncio.to_thread(checked_out, commit)
    rounds, seconds = (4, 4.0) if quick else (12, 8.0)
    async with AsyncExitStack() as stack:
        before = await stack.enter_async_context(_side("before", there))
        after = await stack.enter_async_context(_side("after", _ROOT))
        sides = (before, after)
        for kind, run in KINDS.items():
            for side in sides:
                await side.sign_in()
                await run(side, seconds)  # everything is warm
            for number in range(rounds):
                for side in sides if number % 2 else sides[::-1]:
                    side.spent.setdefault(kind, []).append(await _metered(side, run, seconds))
    return figures(before.spent, after.spent, commit)


async def _metered(
    side: Side, run: Callable[[Side, float], Awaitable[tuple[int, float]]], seconds: float
) -> dict[str, float]:
    """The acts of a round per second, and what one of them cost."""
    before = await side.used()
    count, took = await run(side, seconds)
    after = await side.used()
    return {"rate": count / took, **{name: (after[name] - before[name]) / count for name in after}}


async def _orders(side: Side, seconds: float, companies: int = 1) -> tuple[int, float]:
    """Payers order, pay and order again; it ends when the client has been told of each payment."""
    first_byte: dict[str, float] = {}
    receiver = await asyncio.get_running_loop().create_server(lambda: Told(first_byte), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{receiver.sockets[0].getsockname()[1]}/webhooks"
    chosen = list(dict.fromkeys(p.company_id for p in side.payees))[:companies]
    street = Street(side.settings, [p for p in side.payees if p.company_id in chosen], url)
    begun = time.perf_counter()

    async def payer() -> None:
        while time.perf_counter() < begun + seconds:
            await street.pay(*await street.order())

    try:
        await asyncio.gather(*(payer() for _ in range(_PAYERS)))
        await all_told(street, first_byte)
    finally:
        receiver.close()
    return len(street.asked_at), max(first_byte.values()) - begun


async def _orders16(side: Side, seconds: float) -> tuple[int, float]:
    return await _orders(side, seconds, 16)


async def _payouts(side: Side, seconds: float) -> tuple[int, float]:
    """From the first request until each payout's end has its number in the feed."""
    lines, texts = Lines(side.settings.port), [to_account(p, side.settings.port, FABIOS) for p in side.payees]
    before, begun, made = await side.admin.fetchval(_PAID), time.perf_counter(), 0

    async def clerk() -> None:
        nonlocal made
        while time.perf_counter() < begun + seconds:
            number = next(side.numbers)
            answer = await lines.ask(filled(texts[number % len(texts)], number))
            if not answer.status.startswith(b"2"):
                raise RuntimeError(f"no payout was made: {answer.status.decode()}")
            made += 1

    await asyncio.gather(*(clerk() for _ in range(_CONNECTIONS)))
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while await side.admin.fetchval(_PAID) < before + made:
        if time.monotonic() > deadline:
            raise RuntimeError("a payout was not paid in time")
        await asyncio.sleep(_LOOK_SECONDS)
    return made, time.perf_counter() - begun


async def _creates(side: Side, seconds: float) -> tuple[int, float]:
    """Orders that nobody pays, over eight connections."""
    return await _closed(side, [template(p, side.settings.port) for p in side.payees], seconds)


async def _reads(side: Side, seconds: float) -> tuple[int, float]:
    """Orders read by their id."""
    lines, port, texts = Lines(side.settings.port), side.settings.port, []
    for payee in side.payees:
        answer = await lines.ask(filled(template(payee, port), next(side.numbers)))
        texts.append(reading(payee, port, json.loads(answer.body)["id"]))
    return await _closed(side, texts, seconds)


async def _closed(side: Side, texts: Sequence[str], seconds: float) -> tuple[int, float]:
    seen = await closed(side.home, side.settings.port, texts, _CONNECTIONS, seconds)
    if seen.others:
        raise RuntimeError(f"{seen.others} requests were refused")
    return seen.answered, seen.seconds


KINDS: Mapping[str, Callable[[Side, float], Awaitable[tuple[int, float]]]] = {
    "orders": _orders, "orders16": _orders16, "payouts": _payouts, "creates": _creates, "reads": _reads,
}  # fmt: skip
_WHAT = {
    "orders": "orders paid and told, one company", "orders16": "orders paid and told, 16 companies",
    "payouts": "payouts paid and numbered", "creates": "creates", "reads": "reads by id",
}  # fmt: skip
# What is told in the last line beside the rates: of an order of one company, and of a payout.
_COSTS = {"PostgreSQL": "postgres", "worker": "worker", "network": "network", "API": "api", "WAL": "wal"}


def figures(before: _Spent, after: _Spent, commit: str) -> tuple[list[Figure], str]:
    """Each ratio is the median of the ratios of two rounds that followed each other: the machine's mood is in both."""
    told, ratios = [], []
    for kind, what in _WHAT.items():
        told.append(_figure(what, "/s", "rate", before[kind], after[kind]))
        ratios.append(f"{kind} {_ratio('rate', before[kind], after[kind]):.2f}")
        if kind in ("creates", "reads"):
            continue
        for name in _COSTS:
            unit, costs = ("KB" if name == "WAL" else "ms"), (before[kind], after[kind])
            told.append(_figure(f"{name} of one of the {kind}", unit, name, *costs, digits=2, at_most=True))
    costs = before["orders"], after["orders"]
    ratios += [f"{short} {_ratio(name, *costs):.2f}" for name, short in _COSTS.items()]
    return told, f"pair: {' '.join(ratios)} (this tree to {commit})"


def _ratio(name: str, before: Sequence[Mapping[str, float]], after: Sequence[Mapping[str, float]]) -> float:
    return statistics.median(new[name] / old[name] for old, new in zip(before, after, strict=True) if old[name])


def _figure(
    what: str,
    unit: str,
    name: str,
    before: Sequence[Mapping[str, float]],
    after: Sequence[Mapping[str, float]],
    *,
    digits: int = 0,
    at_most: bool = False,
) -> Figure:
    old, new = (Rounds(tuple(one[name] for one in side)) for side in (before, after))
    note = f"{_ratio(name, before, after):.2f} times"
    return Figure(what, unit, new, old, at_most=at_most, digits=digits, note=note)


def checked_out(commit: str) -> Path:
    """The commit's files in a folder of their own, kept for the next time."""
    name = _git("rev-parse", "--verify", f"{commit}^{{commit}}").decode().strip()
    folder = _KEPT / name
    if not folder.exists():
        partial = _KEPT / f"{name}.{os.getpid()}"
        with tarfile.open(fileobj=io.BytesIO(_git("archive", name))) as archive:
            archive.extractall(partial, filter="data")
        partial.rename(folder)
    return folder


def _git(*command: str) -> bytes:
    done = subprocess.run(["git", "-C", str(_ROOT), *command], capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip())
    return done.stdout


def _python(tree: Path) -> str:
    """The interpreter with the packages that a tree names: this one where it has them all, else one of the tree's own."""
    ours, theirs = ({*_PINNED.findall((t / "requirements-dev.lock").read_text())} for t in (_ROOT, tree))
    if theirs <= ours:
        return sys.executable
    subprocess.run(["make", "-s", "-C", str(tree), ".venv/.dev"], check=True, stdout=sys.stderr)
    return str(tree / ".venv" / "bin" / "python")


@asynccontextmanager
async def _side(name: str, tree: Path) -> AsyncIterator[Side]:
    python = await asyncio.to_thread(_python, tree)
    process = await asyncio.create_subprocess_exec(
        python, str(_HOUSE), cwd=tree, env={**os.environ, "PYTHONPATH": f"{tree / 'src'}:{tree}"},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**20,
    )  # fmt: skip
    assert process.stdin is not None
    try:
        where = await _said(process)
        admin = await asyncpg.connect(where["dsn"])
        ports = _Ports(where["port"], where["sim_port"])
        yield Side(name, process, Path(where["home"]), ports, where["pids"], admin, _payees(where["payees"]))
        await admin.close()
    finally:
        process.stdin.close()
        await process.wait()


async def _said(process: asyncio.subprocess.Process) -> Any:
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line:
        raise RuntimeError("a commit's house did not come up; what it said stands above")
    return json.loads(line)


def _payees(told: Sequence[Mapping[str, Any]]) -> list[Payee]:
    return [Payee(UUID(p["company_id"]), UUID(p["account_id"]), p["client"], p["token"]) for p in told]
