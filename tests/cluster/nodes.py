"""The nodes of a cluster that a test may kill: each lives as long as this process, and comes back under its address.

Every login is trusted. Nothing is synced to a disk, but each commit is written before it is acknowledged: so whoever is killed
loses nothing of it.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Self

import asyncpg
from tests.cluster.run_cluster import join, spread
from tests.journeys.stage import HOST, reserved_port

from lastro.ops.migrate import migrate
from lastro_sandbox.embedded import watchdog
from lastro_sandbox.embedded.account import SystemAccount
from lastro_sandbox.embedded.home import mark_of
from lastro_sandbox.embedded.leftovers import wait_until_gone

NODES = 3
_SUPERUSER = "postgres"
_SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "shared_preload_libraries": "citus",
    "wal_level": "logical",
    "max_wal_senders": "10",
    "max_replication_slots": "20",
    "max_connections": "300",
    "max_worker_processes": "40",
    "max_prepared_transactions": "300",
    "shared_buffers": "128MB",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "on",
    "jit": "off",
    "timezone": "UTC",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
    "citus.node_conninfo": "sslmode=disable",
    "citus.enable_statistics_collection": "off",
}
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_PATIENCE_SECONDS = 60.0
_MOVED = "UPDATE pg_dist_node SET nodeport = $2 WHERE groupid = $1"


class Node:
    """One server of a cluster. data: its folder, which is there. port: that nobody else takes."""

    def __init__(self, data: Path, port: int) -> None:
        self.data = data
        self.port = port
        self._account = SystemAccount.for_data(data)
        self._mark = mark_of(data)
        self._watchdog: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Of the postmaster, while there is one."""
        lines = self._lock_lines()
        return int(lines[0]) if lines else None

    def dsn(self) -> str:
        return f"postgresql://{_SUPERUSER}@{HOST}:{self.port}/postgres"

    def is_running(self) -> bool:
        return self._watchdog is not None and self._watchdog.poll() is None

    def revive(self) -> None:
        """Starts it again after it died; one that lives is left alone."""
        if self.is_running():
            return
        self.stop(hurry=True)
        wait_until_gone(self._mark, self.data, lambda _line: None)
        settings = {**_SETTINGS, "port": str(self.port), "cluster_name": self._mark}
        command = [str(_programs() / "postgres"), "-D", self._account.data_argument(self.data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        order = {
            "command": command, "folder": str(self.data), "socket_folder": "", "environment": _ENVIRONMENT,
            "account": self._account.popen_options(),
        }  # fmt: skip
        with self.data.with_suffix(".log").open("ab") as log:
            self._watchdog = subprocess.Popen(
                [sys.executable, "-I", "-S", watchdog.__file__, json.dumps(order)],
                stdin=subprocess.PIPE, stdout=log, stderr=log, cwd="/", start_new_session=True,
            )  # fmt: skip
        self._wait_until_ready()

    def stop(self, *, hurry: bool = False) -> None:
        """It ends; in a hurry without a checkpoint."""
        process, self._watchdog = self._watchdog, None
        if process is None or process.stdin is None:
            return
        with suppress(BrokenPipeError):
            if hurry:
                process.stdin.write(b"!")
            process.stdin.close()
        process.wait()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            lines = self._lock_lines()
            if len(lines) >= 8 and lines[7].strip() == "ready":
                return
            said = f"{self.data.with_suffix('.log').read_text(errors='replace')[-2000:]}"
            assert self.is_running(), f"{self.data} has ended: {said}"
            assert time.monotonic() < deadline, f"{self.data} is not ready: {said}"
            time.sleep(0.01)

    def _lock_lines(self) -> list[str]:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []


class Cluster:
    """Three nodes in a folder, the coordinator first: what `EmbeddedServer` is where a database is on one server.

    A node finds the others by host and port, which are in the tables of each. So those of a copied folder are told where the
    others are, before anybody asks them.
    """

    def __init__(self, home: Path) -> None:
        self._taken = [reserved_port() for _ in range(NODES)]
        self.nodes = tuple(Node(home / f"node{n}", taken.getsockname()[1]) for n, taken in enumerate(self._taken))

    @classmethod
    def start(cls, home: Path) -> Self:
        """Starts the cluster of this folder, made anew and spread where there is none."""
        is_new = not is_cluster(home)
        if is_new:
            for n in range(NODES):
                _initialise(home / f"node{n}")
        made = cls(home)
        try:
            made.revive()
            asyncio.run(made._fill() if is_new else made._tell())
        except BaseException:
            made.stop(hurry=True)
            raise
        return made

    @property
    def coordinator(self) -> Node:
        return self.nodes[0]

    @property
    def data_nodes(self) -> tuple[Node, ...]:
        """Those that have companies."""
        return self.nodes[1:]

    @property
    def pid(self) -> int | None:
        """Of the coordinator's postmaster."""
        return self.coordinator.pid

    def dsn(self) -> str:
        """The coordinator's address, as its superuser."""
        return self.coordinator.dsn()

    def is_running(self) -> bool:
        """Whether any of them lives."""
        return any(node.is_running() for node in self.nodes)

    def revive(self) -> None:
        """Starts those that have died."""
        with ThreadPoolExecutor(NODES) as threads:
            list(threads.map(Node.revive, self.nodes))

    def stop(self, *, hurry: bool = False) -> None:
        with ThreadPoolExecutor(NODES) as threads:
            list(threads.map(lambda node: node.stop(hurry=hurry), self.nodes))
        for taken in self._taken:
            taken.close()

    async def _fill(self) -> None:
        await join([node.dsn() for node in self.nodes])
        await migrate(self.dsn())
        await spread(self.dsn())

    async def _tell(self) -> None:
        for node in self.nodes:
            connection = await asyncpg.connect(node.dsn())
            await connection.executemany(_MOVED, [(group, other.port) for group, other in enumerate(self.nodes)])
            await connection.close()


def is_cluster(home: Path) -> bool:
    """Whether a folder has the data of one."""
    return (home / "node0" / "PG_VERSION").exists()


def _initialise(data: Path) -> None:
    data.mkdir(mode=0o700, parents=True)
    account = SystemAccount.for_data(data / "new")
    account.own(data)
    command = [
        str(_programs() / "initdb"),
        "-D",
        account.data_argument(data),
        "-U",
        _SUPERUSER,
        "--auth=trust",
        "--encoding=UTF8",
    ]
    subprocess.run(
        [*command, "--locale=C.UTF-8", "--no-sync", "--no-instructions"], check=True, cwd=data, env=_ENVIRONMENT,
        stdin=subprocess.DEVNULL, capture_output=True, **account.popen_options(),
    )  # fmt: skip


@cache
def _programs() -> Path:
    """The folder of a PostgreSQL that has the engine."""
    config = os.environ.get("PG_CONFIG", "pg_config")
    return Path(subprocess.run([config, "--bindir"], check=True, capture_output=True, text=True).stdout.strip())
