"""What every test may ask for: a database of its own, the roles of it, one event loop, a repeatable hypothesis.

One server serves the whole run, however many xdist workers it has. The process that was started by hand owns it and
hands out databases on a private socket; it makes nothing before the first request, so that pure tests stay quick.
"""

import asyncio
import gc
import json
import os
import secrets
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import structlog
from tests import drawn
from tests.cluster.left_out import reason
from tests.databases import Database, RunServer

from lastro.core.db import Dsn
from lastro.core.servers import addresses
from lastro_sandbox.embedded import StartRefused
from lastro_sandbox.embedded.home import HomeLock

_RUN_FOLDER = "lastro-pytest-"
# Memory as a folder: hundreds of databases are copied and removed in a run, and none of them outlives it.
_MEMORY_FOLDER = Path("/dev/shm")
_MEMORY_NEEDED = 4 << 30
_STALE_FOLDER_SECONDS = 600
_FIRST = ("fuzz", "world", "journeys/test_crashes.py")  # up to a minute each
_SOCKET_KEY = pytest.StashKey[str]()
_OWNER_KEY = pytest.StashKey["DatabaseDoor"]()

hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")
# Colours and the variables of every frame, as structlog has it for people, take longer than what is logged.
structlog.configure(processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()])


def _remove_stale_folders() -> None:
    """What killed runs left in the temporary folder; a folder whose lock is held belongs to a run that lives."""
    places = {Path(_short_folder()), _MEMORY_FOLDER}
    for folder in (found for place in places for found in place.glob(_RUN_FOLDER + "*")):
        # A young folder may belong to a run that is about to take its lock.
        with suppress(OSError, StartRefused):
            if folder.stat().st_uid == os.geteuid() and folder.stat().st_mtime < time.time() - _STALE_FOLDER_SECONDS:
                HomeLock.take(folder).release()
                shutil.rmtree(folder, ignore_errors=True)


class DatabaseDoor:
    """Answers the workers one at a time, which is all the locking that one template needs."""

    def __init__(self) -> None:
        _remove_stale_folders()
        self._folder = Path(tempfile.mkdtemp(prefix=_RUN_FOLDER, dir=_quick_folder() or _short_folder()))
        self._lock = HomeLock.take(self._folder)
        self.path = str(self._folder / "s")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen(64)
        self._server = _run_server(self._folder / "home", os.environ)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with suppress(OSError):
            _ask(self.path, {"act": "close"})
        self._thread.join(30)
        self._listener.close()
        self._server.close()
        self._lock.release()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _serve(self) -> None:
        while True:
            caller, _ = self._listener.accept()
            with caller, suppress(OSError):
                request = json.loads(caller.makefile().readline())
                if request["act"] == "close":
                    caller.sendall(b"{}\n")
                    return
                try:
                    answer = self._server.answer(request)
                except Exception as error:  # noqa: BLE001 - the test that asked fails with it
                    answer = {"error": f"{type(error).__name__}: {error}"}
                caller.sendall(json.dumps(answer).encode() + b"\n")


def _run_server(home: Path, environment: Mapping[str, str]) -> RunServer:
    """The server that the environment names, or one of our own."""
    if nodes := environment.get("LASTRO_CITUS_URL"):
        from tests.cluster.run_cluster import RunCluster  # noqa: PLC0415 a run on one server knows nothing of it

        return RunCluster(home, addresses(nodes))
    url = environment.get("LASTRO_DATABASE_URL")
    return RunServer(home, [url] if url else [])


def _quick_folder() -> Path | None:
    """The folder in memory, where there is one with room for a run's databases."""
    try:
        place = os.statvfs(_MEMORY_FOLDER)
        available = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return None
    room = min(place.f_bavail * place.f_frsize, int(available.split()[1]) * 1024)
    return _MEMORY_FOLDER if room >= _MEMORY_NEEDED and os.access(_MEMORY_FOLDER, os.W_OK) else None


def _short_folder() -> str:
    place = tempfile.gettempdir()
    return place if len(place) < 60 else "/tmp"


