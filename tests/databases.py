"""The databases that tests are given: clones of a template that is migrated once in a run, or empty ones."""

import asyncio
import re
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import asyncpg

from lastro.core.db import Dsn
from lastro.core.servers import elsewhere, with_login
from lastro_sandbox.embedded import EmbeddedServer

_DROP_TRIES = 50
_STALE_DATABASE_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class Database:
    """One database of the run, seen by each of the platform's roles.

    others: its addresses at the other nodes of a cluster (tests/cluster).
    """

    name: str
    admin: Dsn
    is_external: bool
    others: tuple[str, ...] = ()

    def for_role(self, role: str) -> Dsn:
        if self.is_external:
            return Dsn(self.admin.url, role)
        return Dsn(with_login(self.admin.url, role))

    async def connect(self, dsn: Dsn | None = None) -> "asyncpg.Connection[asyncpg.Record]":
        """A plain connection, by default as the admin."""
        dsn = dsn or self.admin
        return await asyncpg.connect(dsn.url, server_settings={"role": dsn.role} if dsn.role else {})

    async def connect_to(self, company_id: UUID) -> "asyncpg.Connection[asyncpg.Record]":
        """A connection of the app's role that is set to a company, at the server that has its rows."""
        made = await self.connect_beside(company_id, self.app)
        await made.execute("SELECT set_config('lastro.company', $1, false)", str(company_id))
        return made

    async def connect_beside(self, company_id: UUID, dsn: Dsn) -> "asyncpg.Connection[asyncpg.Record]":
        """A connection to where a company's rows are, which is set to none."""
        if not self.others:
            return await self.connect(dsn)
        coordinator = await self.connect()
        [(shard, host, port)] = await coordinator.fetch("SELECT * FROM shards.of($1)", company_id)
        await coordinator.close()
        shown = f"shard_{shard}_work, shard_{shard}" if dsn == self.work else f"shard_{shard}"
        made = await asyncpg.connect(
            elsewhere(dsn.url, host, port),
            server_settings={"search_path": f"{shown}, public", "citus.override_table_visibility": "off"},
        )
        await made.execute("SELECT shards.open($1)", shard)
        return made

    async def beside(self, company_id: UUID, ids: Callable[[], UUID]) -> UUID:
        """Of these ids one whose company has its rows where those of another are."""
        if not self.others:
            return ids()
        coordinator = await self.connect()
        together = "SELECT (shards.of($1)).shard = (shards.of($2)).shard"
        while not await coordinator.fetchval(together, company_id, found := ids()):
            pass
        await coordinator.close()
        return found

    async def connect_everywhere(self, role: str | None = None) -> "list[asyncpg.Connection[asyncpg.Record]]":
        """One to each server that has rows of it, as the admin or as a role."""
        servers = [replace(self, admin=Dsn(url)) for url in (self.admin.url, *self.others)]
        return [await one.connect(one.for_role(role) if role else None) for one in servers]

    @property
    def app(self) -> Dsn:
        return self.for_role("lastro_app")

    @property
    def work(self) -> Dsn:
        return self.for_role("lastro_work")

    @property
    def audit(self) -> Dsn:
        return self.for_role("lastro_audit")


def _with_database(url: str, database: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/{database}" + (f"?{parts.query}" if parts.query else "")


class RunServer:
    """The server of this run, the template that is migrated once, and the databases made from it.

    urls: of a server that is not ours, or of the nodes of a cluster, which all have each database (tests/cluster).
    """

    switches_roles = True  # the login of a server that is not ours takes on each role

    def __init__(self, home: Path, urls: Sequence[str] = ()) -> None:
        self._home = home
        self._prefix = f"lastro_test_{int(time.time()):x}{secrets.token_hex(2)}"
        self._server: EmbeddedServer | None = None
        self._urls = list(urls)
        self._is_external = bool(urls)
        self._template: str | None = None
        self._made: list[str] = []

    def answer(self, request: dict[str, str]) -> dict[str, Any]:
        self._start()
        name = f"{self._prefix}_{request.get('name', '')}"
        match request["act"]:
            case "clone":
                self._create(name, self._migrated_template())
            case "empty":
                self._create(name)
            case "drop":
                self._drop(name)
            case "server":
                name = urlsplit(self._urls[0]).path.lstrip("/")
        url, *others = self._places(name)
        return {"name": name, "url": url, "is_external": self._is_external and self.switches_roles, "others": others}

    def close(self) -> None:
        if self._is_external:
            for name in self._made:
                self._drop(name)
        if self._server is not None:
            self._server.stop(hurry=True)

    def _places(self, name: str) -> list[str]:
        return [_with_database(url, name) for url in self._urls]

    def _start(self) -> None:
        if self._urls:
            if self._is_external and not self._made:
                self._drop_stale_databases()
            return
        self._server = EmbeddedServer.start(self._home, durable=False)
        self._urls = [self._server.dsn()]

    def _migrated_template(self) -> str:
        if self._template is None:
            self._template = self._make_template()
        return self._template

    def _make_template(self) -> str:
        # Only here, so that what needs no schema runs before there is one.
        from lastro.ops.migrate import migrate  # noqa: PLC0415

        name = f"{self._prefix}_template"
        self._drop(name)  # an attempt that failed may have left it
        self._create(name)
        asyncio.run(migrate(self._places(name)[0]))
        return name

    def _create(self, name: str, template: str = "template0") -> None:
        self._made.append(name)
        self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY {self._strategy}')

    @cached_property
    def _strategy(self) -> str:
        """Copying files takes two checkpoints, which are next to nothing where nothing is synced, and the quicker way there."""
        ((fsync,), *_) = self._run("SHOW fsync")
        return "FILE_COPY" if fsync == "off" else "WAL_LOG"

    def _drop(self, name: str) -> None:
        for left in reversed(range(_DROP_TRIES)):
            try:
                self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            except asyncpg.InsufficientPrivilegeError:
                # The server's own vacuum is at it for a moment, and only a superuser may end that.
                if not left:
                    raise
                time.sleep(0.1)
            else:
                return

    def _drop_stale_databases(self) -> None:
        """Those of runs that were killed a day ago or more; the time of a run is in its databases' names."""
        names = self._run("SELECT datname::text FROM pg_database WHERE datname LIKE 'lastro\\_te%'")
        for name in {name for (name,) in names}:
            found = re.match(r"lastro_te(?:st|mplate)_([0-9a-f]{8})[0-9a-f]{4}_", name)
            if found and int(found[1], 16) < time.time() - _STALE_DATABASE_SECONDS:
                with suppress(asyncpg.PostgresError):
                    self._drop(name)

    def _run(self, statement: str) -> "list[asyncpg.Record]":
        """The rows of all servers, of which there is one where there is no cluster."""

        async def once(url: str) -> "list[asyncpg.Record]":
            connection = await asyncpg.connect(url)
            try:
                return list(await connection.fetch(statement))
            finally:
                await connection.close()

        async def everywhere() -> "list[asyncpg.Record]":
            return [row for rows in await asyncio.gather(*map(once, self._urls)) for row in rows]

        return asyncio.run(everywhere())
