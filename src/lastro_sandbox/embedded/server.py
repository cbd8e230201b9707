"""The embedded PostgreSQL server of one LASTRO_HOME, from initdb to stop."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Self
from urllib.parse import quote

from . import watchdog
from .account import Programs, SystemAccount, programs_for
from .home import HomeLock, make_socket_folder, mark_of
from .leftovers import server_processes, wait_until_gone
from .refusal import StartRefused, refused_by_disk

_LONGEST_LOG_BYTES = 10 * 1024 * 1024
# Longer than the watchdog's own patience with the server.
_STOP_SECONDS = 15.0
_RECOVERY_SECONDS = 600.0

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "300",
    # For two small cores and a machine that does other things too.
    "shared_buffers": "128MB",
    "effective_cache_size": "1GB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "io_workers": "2",
    "max_parallel_workers_per_gather": "0",
    "autovacuum_max_workers": "2",
    "autovacuum_naptime": "15s",
    "jit": "off",
    "random_page_cost": "1.1",
    "min_wal_size": "128MB",
    "max_wal_size": "1GB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "client_encoding": "UTF8",
    "password_encryption": "scram-sha-256",
    # Statements and the details of errors hold people's names and documents: neither goes to the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] %q%u@%d ",
}
_NOT_DURABLE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


class EmbeddedServer:
    """A running server; whoever holds it holds the home's lock, and the server ends when that process does."""

    def __init__(
        self,
        home: Path,
        lock: HomeLock,
        account: SystemAccount,
        programs: Programs,
        *,
        durable: bool,
        settings: Mapping[str, str],
        log: Callable[[str], None],
    ) -> None:
        self.home = home
        self._lock = lock
        self._account = account
        self._programs = programs
        self._durable = durable
        self._settings = settings
        self._log = log
        self._mark = mark_of(home)
        self._socket_folder: Path | None = None
        self._watchdog: subprocess.Popen[bytes] | None = None

    @classmethod
    def start(
        cls, home: Path, *, durable: bool = True, settings: Mapping[str, str] = MappingProxyType({}),
        log: Callable[[str], None] = lambda _line: None,
    ) -> Self:  # fmt: skip
        """Starts the server of `home`, made anew when there is none; raises StartRefused. settings: over its own."""
        home = home.absolute()
        lock = HomeLock.take(home)
        try:
            account = SystemAccount.for_data(home / "postgres")
            server = cls(home, lock, account, programs_for(account), durable=durable, settings=settings, log=log)
        except BaseException:
            lock.release()
            raise
        try:
            server._launch()
        except OSError as error:
            server.stop(hurry=True)
            raise refused_by_disk(home, error) from error
        except BaseException:
            server.stop(hurry=True)
            raise
        return server

    @property
    def data(self) -> Path:
        """PostgreSQL's own folder."""
        return self.home / "postgres"

    @property
    def log_file(self) -> Path:
        """PostgreSQL's log."""
        return self.home / "logs" / "postgres.log"

    @property
    def pid(self) -> int | None:
        """The postmaster's process, while there is one."""
        lines = self._lock_file_lines()
        return int(lines[0]) if lines else None

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        """Returns the connection string for this machine and account. It has no password: the socket's folder guards it."""
        return f"postgresql://{quote(user)}@/{quote(database)}?host={quote(str(self._socket_folder))}&port=5432"

    def is_running(self) -> bool:
        """Tells whether the server still lives; after a crash, `revive` starts it again."""
        return self._watchdog is not None and self._watchdog.poll() is None

    def revive(self) -> None:
        """Restarts the server after it died, under the same address; one that lives is left alone."""
        if self.is_running():
            return
        self._end_watchdog(hurry=True)
        self._launch()

    def pause(self) -> None:
        """Stops the server, but keeps the home and the address until `revive`."""
        self._end_watchdog(hurry=False)
        if self._socket_folder is not None:
            # The watchdog takes the folder with it. mkdir refuses a folder that somebody made by that name meanwhile.
            self._socket_folder.mkdir(mode=0o700)
            self._account.own(self._socket_folder)

    def stop(self, *, hurry: bool = False) -> None:
        """Stops the server and releases the home; in a hurry without a checkpoint. A second call does nothing."""
        self._end_watchdog(hurry=hurry)
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder = None
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _launch(self) -> None:
        wait_until_gone(self._mark, self.data, self._log)
        if (self.data / "PG_VERSION").exists():
            self._demand_version()
        else:
            self._initialise()
        if self._socket_folder is None:
            self._socket_folder = make_socket_folder(self.home, self._account)
        if self._account.uid != self.data.stat().st_uid:
            self._account.own(self.data)
        with self._open_log() as log_file:
            begin = log_file.tell()
            self._spawn(log_file)
        self._wait_until_ready(begin)

    def _demand_version(self) -> None:
        found = (self.data / "PG_VERSION").read_text().strip()
        if found != self._programs.major:
            raise StartRefused(
                f"The data in {self.data} was written by PostgreSQL {found} and this lastro brings "
                f"{self._programs.major}: start it with the lastro that wrote it and move it with pg_dump, "
                "or set LASTRO_HOME to a new folder."
            )

    def _initialise(self) -> None:
        """Creates a data folder, under its final name once it is complete."""
        if self.data.exists() and any(self.data.iterdir()):
            raise StartRefused(
                f"The folder {self.data} is not empty and holds no PostgreSQL data; "
                "move it away or set LASTRO_HOME to another folder."
            )
        self._log("creating the database")
        fresh = self.home / "postgres.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        self._account.own(fresh)
        command = [self._programs / "initdb", "-D", self._account.data_argument(fresh), "--username=postgres"]
        command += ["--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--data-checksums"]
        command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
        if not self._durable:
            command.append("--no-sync")
        done = subprocess.run(  # noqa: S603 - a program of our own dependency, by its full path
            command,
            cwd=fresh,
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            # Out of reach of a Ctrl-C meant for us: we remove what it leaves, at once or at the next start.
            start_new_session=True,
            **self._account.popen_options(),
        )
        if done.returncode != 0:
            shutil.rmtree(fresh, ignore_errors=True)
            raise StartRefused(_why_postgres_failed(f"PostgreSQL could not create its data in {self.home}", done.stderr))
        fresh.rename(self.data)

    def _open_log(self) -> BinaryIO:
        self.log_file.parent.mkdir(mode=0o700, exist_ok=True)
        if self.log_file.exists() and self.log_file.stat().st_size > _LONGEST_LOG_BYTES:
            self.log_file.rename(self.log_file.with_suffix(".log.1"))
        stream = self.log_file.open("ab")
        stream.seek(0, os.SEEK_END)
        return stream

    def _spawn(self, log_file: BinaryIO) -> None:
        settings = {**_SETTINGS, **(_NOT_DURABLE if not self._durable else {}), **self._settings}
        settings |= {"unix_socket_directories": str(self._socket_folder), "cluster_name": self._mark}
        command = [self._programs / "postgres", "-D", self._account.data_argument(self.data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        order = {
            "command": command,
            "folder": str(self.data),
            "socket_folder": str(self._socket_folder),
            "environment": _environment(),
            "account": self._account.popen_options(),
        }
        self._watchdog = subprocess.Popen(  # noqa: S603 - our own program with our own order
            [sys.executable, "-I", "-S", watchdog.__file__, json.dumps(order)],
            stdin=subprocess.PIPE,
            stdout=log_file,
            stderr=log_file,
            cwd="/",
            start_new_session=True,
        )

    def _wait_until_ready(self, log_begin: int) -> None:
        begin = time.monotonic()
        said_slow = False
        while True:
            lines = self._lock_file_lines()
            if len(lines) >= 8 and lines[7].strip() == "ready":
                return
            if not self.is_running():
                said = self.log_file.read_bytes()[log_begin:].decode(errors="replace")
                raise StartRefused(_why_postgres_failed(f"The database in {self.data} did not start", said))
            waited = time.monotonic() - begin
            if waited > 3 and not said_slow:
                said_slow = True
                self._log("the database is recovering what the last run left unfinished")
            if waited > _RECOVERY_SECONDS:
                raise StartRefused(f"The database in {self.data} was not ready after ten minutes; see {self.log_file}.")
            time.sleep(0.005)

    def _lock_file_lines(self) -> list[str]:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def _end_watchdog(self, *, hurry: bool) -> None:
        """Closes the pipe, the order to stop, and waits for the server."""
        process, self._watchdog = self._watchdog, None
        if process is None or process.stdin is None:
            return
        try:
            if hurry:
                process.stdin.write(b"!")
            process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # Normally there is nothing left; a watchdog that was killed leaves its server to us.
        if server_processes(self._mark):
            wait_until_gone(self._mark, self.data, self._log)


def start(home: Path, *, durable: bool = True, log: Callable[[str], None] = lambda _line: None) -> EmbeddedServer:
    """Calls EmbeddedServer.start."""
    return EmbeddedServer.start(home, durable=durable, log=log)


def _environment() -> dict[str, str]:
    """Returns the server's environment, without ours.

    A stray PGDATA, PGPORT or locale would change what the server does. But a library that is loaded into all of us, such as
    another clock, is loaded into the server too.
    """
    loaded = {name: value for name, value in os.environ.items() if name == "LD_PRELOAD"}
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", **loaded}


def _why_postgres_failed(begin: str, said: str) -> str:
    """Returns PostgreSQL's own reason for a failure, in one sentence.

    It is in the first of many lines that PostgreSQL marks so.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if any("No space left on device" in line for line in lines):
        return f"{begin}: the disk is full; make room or set LASTRO_HOME to a folder on another disk."
    marks = ("FATAL:", "PANIC:", "error:", "Error:", "ERROR:")
    reason = next((line for line in lines if any(mark in line for mark in marks)), lines[-1] if lines else "no reason")
    for mark in marks:
        reason = reason.split(mark, 1)[-1].strip()
    return f"{begin}: {reason.rstrip('.')}."
