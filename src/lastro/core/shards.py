"""Sessions in the shards of a spread database (docs/decisions/distribution.md)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import asyncpg

from lastro.core.errors import DatabaseAway, Stale
from lastro.core.heartbeats import OLDER_COPY
from lastro.core.pool import Pool
from lastro.core.servers import Servers, elsewhere
from lastro.core.session import LOST, ONCE, Session, has_moved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.heartbeats import Beat, Witness

IS_SPREAD = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'shards')"
_OF = "SELECT shard, host, port FROM shards.of($1)"
_ALL = "SELECT shard, host, port FROM shards.all()"
_OPEN = "SELECT b.server, b.era, b.beat, shards.open($1) FROM shards.last_beat() b"
_WORK = "lastro_work"  # for which a schema of its own shows what it may see
_LOOKS_AT_ONCE = 2  # of lastro_work in a shard: they are short, and each session plans and keeps the longest statements
_SERVER_SECONDS = 5.0  # in which a server answers, or is left out
_MOST_COMPANIES = 100_000  # of which it is remembered where they are


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard and the server that has it."""

    id: int
    host: str
    port: int

    @property
    def place(self) -> str:
        """Returns the server's address."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class FromServer:
    """The rows that a server answered with. server: the engine's number of it. place: its address."""

    server: int
    place: str
    rows: list[Record]


