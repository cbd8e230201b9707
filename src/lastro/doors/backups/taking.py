"""Takes a backup: the whole server as of one instant, while it works, and every file's checksum beside it."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import version
from typing import TYPE_CHECKING

import asyncpg

from lastro.base.servers import UNREACHABLE, unreachable
from lastro.doors.backups import record
from lastro.doors.backups.programs import passwords_around, without_password
from lastro.doors.declined import Declined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from asyncpg import Record

    from lastro.doors.backups.programs import Programs

_SERVER = """
SELECT current_setting('server_version') AS server, current_setting('server_version_num')::integer / 10000 AS major,
       current_setting('wal_level') AS wal_level, current_database()::text AS database,
       (SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = session_user) AS may_replicate,
       (SELECT count(*) FROM pg_tablespace WHERE spcname NOT IN ('pg_default', 'pg_global')) AS tablespaces,
       to_regclass('public.migrations') IS NOT NULL AS is_ours
"""
_OURS = """
SELECT machine_now() AS made_at, (SELECT mode FROM clock) AS mode,
       array(SELECT name FROM migrations ORDER BY name) AS migrations
"""


async def server_of(url: str) -> tuple[Record, Record]:
    """The server and the database at an address. Declined: it cannot be reached, or no backup can be taken of it."""
    try:
        connection = await asyncpg.connect(url, timeout=5)
    except UNREACHABLE as error:
        raise Declined(unreachable(error)) from error
    try:
        server = await connection.fetchrow(_SERVER)
        assert server is not None
        if not server["is_ours"]:
            raise Declined("The database has no schema yet: run lastro migrate first.")
        if problem := _problem(server):
            raise Declined(problem)
        ours = await connection.fetchrow(_OURS)
        assert ours is not None
        return server, ours
    finally:
        await connection.close()


def _problem(server: Record) -> str | None:
    if not server["may_replicate"]:
        return "This login may not copy the server: ALTER ROLE … REPLICATION gives it the right, --database names another."
    if server["wal_level"] == "minimal":
        return "The server's wal_level is minimal, of which no backup can be taken: set it to replica and restart."
    if server["tablespaces"]:
        return "The server has tablespaces outside its data folder, which lastro does not back up: use pg_basebackup itself."
    return None


def take(
    url: str,
    folder: Path,
    programs: Programs,
    server: Record,
    ours: Record,
    keys: Callable[[], Iterable[str]],
    progress: Callable[[int], object],
) -> record.Record:
    """Writes a backup into a new folder, which has its name only once it is whole and checked.

    keys: ids of those that sealed values need, asked before and behind the copy: values may be sealed anew meanwhile.
    Declined: it could not, and nothing is left behind.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    try:
        partial.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise Declined(f"The folder {partial} is of a backup that runs or was cut off: remove it when none runs.") from None
    except OSError as error:
        raise Declined(f"The folder {partial} cannot be made: {error.strerror}.") from error
    try:
        address, secret = without_password(url)
        needed = set(keys())
        programs.run(
            "pg_basebackup",
            ["--pgdata", str(partial / record.FILES), "--format=plain", "--wal-method=stream", "--checkpoint=fast",
             "--manifest-checksums=SHA256", "--no-password", "--progress", "--label=lastro", "--dbname", address],
            passwords_around(os.environ) | secret, progress,
        )  # fmt: skip
        programs.run("pg_verifybackup", ["--quiet", str(partial / record.FILES)])
        needed.update(keys())
        files, size = record.weigh(partial / record.FILES)
        made = record.Record(
            format=record.FORMAT, lastro=version("lastro"), made_at=ours["made_at"], mode=ours["mode"],
            database=server["database"],
            server=server["server"], major=server["major"], migrations=tuple(ours["migrations"]), keys=tuple(sorted(needed)),
            size=size, files=files, manifest_sha256=record.manifest_digest(partial),
        )  # fmt: skip
        record.write(partial, made)
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return made
