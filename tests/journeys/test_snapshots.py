"""A snapshot of a sandbox that runs, and the way back to it: its own supervisor and database, played by `lastro sandbox`."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.house.test_run import _CHILD, _free_ports, _until

# The supervisor as it is, on the real schema; only what it starts is replaced by programs that start at once.
_SUPERVISOR = textwrap.dedent("""
    import os, sys
    from lastro_sandbox.run import ChildPlan, Parts, run_all
    child = os.environ["TEST_CHILD"]
    def plans(settings):
        return [ChildPlan(name, [sys.executable, "-c", child, name, str(settings.home), str(port)],
                          f"http://127.0.0.1:{port}/health" if port else None)
                for name, port in (("simulator", settings.simulator_port), ("api", settings.port), ("worker", 0))]
    sys.exit(run_all(os.environ, Parts(
        plans=plans, seed=lambda running: {"baseUrl": running.base_url, "simulatorUrl": running.simulator_url},
        fund=lambda running, sandbox: None, next_step=lambda sandbox: "RUNNING",
    )))
""")


class Sandbox:
    def __init__(self, home: Path) -> None:
        self.home = home
        ports = _free_ports()
        self.variables = {k: v for k, v in os.environ.items() if not k.startswith("LASTRO_")}
        self.variables |= {"LASTRO_HOME": str(home), "LASTRO_PORT": str(ports[0]), "LASTRO_SIM_PORT": str(ports[1])}
        self.log = home.with_suffix(".out")

    def start(self) -> None:
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _SUPERVISOR], env=self.variables | {"TEST_CHILD": _CHILD}, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, process_group=0,
            )  # fmt: skip
        _until(lambda: "RUNNING" in self.said() or self.process.poll() is not None, self.said)
        assert self.process.poll() is None, self.said()

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def said(self) -> str:
        return self.log.read_text()

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "lastro.cli.main", "sandbox", *words]
        return subprocess.run(line, env=self.variables, capture_output=True, text=True, check=False, timeout=150)

    def asked(self, sql: str, *values: Any) -> Any:
        async def ask() -> Any:
            connection = await asyncpg.connect(json.loads((self.home / "database.json").read_text())["url"])
            try:
                return await connection.fetchval(sql, *values)
            finally:
                await connection.close()

        return asyncio.run(ask())

    def simulator(self, sql: str) -> list[Any]:
        folder = self.home / "simulator"
        folder.mkdir(exist_ok=True)
        with sqlite3.connect(folder / "network.db") as store:
            return store.execute(sql).fetchall()


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = Sandbox(tmp_path / "home")
    made.start()
    yield made
    made.kill()


def test_back_to_a_snapshot_with_its_clock_and_the_networks_memory(sandbox: Sandbox) -> None:
    sandbox.asked("CREATE TABLE kept (word text)")
    sandbox.asked("INSERT INTO kept VALUES ('then')")
    sandbox.simulator("CREATE TABLE kept (word text)")
    sandbox.simulator("INSERT INTO kept VALUES ('then')")
    sandbox.asked("UPDATE clock SET offset_us = 86400000000, version = version + 1")
    made = sandbox.command("snapshot", "first", "--json")
    assert made.returncode == 0, made.stderr + sandbox.said()
    kept = datetime.fromisoformat(json.loads(made.stdout)["businessNow"])
    assert timedelta(hours=23) < kept - datetime.now(UTC) < timedelta(days=1)
    version = sandbox.asked("SELECT version FROM clock")
    sandbox.asked("INSERT INTO kept VALUES ('since')")
    sandbox.simulator("INSERT INTO kept VALUES ('since')")
    sandbox.asked("UPDATE clock SET offset_us = offset_us + 30 * 86400000000, version = version + 1")
    begin = time.monotonic()
    back = sandbox.command("restore", "first")
    took = timedelta(seconds=time.monotonic() - begin)
    assert back.returncode == 0, back.stderr + sandbox.said()
    assert sandbox.asked("SELECT string_agg(word, ',') FROM kept") == "then"
    assert sandbox.simulator("SELECT word FROM kept") == [("then",)]
    assert kept <= sandbox.asked("SELECT business_now()") < kept + took + timedelta(seconds=30)
    assert sandbox.asked("SELECT version FROM clock") == version + 1, "what was remembered of another clock is stale"
    # The simulated network is told the same time before it looks at anything.
    told = int((sandbox.home / "simulator" / "offset").read_text())
    assert told == sandbox.asked("SELECT offset_us FROM clock")
    assert not (sandbox.home / "restored.json").exists()
    assert (sandbox.home / "sandbox.json").exists()
    for words, why in ((("restore", "nope"), "no snapshot nope"), (("snapshot", "first"), "already")):
        no = sandbox.command(*words)
        assert no.returncode == 1
        assert why in no.stderr
    assert "first" in sandbox.command("snapshots").stdout
    assert sandbox.command("forget", "first").returncode == 0
    assert "no snapshots" in sandbox.command("snapshots").stdout


def test_a_sandbox_that_is_killed_is_put_back_by_a_command_and_goes_on_from_there(sandbox: Sandbox) -> None:
    sandbox.asked("CREATE TABLE kept (word text)")
    assert sandbox.command("snapshot", "first").returncode == 0, sandbox.said()
    sandbox.asked("INSERT INTO kept VALUES ('since')")
    sandbox.kill()
    back = sandbox.command("restore", "first")
    assert back.returncode == 0, back.stderr
    sandbox.start()
    assert sandbox.asked("SELECT count(*) FROM kept") == 0
