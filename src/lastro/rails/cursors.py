"""The place in a list of a network that keeps none. One process at a time reads on from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.errors import Stale

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Database

LEASE_SECONDS = 60.0
MOST_HINTS = 1000
# A stream begins a day before it is first read. A worker declares a connection's keys as it starts, and polls from then on:
# older than that no order is. The day is for a worker that was away for a while between the two.
_TAKE = """
INSERT INTO rail_cursors AS c (rail, stream, until, lease_token, leased_until)
VALUES ($1, $2, business_now() - interval '1 day', $3, machine_now() + make_interval(secs => $4))
ON CONFLICT (rail, stream) DO UPDATE SET lease_token = excluded.lease_token, leased_until = excluded.leased_until
  WHERE c.leased_until IS NULL OR c.leased_until <= machine_now() OR c.lease_token = excluded.lease_token
RETURNING until, business_now() AS now
"""
_READ = """
SELECT coalesce(c.until, n.now - interval '1 day') AS until, n.now
  FROM (SELECT business_now() AS now) n LEFT JOIN rail_cursors c ON c.rail = $1 AND c.stream = $2
"""
_MOVE = """
UPDATE rail_cursors SET until = greatest(until, $4), leased_until = machine_now() + make_interval(secs => $5)
 WHERE rail = $1 AND stream = $2 AND lease_token = $3 RETURNING 1
"""
_GIVE_UP = """
UPDATE rail_cursors SET lease_token = NULL, leased_until = NULL
 WHERE rail = $1 AND stream = $2 AND lease_token = $3 RETURNING 1
"""
# Both change the row's own present value, so that what others note at the same time stays.
_HINT = """
UPDATE rail_cursors
   SET hints = hints || ARRAY(SELECT h FROM unnest($3::text[]) WITH ORDINALITY u(h, n) WHERE h <> ALL (hints)
                              GROUP BY h ORDER BY min(n))
 WHERE rail = $1 AND stream = $2 AND cardinality(hints) + cardinality($3::text[]) <= $4 RETURNING 1
"""
_HINTED = "SELECT hints[:$3] AS hints FROM rail_cursors WHERE rail = $1 AND stream = $2"
_LOOKED_AT = """
UPDATE rail_cursors
   SET hints = ARRAY(SELECT h FROM unnest(hints) WITH ORDINALITY u(h, n) WHERE h <> $3 ORDER BY n)
            || CASE WHEN $4 THEN '{}' ELSE ARRAY[$3] END
 WHERE rail = $1 AND stream = $2 RETURNING 1
"""
_UNKNOWN_HINT = "UPDATE rail_cursors SET unknown_hints = unknown_hints + 1 WHERE rail = $1 AND stream = $2 RETURNING 1"
_ORPHANS = """
UPDATE rail_cursors SET orphans_removed = $3, orphans_left = $4 WHERE rail = $1 AND stream = $2 RETURNING 1
"""


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """The place in a stream from which it is read on. until: what came before is stored. now: business time."""

    until: datetime
    now: datetime


class RailCursor:
    """The place of one stream of a rail, and hints about it. token: of this process, drawn once.

    seconds: how long the lease lasts without a word, by the database's clock.
    """

    def __init__(self, database: Database, rail: str, stream: str, token: UUID, seconds: float = LEASE_SECONDS) -> None:
        self._database = database
        self._named = (rail, stream)
        self._token = token
        self._seconds = seconds

    async def take(self) -> StreamPosition | None:
        """Takes the lease, or keeps it; None: another process has it. DatabaseAway: try again later."""
        async with self._database.session() as session:
            row = await session.row(_TAKE, *self._named, self._token, self._seconds)
        return None if row is None else StreamPosition(row["until"], row["now"])

    async def read(self) -> StreamPosition:
        """Returns the place, whoever has the lease. DatabaseAway: try again later."""
        async with self._database.session() as session:
            row = await session.row(_READ, *self._named)
        assert row is not None
        return StreamPosition(row["until"], row["now"])

    async def move(self, until: datetime) -> None:
        """Moves the place, never back, and keeps the lease. Stale: another process has taken it over."""
        async with self._database.session() as session:
            if not await session.fetch(_MOVE, *self._named, self._token, until, self._seconds):
                raise Stale("rail_cursors")

    async def give_up(self) -> None:
        """Ends the lease, if it is this process's. DatabaseAway: it ends by itself."""
        async with self._database.session() as session:
            await session.fetch(_GIVE_UP, *self._named, self._token)

    async def hint(self, payment_ids: Sequence[str]) -> bool:
        """Notes payments that somebody says are there. False: there are too many, and polling finds them."""
        async with self._database.session() as session:
            return bool(await session.fetch(_HINT, *self._named, list(payment_ids), MOST_HINTS))

    async def hints(self, most: int) -> tuple[str, ...]:
        """Returns the payments that were noted first, at most so many; they stay until they were looked at."""
        async with self._database.session() as session:
            row = await session.row(_HINTED, *self._named, most)
        return () if row is None else tuple(row["hints"])

    async def count_unknown_hint(self) -> None:
        """Counts a noted payment that the bank did not know. DatabaseAway: it is not counted."""
        async with self._database.session() as session:
            await session.fetch(_UNKNOWN_HINT, *self._named)

    async def count_orphans(self, removed: int, left: int) -> None:
        """Notes what a night's sweep has removed and left. DatabaseAway: it is not noted."""
        async with self._database.session() as session:
            await session.fetch(_ORPHANS, *self._named, removed, left)

    async def looked_at(self, payment_id: str, *, is_seen: bool) -> None:
        """Forgets a noted payment; one that could not be seen comes behind all others."""
        async with self._database.session() as session:
            await session.fetch(_LOOKED_AT, *self._named, payment_id, is_seen)
