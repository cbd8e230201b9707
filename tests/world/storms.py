"""Storms of the whole world, one after the other: `make storm N=100`, or `python -m tests.world.storms 100 --at-once 2`.

A line for each seed; what was broken under it; at the end how many held, what was done, and how to play those again that did not.
--out FILE takes each storm's report as a line of JSON. --older FOLDER is as an upgrade is: the schema is this version's, and an API and a
worker run that checkout's code until the storm is over. --bank: a company's orders are made by its own bank, which has faults of its own. --citus: the database is on a cluster of three nodes
(tests/cluster/README.md), of which one may die, and whose shards move; also with LASTRO_CITUS_URL. The exit status is 1 where something was broken.
"""

import argparse
import asyncio
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.journeys.servers import on_cluster
from tests.world.bank.storm import BANK
from tests.world.whole.crowd import OPERATIONS
from tests.world.whole.ends import STATES
from tests.world.whole.town import built, removed
from tests.world.whole_storm import WORLD, Kind, Report, blown

KINDS = {"world": WORLD, "bank": BANK}
ACTS = 30
PATIENCE_SECONDS = 600.0  # of a storm: on a busy machine it takes a minute, on a cluster two or three
_MEMORY = Path("/dev/shm")
_PREFIX = "lastro-storms-"


@contextmanager
def place() -> Iterator[Path]:
    """A folder for towns, in memory where there is such a folder; what runs that were killed have left is removed."""
    where = _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    for stale in where.glob(_PREFIX + "*"):
        if not Path("/proc", stale.name.removeprefix(_PREFIX)).exists():
            for town in stale.glob("*"):
                removed(town)
            shutil.rmtree(stale, ignore_errors=True)
    folder = where / f"{_PREFIX}{os.getpid()}"
    folder.mkdir(mode=0o711)
    try:
        yield folder
    finally:
        for town in folder.glob("*"):
            removed(town)
        shutil.rmtree(folder, ignore_errors=True)


async def _model(folder: Path, kind: Kind, *, is_spread: bool) -> None:
    """The town that all others are copies of."""
    async with built(folder, kind.town, is_spread=is_spread):
        pass


def one(model: Path, seed: int, acts: int, older: Path | None = None, kind: str = "world") -> Report:
    """A storm in this process. kind: a name in KINDS. It cannot take for ever, and cannot end but with a report."""

    async def bounded() -> Report:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await blown(model, model.parent / f"town-{seed}", seed, acts, older, KINDS[kind])

    try:
        return asyncio.run(bounded())
    except Exception as error:  # noqa: BLE001 the others are blown all the same
        removed(model.parent / f"town-{seed}")
        return Report(seed, acts, broken=[f"no storm: {type(error).__name__}: {error}"[:2000]])


def told(report: Report) -> str:
    """A line of one storm, and a line of each thing that it has broken."""
    requests = sum(count for name, count in report.done.items() if name in OPERATIONS)
    word = "broken" if report.broken else "holds"
    parts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report.seconds.items())
    line = f"{report.seed:>10}  {word:<6}  {requests} requests, {report.kept} kept, {len(report.faults)} faults, {parts}"
    return "\n".join([line, *(f"{'':>12}{what}" for what in (*report.faults, *report.broken) if report.broken)])


def run(
    seeds: list[int], acts: int, at_once: int, out: Path | None, say: Callable[[str], object], older: Path | None = None,
    kind: str = "world", *, is_spread: bool = False,
) -> int:  # fmt: skip
    """All of them, or until it is interrupted, which lets those end that are under way; how many did not hold."""
    bad, done, refused, ends, ended = [], Counter[str](), Counter[str](), Counter[str](), 0
    with place() as folder:
        if is_spread:
            say("No disk is full in these storms: a cluster is larger than the small one.")
        elif os.geteuid() != 0:
            say("No disk is full in these storms: only root may mount a small one.")
        (folder / "model").mkdir(mode=0o711)
        asyncio.run(_model(folder / "model", KINDS[kind], is_spread=is_spread))
        with ProcessPoolExecutor(at_once, mp_context=get_context("spawn"), initializer=_undisturbed) as pool:
            storms = [pool.submit(one, folder / "model", seed, acts, older, kind) for seed in seeds]
            for future in _as_they_end(storms, say):
                report = future.result()
                ended += 1
                say(told(report))
                done.update(report.done)
                refused.update(report.refused)
                ends.update(report.ends)
                if report.broken:
                    bad.append(report.seed)
                if out is not None:
                    with out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(report.as_row, default=str) + "\n")
    say(f"{ended - len(bad)} of {ended} storms hold.")
    never = sorted(set(OPERATIONS) - set(done))
    if never and kind == "world":
        say(f"Not asked for in any of them: {', '.join(never)}")
    unseen = sorted({f"{table} {state}" for table, (_, states) in STATES.items() for state in states} - set(ends))
    if unseen and kind == "world":
        say(f"Nothing ended so in any of them: {', '.join(unseen)}")
    for seed in bad:
        words = [*(["--bank"] if kind == "bank" else []), *(["--citus"] if is_spread else [])]
        say(f"again: make storm N=1 SEED={seed} ACTS={acts}" + (f" ARGS='{' '.join(words)}'" if words else ""))
    return len(bad)


def _undisturbed() -> None:
    """A terminal interrupts all processes of a command; those that blow storms are told by the one that leads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _as_they_end(storms: list[Future[Report]], say: Callable[[str], object]) -> Iterator[Future[Report]]:
    """Each once. After an interruption only those that had begun."""
    ended = set[Future[Report]]()
    try:
        for future in as_completed(storms):
            ended.add(future)
            yield future
    except KeyboardInterrupt:
        begun = [future for future in storms if not (future in ended or future.cancel())]
        say(f"Interrupted: the {len(begun)} that have begun are waited for.")
        yield from as_completed(begun)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="storms", description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=10)
    parser.add_argument(
        "--seed", type=int, help="the first of them; each further one is one more. Any, where it is not said"
    )
    parser.add_argument("--acts", type=int, default=ACTS, help="how many things people do in each")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--older", type=Path, help="the checkout of a version before this one, which half of the processes run"
    )
    parser.add_argument("--bank", action="store_true", help="orders by a bank that speaks API Pix, and its faults")
    parser.add_argument("--citus", action="store_true", default=on_cluster(), help="on a cluster of three nodes")
    given = parser.parse_args(words)
    if given.citus and (given.older or given.bank):
        parser.error("on a cluster no older version runs, which knows none, and no company's bank")
    for stop in (signal.SIGINT, signal.SIGTERM):  # what a shell runs in the background ignores the first
        signal.signal(stop, signal.default_int_handler)
    first: int = secrets.randbelow(2**31) if given.seed is None else given.seed
    seeds = [first + n for n in range(given.number)]
    kind = "bank" if given.bank else "world"

    def say(line: Any) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    return 1 if run(seeds, given.acts, given.at_once, given.out, say, given.older, kind, is_spread=given.citus) else 0


if __name__ == "__main__":
    sys.exit(main())
