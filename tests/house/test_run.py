"""The supervisor: what it refuses, what it starts, restarts and stops, and that nothing outlives it."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from lastro_sandbox.embedded.home import mark_of
from lastro_sandbox.embedded.leftovers import server_processes
from lastro_sandbox.next_step import next_step
from lastro_sandbox.run import run_all

# A child that answers /health, tells its number, and ends when its input does.
_CHILD = textwrap.dedent("""
    import http.server, os, pathlib, sys, threading
    name, home, port = sys.argv[1:]
    pathlib.Path(home, name + ".pid").write_text(str(os.getpid()))
    assert os.environ["LASTRO_PARENT_PIPE"] == "1"
    print('{"level": "warning", "event": "a warning of ' + name + '"}', flush=True)
    print('{"level": "info", "event": "only for the file"}', flush=True)
    class Health(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200); self.end_headers()
        def log_message(self, *_): pass
    if port != "0":
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Health)
        threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
""")

# The supervisor with stand-ins for what only the whole platform has.
_SUPERVISOR = textwrap.dedent("""
    import os, sys
    from lastro_sandbox.run import ChildPlan, Parts, run_all
    child = os.environ["TEST_CHILD"]
    def plan(settings, name, port, health=True):
        url = f"http://127.0.0.1:{port}/health" if health else None
        return ChildPlan(name, [sys.executable, "-c", child, name, str(settings.home), str(port)], url)
    def plans(settings):
        return [plan(settings, "simulator", settings.simulator_port), plan(settings, "api", settings.port),
                plan(settings, "worker", 0, health=False)]
    async def migrate(dsn):
        import asyncpg
        connection = await asyncpg.connect(dsn)
        await connection.execute("CREATE TABLE IF NOT EXISTS starts (at timestamptz)")
        await connection.execute("INSERT INTO starts VALUES (now())")
        await connection.close()
    sys.exit(run_all(os.environ, Parts(
        plans=plans, migrate=migrate, ensure_secrets=lambda home: {"LASTRO_KEYS_FILE": str(home / "keys" / "ring")},
        seed=lambda running: {"baseUrl": running.base_url, "simulatorUrl": running.simulator_url}, fund=lambda running, sandbox: None, next_step=lambda sandbox: "RUNNING " + sandbox["baseUrl"],
    )))
