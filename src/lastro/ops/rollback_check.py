"""Detects an older copy of the database by heartbeats.

Every few seconds each process writes a heartbeat and remembers it. A standby that takes over has what was acknowledged, a
restored copy has not: so a database without a remembered heartbeat has lost numbers that were given out
(docs/decisions/eras.md). Of a spread database each server that has companies has beats of its own.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import asyncpg
import msgspec
import structlog

from lastro.config.settings import PRODUCTION
from lastro.core.declined import StartRefused
from lastro.core.errors import DatabaseAway
from lastro.core.heartbeats import Beat, Witness

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from asyncpg import Record

    from lastro.core.db import Database

EVERY_SECONDS = 5.0
FOLDER = "beats"
PATIENCE_SECONDS = 2 * EVERY_SECONDS  # by then a process that lives has said so
# A process that has worked since, and saw a beat this close to the last one, lived through the change of the server.
_WITNESSED = timedelta(seconds=30)
_ALIVE = timedelta(minutes=1)  # a database without a beat for so long has no process that would know it
NOW = """
SELECT b.database_id, b.era, b.beat, b.at, b.server, b.timeline, machine_now() - b.at AS age,
       (SELECT oid FROM pg_database WHERE datname = current_database())::bigint AS place,
       (SELECT system_identifier FROM pg_control_system())::text AS here_server,
       ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer AS here_timeline,
       to_regnamespace('shards') IS NOT NULL AS is_spread
  FROM beats b
"""
BEAT = """
UPDATE beats SET beat = beat + 1, at = greatest(at, machine_now()), server = $3, timeline = $4
 WHERE (era, beat) >= ($1::timestamptz, $2::bigint) RETURNING era, beat, at
"""
_BEAT_AT_SERVER = "SELECT era, beat, at FROM shards.make_beat($1, $2)"
_LAST_AT_SERVER = "SELECT era, beat FROM shards.last_beat()"
_BEFORE_ALL = Beat(datetime(1970, 1, 1, tzinfo=UTC), 0, datetime(1970, 1, 1, tzinfo=UTC))
BEGIN_OR_KEEP = (
    "If it was put back, say lastro era begin: every number goes on above what may have been given out."
    " If nothing that was answered is missing, say lastro era keep"
)

_WENT_BACK = (
    "The database has become an older copy of itself: what was answered since is missing, and its numbers would be given"
    " out again. Say lastro era begin, then read docs/operations.md#backups."
)
_log = structlog.get_logger(__name__)


class _KeptOfServer(msgspec.Struct, frozen=True):
    era: datetime
    beat: int
    at: datetime


class _Kept(_KeptOfServer, frozen=True):
    servers: dict[int, _KeptOfServer] = {}


@dataclass(frozen=True)
class Memory:
    """This machine's memory of databases, a file for each. A copy in the same server has a file of its own."""

    home: Path

    def read(self, now: Record) -> Beat | None:
        """Returns the last heartbeat of this database seen on this machine. None: none, or the file was cut off."""
        kept = self._read(now)
        return None if kept is None else _beat(kept)

    def read_servers(self, now: Record) -> dict[int, Beat]:
        """Returns the last heartbeat of each server.

        It is found by the engine's number of the server. One database alone has none.
        """
        kept = self._read(now)
        return {} if kept is None else {server: _beat(one) for server, one in kept.servers.items()}

    def write(self, now: Record, seen: Beat, servers: Mapping[int, Beat] | None = None) -> None:
        """Keeps a beat, and the newest of each server.

        OSError: it cannot be written, and then only this process knows of it.
        """
        file = self._file(now)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        known = self.read_servers(now)
        for server, beat in (servers or {}).items():
            known[server] = max(beat, known.get(server, beat))
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        with fresh.open("wb") as out:
            each = {server: _KeptOfServer(beat.era, beat.number, beat.at) for server, beat in known.items()}
            out.write(msgspec.json.encode(_Kept(seen.era, seen.number, seen.at, each)))
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(file)

    def _read(self, now: Record) -> _Kept | None:
        try:
            return msgspec.json.decode(self._file(now).read_bytes(), type=_Kept)
        except (OSError, msgspec.DecodeError, msgspec.ValidationError):
            return None

    def _file(self, now: Record) -> Path:
        return self.home / FOLDER / f"{now['database_id']}-{now['place']}.json"


def _beat(kept: _KeptOfServer) -> Beat:
    return Beat(kept.era, kept.beat, kept.at)


def trouble(now: Record, seen: Beat | None, mode: str, *, has_worked: bool = False) -> str | None:
    """Words what is wrong with a database; None: it has all that anybody remembers of it.

    seen: the last beat that is remembered. has_worked: by this process itself, not by a file that an older one left.
    """
    if seen is not None and seen.is_missing_in(now["era"], now["beat"]):
        return (
            f"This database is a copy from before {seen.at:%Y-%m-%d %H:%M:%S} UTC, when it was last seen here: what was"
            " answered since is missing, and its numbers would be given out again. Say lastro era begin, then read"
            " docs/operations.md#backups."
        )
    if now["server"] is None:  # nothing has worked with it since its era began
        return None
    if now["server"] != now["here_server"]:
        return f"This database has come into another server than it was in. {BEGIN_OR_KEEP} (after pg_upgrade)."
    was_there = has_worked and seen is not None and seen.era == now["era"] and now["at"] - seen.at <= _WITNESSED
    if now["timeline"] != now["here_timeline"] and not was_there:
        return (
            f"This server was promoted, or recovered to a moment, and nobody here knows what it had before. {BEGIN_OR_KEEP}"
            " (after a failover)."
        )
    if mode == PRODUCTION and seen is None and now["age"] > _ALIVE:
        return f"This machine has never seen this database, and no process works with it. {BEGIN_OR_KEEP}."
    return None


