"""Work queues: the domain's own rows, found across companies, claimed per company under a lease, finished by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta
    from typing import TypeAlias
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database

    OnWorked: TypeAlias = Callable[["Worked"], None]

LEASE_SECONDS = 30  # longer than the hard time-out of whatever is done under it (10 s), so that nothing is renewed

# Of a statement whose loss in a crash of the server costs nothing but that it is done again: nobody waits for the disk.
_UNAWAITED = " FROM (SELECT set_config('synchronous_commit', 'off', true)) unawaited"

# As a subquery the clock is read once a statement and can bound an index; called bare, it is read again for every row.
NOW = "(SELECT business_now())"
# What was due by then and moves money may have been done in a time that a restore has lost: it waits for people.
HELD_UNTIL = "(SELECT held_until())"


@dataclass(frozen=True, slots=True)
class Queue:
    """table: whose rows with due_at are work. key: its id column. also: a further condition for a row to be ready.

    only: which of the table's rows are this lane's at all, said of columns that the finding role sees. shown: what a claim
    says of a row beside its columns, as `expression AS name`. recalls: whether a claim must outlive a crash of the server,
    since what was done under it asks how often it was claimed.
    """

    table: str
    key: str = "id"
    also: str = "true"
    only: str = "true"
    shown: str = ""
    recalls: bool = True

    @property
    def due_sql(self) -> str:
        """What is due, whose it may be: its company_id and due_at, in no order."""
        return (
            f"SELECT company_id, due_at FROM {self.table} w"  # noqa: S608 names of our own code
            f" WHERE due_at <= {NOW} AND (leased_until IS NULL OR leased_until < (SELECT machine_now())) AND {self.only}"
        )

    @property
    def first_sql(self) -> str:
        """What has been due for longest, at most $1."""
        return f"{self.due_sql} ORDER BY due_at LIMIT $1"

    @property
    def find_sql(self) -> str:
        """Companies that have something due, longest waiting first; one read over the partial index of open rows."""
        return f"SELECT company_id FROM ({self.due_sql}) due GROUP BY company_id ORDER BY min(due_at) LIMIT 1000"  # noqa: S608

    @property
    def claim_sql(self) -> str:
        """Takes a few due rows of one company that nobody else is taking: counted and leased before anything is done."""
        return (
            f"UPDATE {self.table} SET lease_token = $2, sends = sends + 1,"  # noqa: S608
            f" leased_until = machine_now() + interval '{LEASE_SECONDS} seconds'{'' if self.recalls else _UNAWAITED}"
            f" WHERE company_id = $1 AND {self.key} = ANY (ARRAY(SELECT {self.key} FROM {self.table} w"
            f" WHERE company_id = $1 AND due_at <= {NOW}"
            f" AND (leased_until IS NULL OR leased_until < (SELECT machine_now())) AND {self.only} AND {self.also}"
            f" ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED))"
            f" RETURNING {self.table}.*{', ' if self.shown else ''}{self.shown}"
        )

    @property
    def finish_sql(self) -> str:
        """Settles rows that need no Write of their own. What is due again after a crash is asked about before it is sent."""
        return (
            f"UPDATE {self.table} SET due_at = NULL, done_at = business_now(), outcome = $4,"  # noqa: S608
            f" lease_token = NULL, leased_until = NULL{_UNAWAITED}"
            f" WHERE company_id = $1 AND {self.key} = ANY ($2) AND lease_token = $3"
        )

    def release_sql(self, also: str = "") -> str:
        """Gives a row back, due later. also: further columns that are set."""
        return (
            f"UPDATE {self.table} SET lease_token = NULL, leased_until = NULL, due_at = business_now() + $4{also}"  # noqa: S608
            f" WHERE company_id = $1 AND {self.key} = $2 AND lease_token = $3"
        )

    def put_off_sql(self, also: str = "") -> str:
        """Gives a row back with which nothing was done: the claim is not counted. also: further columns that are set."""
        return (
            f"UPDATE {self.table} SET lease_token = NULL, leased_until = NULL, sends = sends - 1,"  # noqa: S608
            f" due_at = business_now() + $4{also} WHERE company_id = $1 AND {self.key} = $2 AND lease_token = $3"
        )


@dataclass(frozen=True, slots=True)
class Worked:
    """A piece of work that has ended, for logs and figures.

    kind: of the message, event or sweep. outcome: one of few words. objects: what was made or moved, or is told of.
    row_id: of the lane's row. sends: how often the row was taken in hand.
    """

    queue: str
    kind: str
    outcome: str
    seconds: float
    company_id: UUID
    objects: tuple[UUID | str, ...] = ()
    row_id: UUID | None = None
    network_id: str | None = None
    sends: int | None = None


def ignore_worked(_: Worked) -> None:
    """Who listens to nothing."""


async def find(work: Database, queue: Queue) -> list[UUID]:
    """Companies with work in this lane, seen by the role that sees ids and due times alone."""
    async with work.session() as session:
        return [r["company_id"] for r in await session.fetch(queue.find_sql)]


async def claim(database: Database, queue: Queue, company_id: UUID, token: UUID, limit: int) -> list[Record]:
    """Up to `limit` rows, leased to `token` for 30 s of machine time."""
    async with database.session(company_id) as session:
        rows = await session.fetch(queue.claim_sql, company_id, token, limit)
    if rows:
        failpoint("lane.claimed")
    return sorted(rows, key=lambda r: (r["due_at"], r[queue.key]))


async def release(database: Database, queue: Queue, row: Record, later: timedelta, also: str = "") -> None:
    """Gives back what could not be finished; a row that another worker has taken over is left to it. also: sets more."""
    async with database.session(row["company_id"]) as session:
        await session.fetch(queue.release_sql(also), row["company_id"], row[queue.key], row["lease_token"], later)


async def put_off(database: Database, queue: Queue, row: Record, later: timedelta, also: str = "") -> None:
    """The same for what was not even begun: it counts as not taken in hand."""
    async with database.session(row["company_id"]) as session:
        await session.fetch(queue.put_off_sql(also), row["company_id"], row[queue.key], row["lease_token"], later)


async def finish(database: Database, queue: Queue, company_id: UUID, ids: list[UUID], token: UUID, outcome: str) -> None:
    """Settles rows claimed under one token; those that another worker has taken over are left to it."""
    async with database.session(company_id) as session:
        await session.fetch(queue.finish_sql, company_id, ids, token, outcome)
