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

_MOST_COMPANIES = 1000  # that one look finds
LEASE_SECONDS = 30  # longer than the hard time-out of the work under it (10 s), so that no lease is renewed

# Of a statement whose loss in a crash of the server costs nothing but that it is done again: nobody waits for the disk.
_UNAWAITED = " FROM (SELECT set_config('synchronous_commit', 'off', true)) unawaited"

# As a subquery the clock is read once a statement and can bound an index; called bare, it is read again for every row.
NOW = "(SELECT business_now())"
# Work that was due by then and moves money may have been done in a time that a restore has lost: it waits for people.
HELD_UNTIL = "(SELECT held_until())"


@dataclass(frozen=True, slots=True)
class Queue:
    """A table's rows as a queue of work.

    table: of the rows, with due_at. key: its id column. also: a further condition for a row to be ready. only: selects this
    queue's rows, by columns that the finding role sees. shown: what a claim returns of a row beside its columns, as
    `expression AS name`. recalls: a claim must outlive a crash of the server, since the work under it asks how often the row
    was claimed.
    """

    table: str
    key: str = "id"
    also: str = "true"
    only: str = "true"
    shown: str = ""
    recalls: bool = True

    @property
    def due_sql(self) -> str:
        """The statement that reads company_id and due_at of due rows, unordered."""
        return (
            f"SELECT company_id, due_at FROM {self.table} w"  # noqa: S608 names of our own code
            f" WHERE due_at <= {NOW} AND (leased_until IS NULL OR leased_until < (SELECT machine_now())) AND {self.only}"
        )

    @property
    def first_sql(self) -> str:
        """The statement that reads the longest due rows, at most $1."""
        return f"{self.due_sql} ORDER BY due_at LIMIT $1"

    @property
    def find_sql(self) -> str:
        """Companies that have something due, longest waiting first; one read over the partial index of open rows."""
        return longest_waiting(self.due_sql, "due_at")

    @property
    def claim_sql(self) -> str:
        """The statement that claims due rows of one company, skipping locked ones. It counts and leases them first."""
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
        """The statement that settles rows without a Write.

        A row that a crash makes due again is asked about before a send.
        """
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
    """A finished piece of work, for logs and metrics.

    kind: of the message, event or sweep. outcome: one of few words. objects: the ids that it made, moved or reported.
    row_id: of the queue's row. sends: how often the row was claimed.
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
    """Ignores the event."""


def longest_waiting(due_sql: str, column: str) -> str:
    """Finds the companies of due rows, and since when each waits. column: of the time that a row is due."""
    return (
        f"SELECT company_id, min({column}) AS due_at FROM ({due_sql}) due"  # noqa: S608 names of our own code
        f" GROUP BY company_id ORDER BY min({column}) LIMIT {_MOST_COMPANIES}"
    )


async def find(work: Database, find_sql: str) -> list[UUID]:
    """Returns companies with due rows, longest waiting first.

    work: as the role that sees ids and due times alone. find_sql: as of `longest_waiting`.
    """
    rows = sorted(await work.in_reach(find_sql), key=lambda r: r["due_at"])
    return [r["company_id"] for r in rows[:_MOST_COMPANIES]]


async def claim(database: Database, queue: Queue, company_id: UUID, token: UUID, limit: int) -> list[Record]:
    """Claims up to `limit` rows and leases them to `token`. The lease lasts 30 s of machine time."""
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
    """Puts off a row that was not even begun. It counts as not claimed."""
    async with database.session(row["company_id"]) as session:
        await session.fetch(queue.put_off_sql(also), row["company_id"], row[queue.key], row["lease_token"], later)


async def finish(database: Database, queue: Queue, company_id: UUID, ids: list[UUID], token: UUID, outcome: str) -> None:
    """Settles rows claimed under one token; those that another worker has taken over are left to it."""
    async with database.session(company_id) as session:
        await session.fetch(queue.finish_sql, company_id, ids, token, outcome)
