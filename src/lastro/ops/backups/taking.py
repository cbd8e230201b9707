"""Takes a backup: the whole server as of one instant, while it works, and every file's checksum beside it."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import version
from typing import TYPE_CHECKING

import asyncpg

from lastro.core.declined import CommandFailed
from lastro.core.servers import UNREACHABLE, refusal, unreachable
from lastro.ops.backups import record
from lastro.ops.backups.programs import passwords_around, without_password

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from asyncpg import Record

    from lastro.ops.backups.programs import Programs

_SERVER = """
SELECT current_setting('server_version') AS server, current_setting('server_version_num')::integer / 10000 AS major,
       current_setting('wal_level') AS wal_level, current_database()::text AS database,
       (SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = session_user) AS may_replicate,
       current_setting('max_wal_senders')::integer AS senders, current_setting('max_replication_slots')::integer AS slots,
       (SELECT count(*) FROM pg_tablespace WHERE spcname NOT IN ('pg_default', 'pg_global')) AS tablespaces,
       has_schema_privilege('public', 'USAGE') AS may_read
"""
_CONNECTIONS = 2  # of a copy: its files, and the log that is written meanwhile
_WHICH_LOGIN = "lastro backup needs one with the right REPLICATION: --database names it."
_UNREAD = "This login may copy the server and not read what a backup says of it: GRANT lastro_audit TO … lets it."
_OURS = """
SELECT machine_now() AS made_at, (SELECT mode FROM clock) AS mode,
       array(SELECT name FROM migrations ORDER BY name) AS migrations, to_regnamespace('shards') IS NOT NULL AS is_spread
"""
# The server's errors for a replication connection, and their cures. Ordinary connections of the same login came in.
_CURES = {
    "no pg_hba.conf entry for replication": (
        "Add a line for what copies to its pg_hba.conf, `host replication lastro_backup samehost scram-sha-256`, and reload."
    ),
    "no password supplied": (
        "In ~/.pgpass the line of this login needs * as its database: a connection that copies is of no database."
    ),
}


async def server_of(url: str) -> tuple[Record, Record]:
    """Reads the server and database at an address. CommandFailed: it cannot be reached, or no backup can be taken of it."""
    try:
        connection = await asyncpg.connect(url, timeout=5)
    except UNREACHABLE as error:
        said = unreachable(error)
        raise CommandFailed(f"{said} {_WHICH_LOGIN}" if refusal(error) else said) from error
    try:
        server = await connection.fetchrow(_SERVER)
        assert server is not None
        if problem := _problem(server):
            raise CommandFailed(problem)
        ours = await connection.fetchrow(_OURS)
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedFunctionError) as bare:
        raise CommandFailed("The database has no schema yet: run lastro migrate first.") from bare
    except asyncpg.InsufficientPrivilegeError as unread:
        raise CommandFailed(_UNREAD) from unread
    finally:
        await connection.close()
    assert ours is not None
    return server, ours


def _problem(server: Record) -> str | None:
    if not server["may_replicate"]:
        return "This login may not copy the server: ALTER ROLE … REPLICATION gives it the right, --database names another."
    if not server["may_read"]:
        return _UNREAD
    if server["wal_level"] == "minimal":
        return "The server's wal_level is minimal, of which no backup can be taken: set it to replica and restart."
    if server["senders"] < _CONNECTIONS or not server["slots"]:
        return (
            f"The server lets too few copy it: set max_wal_senders to {_CONNECTIONS} or more and max_replication_slots to"
            " 1 or more, and restart."
        )
    if server["tablespaces"]:
        return "The server has tablespaces outside its data folder, which lastro does not back up: use pg_basebackup itself."
    return None


def copy(programs: Programs, arguments: list[str], environment: dict[str, str], progress: Callable[[int], object]) -> None:
    """Runs pg_basebackup. CommandFailed: it failed; the message is its own, with a cure if that is known."""
    try:
        programs.run("pg_basebackup", arguments, environment, progress)
    except CommandFailed as failed:
        cure = next((cure for words, cure in _CURES.items() if words in str(failed)), None)
        raise failed if cure is None else CommandFailed(f"{failed} {cure}") from failed


def take(
    url: str,
    folder: Path,
    programs: Programs,
    server: Record,
    ours: Record,
    keys: Callable[[], Iterable[str]],
    progress: Callable[[int], object],
) -> record.Record:
    """Takes a backup into a new folder.

    The folder has its name only once it is whole and checked. keys: returns ids of those that sealed values need; called
    before and after the copy, since values may be resealed meanwhile. CommandFailed: it could not, and nothing is left
    behind.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    try:
        partial.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise CommandFailed(
            f"The folder {partial} is of a backup that runs or was cut off: remove it when none runs."
        ) from None
    except OSError as error:
        raise CommandFailed(f"The folder {partial} cannot be made: {error.strerror}.") from error
    try:
        address, secret = without_password(url)
        needed = set(keys())
        copy(
            programs,
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
            is_spread=ours["is_spread"], size=size, files=files, manifest_sha256=record.manifest_digest(partial),
        )  # fmt: skip
        record.write(partial, made)
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return made
