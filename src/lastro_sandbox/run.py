"""`lastro run`: the whole sandbox in one go, from the database to the demo data, until Ctrl-C.

Nothing outlives this process, not even when it is killed: every child ends when its standard input does, and the
database has a watchdog (docs/decisions/embedded-server.md).
"""

import asyncio
import errno
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

from lastro.core.declined import CommandFailed
from lastro.core.servers import UNREACHABLE, refusal
from lastro_sandbox import jobs, keeping, snapshots, terminal
from lastro_sandbox.child import Child, ChildPlan, rotate
from lastro_sandbox.embedded import EmbeddedServer, StartRefused
from lastro_sandbox.embedded.home import HomeLock
from lastro_sandbox.embedded.refusal import refused_by_disk
from lastro_sandbox.probing import demand_free_port, is_healthy, where_it_answers
from lastro_sandbox.run_settings import Running, RunSettings

_DATABASE = "lastro"
_HEALTH_SECONDS = 60.0
_DOORS_STOP_SECONDS = 6.0
_TICK_SECONDS = 0.1
_SAME_ASKING_SECONDS = 0.5


def _later(module: str, function: str) -> Callable[..., Any]:
    """Returns a function that imports its module at the call. So a start that is refused is refused at once."""

    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module(module), function)(*arguments)

    return call


def _plans(settings: RunSettings) -> list[ChildPlan]:
    """Returns the sandbox's processes in the order of their start. They stop in the order of `_STOP_ORDER`."""
    python = sys.executable
    return [
        ChildPlan("simulator", [python, "-m", "lastro_sim"], f"{settings.simulator_url}/health"),
        ChildPlan("api", [python, "-m", "lastro.cli.main", "api"], f"{settings.base_url}/health"),
        ChildPlan("worker", [python, "-m", "lastro.cli.main", "worker"]),
    ]


_STOP_ORDER = ("api", "worker", "simulator")


@dataclass(frozen=True, slots=True)
class Parts:
    """The supervisor's parts; tests give others."""

    plans: Callable[[RunSettings], list[ChildPlan]] = _plans
    migrate: Callable[[str], Awaitable[Any]] = field(default_factory=lambda: _later("lastro_sandbox.keeping", "migrate"))
    # The children's further variables: names of files and the network's token.
    ensure_secrets: Callable[[Path], Mapping[str, str]] = field(
        default_factory=lambda: _later("lastro_sandbox.secrets", "ensure")
    )
    # The content of sandbox.json.
    seed: Callable[[Running], Mapping[str, Any]] = field(default_factory=lambda: _later("lastro_sandbox.demo_data", "seed"))
    # The file of connections to the simulated bank, None where there is none; it needs the demo data.
    connect: Callable[[Running, Mapping[str, Any]], Path | None] = field(
        default_factory=lambda: _later("lastro_sandbox.bank_file", "write")
    )
    # The accounts' first money, which comes in once the rest stands.
    fund: Callable[[Running, Mapping[str, Any]], None] = field(
        default_factory=lambda: _later("lastro_sandbox.demo_data", "fund")
    )
    next_step: Callable[[Mapping[str, Any]], str] = field(
        default_factory=lambda: _later("lastro_sandbox.next_step", "next_step")
    )


class StopAskedError(BaseException):
    """Ctrl-C, or the end of our parent; not an Exception, so that no handler takes it for a failure."""


def run_all(env: Mapping[str, str], parts: Parts | None = None) -> int:
    """Runs the sandbox until it shall stop, and returns an exit status."""
    try:
        sandbox = Sandbox(RunSettings.from_env(env), env, parts or Parts())
    except StartRefused as refused:
        terminal.say(refused.sentence)
        terminal.said()
        return 1
    return sandbox.run()


