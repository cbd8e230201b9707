"""Snapshots of a whole sandbox: its files, copied while nothing runs, and put back so that a crash leaves old or new.

A snapshot is a folder of `{home}/snapshots`: PostgreSQL's data, the simulated network's memory, and the few files without
which neither can be read. It has its name only once it is whole. To restore copies it to `{home}/restoring.new` and renames
that to `{home}/restoring`: from that instant on the sandbox is the restored one, and whoever finds the folder finishes the
work (docs/decisions/snapshots.md).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from lastro.core.declined import CommandFailed
from lastro_sandbox.embedded.home import HomeLock, mark_of
from lastro_sandbox.embedded.leftovers import wait_until_gone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MOST: Final = 20
# All that a sandbox remembers. Its logs go on, and sandbox.json and database.json say where it answers now.
ITEMS: Final = ("postgres", "simulator", "keys", "network.token", "demo.json")
ABOUT: Final = "about.json"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_ROOM_BYTES: Final = 50 * 1024 * 1024


@dataclass(frozen=True)
class Snapshot:
    """One of them. made_at: machine time. business_now: what the sandbox's clock said. size: bytes on disk."""

    name: str
    made_at: datetime
    business_now: datetime
    size: int


def named(text: str) -> str:
    """Returns a name fit for a folder. Declined: it is none. Small letters, digits, `-` and `_`, at most forty."""
    if _NAME.fullmatch(text) is None:
        raise CommandFailed(
            "A snapshot's name has small letters, digits, - and _, begins with a letter or digit, and has at most 40."
        )
    return text


def everything(home: Path) -> list[Snapshot]:
    """Returns the whole snapshots, the newest first."""
    folders = (one for one in _shelf(home).glob("*") if _NAME.fullmatch(one.name) and (one / ABOUT).is_file())
    return sorted((_read(one) for one in folders), key=lambda one: one.made_at, reverse=True)


def demand_new(home: Path, name: str) -> None:
    """Checks that a snapshot of this name can be made.

    Declined: the name is none or is taken, there are too many, or the disk has no space for another one.
    """
    if (_shelf(home) / named(name)).exists():
        raise CommandFailed(f"There is a snapshot {name} already: forget it first, or take another name.")
    if len(everything(home)) >= MOST:
        raise CommandFailed(f"There are {MOST} snapshots already: forget one first.")
    _demand_room(home, sum(map(_size, _present(home))))


def demand(home: Path, name: str) -> Snapshot:
    """Returns the snapshot of this name.

    Declined: there is none, or another major version of PostgreSQL wrote it, or the disk has no space.
    """
    folder = _shelf(home) / named(name)
    if not (folder / ABOUT).is_file():
        raise CommandFailed(f"There is no snapshot {name}: `lastro sandbox snapshots` lists them.")
    theirs, ours = folder / "postgres" / "PG_VERSION", home / "postgres" / "PG_VERSION"
    if ours.exists() and theirs.read_text() != ours.read_text():
        raise CommandFailed(
            f"The snapshot {name} was written by PostgreSQL {theirs.read_text().strip()}, which this is not."
        )
    found = _read(folder)
    _demand_room(home, found.size)
    return found


def take(home: Path, name: str, business_now: datetime) -> Snapshot:
    """Copies everything; nothing of the sandbox may run meanwhile. business_now: the clock's time at its stop."""
    demand_new(home, name)
    shelf = _shelf(home)
    shelf.mkdir(mode=0o700, exist_ok=True)
    fresh = shelf / f".{name}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    try:
        present = _present(home)
        for item in present:
            _copy(item, fresh / item.name)
        about = {
            "madeAt": datetime.now(UTC).isoformat(), "businessNow": business_now.isoformat(),
            "items": [item.name for item in present], "size": sum(map(_size, fresh.iterdir())),
        }  # fmt: skip
        (fresh / ABOUT).write_text(json.dumps(about), encoding="utf-8")
        os.sync()
        fresh.rename(shelf / name)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return _read(shelf / name)


def forget(home: Path, name: str) -> None:
    """Removes a snapshot. Declined: there is none."""
    folder = _shelf(home) / named(name)
    if not folder.is_dir():
        raise CommandFailed(f"There is no snapshot {name}: `lastro sandbox snapshots` lists them.")
    # Out of the list first, so that no half of one is ever found there.
    gone = folder.with_name(f".{name}.gone")
    shutil.rmtree(gone, ignore_errors=True)
    folder.rename(gone)
    shutil.rmtree(gone)