async def older_servers(database: Database, seen: Mapping[int, Beat]) -> list[str]:
    """Returns the addresses of servers that lack remembered beats.

    Servers that do not answer are left out. seen: by the engine's number of the server.
    """
    found = await database.at_each_server(_LAST_AT_SERVER, lambda _: ())
    return [
        one.place
        for one in found
        for row in one.rows
        if one.server in seen and seen[one.server].is_missing_in(row["era"], row["beat"])
    ]


class Heart:
    """The heartbeats of one process. witness: checks its connections."""

    def __init__(self, database: Database, memory: Memory, mode: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self.witness = Witness()
        self.said: str | None = None  # the reason that it ended
        self._database = database
        self._memory = memory
        self._mode = mode
        self._patience_seconds = patience_seconds
        self._has_worked = False
        self._now: Record | None = None
        self._told: set[int] = set()  # servers that are older copies, as was said

    async def round(self, stop: asyncio.Event) -> bool:
        """Runs one heartbeat; stops the process if its database went back."""
        try:
            await self.beat()
        except DatabaseAway:
            if not self.witness.went_back:
                raise
            self.said = _WENT_BACK
        if self.said is not None:
            stop.set()
        return False

    def demand(self) -> None:
        """Refuses to go on if the database went back. StartRefused: it did."""
        if self.said is not None:
            raise StartRefused(self.said)

    async def start(self, stop: asyncio.Event | None = None) -> None:
        """Looks before anything else is done, and beats once. StartRefused: the database is an older copy, or may be one.

        After a failover or an outage a process that lives may be about to say that nothing is missing: it is waited for.
        """
        try:
            said = await self._doubt()
            if said is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for((stop or asyncio.Event()).wait(), self._patience_seconds)
                said = await self._doubt()
        except asyncpg.UndefinedTableError as older:
            raise StartRefused("The database has the schema of an older version: run lastro migrate first.") from older
        if said is not None:
            raise StartRefused(said)
        self._database.watch_servers(self.witness)
        await self.beat()
        self.demand()

    async def _doubt(self) -> str | None:
        """Words what is wrong with the database by this machine's memory. StartRefused: it certainly lacks something."""
        async with self._database.session() as session:
            now = await session.row(NOW)
            assert now is not None
            seen = self.witness.seen = self._memory.read(now)
            self.witness.servers |= self._memory.read_servers(now)
            now = await session.row(NOW)  # behind what is remembered: another process here may have kept a beat meanwhile
        assert now is not None
        self._now = now
        said = trouble(now, seen, self._mode)
        if said is not None and seen is not None and seen.is_missing_in(now["era"], now["beat"]):
            raise StartRefused(said)
        return said

    async def beat(self) -> bool:
        """Writes a heartbeat at each server and remembers it. If the database went back, `said` has the sentence instead."""
        if self.said is not None:
            return False
        before = self.witness.seen, dict(self.witness.servers)
        ends = await asyncio.gather(self._beat_here(), self._beat_at_servers(), return_exceptions=True)
        seen, servers = self.witness.seen, dict(self.witness.servers)
        if self._now is not None and seen is not None and (seen, servers) != before:
            with suppress(OSError):
                await asyncio.to_thread(self._memory.write, self._now, seen, servers)
        for end in ends:
            if end is not None:
                raise end
        return False

    async def _beat_here(self) -> None:
        """Writes a heartbeat in the one database, or at the coordinator."""
        async with self._database.session() as session:
            now = await session.row(NOW)
            assert now is not None
            seen = self.witness.seen
            self.said = trouble(now, seen, self._mode, has_worked=self._has_worked)
            if self.said is not None:
                return
            least = (now["era"], now["beat"]) if seen is None else (seen.era, seen.number)
            made = await session.row(BEAT, *least, now["here_server"], now["here_timeline"])
        self._now = now
        if made is not None:
            self.witness.seen = Beat(made["era"], made["beat"], made["at"])
            self._has_worked = True

    async def _beat_at_servers(self) -> None:
        """Writes a heartbeat at each server of a spread database.

        It tells once of each that is an older copy.
        """
        if self._now is None or not self._now["is_spread"]:
            return
        witness = self.witness

        def least(server: int) -> tuple[datetime, int]:
            seen = witness.servers.get(server, _BEFORE_ALL)
            return seen.era, seen.number

        for one in await self._database.at_each_server(_BEAT_AT_SERVER, least):
            for made in one.rows:
                witness.servers[one.server] = Beat(made["era"], made["beat"], made["at"])
            witness.admits_server(one.server, one.place, has_all=bool(one.rows))
        for server in witness.older.keys() - self._told:
            _log.critical("database.went_back", subject=witness.older[server], reason=_WENT_BACK)
        self._told = set(witness.older)
