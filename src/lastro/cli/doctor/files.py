"""Checks files: there, readable, closed to others, and with room beside them."""

from __future__ import annotations

import os
import shutil
import stat
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from lastro.cli.doctor.model import failed, passed, skipped
from lastro.config.table import rows
from lastro.core.declined import CommandFailed, StartRefused
from lastro.ops.backups import newest
from lastro.ops.keys_file import key_ring_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from lastro.cli.doctor.model import Finding
    from lastro.config.settings import Settings

_LEAST_SHARE = 0.1  # of a disk that is free
_LEAST_BYTES = 1024**3
_OLDEST_BACKUP = timedelta(hours=26)  # one a night, and two hours for it
_CLOSED = stat.S_IRWXG | stat.S_IRWXO
_GIB = 1024**3


def of_files(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yields the faults of each file that lastro reads."""
    found = [*_keys(settings), *_secrets(settings, environment), *_passwords(environment)]
    yield from found or [passed("files", "the keys file and every secret are closed to others")]
    yield from _home(settings)


def _keys(settings: Settings) -> Iterator[Finding]:
    try:
        key_ring_of(settings)
    except StartRefused as refused:
        yield failed("files", str(refused), "put the keys file back, mode 0600, owned by the account of lastro")


def _secrets(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    named = [Path(environment[row.name]).expanduser() for row in rows().values()
             if row.form == "secret" and environment.get(row.name)]  # fmt: skip
    at_banks = [path for one in settings.connections if one.certificate is not None for path in one.certificate.paths]
    for path in dict.fromkeys([*named, *at_banks]):
        try:
            mode = path.stat().st_mode
        except OSError as error:
            yield failed("files", f"{path} cannot be read: {error.strerror}", "put it there, or name another file")
            continue
        if mode & stat.S_IRWXO:
            yield failed("files", f"{path} is open to everybody: mode {stat.S_IMODE(mode):04o}", f"chmod o= {path}")


def _passwords(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yields a password file that PostgreSQL's clients pass over. They do it silently."""
    path = Path(environment.get("PGPASSFILE") or Path.home() / ".pgpass")
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if environment.get("PGPASSFILE"):
            yield failed("files", f"{path} of PGPASSFILE cannot be read: {error.strerror}", "write the passwords there")
        return
    if mode & _CLOSED:
        yield failed("files", f"{path} has mode {stat.S_IMODE(mode):04o}, so that it is passed over", f"chmod 600 {path}")
    elif not os.access(path, os.R_OK):
        yield failed("files", f"{path} belongs to another account", f"chown it to the account of lastro: {path}")


def _home(settings: Settings) -> Iterator[Finding]:
    home = settings.home
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        yield failed(
            "home", f"LASTRO_HOME {home} is not there, or cannot be written", f"install -d -m 0700 -o lastro {home}"
        )
        return
    disk = shutil.disk_usage(home)
    yield of_room(disk.free, disk.total, home)


def of_room(free: int, total: int, home: Path) -> Finding:
    """Judges the room on a disk, in bytes."""
    told = f"{free / _GIB:.1f} GiB of {total / _GIB:.1f} are free beside {home}"
    if free < min(_LEAST_BYTES, total) or free < total * _LEAST_SHARE:
        return failed("disk", told, "make room, or take a larger disk")
    return passed("disk", told)


def of_backups(folder: Path | None, now: datetime) -> Finding:
    """Tells how old the newest backup is. now: of this machine."""
    if folder is None:
        return skipped("backups", "say where they are: lastro doctor --backups FOLDER")
    try:
        made_at = newest(folder)
    except (CommandFailed, OSError) as error:
        return failed("backups", f"{folder} cannot be looked at: {error}", "say the folder that lastro backup writes into")
    if made_at is None:
        return failed("backups", f"there is none in {folder}", "start the timer: systemctl enable --now lastro-backup.timer")
    hours = (now - made_at).total_seconds() / 3600
    told = f"the newest is {hours:.1f} hours old"
    if now - made_at > _OLDEST_BACKUP:
        return failed("backups", told, "look why the last one failed: journalctl -u lastro-backup")
    return passed("backups", told)
