"""Servers of a cluster as an installation has them: each login has a password, each server may have a standby."""

import asyncio
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
from tests.cluster.__main__ import CONFIGURED, HOST, SUPERUSER, free_ports, run
from tests.cluster.__main__ import stop as remove

from lastro.core.db import Dsn
from lastro.ops import distribute
from lastro.ops.distribute import moving
from lastro.ops.migrate import ROLES, migrate

DATABASE = "lastro"
SHARDS = 4
BETWEEN_SERVERS = (SUPERUSER, "lastro_owner", "lastro_app")
_ADMITTED = """
local all all peer
host all all 127.0.0.1/32 scram-sha-256
host replication postgres 127.0.0.1/32 scram-sha-256
"""
_KEPT = ("archive_mode = on", "fsync = on", "full_page_writes = on", "synchronous_commit = on")


@dataclass(frozen=True)
class Server:
    """One PostgreSQL."""

    data: Path
    port: int

    @property
    def place(self) -> str:
        return f"{HOST}:{self.port}"


class Installation:
    """The servers of one folder, the coordinator first, and the password of each login."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self._passwords = {role: secrets.token_hex(8) for role in (SUPERUSER, *ROLES)}
        self._passfile, self._between = folder / "pgpass", folder / "pgpass.servers"
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        self._write(self._passfile, "".join(f"*:*:*:{role}:{word}\n" for role, word in self._passwords.items()))
        self.let_in(*BETWEEN_SERVERS)
        self._give(folder)
        self.servers = [Server(folder / f"node{n}", port) for n, port in enumerate(free_ports(count))]

    def address(self, role: str | None = None, *servers: Server, database: str = DATABASE) -> str:
        """The address of some servers' database for a login, whose password is in a file; by default the coordinator's."""
        login = f"{role}@" if role else ""
        places = ",".join(server.place for server in servers or self.servers[:1])
        return f"postgresql://{login}{places}/{database}?passfile={self._passfile}"

    def dsn(self, role: str, *servers: Server) -> Dsn:
        return Dsn(self.address(role, *servers))

    def let_in(self, *roles: str) -> None:
        """Has the servers know the passwords of these logins, by which they reach each other."""
        self._write(self._between, "".join(f"*:*:*:{role}:{self._passwords[role]}\n" for role in roles))

    async def set_up(self) -> None:
        """In the order of docs/operations.md."""
        password = self.folder / "password"
        self._write(password, self._passwords[SUPERUSER])
        for server in self.servers:
            run("initdb", "-D", server.data, "-U", SUPERUSER, "--auth=scram-sha-256", f"--pwfile={password}",
                "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")  # fmt: skip
            self._write(server.data / "pg_hba.conf", _ADMITTED)
            self.configure(server, CONFIGURED, *_KEPT, self._archived(server))
            self.start(server)
            await self.say(server, f"CREATE DATABASE {DATABASE}", database="postgres")
            await self.say(server, "CREATE EXTENSION citus")
        coordinator, *others = self.servers
        await self.say(coordinator, f"SELECT citus_set_coordinator_host('{HOST}', {coordinator.port})")
        await migrate(self.address(SUPERUSER), mode="production")
        await self.say(coordinator, "".join(f"ALTER ROLE {role} PASSWORD '{self._passwords[role]}';" for role in ROLES))
        connection = await asyncpg.connect(self.address(SUPERUSER))
        for server in others:
            await moving.add(connection, moving.Address(HOST, server.port), is_spread=False)
        await distribute.spread(connection, SHARDS)
        await connection.close()

    async def say(self, server: Server, sql: str, *, database: str = DATABASE) -> None:
        """Has the superuser say something at a server."""
        connection = await asyncpg.connect(self.address(SUPERUSER, server, database=database))
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    def configure(self, server: Server, *lines: str) -> None:
        """Adds to its settings, of which the last of a name holds."""
        own = (f"port = {server.port}", f"unix_socket_directories = '{self.folder}'")
        with (server.data / "postgresql.conf").open("a") as settings:
            settings.write("\n".join((*lines, *own, "")))

    def start(self, server: Server) -> None:
        self._pg_ctl(server, "-w", "-l", f"{server.data}.log", "start")

    def reload(self, server: Server) -> None:
        self._pg_ctl(server, "reload")

    def stop(self, server: Server) -> None:
        """It ends with all of its log in the archive."""
        self._pg_ctl(server, "-w", "-m", "fast", "stop")

    def kill(self, server: Server) -> None:
        """It ends at once, as its machine may."""
        self._pg_ctl(server, "-w", "-m", "immediate", "stop")

    def promote(self, server: Server) -> None:
        """The standby takes writes, and is the server from now on."""
        self._pg_ctl(server, "-w", "promote")

    async def standby(self, server: Server) -> Server:
        """A synchronous standby that follows a server."""
        made = self.copy(server, f"{server.data.name}b", "-R")
        self.start(made)
        self.configure(server, "synchronous_standby_names = '*'")
        self.reload(server)
        connection = await asyncpg.connect(self.address(SUPERUSER, server))
        async with asyncio.timeout(30):
            while not await connection.fetchval("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"):
                await asyncio.sleep(0.05)
        await connection.close()
        return made

    def restored(self, server: Server, backup: Path, point: str) -> Server:
        """A new folder for a server that is away, filled from a backup and from its archive up to a restore point. It recovers."""
        made = Server(server.data.with_name(f"{server.data.name}-{point}"), server.port)
        shutil.copytree(backup / "data", made.data)
        (made.data / "recovery.signal").touch()
        self.configure(
            made,
            f"restore_command = 'cp {self._archive(server)}/%f %p'",
            f"recovery_target_name = '{point}'",
            "recovery_target_action = promote",
            "synchronous_standby_names = ''",
            self._archived(made),
        )
        for one in (made.data, *made.data.rglob("*")):
            self._give(one)
        made.data.chmod(0o700)
        self.start(made)
        return made

    async def recovered(self, server: Server) -> None:
        """Waits until a server is at its restore point and takes writes. A standby of it would look for the point again."""
        connection = await asyncpg.connect(self.address(SUPERUSER, server))
        async with asyncio.timeout(60):
            while await connection.fetchval("SELECT pg_is_in_recovery()"):
                await asyncio.sleep(0.05)
        await connection.close()
        self.configure(server, "restore_command = ''", "recovery_target_name = ''")
        self.reload(server)

    def _archive(self, server: Server) -> Path:
        return server.data.with_name(f"archive-{server.data.name}")

    def _archived(self, server: Server) -> str:
        """The setting by which its log is archived, in a folder of its own."""
        place = self._archive(server)
        place.mkdir()
        self._give(place)
        return f"archive_command = 'cp %p {place}/%f'"

    def copy(self, server: Server, name: str, *words: str) -> Server:
        """A base backup of a server, with a port of its own. It does not run yet."""
        made = Server(server.data.with_name(name), free_ports(1)[0])
        run("pg_basebackup", "-d", f"host={HOST} port={server.port} user={SUPERUSER}", "-D", made.data, "-c", "fast",
            "--no-sync", *words, environment=self._environment)  # fmt: skip
        self.configure(made, self._archived(made))
        return made

    @property
    def _environment(self) -> dict[str, str]:
        return {"PGPASSFILE": str(self._between)}

    def _pg_ctl(self, server: Server, *words: str) -> None:
        run("pg_ctl", "-D", server.data, *words, environment=self._environment)

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text)
        file.chmod(0o600)
        self._give(file)

    def _give(self, file: Path) -> None:
        if os.geteuid() == 0:
            shutil.chown(file, SUPERUSER)


@contextmanager
def installation(folder: Path, count: int) -> Iterator[Installation]:
    """Its servers, spread, until the end."""
    try:
        made = Installation(folder, count)
        asyncio.run(made.set_up())
        yield made
    finally:
        remove(folder)
