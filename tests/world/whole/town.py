"""The town of a storm: a database server that may be killed, API and worker processes, the network, and a line that may be cut.

A town is a copy of one that was built once (`build`): the server's data with everything migrated, the demo data laid and money
on the accounts. So each storm begins in the same world, whatever storms blew before it.
"""

import asyncio
import contextlib
import json
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import PIPE, STDOUT
from typing import Any

import aiohttp
from tests import forked
from tests.cluster.nodes import is_cluster
from tests.journeys.play import ORDERS, Play
from tests.journeys.servers import Part, Server, put_out, started
from tests.journeys.stage import HOST, PROGRAMS, Stage, Starter, reserved_port
from tests.journeys.test_teds import operator
from tests.laws import connected

from lastro.ops.migrate import migrate
from lastro_sandbox.child import Child, Process

APIS, WORKERS = ("api-1", "api-2"), ("worker-1", "worker-2")
PROCESSES = (*APIS, *WORKERS, "simulator")
_WORKER = (str(Path(__file__).parents[1] / "hurried_worker.py"),)
_PROGRAMS = {"simulator": PROGRAMS["simulator"]} | dict.fromkeys(APIS, PROGRAMS["api"]) | dict.fromkeys(WORKERS, _WORKER)
# So that a few callers already are too many: one request at a time, one that waits, and not for long.
_NARROW = {
    "LASTRO_REQUESTS_AT_ONCE": "1", "LASTRO_REQUESTS_WAITING": "1", "LASTRO_REQUESTS_WAIT_MS": "300",
    "LASTRO_REQUESTS_HURRIED_WAIT_MS": "50",
}  # fmt: skip
_OLDER = (APIS[0], WORKERS[0])
DISK = "640m"  # of a town: its data twice over, and the log of a storm
_HOLDERS = (("Rita Ramos", "529.982.247-25"), ("Saul Sousa", "390.533.447-05"))
PEOPLE = "people.json"  # beside the home: clients and accounts that the demo data lack


class Line:
    """The address of the API: whoever calls is led to one of the processes behind it, and may be cut off in the middle."""

    def __init__(self, ports: tuple[int, ...]) -> None:
        self._ports = ports
        self._turn = 0
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._carrying: set[asyncio.Task[None]] = set()

    async def open(self, port: int) -> asyncio.Server:
        return await asyncio.start_server(self._lead, HOST, port, reuse_address=True)

    def cut(self) -> int:
        """Every connection breaks off, wherever it is; how many there were."""
        pairs = list(self._pairs)
        for pair in pairs:
            for writer in pair:
                writer.transport.abort()
        return len(pairs)

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in self._ports:
            self._turn += 1
            with contextlib.suppress(OSError):
                there, back = await asyncio.open_connection(HOST, self._ports[self._turn % len(self._ports)])
                break
        else:
            writer.transport.abort()
            return
        pair = (writer, back)
        self._pairs.add(pair)
        try:
            await asyncio.gather(_carry(reader, back), _carry(there, writer))
        finally:
            self._pairs.discard(pair)
            for each in pair:
                each.transport.abort()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()


@dataclass(frozen=True)
class Manner:
    """What is different in one town. is_narrow: its API turns many away. older: the checkout of a version before this one, whose code
    half of the processes run until the town is `renewed`. dialect: of the bank of a company of its own; empty: it has none.
    is_spread: its database is on a cluster.
    """

    is_narrow: bool = False
    older: Path | None = None
    dialect: str = ""
    is_spread: bool = False

    @property
    def told(self) -> list[str]:
        """In the words of a report's faults."""
        bank = [f"a bank that speaks {self.dialect}"] if self.dialect else []
        older = [f"older {', '.join(_OLDER)}"] if self.older else []
        return [*(["a cluster"] if self.is_spread else []), *(["narrow doors"] if self.is_narrow else []), *older, *bank]


