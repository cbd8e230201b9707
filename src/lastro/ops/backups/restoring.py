"""Restores a backup into an empty folder. Checks every byte of it first, and every law after it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

from lastro.config.settings import PRODUCTION, SANDBOX
from lastro.core.db import Database, Dsn
from lastro.core.declined import CommandFailed
from lastro.core.servers import with_login
from lastro.ops import eras, key_proofs
from lastro.ops.backups import record
from lastro.ops.backups.trial import Keeper, on_trial, sync
from lastro.ops.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.core.secrets import KeyRing
    from lastro.ops.backups.programs import Programs
    from lastro.terminal.progress import Tell

_OWN_ONLY = 0o700
_READER = "lastro_audit"
_APPLIED = "SELECT array(SELECT name FROM migrations ORDER BY name)"
# The one who initdb made: row-level security holds for whoever owns the tables, not for it.
_SUPERUSER = "SELECT rolname FROM pg_roles WHERE oid = 10"


# As initdb leaves them, but that in production nobody comes in but by the account that runs the server.
_OWN_BEGINS = "# Written by lastro restore: a backup's own configuration is not taken over. Put yours in its place.\n"
_OWN = {
    mode: {
        "postgresql.conf": "",
        "postgresql.auto.conf": "",
        "pg_ident.conf": "",
        "pg_hba.conf": f"local all all {method}\n",
    }
    for mode, method in ((SANDBOX, "trust"), (PRODUCTION, "peer"))
}


def demand_empty(data: Path) -> None:
    """Demands an empty or missing folder, since nothing is overwritten. CommandFailed: there is something in it."""
    try:
        is_empty = not data.exists() or (data.is_dir() and not any(data.iterdir()))
    except OSError as error:
        raise CommandFailed(f"The folder {data} cannot be read: {error.strerror}.") from error
    if not is_empty:
        raise CommandFailed(
            f"The folder {data} is not empty, and a backup is put back into an empty one alone: move away what is there."
        )


def put_back(
    backup: Path, data: Path, told: record.Record, programs: Programs, keeper: Keeper, progress: Callable[[int], object]
) -> None:
    """Copies a backup's files to the data folder of a server.

    CommandFailed: it is damaged, or there is no room; then no file of it is left there.
    """
    demand_empty(data)
    programs.run("pg_verifybackup", ["--quiet", str(backup / record.FILES)])
    was_there = data.exists()
    copied = 0

    def copy(source: str, target: str) -> None:
        nonlocal copied
        shutil.copyfile(source, target, follow_symlinks=False)
        copied += Path(target).stat().st_size
        progress(min(copied * 100 // max(told.size, 1), 100))

    try:
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(_OWN_ONLY)
        shutil.copytree(backup / record.FILES, data, copy_function=copy, dirs_exist_ok=True, ignore=_configuration)
        for name, text in _OWN[told.mode].items():
            (data / name).write_text(f"{_OWN_BEGINS}{text}", encoding="ascii")
        for file in data.rglob("*"):
            file.chmod(_OWN_ONLY if file.is_dir() else 0o600)
        keeper.own(data)
        sync(programs, data, keeper)
    except BaseException as error:
        _empty(data, remove=not was_there)
        if isinstance(error, OSError | shutil.Error):
            raise CommandFailed(f"The backup could not be copied to {data}: {error}.") from error
        raise


def _configuration(folder: str, names: list[str]) -> list[str]:
    """Returns a backup's server configuration files. They name the account and may name commands to run."""
    is_top = Path(folder).name == record.FILES
    return [name for name in names if is_top and Path(name).suffix in (".conf", ".signal", ".opts")]


def _empty(data: Path, *, remove: bool) -> None:
    if remove:
        shutil.rmtree(data, ignore_errors=True)
        return
    for one in data.iterdir():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)


async def prove(
    data: Path, told: record.Record, programs: Programs, keeper: Keeper, say: Callable[[str], object], progress: Tell,
    ring: KeyRing | None,
) -> tuple[int, list[str]]:  # fmt: skip
    """Recovers the restored data on a private server and checks every law.

    It begins an era too. Returns the status of `lastro verify`, and ids of the ring's keys that have other bytes than the
    restored data's. CommandFailed: the server does not start, or has another schema than the backup's record.
    """
    async with on_trial(programs, data, keeper, told.database, _READER) as address:
        connection = await asyncpg.connect(address)
        try:
            applied = tuple(await connection.fetchval(_APPLIED))
            superuser = str(await connection.fetchval(_SUPERUSER))
        finally:
            await connection.close()
        if applied != told.migrations:
            raise CommandFailed(
                "What was put back has other migrations than the backup says: it is not that backup's database."
            )
        for line in (await _begin(address, superuser, told)).lines():
            say(line)
        wrong = [] if ring is None else await _disproved(with_login(address, "lastro_app"), ring)
        # Payments that were under way when the backup was taken still are.
        return await verify(Dsn(address), at_rest=False, say=say, progress=progress), wrong


async def _disproved(address: str, ring: KeyRing) -> list[str]:
    database = Database(Dsn(address), size=1, settings={"statement_timeout": "0"})
    try:
        return await key_proofs.disproved(database, ring)
    finally:
        await database.close()


async def _begin(address: str, superuser: str, told: record.Record) -> eras.Begun:
    """Begins an era."""
    connection = await asyncpg.connect(with_login(address, superuser))
    try:
        return await eras.begin(connection, told.made_at)
    finally:
        await connection.close()
