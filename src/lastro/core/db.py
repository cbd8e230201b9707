"""Connections: a list of our own, with prepared statements, that never lends a session to a company it is not set to."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import asyncpg

from lastro.core.errors import DatabaseAway, LoginRefused, Stale
from lastro.core.heartbeats import OLDER_COPY
from lastro.core.pool import Pool
from lastro.core.servers import Servers, refusal
from lastro.core.session import LONGEST_KEPT, LOST, MOST_KEPT, ONCE, PLANNED_ONCE, Part, Session, summary_of
from lastro.core.shards import IS_SPREAD, FromServer, Shards

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.heartbeats import Witness

__all__ = ["LONGEST_KEPT", "MOST_KEPT", "PLANNED_ONCE", "Database", "Dsn", "Lent", "Part", "Session", "summary_of"]
_SETTINGS = {
    "search_path": "public",
    "statement_timeout": "30s",
    "lock_timeout": "10s",  # the second caller under one key waits so long for the first
    "idle_in_transaction_session_timeout": "30s",
    "jit": "off",
    "application_name": "lastro",
    # With it on, the engine of a spread database looks whether a table is a shard for each row of pg_class that the driver
    # reads: for a type, half a minute where it takes a tenth of a second. A server without the engine keeps it for nobody.
    "citus.override_table_visibility": "off",
}
# Also roles that it may merely take on: SET ROLE, or RESET ROLE where one was taken on already.
_ABOVE = """
SELECT session_user::text WHERE EXISTS (
  SELECT 1 FROM pg_roles r WHERE pg_has_role(session_user, r.oid, 'MEMBER')
     AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolname = 'lastro_owner'))
