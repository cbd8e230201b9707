"""Runs a private server on restored data while the laws are read. Nobody else can reach it."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import asyncpg

from lastro.core.declined import CommandFailed
from lastro.ops.backups.programs import plain_environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lastro.ops.backups.programs import Programs

_ASK_EVERY_SECONDS = 0.1
_STOP_SECONDS = 120
_LOG = "log"
_LAST_LINES = 3
_WITHOUT_RIGHTS = ("postgres", "nobody")


@dataclass(frozen=True)
class Keeper:
    """The system account that is to own the data. PostgreSQL does not run as root, so for root it is another."""

    uid: int
    gid: int

    @classmethod
    def of(cls, name: str | None) -> Keeper:
        """Returns the account of that name, else the caller's; for root one without rights. CommandFailed: there is none."""
        if name is None and os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        for candidate in _WITHOUT_RIGHTS if name is None else (name,):
            try:
                found = pwd.getpwnam(candidate)
            except KeyError:
                continue
            if found.pw_uid != os.geteuid() and os.geteuid() != 0:
                raise CommandFailed(f"Only root can give the data to {candidate}: run this as {candidate} itself.")
            return cls(found.pw_uid, found.pw_gid)
        raise CommandFailed(f"This system has no account {name or 'postgres'} to own the data: name one with --owner.")

    @property
    def is_caller(self) -> bool:
        """True if it is the caller's own account."""
        return self.uid == os.geteuid()

    def own(self, folder: Path) -> None:
        """Gives a folder and all in it to this account."""
        if self.is_caller:
            return
        for place, folders, files in os.walk(folder):
            for name in (".", *folders, *files):
                os.chown(Path(place, name), self.uid, self.gid, follow_symlinks=False)

    def popen(self, data: Path) -> dict[str, Any]:
        """Returns Popen arguments for a program in the data folder. It runs as this account."""
        account = {} if self.is_caller else {"user": self.uid, "group": self.gid, "extra_groups": []}
        return {**account, "cwd": data, "env": plain_environment(), "stdin": subprocess.DEVNULL, "start_new_session": True}

    def name_of(self, data: Path) -> str:
        """Returns the data folder's path for this account: its current folder if it may not walk to it."""
        return str(data) if self.is_caller else "/proc/self/cwd"


def sync(programs: Programs, data: Path, keeper: Keeper) -> None:
    """Flushes every file to the disk, as a new server's would be."""
    done = subprocess.run(  # noqa: S603 a program of PostgreSQL's, by its full path
        [str(programs.folder / "initdb"), "--sync-only", "-D", keeper.name_of(data)],
        capture_output=True, text=True, check=False, **keeper.popen(data),
    )  # fmt: skip
    if done.returncode:
        raise CommandFailed(f"The data could not be flushed to the disk: {' '.join(done.stderr.split())}.")


@asynccontextmanager
async def on_trial(programs: Programs, data: Path, keeper: Keeper, database: str, role: str) -> AsyncIterator[str]:
    """Yields the address of a recovered server on this data. It is reached by a socket of its own alone.

    CommandFailed: it did not start; the message is its last output.
    """
    place = Path(tempfile.mkdtemp(prefix="lastro-trial-"))
    process = None
    try:
        process = _start(programs, data, keeper, place)
        address = f"postgresql://{role}@/{quote(database)}?host={quote(str(place))}&port=5432"
        await _until_ready(process, address, place / _LOG)
        yield address
    finally:
        if process is not None:
            await asyncio.to_thread(_stop, process)
        shutil.rmtree(place, ignore_errors=True)


def _start(programs: Programs, data: Path, keeper: Keeper, place: Path) -> subprocess.Popen[bytes]:
    (place / "pg_hba.conf").write_text("local all all trust\n", encoding="ascii")
    (place / "pg_ident.conf").touch()
    (place / "postgresql.conf").touch()
    keeper.own(place)
    with (place / _LOG).open("wb") as said:
        return subprocess.Popen(  # noqa: S603 a program of PostgreSQL's, by its full path
            [str(programs.folder / "postgres"), "-D", keeper.name_of(data), *_options(place)],
            stdout=said, stderr=said, **keeper.popen(data),
        )  # fmt: skip


def _options(place: Path) -> list[str]:
    # On the command line, since the data may bring settings of its own, which a file of ours would not override.
    settings = {
        "config_file": place / "postgresql.conf", "hba_file": place / "pg_hba.conf", "ident_file": place / "pg_ident.conf",
        "listen_addresses": "", "unix_socket_directories": place, "unix_socket_permissions": "0700", "port": "5432",
        "archive_mode": "off", "autovacuum": "off", "jit": "off", "logging_collector": "off", "restart_after_crash": "off",
        "shared_preload_libraries": "", "ssl": "off", "log_min_error_statement": "panic", "log_error_verbosity": "terse",
    }  # fmt: skip
    return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]


async def _until_ready(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Waits for the server's recovery as long as it lives."""
    while True:
        try:
            connection = await asyncpg.connect(address)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            if isinstance(error, asyncpg.InvalidCatalogNameError | asyncpg.InvalidAuthorizationSpecificationError):
                raise CommandFailed(f"What was put back is not a database of lastro's: {error}.") from error
            if process.poll() is not None:
                raise CommandFailed(f"The server does not start on what was put back: {_last_words(log)}.") from error
        else:
            await connection.close()
            return
        await asyncio.sleep(_ASK_EVERY_SECONDS)


def _last_words(log: Path) -> str:
    return "; ".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:])


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown: it ends with a checkpoint
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGQUIT)
        process.wait()