def _ask(path: str, request: dict[str, str]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as context:
        context.connect(path)
        context.sendall(json.dumps(request).encode() + b"\n")
        answer: dict[str, Any] = json.loads(context.makefile().readline())
    if "error" in answer:
        raise RuntimeError(f"no database for this test: {answer['error']}")
    return answer


def pytest_configure(config: pytest.Config) -> None:
    # A coroutine is a test like any other, without a mark on each.
    config.option.anyio_mode = "auto"
    drawn.begin()
    if hasattr(config, "workerinput"):
        config.stash[_SOCKET_KEY] = config.workerinput["lastro_databases"]
        return
    context = DatabaseDoor()
    config.stash[_OWNER_KEY] = context
    config.stash[_SOCKET_KEY] = context.path


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is made here is kept: to look through it for garbage, now and again and again, takes half as long as all else."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)  # to look for garbage at each 700 takes a twentieth
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Those that take longest begin first, so that none is still at it when the other workers have nothing left."""
    first = [config.rootpath / "tests" / name for name in _FIRST]
    items.sort(key=lambda item: not any(item.path.is_relative_to(folder) for folder in first))
    if os.environ.get("LASTRO_CITUS_URL"):
        for item in items:
            if said := reason(item.nodeid):
                item.add_marker(pytest.mark.skip(f"not on a cluster: {said}"))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["lastro_databases"] = node.config.stash[_SOCKET_KEY]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    if exitstatus:
        terminalreporter.write_line(f"cases were drawn by {drawn.SEED}={drawn.begin()}")


def pytest_unconfigure(config: pytest.Config) -> None:
    context = config.stash.get(_OWNER_KEY, None)
    if context is not None:
        context.close()


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": True}


@pytest.fixture(autouse=True)
def _no_network_in_rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of pure rules that speak to anything are in the wrong folder."""
    if not request.path.is_relative_to(Path(__file__).parent / "rules"):
        return

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("tests/rules may not open sockets; a test that needs one lives in tests/rooms")

    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="session")
def pg_server(request: pytest.FixtureRequest) -> Database:
    """The server of the run: its maintenance database, as the role that may create databases and roles."""
    return _database(_ask(request.config.stash[_SOCKET_KEY], {"act": "server"}))


@pytest.fixture(scope="session")
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """The migrated database of this worker, shared by its tests."""
    name = os.environ.get("PYTEST_XDIST_WORKER", "main")
    yield from lent(request, "clone", name)


@pytest.fixture
def own_database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A migrated database for one test alone."""
    yield from lent(request, "clone", secrets.token_hex(4))


@pytest.fixture
def empty_database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database without schema for one test alone."""
    yield from lent(request, "empty", secrets.token_hex(4))


def lent(request: pytest.FixtureRequest, act: str, name: str, *, real_events: bool = True) -> Iterator[Database]:
    """A database for as long as it is used. Whatever events were born in it must be as their schemas say.

    real_events: False where a test makes up what events say, since it is no matter to what is tried.
    """
    path = request.config.stash[_SOCKET_KEY]
    made = _database(_ask(path, {"act": act, "name": name}))
    yield made
    try:
        if act == "clone" and real_events:
            _hold_events(made)
    finally:
        with suppress(OSError):
            _ask(path, {"act": "drop", "name": name})


def _hold_events(database: Database) -> None:
    """In a thread, since a loop may be running here."""
    from tests.event_contract import hold  # noqa: PLC0415 what asks for no database needs no schemas

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, hold(database.audit)).result()


def _database(answer: dict[str, Any]) -> Database:
    return Database(answer["name"], Dsn(answer["url"]), answer["is_external"], tuple(answer["others"]))


@pytest.fixture(scope="session")
def admin_dsn(database: Database) -> Dsn:
    """The worker's database as the role that made it: for setting the scene, never for what is tested."""
    return database.admin


@pytest.fixture(scope="session")
def app_dsn(database: Database) -> Dsn:
    return database.app


@pytest.fixture(scope="session")
def work_dsn(database: Database) -> Dsn:
    return database.work


@pytest.fixture(scope="session")
def audit_dsn(database: Database) -> Dsn:
    return database.audit