""")


class Supervised:
    """A supervisor in another process, on ports and a home of its own."""

    def __init__(self, home: Path, **more: str) -> None:
        self.home = home
        self.port, self.simulator_port = _free_ports()
        variables = {k: v for k, v in os.environ.items() if not k.startswith("LASTRO_")}
        variables |= {"LASTRO_HOME": str(home), "LASTRO_PORT": str(self.port), "TEST_CHILD": _CHILD}
        variables |= {"LASTRO_SIM_PORT": str(self.simulator_port)} | more
        self.log = home.parent / f"{home.name}-{self.port}.out"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _SUPERVISOR],
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                process_group=0,
            )

    def until_running(self) -> "Supervised":
        _until(lambda: "RUNNING" in self.said() or self.process.poll() is not None, self.said)
        assert self.process.poll() is None, self.said()
        # The worker has no /health, so it may yet have to say its number.
        _until(lambda: all(self.children()), self.said)
        return self

    def said(self) -> str:
        return self.log.read_text()

    def child(self, name: str) -> int:
        with suppress(FileNotFoundError):
            return int((self.home / f"{name}.pid").read_text() or 0)
        return 0

    def children(self) -> list[int]:
        return [self.child(name) for name in ("simulator", "api", "worker")]

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()

    def has_left_nothing(self) -> bool:
        return not any(_lives(pid) for pid in self.children()) and not server_processes(mark_of(self.home))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        return first.getsockname()[1], second.getsockname()[1]


def _until(what: Callable[[], bool], why: Callable[[], str] = lambda: "", seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"it did not come to pass in time: {why()}"
        time.sleep(0.02)


@pytest.fixture
def supervise() -> Iterator[Callable[..., Supervised]]:
    made: list[Supervised] = []

    def make(home: Path, **more: str) -> Supervised:
        made.append(Supervised(home, **more))
        return made[-1]

    yield make
    for supervised in made:
        supervised.kill()


def test_an_installation_revives_what_dies_and_leaves_nothing(tmp_path: Path, supervise: Callable[..., Supervised]) -> None:
    """One beside another: its start, a second one, a dead child and database, Ctrl-C, and kill -9."""
    home = tmp_path / "home"
    first, beside = supervise(home), supervise(tmp_path / "beside")
    first.until_running()
    beside.until_running()
    urls = {"baseUrl": f"http://127.0.0.1:{first.port}", "simulatorUrl": f"http://127.0.0.1:{first.simulator_port}"}
    sandbox = home / "sandbox.json"
    assert json.loads(sandbox.read_text()) == urls
    assert sandbox.stat().st_mode & 0o777 == 0o600
    _shows_warnings_and_keeps_the_rest_in_the_file(first)
    _refuses_a_second_start(first, supervise)
    _starts_a_dead_child_again(first)
    _starts_a_dead_database_again(first)
    begin = time.monotonic()
    os.killpg(first.process.pid, signal.SIGINT)
    assert first.process.wait(20) == 0
    assert time.monotonic() - begin < 10
    assert first.has_left_nothing()
    assert not sandbox.exists()
    second = supervise(home).until_running()
    assert _count_starts(second) == 2, "it finds the data"
    second.kill()
    _until(second.has_left_nothing)
    supervise(home).until_running()


def _count_starts(supervised: Supervised) -> int:
    """Asked as a command of another terminal would: by what database.json says."""

    async def ask() -> Any:
        connection = await asyncpg.connect(json.loads((supervised.home / "database.json").read_text())["url"])
        try:
            return await connection.fetchval("SELECT count(*) FROM starts")
        finally:
            await connection.close()

    return int(asyncio.run(ask()))


def _starts_a_dead_child_again(supervised: Supervised) -> None:
    for _ in range(2):
        old = supervised.child("worker")
        os.kill(old, signal.SIGKILL)
        _until(lambda old=old: _lives(supervised.child("worker")) and supervised.child("worker") != old)  # type: ignore[misc]
    assert "worker ended" in supervised.said()
    assert "starting it again in 0.4 s" in supervised.said()


def _starts_a_dead_database_again(supervised: Supervised) -> None:
    old = int((supervised.home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(old, signal.SIGKILL)
    _until(lambda: "the database ended" in supervised.said())
    _until(lambda: any(_is_postmaster(pid, old) for pid in server_processes(mark_of(supervised.home))))
    _until(lambda: _is_ready(supervised.home))
    assert _count_starts(supervised) == 1


def _is_ready(home: Path) -> bool:
    """The server removes the file of the one before it and writes its own: between the two there is none."""
    with suppress(FileNotFoundError):
        return (home / "postgres" / "postmaster.pid").read_text().rstrip().endswith("ready")
    return False


def _is_postmaster(pid: int, old: int) -> bool:
    return pid > old and b"cluster_name" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _shows_warnings_and_keeps_the_rest_in_the_file(supervised: Supervised) -> None:
    _until(lambda: "worker: warning: a warning of worker" in supervised.said())
    assert "only for the file" not in supervised.said()
    assert "only for the file" in (supervised.home / "logs" / "worker.log").read_text()


def _refuses_a_second_start(first: Supervised, supervise: Callable[..., Supervised]) -> None:
    second = supervise(first.home)
    assert second.process.wait(20) == 1
    assert f"in use by process {first.process.pid}" in second.said()
    where = f"at http://127.0.0.1:{first.port} with the simulated networks at http://127.0.0.1:{first.simulator_port}"
    assert second.said().startswith(f"lastro runs already, {where}: ")
    (first.home / "sandbox.json").rename(first.home / "not.yet")
    third = supervise(first.home, LASTRO_PORT=str(first.port))
    assert third.process.wait(20) == 1
    assert third.said().startswith("lastro is being started or stopped already: "), "and not that its port is taken"
    (first.home / "not.yet").rename(first.home / "sandbox.json")
    assert (first.home / "sandbox.json").exists()
    assert _count_starts(first) == 1


def test_a_child_that_cannot_start_is_named_with_its_last_words(
    tmp_path: Path, supervise: Callable[..., Supervised]
) -> None:
    broken = supervise(tmp_path / "home", TEST_CHILD="import sys; sys.exit('no such thing as a Pix')")
    assert broken.process.wait(40) == 1
    assert "ended while starting: no such thing as a Pix; see " in broken.said()
    assert not server_processes(mark_of(tmp_path / "home"))


def test_a_taken_port_is_named_with_its_variable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        free = _free_ports()[0]
        for variable, other in (("LASTRO_PORT", "LASTRO_SIM_PORT"), ("LASTRO_SIM_PORT", "LASTRO_PORT")):
            assert run_all({variable: str(port), other: str(free), "LASTRO_HOME": str(tmp_path / "home")}) == 1
            said = capsys.readouterr().out
            assert said == f"Port {port} is in use by another program; stop it or set {variable} to another port.\n"
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"LASTRO_PORT": "http"}, "LASTRO_PORT is 'http', which is no port number"),
        ({"LASTRO_PORT": "70000"}, "give one from 1 to 65535"),
        ({"LASTRO_PORT": "8090"}, "LASTRO_PORT and LASTRO_SIM_PORT are both 8090"),
    ],
)
def test_senseless_variables_are_refused(variables: dict[str, str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(variables) == 1
    assert words in capsys.readouterr().out


def test_a_database_that_cannot_be_reached_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ports = _free_ports()
    variables = {"LASTRO_PORT": str(ports[0]), "LASTRO_SIM_PORT": str(ports[1]), "LASTRO_HOME": str(tmp_path / "home")}
    url = f"postgresql://somebody:a-secret@127.0.0.1:{_free_ports()[0]}/lastro"
    assert run_all(variables | {"LASTRO_DATABASE_URL": url}) == 1
    said = capsys.readouterr().out
    assert said.startswith("The database of LASTRO_DATABASE_URL could not be prepared: ")
    assert said.count("\n") == 1
    assert "a-secret" not in said


def test_a_home_that_cannot_be_written_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    ports = _free_ports()
    variables = {"LASTRO_PORT": str(ports[0]), "LASTRO_SIM_PORT": str(ports[1]), "LASTRO_HOME": "/sys/lastro-home"}
    assert run_all(variables) == 1
    assert capsys.readouterr().out.startswith("Cannot use the folder /sys/lastro-home: ")


def test_the_next_step_says_what_to_open_and_what_to_paste() -> None:
    text = next_step(
        {
            "baseUrl": "http://127.0.0.1:8080",
            "simulatorUrl": "http://127.0.0.1:8090",
            "consoleUrl": "http://127.0.0.1:8080/console",
            "clientId": "id",
            "clientSecret": "secret",
        }
    )
    assert "http://127.0.0.1:8090/phone" in text
    assert "Console    http://127.0.0.1:8080/console\n" in text
    assert "curl -s http://127.0.0.1:8080/auth/v1/token" in text


def test_what_is_pasted_ends_with_a_newline() -> None:
    """Answers have none of their own: the prompt would follow the QR's check digits, and be copied with them."""
    sandbox = {
        "baseUrl": "http://127.0.0.1:8080",
        "simulatorUrl": "http://127.0.0.1:8090",
        "consoleUrl": "http://127.0.0.1:8080/console",
        "clientId": "id",
        "clientSecret": "s",
    }
    commands = next_step(sandbox).replace(" \\\n", " ").splitlines()
    prints = [line for line in commands if line.startswith("  curl ")]
    assert len(prints) == 2
    assert [line for line in prints if not line.endswith("; echo")] == []