"""


@dataclass(frozen=True, slots=True)
class Dsn:
    """The address of a database. role: set after login, if the login has several roles."""

    url: str
    role: str | None = None


class Lent:
    """A session for the length of an `async with`."""

    __slots__ = ("_company_id", "_database", "_enters", "_session")

    def __init__(self, database: Database, company_id: UUID | None, *, enters: bool) -> None:
        self._database = database
        self._company_id = company_id
        self._enters = enters
        self._session: Session | None = None

    async def __aenter__(self) -> Session:
        self._session = await self._database.lend(self._company_id, enters=self._enters)
        return self._session

    async def __aexit__(self, *_: object) -> None:
        self._database.give_back(self._session)


class Database:
    """A pool of up to `size` connections as one role.

    Connections are made when first needed. settings: of the server, in place of our own (lock_timeout). reads: nothing will
    be written, so a standby will do if the address names one. Of a database that is spread, it is the coordinator's
    address, and each shard has a list of up to `size` sessions of its own, ended after idle_seconds but for one.
    """

    def __init__(
        self, dsn: Dsn, *, size: int = 10, settings: Mapping[str, str] | None = None, reads: bool = False,
        idle_seconds: float = 60.0,
    ) -> None:  # fmt: skip
        self.size = size
        self._witness: Witness | None = None
        self._servers = Servers(dsn.url, reads=reads)
        self._settings = {**_SETTINGS, **(settings or {}), **({"role": dsn.role} if dsn.role else {})}
        self._pool = Pool(self._connect, size)
        self._is_spread: bool | None = None
        self._shards = Shards(self._pool, dsn.url, self._settings, size, idle_seconds)
        self._columns: dict[str, dict[str, str]] = {}

    @property
    def lent(self) -> int:
        """The number of sessions that are lent now."""
        return self._pool.lent + self._shards.lent

    @property
    def waits(self) -> int:
        """The number of callers who had to wait for a session."""
        return self._pool.waits + self._shards.waits

    def watch(self, witness: Witness) -> None:
        """Refuses older copies of the database from now on.

        No session is lent of one, nor at a server that is one.
        """
        self._witness = witness
        self._shards.watch(witness)

    def watch_servers(self, witness: Witness) -> None:
        """Refuses older servers of a spread database alone.

        It costs no round trip.
        """
        self._shards.watch(witness)

    async def at_each_server(self, sql: str, arguments: Callable[[int], tuple[Any, ...]]) -> list[FromServer]:
        """Asks each server of a spread database about itself.

        It returns the rows of those that have shards and answer in time. arguments: by the engine's number of the server.
        """
        return await self._shards.at_each_server(sql, arguments) if await self.is_spread() else []

    def session(self, company_id: UUID | None = None) -> Lent:
        """Lends a session, set to company_id where one is given. DatabaseAway when none can be had within 5 s."""
        return Lent(self, company_id, enters=True)

    def session_for(self, company_id: UUID) -> Lent:
        """Lends a session for a statement that sets the company itself.

        It prefers one that is set to this company already, so that no other company's session is set anew.
        """
        return Lent(self, company_id, enters=False)

    async def everywhere(self, sql: str, *arguments: Any) -> list[Record]:
        """Returns the rows of a statement about all companies.

        They come from each server that has companies, in no order. So the statement may not add up, order or bound over
        companies: whoever asks does that with the rows. DatabaseAway as for one session.
        """
        if not await self.is_spread():
            async with self.session() as session:
                return await session.fetch(sql, *arguments)
        try:
            return await self._in_each_shard(sql, arguments)
        except Stale:  # one has moved: by now the map says where
            return await self._in_each_shard(sql, arguments)

    async def in_reach(self, sql: str, *arguments: Any, near: Collection[UUID] | None = None) -> list[Record]:
        """Returns the rows of `everywhere` from the servers that answer.

        It is for looks that come again, as those for due work: one server that is lost keeps nobody elsewhere from working.
        near: companies; only what is beside their rows need be looked at. DatabaseAway: none answers.
        """
        if not await self.is_spread():
            return await self.everywhere(sql, *arguments)
        pools = await self._shards.all() if near is None else {await self._shards.of(company_id) for company_id in near}
        found = await asyncio.gather(*(_rows(pool, sql, arguments) for pool in pools), return_exceptions=True)
        rows = [one for one in found if not isinstance(one, BaseException)]
        for error in (one for one in found if isinstance(one, BaseException)):
            if not rows or not isinstance(error, DatabaseAway | Stale):
                raise error
        return list(chain.from_iterable(rows))

    async def _in_each_shard(self, sql: str, arguments: tuple[Any, ...]) -> list[Record]:
        found = await asyncio.gather(*(_rows(pool, sql, arguments) for pool in await self._shards.all()))
        return list(chain.from_iterable(found))

    async def lend(self, company_id: UUID | None, *, enters: bool = True) -> Session:
        """Lends a session; the caller gives it back. Stale: the company's shard moves at this moment."""
        if company_id is None or not await self.is_spread():
            return await self._pool.lend(company_id, enters=enters)
        try:
            return await (await self._shards.of(company_id)).lend(company_id, enters=enters)
        except Stale:  # it has moved: by now the map says where
            return await (await self._shards.of(company_id)).lend(company_id, enters=enters)

    def give_back(self, session: Session | None) -> None:
        """Takes a session back; one whose connection is gone is forgotten."""
        if session is not None and session.pool is not None:
            session.pool.give_back(session)

    async def is_spread(self) -> bool:
        """Returns whether each company is in a shard, perhaps on another server. It is asked once."""
        if self._is_spread is None:
            session = await self._pool.lend(None)
            try:
                self._is_spread = await session.value(IS_SPREAD) is True
            finally:
                self._pool.give_back(session)
        return self._is_spread

    async def _connect(self) -> Session:
        """Connects to the one server, or to the coordinator."""
        try:
            connection = await self._servers.connect(self._settings)
            is_ours = self._witness is None or await self._witness.admits(connection)
        except (*LOST, asyncpg.PostgresError, ValueError) as lost:
            if (sentence := refusal(lost)) is not None:
                raise LoginRefused(sentence) from None
            raise DatabaseAway(str(lost)) from lost
        if not is_ours:
            connection.terminate()
            raise DatabaseAway(OLDER_COPY)
        return Session(connection, plans_once=self._settings.get("plan_cache_mode") == ONCE)

    async def columns(self, table: str) -> dict[str, str]:
        """Returns the SQL type of each column of a table, read once."""
        if not self._columns:
            async with self.session() as session:
                rows = await session.fetch(
                    "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type FROM pg_attribute a"
                    " JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace"
                    " WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped"
                )
            for r in rows:
                self._columns.setdefault(r["relname"], {})[r["attname"]] = r["type"]
        return self._columns[table]

    async def refuse_superuser(self, *, login_too: bool = False) -> None:
        """Raises PermissionError when row-level security would not hold for this role.

        login_too: nor may the login that takes the role on be mighty, since it could go back to what it was.
        """
        async with self.session() as session:
            mighty = await session.value(
                "SELECT bool_or(rolsuper OR rolbypassrls) FROM pg_roles"
                " WHERE rolname = current_user OR ($1 AND rolname = session_user)",
                login_too,
            )
        if mighty:
            raise PermissionError("The database login is a superuser; row-level security would not hold. Use lastro_app.")

    async def login_above(self) -> str | None:
        """Returns the login if it can own the books or gain rights. None: it can do neither."""
        async with self.session() as session:
            login: str | None = await session.value(_ABOVE)
        return login

    async def close(self) -> None:
        """Ends every idle connection."""
        self.terminate()

    def terminate(self) -> None:
        """Ends every idle connection at once."""
        self._pool.close()
        self._shards.close()


async def _rows(pool: Pool, sql: str, arguments: tuple[Any, ...]) -> list[Record]:
    """Returns a statement's rows in one shard."""
    session = await pool.lend(None)
    try:
        await session.demand_place()
        return await session.fetch(sql, *arguments)
    finally:
        pool.give_back(session)
