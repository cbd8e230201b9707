"""Connections: a list of our own, with prepared statements, that never lends a session to a company it is not set to."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict, deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import asyncpg

from lastro.core import trace
from lastro.core.errors import DatabaseAway, LoginRefused, Stale
from lastro.core.servers import Servers, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from asyncpg import Record
    from asyncpg.prepared_stmt import PreparedStatement

    from lastro.core.heartbeats import Witness

_PATIENCE_SECONDS = 5  # for a connection, when all are lent
_SETTINGS = {
    "search_path": "public",
    "statement_timeout": "30s",
    "lock_timeout": "10s",  # the second caller under one key waits so long for the first
    "idle_in_transaction_session_timeout": "30s",
    "jit": "off",
    "application_name": "lastro",
}
# The planning of prepared statements in sessions that repeat the same all day, an API's or a worker's: once for all values.
# Planned for its own values, a statement with an array is planned at every call, a fifth of the database's work, and one
# that names a company which came after the last ANALYZE goes through all of that company's rows
# (docs/decisions/connections.md). A list, whose best index depends on the question, is read by `Session.search`. A session
# that asks once leaves the choice to the server.
_ONCE, _FOR_VALUES = "force_generic_plan", "force_custom_plan"
PLANNED_ONCE = {"plan_cache_mode": _ONCE}
_PLANS = "SELECT set_config('plan_cache_mode', $1, false)"
# The server keeps half a kilobyte for each character of a prepared statement. A Write of many moves has a text for each
# number of them, so a session would grow without end: the longest are prepared for one use, of the others it keeps so many.
LONGEST_KEPT, MOST_KEPT = 8_000, 200_000  # characters, of a statement and of all of a session
# The connection is gone, or the server is going: whether the statement took effect is unknown. InternalClientError is what
# asyncpg says when it reads the server's farewell between two messages of its own.
_LOST = (OSError, asyncpg.ConnectionDoesNotExistError, asyncpg.InterfaceError, asyncpg.AdminShutdownError,
         asyncpg.CrashShutdownError, asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError,
         asyncpg.ConnectionFailureError, asyncpg.InternalClientError, asyncio.IncompleteReadError, TimeoutError)  # fmt: skip
# A migration has changed a table under a prepared statement, or replaced a function that it was about to call: PostgreSQL
# has no word of its own for the latter, and another one before 16.
_OUTDATED = (asyncpg.InvalidCachedStatementError, asyncpg.InternalServerError, asyncpg.UndefinedFunctionError)
_GONE = ("cache lookup failed for function", "function with OID")

# Also roles that it may merely take on: SET ROLE, or RESET ROLE where one was taken on already.
_ABOVE = """
SELECT session_user::text WHERE EXISTS (
  SELECT 1 FROM pg_roles r WHERE pg_has_role(session_user, r.oid, 'MEMBER')
     AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolname = 'lastro_owner'))
