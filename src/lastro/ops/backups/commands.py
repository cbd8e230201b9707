"""The commands for backups, and their output."""

from __future__ import annotations

import asyncio
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lastro.core.db import Database
from lastro.core.declined import CommandFailed, StartRefused
from lastro.core.servers import address_problem
from lastro.ops import key_proofs, key_rotation
from lastro.ops.backups import record, restoring, taking
from lastro.ops.backups.programs import programs_of, without_password
from lastro.ops.backups.trial import Keeper
from lastro.ops.keys_file import key_ring_of
from lastro.ops.verify import BROKEN, HOLD
from lastro.terminal.parsing import QUIET, Parser
from lastro.terminal.progress import Progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from lastro.config.settings import Settings
    from lastro.core.secrets import KeyRing

_MEGABYTE = 1_000_000
_OF_SEVERAL = (
    "This backup is of one server of several, and books that are apart are put back together: recover every server to one"
    " restore point, as docs/operations.md#backup-of-several-servers says."
)


def back_up(
    words: Sequence[str], settings: Callable[[], Settings], brought: Callable[[], Path] | None, say: Callable[[str], object]
) -> int:
    """Runs `lastro backup FOLDER`. brought: the folder of the sandbox's PostgreSQL programs. CommandFailed: the reason."""
    given = backup_syntax().parse_args(words)
    known = settings()
    url = given.database or known.database_url
    if given.database and (problem := address_problem(given.database)) is not None:
        raise CommandFailed(f"--database {problem}.")
    if given.database and without_password(given.database)[1]:
        raise CommandFailed(
            "The password in --database is shown to everybody who lists this machine's processes: leave it out of the"
            " address and put it into ~/.pgpass, PGPASSFILE or PGPASSWORD. Change the one that was typed."
        )
    if url is None:
        raise StartRefused("LASTRO_DATABASE_URL is not set: say which PostgreSQL database to back up.")
    folder = given.folder.absolute()
    if folder.exists():
        raise CommandFailed(f"The folder {folder} is there already: give each backup a name of its own.")
    began = time.monotonic()
    server, ours = asyncio.run(taking.server_of(url))
    if ours["mode"] != known.mode:
        raise CommandFailed(f"This database is for {ours['mode']} and LASTRO_MODE says {known.mode}: one of them is wrong.")
    programs = programs_of(server["major"], given.programs, brought)
    wrong = asyncio.run(_disproved(known))
    with Progress("copied") as progress:
        percent = partial(progress, whole=100)
        made = taking.take(url, folder, programs, server, ours, lambda: asyncio.run(_keys_in_use(known)), percent)
    status = BROKEN if wrong else HOLD
    if given.json:
        say(msgspec.json.encode(made).decode())
        if wrong:
            sys.stderr.write(f"{key_proofs.refusal(wrong, known.keys_file)}\n")
        return status
    say(f"{folder}: {made.files} files, {made.size / _MEGABYTE:.1f} MB, checked, {time.monotonic() - began:.1f} s")
    say(
        f"It needs the keys {', '.join(made.keys) or 'none'} of the keys file, which is not in it: keep that file elsewhere."
    )
    if wrong:
        say(key_proofs.refusal(wrong, known.keys_file))
    return status


def restore(
    words: Sequence[str], settings: Callable[[], Settings], brought: Callable[[], Path] | None, say: Callable[[str], object]
) -> int:
    """Runs `lastro restore BACKUP DATA`.

    The exit status is that of `lastro verify` over the restored data, or 1 if the keys file lacks a key that it needs or has
    other bytes under its id. CommandFailed: the reason.
    """
    given = restore_syntax().parse_args(words)
    known = settings()
    if given.data is None and not known.is_sandbox:
        raise CommandFailed("Say where the data is to be put: lastro restore BACKUP DATA.")
    data = (given.data or known.home / "postgres").absolute()
    backup = given.backup.absolute()
    began = time.monotonic()
    told = record.read(backup)
    if told.mode != known.mode:
        raise CommandFailed(f"This backup is of {told.mode} and LASTRO_MODE says {known.mode}: one of them is wrong.")
    if told.is_spread:
        raise CommandFailed(_OF_SEVERAL)
    restoring.demand_empty(data)
    ring = key_ring_of(known) if known.keys_file.exists() else None
    keeper = Keeper.of(given.owner)
    programs = programs_of(told.major, given.programs, brought)
    with Progress("put back") as progress:
        restoring.put_back(backup, data, told, programs, keeper, partial(progress, whole=100))
    with Progress("laws") as progress:
        beside = progress.beside(say)
        status, wrong = asyncio.run(restoring.prove(data, told, programs, keeper, beside, progress, ring))
    missing = lacking(told, ring)
    if missing:
        say(
            f"The keys file {known.keys_file} lacks {', '.join(missing)}, which sealed what was put back: put that in place."
        )
    if wrong:
        say(key_proofs.refusal(wrong, known.keys_file))
    say(f"{data}: {told.size / _MEGABYTE:.1f} MB of {told.made_at:%Y-%m-%d %H:%M:%S} UTC, {time.monotonic() - began:.1f} s")
    return status or (BROKEN if missing or wrong else HOLD)


def lacking(told: record.Record, ring: KeyRing | None) -> list[str]:
    """Returns the key ids that a backup needs and the ring lacks. ring: of the keys file; None: no file."""
    return sorted(set(told.keys) - set(() if ring is None else ring.key_ids))


async def _keys_in_use(settings: Settings) -> list[str]:
    database = Database(settings.app, size=1, settings={"statement_timeout": "0"})
    try:
        return sorted({held.key_id for held in await key_rotation.held(database)})
    finally:
        await database.close()


async def _disproved(settings: Settings) -> list[str]:
    """Returns ids of keys whose bytes differ from the database's. None of them if this account has no keys file."""
    if not settings.keys_file.exists():
        return []
    database = Database(settings.app, size=1, settings={"statement_timeout": "0"})
    try:
        return await key_proofs.disproved(database, key_ring_of(settings))
    finally:
        await database.close()


def backup_syntax() -> argparse.ArgumentParser:
    """Its words."""
    parser = Parser(prog="lastro backup", description="Copy the whole server, while it works, and check the copy.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new one")
    parser.add_argument(
        "--database",
        metavar="URL",
        help="a login with the right REPLICATION, without its password; else LASTRO_DATABASE_URL's",
    )
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help="where PostgreSQL's programs are")
    parser.add_argument("--json", action="store_true", help="the backup's manifest in place of lines")
    parser.add_argument("--quiet", action="store_true", help=QUIET)
    return parser


def restore_syntax() -> argparse.ArgumentParser:
    """Its words."""
    parser = Parser(
        prog="lastro restore", description="Put a backup back into an empty data folder and check every law over it."
    )
    parser.add_argument("backup", type=Path, metavar="BACKUP", help="the folder that lastro backup made")
    parser.add_argument(
        "data", type=Path, nargs="?", metavar="DATA", help="the server's data folder; the sandbox knows its own"
    )
    parser.add_argument("--owner", metavar="ACCOUNT", help="for root: whose the data is to be (postgres)")
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help="where PostgreSQL's programs are")
    parser.add_argument("--quiet", action="store_true", help=QUIET)
    return parser
