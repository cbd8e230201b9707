"""Remembers heartbeats of the database, to recognise an older copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    import asyncpg

OLDER_COPY = "it is an older copy of the database: what it had acknowledged is missing"
_BEAT = "SELECT era, beat FROM beats"


@dataclass(frozen=True, slots=True, order=True)
class Beat:
    """A beat that the database has acknowledged. at: machine time of the server."""

    era: datetime
    number: int
    at: datetime

    def is_missing_in(self, era: datetime, number: int) -> bool:
        """Tells whether a database lacks this beat. era, number: of the last beat that it has."""
        return (era, number) < (self.era, self.number)


class Witness:
    """The last beats that this process knows of. went_back: a connection led to a database that does not have the last one.

    servers: of a spread database, the last beat of each server that has shards, by the engine's number of it, which a
    standby that takes over keeps. older: the servers that were found without theirs, by where they were found.
    """

    def __init__(self) -> None:
        self.seen: Beat | None = None
        self.went_back = False
        self.servers: dict[int, Beat] = {}
        self.older: dict[int, str] = {}

    def admits_server(self, server: int, place: str, *, has_all: bool) -> bool:
        """Notes whether a server has what is remembered of it. place: its address."""
        if has_all:
            self.older.pop(server, None)
        else:
            self.older[server] = place
        return has_all

    async def admits(self, connection: asyncpg.Connection) -> bool:
        """Tells whether a new connection leads to the database that is remembered. asyncpg's errors: it cannot be asked."""
        seen = self.seen  # by now; a beat that is acknowledged while this answer comes may be younger than the answer
        if seen is None:
            return True
        try:
            found = await connection.fetchrow(_BEAT)
        except BaseException:
            connection.terminate()
            raise
        self.went_back = self.went_back or found is None or seen.is_missing_in(found["era"], found["beat"])
        return not self.went_back
