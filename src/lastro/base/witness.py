"""The beats of its database that a process remembers, by which it knows an older copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    import asyncpg

_BEAT = "SELECT era, beat FROM beats"


@dataclass(frozen=True, slots=True, order=True)
class Beat:
    """A beat that the database has acknowledged. at: machine time of the server."""

    era: datetime
    number: int
    at: datetime


class Witness:
    """The last beat that this process knows of. went_back: a connection led to a database that does not have it."""

    def __init__(self) -> None:
        self.seen: Beat | None = None
        self.went_back = False

    def is_behind(self, era: datetime, number: int) -> bool:
        """Tells whether a database with this last beat lacks an acknowledged one."""
        return self.seen is not None and (era, number) < (self.seen.era, self.seen.number)

    async def admits(self, connection: asyncpg.Connection) -> bool:
        """Whether a new connection leads to the database that is remembered. asyncpg's errors: it cannot be asked."""
        if self.seen is None:
            return True
        try:
            found = await connection.fetchrow(_BEAT)
        except BaseException:
            connection.terminate()
            raise
        self.went_back = self.went_back or found is None or self.is_behind(found["era"], found["beat"])
        return not self.went_back
