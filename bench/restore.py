"""The drill: books of a size are copied while the server works, put back on another folder, and every law is read over them.

The floor is what any copy costs here: the same files copied and flushed by the operating system.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figures import Figure, Rounds
from bench.restore_fill import fill

from lastro.ops.backups import back_up, restore
from lastro.ops.verify import verify
from lastro_sandbox.embedded.account import SystemAccount, programs_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.house import House

    from lastro.config.settings import Settings

_GIGABYTE = 1e9
_BAR_SECONDS, _AIM_SECONDS = 300.0, 60.0  # of one gigabyte put back, its laws read
_PAYMENTS = "SELECT count(*) FROM pix_payments WHERE state = 'SETTLED'"


async def drilled(house: House, size: float) -> list[Figure]:
    """Books of `size` bytes: their backup, and their restore with recovery and laws. RuntimeError: a law is broken."""
    await fill(house, size)
    folder, back = house.home / "drill", house.home / "drill-back"
    held = sum(file.stat().st_size for file in (house.home / "postgres").rglob("*") if file.is_file())
    said: list[str] = []
    began = time.monotonic()
    _lawful(await verify(house.settings.audit, at_rest=True, say=said.append), said)
    read = time.monotonic() - began
    floor = await asyncio.to_thread(_timed, lambda: _copied(house.home / "postgres" / "base", house.home / "drill-floor"))
    shutil.rmtree(house.home / "drill-floor")

    def settled() -> Settings:
        return house.settings

    took = await asyncio.to_thread(_timed, lambda: _lawful(back_up([str(folder)], settled, _programs, said.append), said))
    again = await asyncio.to_thread(
        _timed,
        lambda: _lawful(restore([str(folder), str(back)], settled, _programs, said.append), said),
    )
    note = f"{held / 1e6:,.0f} MB, {int((await house.as_superuser(_PAYMENTS))[0][0]):,} payments"
    shutil.rmtree(back)
    shutil.rmtree(folder)
    return [
        Figure("a backup, checked", "s", Rounds((took,)), Rounds((floor,)), at_most=True, digits=1, note=note),
        Figure("its restore, with every law", "s", Rounds((again,)), Rounds((floor,)), at_most=True, digits=1, note=note),
        Figure("the laws alone, before the backup", "s", Rounds((read,)), digits=1, note=note),
        Figure("a restore of 1 GB", "s", Rounds((again / held * _GIGABYTE,)), None, _BAR_SECONDS, _AIM_SECONDS, at_most=True,
               digits=1, note="of the size above" if held >= _GIGABYTE else "reckoned from less"),
    ]  # fmt: skip


def _lawful(status: int, said: list[str]) -> None:
    if status:
        broken = [line for line in said if line.startswith("broken")]
        raise RuntimeError(f"status {status}: {'; '.join(broken or said[-5:])}")


def _programs() -> Path:
    return Path(programs_for(SystemAccount.for_data(Path("/nonexistent"))).folder)


def _copied(source: Path, target: Path) -> None:
    # Caches that a server in use makes and drops at any moment; nobody copies them.
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("pg_internal.init*"))
    os.sync()


def _timed(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began
