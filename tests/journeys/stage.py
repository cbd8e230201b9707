"""A stage: API, worker and simulated network as real processes, on ports, a home and a database of their own.

What is played on it is real from end to end; the stage alone may kill. Nothing outlives the test that opened it: every
process ends when the pipe on its standard input does.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from subprocess import PIPE, STDOUT
from typing import Any, TypeVar

from tests import forked, muted
from tests.laws import Auditor

from lastro.core.db import Database as Pool
from lastro.core.db import Dsn
from lastro_sandbox import bank_file, demo_data, secrets
from lastro_sandbox.child import Child, ChildPlan, Process
from lastro_sandbox.run_settings import Running

T = TypeVar("T")
Starter = Callable[[Sequence[str], Mapping[str, str]], Process]
PATIENCE_SECONDS = 40.0  # of a deadline: far beyond what anything takes, since a busy machine must not fail a test
LOOK_SECONDS = 0.02
MOST_LOOK_SECONDS = 0.25
HOST = "127.0.0.1"
PROGRAMS: Mapping[str, Sequence[str]] = {
    "simulator": ("-m", "lastro_sim"),
    "api": ("-m", "lastro.cli.main", "api"),
    "worker": ("-m", "lastro.cli.main", "worker"),
}
_LEASED = ("inbox", "outbox", "deliveries", "payout_plans", "statements")
_END_LEASES = "UPDATE {} SET leased_until = machine_now() WHERE company_id = $1 AND leased_until > machine_now()"


async def until(
    look: Callable[[], Awaitable[T]], what: str = "it", seconds: float = PATIENCE_SECONDS, *, always_often: bool = False
) -> T:
    """Looks again and again until there is something to see. AssertionError when the deadline has passed.

    A look costs the machine what is waited for, so that looks get rarer with time. always_often: but not these.
    """
    clock = asyncio.get_running_loop().time
    began = clock()
    while True:
        seen = await look()
        if seen:
            return seen
        waited = clock() - began
        assert waited < seconds, f"{what} did not come within {seconds:g} s"
        await asyncio.sleep(LOOK_SECONDS if always_often else min(max(LOOK_SECONDS, waited / 8), MOST_LOOK_SECONDS))


class Stage:
    """One sandbox. home: where its files are. database: any login of it; is_external: whether that login takes on roles.

    programs: what Python is given for each process; those whose name begins with worker are workers.
    """

    def __init__(
        self, home: Path, database_url: str, *, is_external: bool, programs: Mapping[str, Sequence[str]] = PROGRAMS
    ) -> None:
        self.home = home
        self.sandbox: dict[str, Any] = {}
        self._url = database_url
        self._login = "switch" if is_external else "role"
        self._programs = programs
        self._taken = [reserved_port(), reserved_port(), reserved_port()]
        ports = [port.getsockname()[1] for port in self._taken]
        self.base_url, self.simulator_url, self.bank_port = (
            f"http://{HOST}:{ports[0]}",
            f"http://{HOST}:{ports[1]}",
            ports[2],
        )
        self._children: dict[str, Child] = {}
        self._different: set[str] = set()
        self._environment: dict[str, str] = {}
        self._auditor: Auditor | None = None

    @property
    def auditor(self) -> Auditor:
        """Reads the laws for all plays here."""
        if self._auditor is None:
            self._auditor = Auditor(self.dsn("lastro_audit"))
        return self._auditor

    async def open(self) -> None:
        """Starts everything and lays the demo data."""
        logs = self.home / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        told = {"url": self._url, "login": self._login}
        (self.home / "database.json").write_text(json.dumps(told), encoding="utf-8")
        port, sim_port = (url.rpartition(":")[2] for url in (self.base_url, self.simulator_url))
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")},
            **secrets.ensure(self.home),
            "LASTRO_HOME": str(self.home),
            "LASTRO_PORT": port,
            "LASTRO_SIM_PORT": sim_port,
            "LASTRO_SIM_BANK_PORT": str(self.bank_port),
            "LASTRO_BASE_URL": self.base_url,
            "LASTRO_DATABASE_URL": self._url,
            "LASTRO_DATABASE_LOGIN": self._login,
            # So long may a request wait for its place: a busy machine must not turn a test away.
            "LASTRO_REQUESTS_WAIT_MS": "30000",
            "LASTRO_REQUESTS_HURRIED_WAIT_MS": "30000",
        }
        await self.start("simulator")
        running = Running(self.home, self.base_url, self.simulator_url, self._url)
        self.sandbox = dict(await asyncio.to_thread(demo_data.seed, running))
        banks = await self.connected(running)
        self._environment |= {} if banks is None else {"LASTRO_BANKS_FILE": str(banks)}
        await asyncio.gather(*(self.start(name) for name in self._programs if name != "simulator"))
        # From here on the merchant of the simulator can check signatures.
        (self.home / "sandbox.json").write_text(json.dumps(self.sandbox), encoding="utf-8")
        await asyncio.to_thread(demo_data.fund, running, self.sandbox)

    async def connected(self, running: Running) -> Path | None:
        """The file of connections, once the bank and the demo data are there; None: no company has a bank of its own."""
        return None

    def close(self) -> None:
        """Ends everything, and lets go of the ports."""
        for child in self._children.values():
            with contextlib.suppress(ProcessLookupError):
                if child.pid is not None:
                    os.kill(child.pid, signal.SIGKILL)
            child.stop(0.0, lambda: True)
        for port in self._taken:
            port.close()
        if self._auditor is not None:
            self._auditor.close()

    async def start(self, name: str, **environment: str) -> None:
        """Starts one process and waits until it serves. environment: further variables."""
        log = self.home / "logs" / f"{name}.log"
        before = log.stat().st_size if log.exists() else 0
        child = self.launch(name, **environment)
        health = child.plan.health_url

        async def serves() -> bool:
            assert child.is_running(), f"{name} ended while starting: {self.said(name)}"
            if health is None:
                # The last lines where a full disk takes none; the file where networks are away, and much more is said.
                said = "\n".join(child.last_lines).encode()
                if log.exists():
                    with log.open("rb") as file:
                        file.seek(before)
                        said += file.read()
                return b'"worker.started"' in said
            return await _answers(health)

        await until(serves, name)

    def launch(self, name: str, **environment: str) -> Child:
        """Starts one process without waiting for anything."""
        plan = ChildPlan(name, self._programs[name], self.health_of(name))
        given = {**self._environment, "LASTRO_WORKER_NAME": name, **environment}
        child = Child(plan, given, self.home / "logs", lambda _line: None, self.start_of(name))
        self._children[name] = child
        (self._different.add if environment else self._different.discard)(name)
        child.start()
        return child

    def start_of(self, name: str) -> Starter:
        """How the program of this process is started."""
        return _started

    def health_of(self, name: str) -> str | None:
        """Where a process says that it serves; None of one that is asked nothing."""
        return {"api": f"{self.base_url}/health", "simulator": f"{self.simulator_url}/health"}.get(name)

    def kill(self, name: str) -> None:
        """kill -9."""
        pid = self._children[name].pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            self._children[name].stop(0.0, lambda: True)

    async def restart(self, *names: str, **environment: str) -> None:
        """kill -9 of these, or of all, and a new start; what they had under a lease is free at once."""
        for name in names or tuple(self._programs):
            self.kill(name)
        if not names or any(name.startswith("worker") for name in names):
            await self.end_leases()
        await asyncio.gather(*(self.start(name, **environment) for name in names or tuple(self._programs)))

    def rest(self) -> None:
        """Ends its processes until it is played on again: awake they take a twentieth of a core for nothing."""
        for name in self._children:
            self.kill(name)

    async def wake(self) -> None:
        """Starts what does not run."""
        dead = [name for name in self._children if not self.is_running(name)]
        if dead:
            await self.restart(*dead)

    async def mend(self, name: str) -> None:
        """A new start of what is dead or was started differently; what works as it should goes on."""
        if self.runs_differently(name) or not self.is_running(name):
            await self.restart(name)

    def runs_differently(self, name: str) -> bool:
        """Whether it was started with settings of its own, and no other has taken its place."""
        return name in self._different

    def is_running(self, name: str) -> bool:
        return self._children[name].is_running()

    def said(self, name: str) -> str:
        """The last lines a process wrote."""
        return "\n".join(self._children[name].last_lines)

    async def end_leases(self) -> None:
        """Half a minute goes by in which nobody works: what a dead process held may be taken by another."""
        pool = Pool(self.dsn("lastro_app"), size=1)
        try:
            async with pool.session() as session:
                companies = [r["company_id"] for r in await session.fetch("SELECT company_id FROM company_numbers")]
            for company_id in companies:
                async with pool.session(company_id) as session:
                    for table in _LEASED:
                        await session.fetch(_END_LEASES.format(table), company_id)
        finally:
            await pool.close()

    def client(self, *, dora: bool = False) -> dict[str, str]:
        """The credentials of Ana's client, or of Dora's."""
        found = self.sandbox["otherClient"] if dora else self.sandbox
        return {name: found[name] for name in ("clientId", "clientSecret")}

    def dsn(self, role: str) -> Dsn:
        """The database as one of the platform's roles."""
        if self._login == "switch":
            return Dsn(self._url, role)
        scheme, _, rest = self._url.partition("://")
        return Dsn(f"{scheme}://{role}@{rest.rpartition('@')[2]}")

    @property
    def environment(self) -> Mapping[str, str]:
        """What its processes are given."""
        return self._environment


class StageAtBank(Stage):
    """A stage whose second company has its account at the simulated bank, as in a sandbox."""

    async def connected(self, running: Running) -> Path | None:
        return bank_file.write(running, self.sandbox)


def _started(program: Sequence[str], environment: Mapping[str, str]) -> Process:
    if muted.OUTPUT in environment:
        program = muted.program(tuple(program))
    return forked.start(program, env=environment, stdin=PIPE, stdout=PIPE, stderr=STDOUT, text=True, own_session=True)


def reserved_port() -> socket.socket:
    """A port that stays ours while its process is dead: bound here and never listened on, so that only a server which
    says it may share the address, as ours do, can have it.
    """
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.bind((HOST, 0))
    return taken


async def _answers(url: str) -> bool:
    """Whether an HTTP server says 200 to this."""
    host, _, path = url.removeprefix("http://").partition("/")
    try:
        async with asyncio.timeout(2.0):
            reader, writer = await asyncio.open_connection(HOST, int(host.rpartition(":")[2]))
            writer.write(f"GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
            first = await reader.readline()
            writer.close()
    except (OSError, TimeoutError):
        return False
    return b" 200 " in first