"""

_DOES = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM|FROM|SELECT(?= [a-z_]+\())\s+([a-z][a-z_]*)\b")
_SHORT = {"INSERT INTO": "INSERT", "DELETE FROM": "DELETE", "FROM": "SELECT"}
_NO_TARGETS = frozenset({"coalesce", "count", "door", "set_config"})
_MOST_TARGETS = 8


@dataclass(frozen=True, slots=True)
class Dsn:
    """The address of a database. role: set after login, if the login has several roles."""

    url: str
    role: str | None = None


class Part:
    """One of the things that a row shows: its columns have names that begin with the prefix."""

    __slots__ = ("_prefix", "_row")

    def __init__(self, row: Record, prefix: str) -> None:
        self._row = row
        self._prefix = prefix

    def __getitem__(self, column: str) -> Any:
        return self._row[self._prefix + column]


class Session:
    """A lent connection and the company it is set to (None: unknown or none)."""

    def __init__(self, connection: asyncpg.Connection, *, plans_once: bool) -> None:
        self._connection = connection
        self._prepared: OrderedDict[str, PreparedStatement] = OrderedDict()
        self._kept = 0  # characters
        self._named = 0
        self._plans_once = plans_once
        self._is_searching = False
        self.company_id: UUID | None = None

    async def fetch(self, sql: str, *arguments: Any) -> list[Record]:
        """Returns all rows of one prepared statement.

        asyncpg.PostgresError: refused by the server; DatabaseAway: unknown. Stale: a deadlock was resolved against it;
        nothing is written.
        """
        if self._is_searching:
            await self._fetched(_PLANS, (_ONCE,))
            self._is_searching = False
        return await self._asked(sql, arguments)

    async def search(self, sql: str, *arguments: Any) -> list[Record]:
        """Returns all rows of a list, planned for its values. They decide which index is best."""
        if self._plans_once and not self._is_searching:
            await self._fetched(_PLANS, (_FOR_VALUES,))
            self._is_searching = True
        return await self._asked(sql, arguments)

    async def _asked(self, sql: str, arguments: tuple[Any, ...]) -> list[Record]:
        trail = trace.trail()
        if trail is None:
            return await self._fetched(sql, arguments)
        summary = summary_of(sql)
        with trail.step(summary, "client", {"db.system.name": "postgresql", "db.query.summary": summary}):
            return await self._fetched(sql, arguments)

    async def _fetched(self, sql: str, arguments: tuple[Any, ...]) -> list[Record]:
        try:
            return await self._run(sql, arguments)
        except asyncpg.DataError:
            raise  # an argument of the wrong type, found before anything was sent
        except asyncpg.ReadOnlySQLTransactionError as outdated:
            self._connection.terminate()  # it was the primary once, and no longer is; nothing was written
            raise DatabaseAway("the server takes no writes") from outdated
        except _LOST as lost:
            self._connection.terminate()
            raise DatabaseAway(str(lost)) from lost
        except asyncpg.InsufficientResourcesError as lacking:
            self.company_id = None
            raise DatabaseAway(str(lacking)) from lacking  # no room on its disk, no memory: it can when there is
        except asyncpg.DeadlockDetectedError as crossed:
            self.company_id = None
            raise Stale(str(crossed)) from crossed  # reads meet one, too, where a migration takes its tables
        except asyncpg.PostgresError:
            self.company_id = None  # a failed statement takes its set_config back
            raise
        except BaseException:
            self._connection.terminate()  # cancelled in mid-flight: the protocol's state is unknown
            raise

    async def _run(self, sql: str, arguments: tuple[Any, ...]) -> list[Record]:
        """Runs a statement, once more if the schema has changed under it.

        Nothing is written by then. Without this, a worker that has claimed rows would keep them until the lease ends, once
        for each connection.
        """
        try:
            return await (await self._statement(sql)).fetch(*arguments)
        except _OUTDATED as outdated:
            if not _is_outdated(outdated):
                raise
        self._prepared.clear()
        self._kept = 0
        try:
            return await (await self._statement(sql)).fetch(*arguments)
        except _OUTDATED as again:
            if not _is_outdated(again):
                raise
            self._connection.terminate()
            raise DatabaseAway("the schema has changed") from again

    async def _statement(self, sql: str) -> PreparedStatement:
        statement = self._prepared.get(sql)
        if statement is not None:
            self._prepared.move_to_end(sql)
            return statement
        # A name of its own: an unnamed statement would be parsed again each time.
        self._named += 1
        statement = await self._connection.prepare(sql, name=f"lastro_{self._named}")
        if len(sql) <= LONGEST_KEPT:
            self._prepared[sql] = statement
            self._kept += len(sql)
            while self._kept > MOST_KEPT:  # asyncpg closes statements without a reference at the server
                self._kept -= len(self._prepared.popitem(last=False)[0])
        return statement

    async def row(self, sql: str, *arguments: Any) -> Record | None:
        """Returns the first row, or None."""
        rows = await self.fetch(sql, *arguments)
        return rows[0] if rows else None

    async def value(self, sql: str, *arguments: Any) -> Any:
        """Returns the first column of the first row, or None."""
        rows = await self.fetch(sql, *arguments)
        return rows[0][0] if rows else None

    async def set_company(self, company_id: UUID) -> None:
        """Sets the company that row-level security admits."""
        if self.company_id != company_id:
            await self.fetch("SELECT set_config('lastro.company', $1, false)", str(company_id))
            self.company_id = company_id

    @property
    def is_usable(self) -> bool:
        """True if the connection may be lent again."""
        return not self._connection.is_closed()

    async def close(self) -> None:
        """Ends the connection."""
        self._connection.terminate()


def _is_outdated(error: asyncpg.PostgresError) -> bool:
    return isinstance(error, asyncpg.InvalidCachedStatementError) or str(error).startswith(_GONE)


@lru_cache(maxsize=4096)
def summary_of(sql: str) -> str:
    """Summarises a statement's operations and tables, in order, without values."""
    told = (match for match in _DOES.finditer(sql) if match[2] not in _NO_TARGETS)
    found = dict.fromkeys(f"{_SHORT.get(match[1], match[1])} {match[2]}" for match in told)
    return " ".join(list(found)[:_MOST_TARGETS]) or "SELECT"


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
    be written, so a standby will do if the address names one. lent: the number lent now. waits: how often a caller had to
    wait for one. witness: of the process; with one, no session is lent of a database that has lost what it had acknowledged.
    """

    def __init__(self, dsn: Dsn, *, size: int = 10, settings: Mapping[str, str] | None = None, reads: bool = False) -> None:
        self.size = size
        self.lent = 0
        self.waits = 0
        self.witness: Witness | None = None
        self._servers = Servers(dsn.url, reads=reads)
        self._settings = {**_SETTINGS, **(settings or {}), **({"role": dsn.role} if dsn.role else {})}
        self._idle: deque[Session] = deque()
        self._free = asyncio.Semaphore(size)
        self._columns: dict[str, dict[str, str]] = {}

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
        async with self.session() as session:
            return await session.fetch(sql, *arguments)

    async def lend(self, company_id: UUID | None, *, enters: bool = True) -> Session:
        """Lends a session; the caller gives it back."""
        if self._free.locked():
            self.waits += 1
            try:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._free.acquire()
            except TimeoutError as late:
                raise DatabaseAway("every connection is busy") from late
        else:
            await self._free.acquire()  # free: without what a time-out costs
        self.lent += 1
        session: Session | None = None
        try:
            session = self._take(company_id) or await self._connect()
            if enters and company_id is not None:
                await session.set_company(company_id)
        except BaseException:
            self.give_back(session)
            raise
        return session

    def give_back(self, session: Session | None) -> None:
        """Takes a session back; one whose connection is gone is forgotten."""
        if session is not None and session.is_usable:
            self._idle.append(session)
        self.lent -= 1
        self._free.release()

    def _take(self, company_id: UUID | None) -> Session | None:
        while self._idle:
            for session in reversed(self._idle):  # one that is set to this company already saves a round trip
                if session.company_id == company_id:
                    self._idle.remove(session)
                    break
            else:
                # A company that was lent lately is likely to be wanted again soon: another takes what was idle longest.
                session = self._idle.pop() if company_id is None else self._idle.popleft()
            if session.is_usable:
                return session
        return None

    async def _connect(self) -> Session:
        try:
            connection = await self._servers.connect(self._settings)
            is_ours = self.witness is None or await self.witness.admits(connection)
        except (*_LOST, asyncpg.PostgresError, ValueError) as lost:
            if (sentence := refusal(lost)) is not None:
                raise LoginRefused(sentence) from None
            raise DatabaseAway(str(lost)) from lost
        if not is_ours:
            connection.terminate()
            raise DatabaseAway("it is an older copy of the database: what it had acknowledged is missing")
        return Session(connection, plans_once=self._settings.get("plan_cache_mode") == _ONCE)

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
        while self._idle:
            await self._idle.pop().close()