def prepare(home: Path, name: str) -> Snapshot:
    """Copies a snapshot beside the present data, whole and on the disk; the sandbox may run, and stays as it was."""
    found = demand(home, name)
    fresh = home / "restoring.new"
    shutil.rmtree(fresh, ignore_errors=True)
    _copy(_shelf(home) / name, fresh)
    os.sync()
    return found


def commit(home: Path) -> None:
    """Commits a restore: from here on the sandbox is the prepared one. Nothing of it may run."""
    (home / "restoring.new").rename(home / "restoring")


def finish(home: Path) -> None:
    """Finishes a committed restore, however often it was cut short; else does nothing."""
    shutil.rmtree(home / "restoring.new", ignore_errors=True)
    folder = home / "restoring"
    about = folder / ABOUT
    if about.exists():
        kept = json.loads(about.read_text(encoding="utf-8"))["items"]
        for item in ITEMS:
            # An item that is no more in the folder is in its place already.
            if item not in kept or (folder / item).exists():
                _remove(home / item)
            if (folder / item).exists():
                (folder / item).rename(home / item)
        _remove(home / "beats")  # everything went back together, the networks too: nothing is missing
        about.rename(home / "restored.json")
    shutil.rmtree(folder, ignore_errors=True)


def finish_alone(home: Path, say: Callable[[str], None]) -> None:
    """Finishes a restore where no sandbox runs; StartRefused: one does."""
    if not (home / "restoring").exists() and not (home / "restoring.new").exists():
        return
    lock = HomeLock.take(home)
    try:
        wait_until_gone(mark_of(home), home / "postgres", say)
        finish(home)
    finally:
        lock.release()


def put_back_alone(home: Path, name: str, say: Callable[[str], None]) -> Snapshot:
    """Restores where no sandbox runs, for the next start. StartRefused: one runs."""
    lock = HomeLock.take(home)
    try:
        wait_until_gone(mark_of(home), home / "postgres", say)
        found = prepare(home, name)
        commit(home)
        finish(home)
    finally:
        lock.release()
    return found


def restored_at(home: Path) -> datetime | None:
    """Returns the time that a restored sandbox's clock must be set to. None: nothing was restored, or the clock is set."""
    try:
        told = json.loads((home / "restored.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return datetime.fromisoformat(told["businessNow"])


def clock_is_set(home: Path) -> None:
    """Marks a restore as complete: its clock is set."""
    (home / "restored.json").unlink(missing_ok=True)


def _shelf(home: Path) -> Path:
    return home / "snapshots"


def _present(home: Path) -> list[Path]:
    return [home / item for item in ITEMS if (home / item).exists()]


def _read(folder: Path) -> Snapshot:
    told: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    made_at, business_now = (datetime.fromisoformat(told[name]) for name in ("madeAt", "businessNow"))
    return Snapshot(folder.name, made_at, business_now, told["size"])


def _demand_room(home: Path, size: int) -> None:
    free = shutil.disk_usage(home).free
    if free < size + _ROOM_BYTES:
        raise CommandFailed(
            f"The disk of {home} has {free // 1024**2} MB free, and {(size + _ROOM_BYTES) // 1024**2} MB are needed."
        )


def _remove(item: Path) -> None:
    if item.is_dir():
        shutil.rmtree(item)
    else:
        item.unlink(missing_ok=True)


def _files(item: Path) -> Iterator[Path]:
    if not item.is_dir():
        yield item
    for place, _, names in os.walk(item):
        yield from (item / place / name for name in names)


def _size(item: Path) -> int:
    return sum(one.lstat().st_size for one in _files(item))


def _copy(item: Path, copy: Path) -> None:
    """Copies an item with modes, and as root with owners.

    PostgreSQL's data belongs to the account that its server runs under.
    """
    if item.is_dir():
        shutil.copytree(item, copy, symlinks=True)
    else:
        shutil.copy2(item, copy)
    if os.geteuid() == 0:
        for place, _, names in os.walk(item):
            for one in (item / place, *(item / place / name for name in names)):
                found = one.lstat()
                os.chown(copy / one.relative_to(item), found.st_uid, found.st_gid, follow_symlinks=False)
