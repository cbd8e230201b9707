"""A session of the database: prepared statements, and the company whose rows it sees."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import asyncpg

from lastro.core import trace
from lastro.core.errors import DatabaseAway, Stale

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from asyncpg import Record
    from asyncpg.prepared_stmt import PreparedStatement

    from lastro.core.pool import Pool

# The planning of prepared statements in sessions that repeat the same all day, an API's or a worker's: once for all values.
# Planned for its own values, a statement with an array is planned at every call, a fifth of the database's work, and one
# that names a company which came after the last ANALYZE goes through all of that company's rows
# (docs/decisions/connections.md). A list, whose best index depends on the question, is read by `Session.search`. A session
# that asks once leaves the choice to the server.
ONCE, _FOR_VALUES = "force_generic_plan", "force_custom_plan"
PLANNED_ONCE = {"plan_cache_mode": ONCE}
_PLANS = "SELECT set_config('plan_cache_mode', $1, false)"
# The server keeps half a kilobyte for each character of a prepared statement. A Write of many moves has a text for each
# number of them, so a session would grow without end: the longest are prepared for one use, of the others it keeps so many.
LONGEST_KEPT, MOST_KEPT = 8_000, 200_000  # characters, of a statement and of all of a session
# The connection is gone, or the server is going: whether the statement took effect is unknown. InternalClientError is what
# asyncpg says when it reads the server's farewell between two messages of its own.
LOST = (OSError, asyncpg.ConnectionDoesNotExistError, asyncpg.InterfaceError, asyncpg.AdminShutdownError,
         asyncpg.CrashShutdownError, asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError,
         asyncpg.ConnectionFailureError, asyncpg.InternalClientError, asyncio.IncompleteReadError, TimeoutError)  # fmt: skip
# A migration has changed a table under a prepared statement, or replaced a function that it was about to call: PostgreSQL
# has no word of its own for the latter, and another one before 16.
_OUTDATED = (asyncpg.InvalidCachedStatementError, asyncpg.InternalServerError, asyncpg.UndefinedFunctionError)
_ENTER, _ENTER_SHARD = "SELECT set_config('lastro.company', $1, false)", "SELECT shards.enter($1)"
_DEMAND_PLACE, _LOOK_SECONDS = "SELECT shards.demand_place()", 1.0
_MOVED = "LA421"
# The coordinator meets a server that has died since it spoke with it last; whether it is back is seen at the next try.
_SERVER_LOST = "failure on connection marked as essential"
_OF_ENGINE = re.compile(r"permission denied for table [a-z_]+$")
_SHARD_NUMBER = re.compile(r"_[0-9]{6,}$")
_GONE = ("cache lookup failed for function", "function with OID")

_DOES = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM|FROM|SELECT(?= [a-z_]+\())\s+([a-z][a-z_]*)\b")
_SHORT = {"INSERT INTO": "INSERT", "DELETE FROM": "DELETE", "FROM": "SELECT"}
_NO_TARGETS = frozenset({"coalesce", "count", "door", "set_config"})
_MOST_TARGETS = 8


class Part:
    """One of the things that a row shows: its columns have names that begin with the prefix."""

    __slots__ = ("_prefix", "_row")

    def __init__(self, row: Record, prefix: str) -> None:
        self._row = row
        self._prefix = prefix

    def __getitem__(self, column: str) -> Any:
        return self._row[self._prefix + column]


class Session:
    """A lent connection and the company it is set to (None: unknown or none).

    on_moved: of a session in a shard, called when the shard is found to be elsewhere. None: the database is on one server.
    server: of a session in a shard, the engine's number of its server.
    """

    def __init__(
        self,
        connection: asyncpg.Connection,
        *,
        plans_once: bool,
        on_moved: Callable[[], None] | None = None,
        server: int | None = None,
    ) -> None:
        self.server = server
        self._connection = connection
        self._on_moved = on_moved
        self._prepared: OrderedDict[str, PreparedStatement] = OrderedDict()
        self._kept = 0  # characters
        self._named = 0
        self._plans_once = plans_once
        self._is_searching = False
        self._looked_at = -_LOOK_SECONDS
        self.company_id: UUID | None = None
        self.pool: Pool | None = None  # which has lent it
        self.idle_since = 0.0

    async def fetch(self, sql: str, *arguments: Any) -> list[Record]:
        """Returns all rows of one prepared statement.

        asyncpg.PostgresError: refused by the server; DatabaseAway: unknown. Stale: a deadlock was resolved against it;
        nothing is written.
        """
        if self._is_searching:
            await self._fetched(_PLANS, (ONCE,))
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
        except LOST as lost:
            self._connection.terminate()
            raise DatabaseAway(str(lost)) from lost
        except asyncpg.InsufficientResourcesError as lacking:
            self.company_id = None
            raise DatabaseAway(str(lacking)) from lacking  # no room on its disk, no memory: it can when there is
        except asyncpg.DeadlockDetectedError as crossed:
            self.company_id = None
            raise Stale(str(crossed)) from crossed  # reads meet one, too, where a migration takes its tables
        except asyncpg.PostgresError as refused:
            self.company_id = None  # a failed statement takes its set_config back
            if str(refused).startswith(_SERVER_LOST):
                self._connection.terminate()
                raise DatabaseAway(str(refused)) from refused
            if self._on_moved is not None and has_moved(refused):
                self._connection.terminate()
                self._on_moved()
                raise Stale("the company's shard has moved") from refused
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

    async def parameters(self, sql: str) -> list[str]:
        """Returns the SQL types of a statement's parameters."""
        return [one.name for one in (await self._statement(sql)).get_parameters()]

    async def row(self, sql: str, *arguments: Any) -> Record | None:
        """Returns the first row, or None."""
        rows = await self.fetch(sql, *arguments)
        return rows[0] if rows else None

    async def value(self, sql: str, *arguments: Any) -> Any:
        """Returns the first column of the first row, or None."""
        rows = await self.fetch(sql, *arguments)
        return rows[0][0] if rows else None

    async def set_company(self, company_id: UUID) -> None:
        """Sets the company that row-level security admits. Stale: its shard is elsewhere; it looks once a second."""
        if self.company_id != company_id:
            await self.fetch(_ENTER if self._on_moved is None else _ENTER_SHARD, str(company_id))
            self.company_id = company_id
        elif self._on_moved is not None:
            await self.demand_place()

    async def demand_place(self) -> None:
        """Demands that the shard is still at this server; looks once a second. Stale: it is not."""
        now = asyncio.get_running_loop().time()
        if now - self._looked_at >= _LOOK_SECONDS:
            await self.fetch(_DEMAND_PLACE)
            self._looked_at = now

    @property
    def is_usable(self) -> bool:
        """True if the connection may be lent again."""
        return not self._connection.is_closed()

    async def close(self) -> None:
        """Ends the connection."""
        self.terminate()

    def terminate(self) -> None:
        """Ends the connection at once."""
        self._connection.terminate()


def unsharded(name: str) -> str:
    """Returns a constraint's name without the number of its shard."""
    return _SHARD_NUMBER.sub("", name)


def has_moved(error: asyncpg.PostgresError) -> bool:
    """True if a session in a shard is at the wrong server: the shard says so, or shows its tables no longer.

    Behind them are the engine's tables of the same names, of which our roles may do nothing there (schema/shards.sql). A
    statement that the engine cannot plan is refused before that is looked at.
    """
    if isinstance(error, asyncpg.FeatureNotSupportedError):
        return "distributed table" in str(error)
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return _OF_ENGINE.search(str(error)) is not None
    return error.sqlstate == _MOVED


def _is_outdated(error: asyncpg.PostgresError) -> bool:
    return isinstance(error, asyncpg.InvalidCachedStatementError) or str(error).startswith(_GONE)


@lru_cache(maxsize=4096)
def summary_of(sql: str) -> str:
    """Summarises a statement's operations and tables, in order, without values."""
    told = (match for match in _DOES.finditer(sql) if match[2] not in _NO_TARGETS)
    found = dict.fromkeys(f"{_SHORT.get(match[1], match[1])} {match[2]}" for match in told)
    return " ".join(list(found)[:_MOST_TARGETS]) or "SELECT"