class Town(Stage):
    """A stage with two APIs behind one address, two workers, and the server of its database."""

    def __init__(self, home: Path, server: Server, disk: Path | None, manner: Manner = Manner()) -> None:
        super().__init__(home, server.dsn(), is_external=False, programs=_PROGRAMS)
        self.server = server
        self.manner = manner
        self._older = manner.older
        self._behind = {name: reserved_port() for name in APIS}
        self._taken += self._behind.values()
        self.line = Line(tuple(taken.getsockname()[1] for taken in self._behind.values()))
        self.ballast = None if disk is None else disk / "ballast"
        self._listening: asyncio.Server | None = None
        self.people: dict[str, Any] = {}

    async def open(self) -> None:
        self._listening = await self.line.open(int(self.base_url.rpartition(":")[2]))
        self._log_where_the_database_is()
        known = self.home.parent / PEOPLE
        self.people = json.loads(known.read_text(encoding="utf-8")) if known.exists() else {}
        await super().open()

    def _log_where_the_database_is(self) -> None:
        """What is logged is on the small disk, too, where there is one: full, it takes neither."""
        if self.ballast is None:
            return
        beside = self.ballast.with_name("logs")
        beside.mkdir(exist_ok=True)
        self.home.mkdir(parents=True, exist_ok=True)
        logs = self.home / "logs"
        if not logs.is_symlink() and not logs.exists():
            logs.symlink_to(Path("..") / "server" / "logs")

    def launch(self, name: str, **environment: str) -> Child:
        own = {}
        if name in self._behind:
            own = {"LASTRO_PORT": str(self._behind[name].getsockname()[1]), "LASTRO_PUBLIC_URL": self.base_url}
            own |= _NARROW if self.manner.is_narrow else {}
        child = super().launch(name, **own, **environment)
        if not environment:
            self._different.discard(name)
        return child

    def start_of(self, name: str) -> Starter:
        if self._older is None or name not in _OLDER:
            return super().start_of(name)
        older = self._older

        def start(program: Sequence[str], environment: Mapping[str, str]) -> Process:
            theirs = {**environment, "PYTHONPATH": str(older / "src")}
            return forked.start(
                program, env=theirs, stdin=PIPE, stdout=PIPE, stderr=STDOUT, text=True, own_session=True, anew=True
            )

        return start

    def renew(self) -> None:
        """Whatever runs an older version ends, and never starts again."""
        if self._older is not None:
            self._older = None
            for name in _OLDER:
                self.kill(name)

    def health_of(self, name: str) -> str | None:
        if name in self._behind:
            return f"http://{HOST}:{self._behind[name].getsockname()[1]}/health"
        return super().health_of(name)

    def pid(self, name: str) -> int | None:
        """Of a process that lives."""
        return self._children[name].pid

    def complaints(self) -> Counter[str]:
        """What its processes have logged as errors, by event and exception, and how often. In capitals: the alarms."""
        found = Counter[str]()
        for file in (self.home / "logs").glob("*.log"):
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
                if '"level":"error"' in line or '"level":"critical"' in line:
                    with contextlib.suppress(ValueError):
                        said = json.loads(line)
                        why = str(said.get("exception") or said.get("reason") or "").strip().splitlines()
                        event = said["event"]
                        if said["level"] == "critical":
                            event = f"{event.upper()} {said.get('kind', '')}".strip()
                        found[f"{file.stem.rstrip('-12')} {event} {why[-1][:200] if why else ''}"] += 1
        return found

    def close(self) -> None:
        if self._listening is not None:
            self._listening.close()
        super().close()

    async def put_out(self, number: signal.Signals, pause: float, some: Sequence[Part] = ()) -> None:
        """The database server, or some nodes of it, ends by this signal, stays away for so many seconds, and comes back."""
        await put_out(self.server, number, pause, some)

    def fill(self) -> None:
        """Nothing more can be written where the database is."""
        assert self.ballast is not None
        with self.ballast.open("wb", buffering=0) as file:
            for block in (bytes(1 << 20), bytes(4096)):
                with contextlib.suppress(OSError):
                    while file.write(block) == len(block):
                        pass

    def empty(self) -> None:
        """There is room again."""
        assert self.ballast is not None
        self.ballast.unlink(missing_ok=True)


