"""A private installation to measure: a database that flushes to disk, companies with accounts, and the real processes."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID, uuid4

import asyncpg

from lastro import companies, keys
from lastro.accounts import Holder, OpenAccount
from lastro.app.networks import place_of
from lastro.app.wiring import jku_of, rail_of
from lastro.config.settings import Settings, read
from lastro.core.clock import BusinessClock
from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.core.runner import Done, Runner
from lastro.core.secrets import load_key_ring
from lastro.ops.migrate import migrate
from lastro.rails import port
from lastro_sandbox import secrets
from lastro_sandbox.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from lastro.core.runner import Verb

COMPANIES, ACCOUNTS_EACH = 16, 4
_READY_SECONDS = 30.0
_STOP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Payee:
    """An account that orders credit, and a token of its company's client."""

    company_id: UUID
    account_id: UUID
    client: Mapping[str, str]
    token: str = ""


class Server(Protocol):
    """A database server, or several that are one database."""

    @property
    def pid(self) -> int | None:
        """Returns the postmaster's process."""

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        """Returns the connection string of a database, for a role."""


@dataclass
class House:
    """What is measured. environment: of its processes. simulator: the network, once it runs."""

    home: Path
    server: Server
    environment: dict[str, str]
    settings: Settings
    payees: list[Payee] = field(default_factory=list)
    simulator: subprocess.Popen[bytes] = field(init=False)

    def dsn(self, user: str) -> str:
        """The database as this role."""
        return self.server.dsn("lastro", user)

    @asynccontextmanager
    async def process(self, name: str, *command: str, **variables: str) -> AsyncIterator[subprocess.Popen[bytes]]:
        """A process of the installation; its standard output and error go to a file of the home."""
        environment = {**self.environment, **variables, "LASTRO_PARENT_PIPE": "1"}
        with (self.home / "logs" / f"{name}.log").open("ab") as log:
            running = subprocess.Popen(  # noqa: ASYNC220 it is only started here, and who samples it wants its id
                [sys.executable, "-m", *command], env=environment, stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        try:
            yield running
        finally:
            running.terminate()
            try:
                await asyncio.to_thread(running.wait, _STOP_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()

    def sign_in(self) -> None:
        """A new token for each company's client: one is good for an hour. The API must run."""
        tokens = {p.company_id: _token(self.settings.port, p.client) for p in self.payees}
        self.payees = [Payee(p.company_id, p.account_id, p.client, tokens[p.company_id]) for p in self.payees]

    @asynccontextmanager
    async def api(self, port: int | None = None) -> AsyncIterator[subprocess.Popen[bytes]]:
        """An API process, answering; a second one has a port of its own and the same public name."""
        port = port or self.settings.port
        async with self.process("api", "lastro.cli.main", "api", LASTRO_PORT=str(port)) as running:
            await ready(port)
            yield running

    async def as_superuser(self, sql: str) -> list[asyncpg.Record]:
        """One statement beside what is measured."""
        connection = await asyncpg.connect(self.dsn("postgres"))
        try:
            return list(await connection.fetch(sql))
        finally:
            await connection.close()


@asynccontextmanager
async def house(settings: Mapping[str, str] = MappingProxyType({})) -> AsyncIterator[House]:
    """Lays a house in a folder of its own and takes it away again. The simulated network runs, lastro's processes do not.

    settings: of the database server, over those of the sandbox.
    """
    home = Path(tempfile.mkdtemp(prefix="lastro-bench-"))
    try:
        server = EmbeddedServer.start(home, durable=True, settings=settings)
        try:
            connection = await asyncpg.connect(server.dsn())
            await connection.execute("CREATE DATABASE lastro TEMPLATE template0")
            await connection.close()
            await migrate(server.dsn("lastro"))
            async with furnished(home, server) as laid:
                yield laid
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@asynccontextmanager
async def furnished(home: Path, server: Server) -> AsyncIterator[House]:
    """Puts companies, accounts and the simulated network into a house, whose database is migrated and empty."""
    environment = environment_of(home, server.dsn("lastro"), free_port(), free_port())
    (home / "logs").mkdir(exist_ok=True)
    laid = House(home, server, environment, read(environment))
    async with laid.process("simulator", "lastro_sim") as laid.simulator:
        await ready(laid.settings.sim_port)
        await _people(laid)
        async with laid.api():
            laid.sign_in()
        yield laid


def environment_of(home: Path, dsn: str, port: int, sim_port: int) -> dict[str, str]:
    """What its processes are started with: this process's own variables, and every setting that counts for a bench."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")},
        **secrets.ensure(home),
        "LASTRO_HOME": str(home),
        "LASTRO_PORT": str(port),
        "LASTRO_SIM_PORT": str(sim_port),
        "LASTRO_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "LASTRO_BASE_URL": f"http://127.0.0.1:{port}",
        "LASTRO_SIM_URL": f"http://127.0.0.1:{sim_port}",
        "LASTRO_NETWORK_URL": f"http://127.0.0.1:{sim_port}",
        "LASTRO_DATABASE_URL": dsn,
        "LASTRO_DATABASE_LOGIN": "role",
        "LASTRO_PROXIES": "127.0.0.2/32",  # as in production, where a proxy has parsed what arrives
        "LASTRO_REQUESTS_PER_MINUTE": "100000000",  # what a client or a company may do is not what is measured
        "LASTRO_COMPANY_REQUESTS_PER_MINUTE": "999999",  # the most that can be said, 16,666 a second
    }


async def _people(laid: House) -> None:
    """Companies, their clients, accounts and keys, each by the verb that makes it."""
    settings = laid.settings
    database, chance, rail = Database(settings.app, size=2), Chance(os.urandom), rail_of(settings)
    runner, place = Runner(database, BusinessClock(time.monotonic), chance), place_of(settings)
    ring = load_key_ring(settings.keys_file, os.urandom)
    try:
        host = place.public_url.partition("://")[2]
        await rail.register_participant(name=place.institution.name, jku=jku_of(place.public_url), host=host)
        for number in range(COMPANIES + 1):  # 0 is the institution
            company_id = chance.uuid(datetime.now(UTC))
            await act(runner, company_id, companies.FoundCompany(f"Empresa {number}", ring, port.RAILS, number))
            if number == companies.INSTITUTION_NUMBER:
                continue
            client = await act(runner, company_id, companies.AddClient("bench"))
            for each in range(ACCOUNTS_EACH):
                account_id = await open_account(runner, company_id, place.institution, f"Padaria {number} {each}")
                await act(runner, company_id, keys.RegisterRandomKey(account_id, uuid4(), rail))
                laid.payees.append(Payee(company_id, account_id, client))
    finally:
        await rail.close()
        await database.close()


async def open_account(runner: Runner, company_id: UUID, institution: Any, name: str) -> UUID:
    """A new account."""
    holder = Holder("ORGANIZATION", name, "CNPJ", "11222333000181", "padaria@example.com", "+5511987650001")
    return UUID((await act(runner, company_id, OpenAccount(institution, holder)))["id"])


async def act(runner: Runner, company_id: UUID, verb: Verb[Any]) -> dict[str, Any]:
    """What a verb answered; RuntimeError when it refused."""
    outcome = await runner.act(company_id, verb)
    if not isinstance(outcome, Done):
        raise RuntimeError(  # noqa: TRY004 a refusal is no wrong type
            f"{type(verb).__name__} refused: {outcome}"
        )
    made: dict[str, Any] = json.loads(outcome.body)
    return made


def _token(port: int, client: Mapping[str, str]) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("POST", "/auth/v1/token", json.dumps(dict(client)), {"content-type": "application/json"})
    token: str = json.loads(connection.getresponse().read())["token"]
    connection.close()
    return token


async def ready(port: int) -> None:
    """Waits until the process on this port is well."""
    deadline = time.monotonic() + _READY_SECONDS
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return
        except (OSError, http.client.HTTPException):
            await asyncio.sleep(0.05)
        finally:
            connection.close()
    raise RuntimeError(f"nothing answers on port {port}")


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def cpu_seconds(pid: int, *, family: bool = False) -> float:
    """What a process has used until now; with its children, for the database."""
    total = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue  # it has just ended
        fields = rest.split()
        if int(name.split()[0]) == pid or (family and int(fields[1]) == pid):
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total