class Shards:
    """Lends sessions in the shards of a database.

    Each session is in the schema that shows its shard by the tables' own names (schema/shards.sql). The map is read from
    the coordinator: of a company when it is first asked for, anew when a shard was not where it said. A company stays in
    its shard. coordinator: its sessions. url: its address, whose login and database are those of each server. settings:
    of each session. size: how many sessions there are in a shard. idle_seconds: a server has many shards and a limited
    number of connections, so that a session which nobody has for so long ends, but for the last of its shard.
    """

    def __init__(self, coordinator: Pool, url: str, settings: Mapping[str, str], size: int, idle_seconds: float) -> None:
        self._coordinator = coordinator
        self._url = url
        self._settings = settings
        self._companies: OrderedDict[UUID, int] = OrderedDict()
        self._places: dict[int, Shard] = {}
        self._pools: dict[Shard, Pool] = {}
        self._is_whole = False  # every shard's place is known
        self._witness: Witness | None = None
        self._idle_seconds = idle_seconds
        self._next_look_at = 0.0
        self._is_work = _WORK in (settings.get("role"), urlsplit(url).username)
        self._size = min(size, _LOOKS_AT_ONCE) if self._is_work else size

    @property
    def lent(self) -> int:
        """The number of sessions that are lent now."""
        return sum(pool.lent for pool in self._pools.values())

    @property
    def waits(self) -> int:
        """The number of callers who had to wait for a session."""
        return sum(pool.waits for pool in self._pools.values())

    async def of(self, company_id: UUID) -> Pool:
        """Returns the sessions in a company's shard. DatabaseAway: the map cannot be read."""
        shard = self._places.get(self._companies.get(company_id, -1))
        if shard is None:
            found = await self._read(_OF, company_id)
            if not found:
                raise DatabaseAway("no server has the company's shard")
            shard = found[0]
            self._companies[company_id] = shard.id
            if len(self._companies) > _MOST_COMPANIES:
                self._companies.popitem(last=False)
        return self._pool(shard)

    async def all(self) -> list[Pool]:
        """Returns the sessions of every shard."""
        if not self._is_whole:
            await self._read(_ALL)
            self._is_whole = True
        return [self._pool(shard) for shard in self._places.values()]

    def watch(self, witness: Witness) -> None:
        """Refuses servers that are older copies from now on.

        Sessions that were opened before are ended, since nobody has looked.
        """
        if witness is not self._witness:
            self._witness = witness
            self.close()

    async def at_each_server(self, sql: str, arguments: Callable[[int], tuple[Any, ...]]) -> list[FromServer]:
        """Asks each server that has shards about itself.

        It returns the rows of those that answer in time. arguments: by the engine's number of the server. Without the
        coordinator, the servers that are known are asked.
        """
        with suppress(DatabaseAway):
            await self.all()
        beside: dict[str, Pool] = {}
        for shard in list(self._places.values()):
            pool = self._pool(shard)
            if shard.place not in beside or pool.idle > beside[shard.place].idle:
                beside[shard.place] = pool
        found = await asyncio.gather(*(_asked(place, pool, sql, arguments) for place, pool in beside.items()))
        return [one for one in found if one is not None]

    def close(self) -> None:
        """Ends every idle session."""
        for pool in self._pools.values():
            pool.close()

    async def _read(self, sql: str, *arguments: UUID) -> list[Shard]:
        session = await self._coordinator.lend(None)
        try:
            rows = await session.fetch(sql, *arguments)
        finally:
            self._coordinator.give_back(session)
        found = [Shard(row["shard"], row["host"], row["port"]) for row in rows]
        self._places.update({shard.id: shard for shard in found})
        return found

    def _pool(self, shard: Shard) -> Pool:
        self._end_idle()
        pool = self._pools.get(shard)
        if pool is None:
            pool = self._pools[shard] = Pool(lambda: self._connect(shard), self._size)
        return pool

    def _end_idle(self) -> None:
        """Ends what nobody has used for a minute; looks once a second at most."""
        now = asyncio.get_running_loop().time()
        if now >= self._next_look_at:
            self._next_look_at = now + min(1.0, self._idle_seconds)
            for pool in self._pools.values():
                pool.end_idle(now - self._idle_seconds)

    def _forget(self, shard: Shard) -> None:
        """Forgets where a shard is."""
        if self._places.get(shard.id) == shard:
            del self._places[shard.id]
            self._is_whole = False
        if (pool := self._pools.pop(shard, None)) is not None:
            pool.end()

    async def _connect(self, shard: Shard) -> Session:
        """Opens a session. Stale: the shard is elsewhere by now; DatabaseAway: its server does not answer."""
        settings = {**self._settings, "search_path": _shown(shard, is_work=self._is_work)}
        try:
            connection = await Servers(elsewhere(self._url, shard.host, shard.port)).connect(settings)
        except (*LOST, asyncpg.PostgresError, ValueError) as lost:
            self._forget(shard)  # another server may have taken its place
            raise DatabaseAway(str(lost)) from lost
        seen = dict(self._witness.servers) if self._witness is not None else {}  # by now: a beat may overtake the answer
        try:
            found = await connection.fetchrow(_OPEN, shard.id)
        except (*LOST, asyncpg.PostgresError) as lost:
            connection.terminate()
            self._forget(shard)
            if isinstance(lost, asyncpg.PostgresError) and has_moved(lost):
                raise Stale("the company's shard has moved") from lost
            raise DatabaseAway(str(lost)) from lost
        assert found is not None
        if not self._admits(found, seen, shard):
            connection.terminate()
            self._forget(shard)
            raise DatabaseAway(OLDER_COPY)
        return Session(
            connection,
            plans_once=settings.get("plan_cache_mode") == ONCE,
            server=found["server"],
            on_moved=lambda: self._forget(shard),
        )

    def _admits(self, found: Record, seen: Mapping[int, Beat], shard: Shard) -> bool:
        """Tells whether a server has what is remembered of it."""
        if self._witness is None:
            return True
        last = seen.get(found["server"])
        has_all = last is None or not last.is_missing_in(found["era"], found["beat"])
        return self._witness.admits_server(found["server"], shard.place, has_all=has_all)


async def _asked(place: str, pool: Pool, sql: str, arguments: Callable[[int], tuple[Any, ...]]) -> FromServer | None:
    """Asks one server. None: it does not answer, or is refused."""
    try:
        async with asyncio.timeout(_SERVER_SECONDS):
            session = await pool.lend(None)
            try:
                assert session.server is not None
                return FromServer(session.server, place, await session.fetch(sql, *arguments(session.server)))
            finally:
                pool.give_back(session)
    except (DatabaseAway, Stale, TimeoutError, asyncpg.PostgresError):
        return None


def _shown(shard: Shard, *, is_work: bool) -> str:
    """Returns the schemas that show a shard."""
    return ", ".join((*([f"shard_{shard.id}_work"] if is_work else []), f"shard_{shard.id}", "public"))