class Sandbox:
    """The supervisor of one home."""

    def __init__(self, settings: RunSettings, env: Mapping[str, str], parts: Parts) -> None:
        self._settings = settings
        self._env = dict(env)
        self._parts = parts
        self._lock: HomeLock | None = None
        self._server: EmbeddedServer | None = None
        self._database_url = settings.database_url or ""
        self._children: dict[str, Child] = {}
        self._is_stopping = False
        self._asked_at = 0.0
        self._hurry = threading.Event()
        self._who_is_in = "[]"
        self._laid: Mapping[str, Any] = {}  # the content of sandbox.json

    def run(self) -> int:
        """Starts, watches and stops the sandbox: each a list of steps."""
        before = {number: signal.signal(number, self._asked) for number in _STOP_SIGNALS}
        status = 0
        try:
            self._start()
            self._watch()
        except StopAskedError:
            terminal.say("\nstopping; Ctrl-C again to hurry")
        except StartRefused as refused:
            terminal.say(refused.sentence)
            status = 1
        except OSError as error:
            if error.errno not in _DISK_ERRORS:
                raise
            terminal.say(refused_by_disk(self._settings.home, error).sentence)
            status = 1
        finally:
            self._is_stopping = True
            self._stop()
            for number, handler in before.items():
                signal.signal(number, handler)
            terminal.said()
        return status

    def _start(self) -> None:
        self._demand_no_other_run()
        self._demand_free_ports()
        jobs.clear(self._settings.home)
        snapshots.finish_alone(self._settings.home, terminal.say)
        self._start_database()
        self._migrate()
        self._go_on()
        self._make_secrets()
        self._write("database.json", self._how_to_connect())
        self._start_children(seeds=True)
        sandbox = self._laid
        self._write("sandbox.json", sandbox)
        self._parts.fund(self._running(), sandbox)
        terminal.say(self._parts.next_step(sandbox))

    def _watch(self) -> None:
        while True:
            self._tend_database()
            jobs.tend(self._settings.home, self, terminal.say)
            for child in self._children.values():
                child.tend()
            time.sleep(_TICK_SECONDS)

    def _stop(self) -> None:
        for name in ("sandbox.json", "database.json"):
            if self._lock is not None or self._server is not None:
                (self._settings.home / name).unlink(missing_ok=True)
        self._stop_children()
        if self._server is not None:
            self._server.stop(hurry=self._hurry.is_set())
        if self._lock is not None:
            self._lock.release()

    def _stop_children(self) -> None:
        deadline = time.monotonic() + _DOORS_STOP_SECONDS
        for name in sorted(self._children, key=_stop_rank):
            self._children[name].stop(deadline, self._hurry.is_set)

    def pause(self) -> datetime:
        """Stops every process and then the database, for a snapshot.

        Returns the business time when nothing moved any more.
        """
        if self._server is None:
            raise CommandFailed(jobs.ANOTHERS_SERVER)
        self._stop_children()
        now, self._who_is_in = asyncio.run(keeping.asked_before_a_stop(self._database_url))
        self._server.pause()
        return now

    def resume(self) -> None:
        """Restarts the database and every process, on the home's present files. StartRefused: it runs no more."""
        self._stop_children()
        if self._server is not None:
            self._server.revive()
        is_restored = snapshots.restored_at(self._settings.home) is not None
        if is_restored:
            self._migrate()
            asyncio.run(keeping.stay_in(self._database_url, self._who_is_in))
            self._go_on()
            self._make_secrets()
        self._start_children(seeds=is_restored)
        if is_restored:
            sandbox = self._laid
            self._write("sandbox.json", sandbox)
            terminal.say(f"console: {sandbox.get('consoleUrl', self._settings.base_url)}")

    def _go_on(self) -> None:
        """Sets a restored sandbox's clock to the time of its snapshot."""
        home = self._settings.home
        business_now = snapshots.restored_at(home)
        if business_now is not None:
            asyncio.run(keeping.go_on_from(self._database_url, home, business_now))
            snapshots.clock_is_set(home)

    def _asked(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_stopping:
            # The same Ctrl-C or SIGTERM may arrive twice, from the terminal and through make.
            if time.monotonic() - self._asked_at > _SAME_ASKING_SECONDS:
                self._hurry.set()
            return
        self._is_stopping = True
        self._asked_at = time.monotonic()
        raise StopAskedError

    def _demand_no_other_run(self) -> None:
        """Raises StartRefused with a running sandbox's address. The lock refuses one that starts at the same instant."""
        home = self._settings.home
        holder = HomeLock.holder(home)
        if holder is None:
            return
        raise StartRefused(
            f"lastro {where_it_answers(home / 'sandbox.json')}: the folder {home} is in use by {holder}. Use that one, or"
            " stop it; for another one beside it set LASTRO_HOME, LASTRO_PORT and LASTRO_SIM_PORT."
        )

    def _demand_free_ports(self) -> None:
        ports = {"LASTRO_PORT": self._settings.port, "LASTRO_SIM_PORT": self._settings.simulator_port}
        for variable, port in ports.items():
            demand_free_port(self._settings.bind, port, variable)

    def _start_database(self) -> None:
        if self._settings.database_url is not None:
            self._lock = HomeLock.take(self._settings.home)
            return
        self._server = EmbeddedServer.start(self._settings.home, log=terminal.say)
        self._database_url = self._server.dsn(_DATABASE)
        asyncio.run(keeping.ensure_database(self._server.dsn("postgres"), _DATABASE))

    def _migrate(self) -> None:
        async def once() -> None:
            await self._parts.migrate(self._database_url)

        try:
            asyncio.run(once())
        except (*UNREACHABLE, SystemExit) as error:
            where = "of LASTRO_DATABASE_URL" if self._server is None else f"in {self._settings.home}"
            raise StartRefused(
                f"The database {where} could not be prepared: {refusal(error) or _one_line(error)}."
            ) from error

    def _make_secrets(self) -> None:
        self._env.update(self._parts.ensure_secrets(self._settings.home))

    def _how_to_connect(self) -> dict[str, str]:
        """Returns the database's address, for the commands of another terminal. They cannot guess the socket's folder."""
        return {"url": self._database_url, "login": self._login}

    @property
    def _login(self) -> str:
        # The embedded server trusts its socket, so each role logs in itself; elsewhere one login takes the roles on.
        return "switch" if self._server is None else "role"

    def _start_children(self, *, seeds: bool) -> None:
        """Starts every process, and waits until it answers. seeds: the demo data may be missing.

        The simulated networks are first: a company's account at the simulated bank is a setting of the others.
        """
        self._children.clear()
        first, *others = self._parts.plans(self._settings)
        self._start_child(first)
        self._await_health()
        if seeds:
            self._laid = self._parts.seed(self._running())
        banks = self._parts.connect(self._running(), self._laid)
        if banks is not None and not self._env.get("LASTRO_BANKS_FILE"):  # an operator's own file stands
            self._env |= {"LASTRO_BANKS_FILE": str(banks)}
        for plan in others:
            self._start_child(plan)
        self._await_health()

    def _start_child(self, plan: ChildPlan) -> None:
        logs = self._settings.home / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        environment = self._env | {
            "LASTRO_HOME": str(self._settings.home),
            "LASTRO_PORT": str(self._settings.port),
            "LASTRO_SIM_PORT": str(self._settings.simulator_port),
            "LASTRO_BIND": self._settings.bind,
            "LASTRO_BASE_URL": self._settings.base_url,
            "LASTRO_SIM_URL": self._settings.simulator_url,
            "LASTRO_DATABASE_URL": self._database_url,
            "LASTRO_DATABASE_LOGIN": self._login,
        }
        child = Child(plan, environment, logs, terminal.say)
        rotate(child.log_file)
        self._children[plan.name] = child
        child.start()

    def _await_health(self) -> None:
        deadline = time.monotonic() + _HEALTH_SECONDS
        waiting = list(self._children.values())
        while waiting:
            for child in self._children.values():
                if not child.is_running():
                    raise StartRefused(
                        f"The {child.plan.name} ended while starting: {child.why_it_ended()}; see {child.log_file}."
                    )
            waiting = [child for child in waiting if not is_healthy(child.plan.health_url)]
            if waiting and time.monotonic() > deadline:
                raise StartRefused(
                    f"The {waiting[0].plan.name} was not ready after {_HEALTH_SECONDS:.0f} s; see {waiting[0].log_file}."
                )
            if waiting:
                time.sleep(0.02)

    def _running(self) -> Running:
        settings = self._settings
        return Running(settings.home, settings.base_url, settings.simulator_url, self._database_url)

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        """Writes a file for its owner alone, whole or not at all."""
        fresh = self._settings.home / f".{name}.new"
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(content, stream, indent=2, ensure_ascii=False)
            stream.write("\n")
        fresh.replace(self._settings.home / name)

    def _tend_database(self) -> None:
        if self._server is not None and not self._server.is_running():
            terminal.say(f"the database ended; starting it again (see {self._server.log_file})")
            self._server.revive()


_DISK_ERRORS = (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EIO)
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _stop_rank(name: str) -> int:
    return _STOP_ORDER.index(name) if name in _STOP_ORDER else len(_STOP_ORDER)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