def mounted(folder: Path) -> bool:
    """A small disk in memory at this folder, which the database can fill; False where nobody may mount one."""
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "lastro-storm", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def removed(folder: Path) -> None:
    """A town is gone, and the disk of its server."""
    if (folder / "server").is_mount():
        subprocess.run(["umount", "-l", str(folder / "server")], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def built(folder: Path, kind: type[Town] = Town, *, is_spread: bool = False) -> AsyncIterator[Town]:
    """A new town in this folder: everybody has a client, accounts and money, and nothing is on its way.

    is_spread: its database is on a cluster of its own.
    """
    disk = None if is_spread else _disk(folder)  # a cluster is larger than the small disk
    server = await started(folder / "server", is_spread=is_spread)
    town = kind(folder / "home", server, disk, Manner(is_spread=is_spread))
    try:
        await migrate(server.dsn())
        await town.open()
        async with visiting(town) as play:
            town.people = await _settle(play)
            (folder / PEOPLE).write_text(json.dumps(town.people), encoding="utf-8")
            await play.rest()
        yield town
    finally:
        town.close()
        await asyncio.to_thread(server.stop)


async def _settle(play: Play) -> dict[str, Any]:
    """Dora has money, too; two of Ana's accounts may be blocked and closed; another client of hers signs plans."""
    spare = []
    for name, document in _HOLDERS:
        held = ("--holder-type", "individual", "--name", name, "--document", document, "--email", "r@example.com")
        opened = await operator(play, "account", "open", "1", *held, "--phone", "+5511987654321")
        key = (await operator(play, "account", "add-key", opened["number"]))["key"]
        spare.append({"id": opened["id"], "number": opened["number"], "pixKey": key})
    signer = await operator(play, "client", "add", "1", "signer")
    await operator(play, "company", "review", "2", "--above", "4000.00")
    (account,) = (await play.call("GET", "/order/v1/banking/accounts", dora=True)).json["data"]
    keys = (await play.call("GET", f"/order/v1/banking/accounts/{account['id']}/keys", dora=True)).json["data"]
    made = await play.call("PUT", ORDERS, play.asking("80000.00"), dora=True)
    assert (await play.pay(made.json))["status"] == "SETTLED"
    return {
        "spare": spare, "dora": {"id": account["id"], "pixKey": keys[0]["key"]},
        "signer": {name: signer[name] for name in ("clientId", "clientSecret")},
    }  # fmt: skip


@asynccontextmanager
async def visiting(town: Town) -> AsyncIterator[Play]:
    """Who plays in the town. What must hold at the end is for the storm to say."""
    books = await connected(town.dsn("lastro_audit"))
    timeout = aiohttp.ClientTimeout(total=30, sock_connect=5)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=False, connector=aiohttp.TCPConnector(limit=0)) as http:
        play = Play(town, http, books)
        try:
            yield play
        finally:
            play.books.terminate()


@asynccontextmanager
async def copied(model: Path, folder: Path, manner: Manner = Manner(), kind: type[Town] = Town) -> AsyncIterator[Town]:
    """A town like one that was built in the folder `model` and is closed; in a new folder, which is gone afterwards."""
    try:
        disk = await asyncio.to_thread(_copy, model, folder)
        is_spread = is_cluster(folder / "server")
        server = await started(folder / "server", is_spread=is_spread)
        town = kind(folder / "home", server, disk, replace(manner, is_spread=is_spread))
        try:
            await town.open()
            yield town
        finally:
            town.close()
            await asyncio.to_thread(server.stop, hurry=True)
    finally:
        removed(folder)


def _disk(folder: Path) -> Path | None:
    return folder / "server" if mounted(folder / "server") else None


def _copy(model: Path, folder: Path) -> Path | None:
    """Its disk, where it has a small one."""
    folder.mkdir(mode=0o711)
    disk = None if is_cluster(model / "server") else _disk(folder)
    subprocess.run(["cp", "-a", f"{model}/.", str(folder)], check=True)
    return disk
