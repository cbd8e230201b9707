"""Turns a Write into one statement of modifying CTEs: all of it happens, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import asyncpg

from lastro.core.balance_debits import draws
from lastro.core.errors import DatabaseAway, InDebt, InsufficientFunds, KeyBusy, KeyTaken, OverQuota, Stale, Taken
from lastro.core.failpoints import failpoint
from lastro.core.machine import history_row
from lastro.core.reference_rows import Apart, remove
from lastro.core.session import unsharded
from lastro.core.write import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Database, Session
    from lastro.core.write import Finished, Freed, Move, Quota, Touch, TouchMany, Withdrawn, Write

_FEW = 4  # up to so many rows of one table are VALUES with parameters of their own, more come as arrays
_TRY_AGAIN = frozenset({"40001", "40P01"})


@dataclass(frozen=True, slots=True)
class Caller:
    """The client version and clock version that a decision relies on.

    Both must still hold at the commit. request_id: of the client's call, kept with what it moved.
    """

    client_id: str | None = None
    client_version: int | None = None
    clock_version: int | None = None
    request_id: str | None = None


async def commit(
    database: Database, write: Write, caller: Caller = Caller(), session: Session | None = None,
    *, decided_at: datetime | None = None,
) -> None:  # fmt: skip
    """Makes a Write so, in one round trip. decided_at: the business time it was decided with, at most a second ago.

    Raises Stale (decide again), InsufficientFunds, OverQuota, KeyTaken, KeyBusy, Taken (a unique constraint of a room), each
    with nothing written; DatabaseAway when it is not known, after one more try with the same Write: its rows have ids of
    their own, so that it cannot take effect twice.
    """
    if await database.is_spread() and (apart := Apart.of(write)):
        await _in_parts(database, apart, caller, decided_at)
        return
    statement = await _statement(database, write, caller, decided_at)
    try:
        await _execute(database, write, statement, session)
    except DatabaseAway:
        await _once_more(database, write, statement)
    failpoint("commit.sent")


async def _in_parts(database: Database, apart: Apart, caller: Caller, decided_at: datetime | None) -> None:
    """Makes a Write so in two parts: every server's rows, the shard's.

    Rows of every server name rows of the shard, so they come first and go last. A crash between leaves a name that leads
    nowhere: `lastro distribute repair` and the worker's upkeep take it away (core/unowned_rows.py).
    """
    async with database.session(apart.write.company_id):  # what is asked of the coordinator once, before a session is kept
        await database.columns("companies")
    async with apart.alone(database) as session:
        put = await apart.put(session)
        failpoint("commit.put_everywhere")
        try:
            await commit(database, apart.write, caller, decided_at=decided_at)
        except (Stale, KeyTaken, KeyBusy, Taken, InsufficientFunds, OverQuota):
            await remove(session, apart.write.company_id, put)
            raise
        failpoint("commit.left_everywhere")
        await apart.free(session)


async def _once_more(database: Database, write: Write, statement: _Statement) -> None:
    try:
        await _execute(database, write, statement, None)
    except (Stale, KeyTaken, KeyBusy, Taken, InsufficientFunds, asyncpg.IntegrityConstraintViolationError):
        # The first try may have committed after all, and then it is what stands in the way: its rows, its answer, and the
        # money that it has drawn or the hold that it has ended.
        if not await was_written(database, write):
            raise


async def was_written(database: Database, write: Write) -> bool:
    """Tells whether this very Write has committed.

    Compares its first history row or row with an id, to the microsecond. A Write with neither has committed if its first
    touched row has the very values that it sets.
    """
    async with database.session(write.company_id) as session:
        for m in write.moves:
            moved = (
                "SELECT created_at = $4 AND trigger = $5 FROM history"
                " WHERE company_id = $1 AND reference_id = $2 AND version = $3"
            )
            return await session.value(moved, write.company_id, m.id, m.version + 1, m.at, m.trigger) is True
        for (table, columns), rows in _grouped(write, None).items():
            if "id" in columns:
                sql = f"SELECT true FROM {table} WHERE company_id = $1 AND id = $2"  # noqa: S608 a table of ours
                return await session.value(sql, write.company_id, rows[0]["id"]) is True
        for t in write.touches:
            named = {t.key: t.id, **t.also, **t.sets}
            same = " AND ".join(f"{column} IS NOT DISTINCT FROM ${n}" for n, column in enumerate(named, 2))
            sql = f"SELECT true FROM {t.table} WHERE company_id = $1 AND {same}"  # noqa: S608 a table of ours
            return await session.value(sql, write.company_id, *named.values()) is True
    return False


async def _execute(database: Database, write: Write, statement: _Statement, session: Session | None) -> None:
    try:
        if session is not None:
            await session.fetch(statement.sql, *statement.arguments)
        else:
            # A Write that only inserts takes the company from door_commit; one that moves must see its rows at once.
            sees = bool(write.moves or write.touches or write.many or write.finished or write.withdrawn)
            lent = database.session if sees else database.session_for
            async with lent(write.company_id) as own:
                await own.fetch(statement.sql, *statement.arguments)
                own.company_id = write.company_id
    except asyncpg.UniqueViolationError as clash:
        raise _of_clash(unsharded(clash.constraint_name or "")) from clash
    except asyncpg.LockNotAvailableError as late:
        # The server says what it was doing: only a wait for the key's own row means that a twin is under way.
        if write.stored and "answers" in (late.context or ""):
            raise KeyBusy from late
        raise Stale("a lock was held for too long") from late
    except asyncpg.PostgresError as error:
        if error.sqlstate == "LA402":
            raise InsufficientFunds(str(error)) from error
        if error.sqlstate == "LA404":
            raise InDebt(str(error)) from error
        if error.sqlstate == "LA403":
            raise OverQuota(error.message, int(error.detail or 0)) from error
        if error.sqlstate == "LA409" or error.sqlstate in _TRY_AGAIN:
            raise Stale(str(error)) from error
        raise


def _of_clash(constraint: str) -> Exception:
    """Maps a violated unique constraint to an exception."""
    if constraint == "answers_pkey":
        return KeyTaken()
    # Two equal times of one company's objects: the later one takes another microsecond by deciding again.
    if constraint == "history_pkey" or constraint.endswith("_created_at_key"):
        return Stale(constraint)
    return Taken(constraint)


@dataclass(frozen=True, slots=True)
class _Statement:
    sql: str
    arguments: list[Any]


class _Builder:
    """Collects CTEs and their parameters; the same shape of Write gives the same text, which sessions keep prepared."""

    def __init__(self, company_id: UUID) -> None:
        self.arguments: list[Any] = [company_id]
        self.ctes: list[str] = []
        self.inserted: list[str] = []
        self.demands: list[str] = []

    def add(self, value: Any) -> str:
        self.arguments.append(value)
        return f"${len(self.arguments)}"

    def cte(self, body: str) -> str:
        name = f"w{len(self.ctes)}"
        self.ctes.append(f"{name} AS ({body})")
        return name

    def demand(self, name: str, cte: str, expected: int = 1) -> None:
        self.demands.append(f"demand('{name}', {expected}, (SELECT count(*) FROM {cte}))")  # noqa: S608 names of our own code

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]], types: Mapping[str, str]) -> None:
        """Inserts rows of the same columns. Each takes its company from the tenant check, so that the check runs first."""
        if len(rows) <= _FEW:
            first = len(self.arguments) + 1
            for row in rows:
                self.arguments += row.values()
            self.inserted.append(self.cte(_insert_text(table, tuple(rows[0]), len(rows), first)))
            return
        columns = ", ".join(rows[0])
        arrays = ", ".join(f"{self.add([row[c] for row in rows])}::{types[c]}[]" for c in rows[0])
        name = self.cte(
            f"INSERT INTO {table} (company_id, {columns})"  # noqa: S608
            f" SELECT door.company_id, u.* FROM door CROSS JOIN unnest({arrays}) u RETURNING 1"
        )
        self.inserted.append(name)

    def move(self, m: Move) -> None:
        sets = {m.state_column: m.to_state, "updated_at": m.at, **m.sets}
        assignments = ", ".join(f"{c} = {self.add(v)}" for c, v in sets.items())
        name = self.cte(
            f"UPDATE {m.table} SET {assignments}, version = version + 1"  # noqa: S608
            f" WHERE company_id = $1 AND id = {self.add(m.id)} AND version = {self.add(m.version)} RETURNING 1"
        )
        self.demand(m.table, name)

    def touch(self, t: Touch) -> None:
        assignments = ", ".join(f"{c} = {self.add(v)}" for c, v in t.sets.items())
        key = " AND ".join(f"{c} = {self.add(v)}" for c, v in {t.key: t.id, **t.also}.items())
        name = self.cte(
            f"UPDATE {t.table} SET {assignments}"  # noqa: S608
            f" WHERE company_id = $1 AND {key} AND version = {self.add(t.version)} RETURNING 1"
        )
        self.demand(t.table, name)

    def touch_many(self, t: TouchMany, types: Mapping[str, str]) -> None:
        arrays = [f"{self.add(t.ids)}::uuid[]", f"{self.add(t.versions)}::bigint[]"]
        arrays += [f"{self.add(values)}::{types[column]}[]" for column, values in t.sets.items()]
        columns = ", ".join(t.sets)
        found = self.cte(f"SELECT * FROM unnest({', '.join(arrays)}) u(id, version, {columns})")  # noqa: S608 names of ours
        # A locked row is being moved. To wait for it would be to wait for many, and in an order of our own.
        free = self.cte(
            f"SELECT t.id FROM {t.table} t JOIN {found} u ON u.id = t.id AND u.version = t.version"  # noqa: S608
            f" WHERE t.company_id = $1 FOR NO KEY UPDATE OF t SKIP LOCKED"
        )
        assignments = ", ".join(f"{column} = u.{column}" for column in t.sets)
        self.cte(
            f"UPDATE {t.table} t SET {assignments}, version = t.version + 1 FROM {found} u JOIN {free} f ON f.id = u.id"  # noqa: S608
            f" WHERE t.company_id = $1 AND t.id = u.id AND t.version = u.version"
        )

    def finish(self, f: Finished) -> None:
        name = self.cte(
            f"UPDATE {f.table} SET due_at = NULL, done_at = {self.add(f.at)}, outcome = {self.add(f.outcome)},"  # noqa: S608
            f" lease_token = NULL, leased_until = NULL"
            f" WHERE company_id = $1 AND id = {self.add(f.id)} AND lease_token = {self.add(f.lease_token)} RETURNING 1"
        )
        self.demand(f.table, name)

    def free(self, f: Freed) -> None:
        found = "".join(f" AND {c} = {self.add(v)}" for c, v in f.values.items())
        name = self.cte(f"DELETE FROM {f.table} WHERE company_id = $1{found} RETURNING 1")  # noqa: S608 names of our own code
        self.demand(f.table, name)

    def withdraw(self, w: Withdrawn) -> None:
        name = self.cte(
            f"UPDATE outbox SET due_at = NULL, done_at = {self.add(w.at)}, outcome = 'withdrawn'"  # noqa: S608
            f" WHERE company_id = $1 AND id = {self.add(w.id)} AND sends = {self.add(w.sends)} AND lease_token IS NULL"
            f"{' AND due_at IS NOT NULL' if w.is_unsent else ''} RETURNING 1"
        )
        self.demand("outbox", name)

    def use(self, quotas: Sequence[Quota]) -> str:
        """Returns a column of the last SELECT that checks the used limits. Each is checked under its own row's lock."""
        q = sorted(quotas, key=lambda q: (q.owner_id, q.kind, q.period))
        columns = (
            [x.owner_id for x in q],
            [x.kind for x in q],
            [x.period for x in q],
            [x.minor for x in q],
            [x.most for x in q],
        )
        return f"use_quotas(door.company_id, {', '.join(self.add(c) for c in columns)})"


@lru_cache(maxsize=2048)
def _insert_text(table: str, columns: tuple[str, ...], rows: int, first: int) -> str:
    """Returns the INSERT of `rows` rows, with parameters numbered from `first`."""
    width, company = len(columns), "(SELECT company_id FROM door)"
    numbers = (range(start, start + width) for start in range(first, first + rows * width, width))
    values = ", ".join(f"({company}, {', '.join(f'${n}' for n in row)})" for row in numbers)
    return f"INSERT INTO {table} (company_id, {', '.join(columns)}) VALUES {values} RETURNING 1"  # noqa: S608 names of ours


async def _statement(database: Database, write: Write, caller: Caller, decided_at: datetime | None) -> _Statement:
    b = _Builder(write.company_id)
    relies = sorted(write.relies, key=lambda r: (r.kind, r.id))
    door = (
        f"SELECT door_commit($1, {b.add(caller.client_id)}, {b.add(caller.client_version)},"
        f" {b.add(caller.clock_version)}, {b.add([r.kind for r in relies])}, {b.add([r.id for r in relies])},"
        f" {b.add([r.version for r in relies])}) AS company_id"
    )
    for (table, _), rows in _grouped(write, caller.request_id).items():
        b.insert(table, rows, await database.columns(table) if len(rows) > _FEW else {})
    for m in write.moves:
        b.move(m)
    for t in write.touches:
        b.touch(t)
    for many in write.many:
        b.touch_many(many, await database.columns(many.table))
    for w in write.withdrawn:
        b.withdraw(w)
    for f in write.finished:
        b.finish(f)
    for freed in write.freed:
        b.free(freed)
    accounts, debits, held, owed, watched = draws(write.transfers, write.watches)
    # Limits before funds, in the order of clients' errors (contract.md §10).
    locking = [b.use(write.quotas)] if write.quotas else []
    if accounts:
        rare = [owed, watched] if any(watched) else [owed] if any(owed) else []
        taken = [accounts, debits, held, *rare]
        locking.append(f"draw(door.company_id, {', '.join(map(b.add, taken))})")
    # Behind the balance, whose lock makes most that are alike wait for each other already.
    locking += [f"unrepeated_payout(door.company_id, {b.add(u.id)}, {b.add(u.within)})" for u in write.unrepeated]
    # Counted, the rows are there before what follows: an INSERT nobody asks of runs after the SELECT. So a row that many
    # want, a limit's or a balance's, is locked last and until the commit alone; and the time is looked at when an INSERT has
    # waited for a row of the same key.
    written = [f"(SELECT count(*) FROM {name})" for name in b.inserted]  # noqa: S608
    columns = [*(written if locking else ()), *b.demands, *locking]
    if decided_at is not None:
        timely = "timely_transfers" if write.transfers else "timely"
        columns.append(f"{timely}({', '.join((b.add(decided_at), *written))})")
    ctes, shown = "".join(f", {c}" for c in b.ctes), "".join(f", {c}" for c in columns)
    sql = f"WITH door AS MATERIALIZED ({door}){ctes} SELECT door.company_id{shown} FROM door"  # noqa: S608
    return _Statement(sql, b.arguments)


def _grouped(write: Write, request_id: str | None) -> dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]]:
    """Groups the rows to insert by table and columns; parents stay before children."""
    rows = [
        *write.rows,
        *(
            history_row(m.table, m.id, m.version + 1, m.from_state, m.to_state, m.trigger, m.reason, m.at)
            for m in write.moves
        ),
        *_transfers(write),
        *(
            Row("events", {"id": f.id, "type": f.type, "reference_id": f.reference_id, "url": f.url, "body": f.body,
                           "created_at": f.at})
            for f in write.events
        ),
        *(
            Row("outbox", {"id": m.id, "rail": m.rail, "kind": m.kind, "network_id": m.network_id,
                           "reference_id": m.reference_id, "body": m.body, "created_at": m.at, "due_at": m.due or m.at})
            for m in write.messages
        ),
        *(
            Row("answers", {"operation": s.operation, "key": s.key, "fingerprint": s.fingerprint, "status": s.status,
                            "body": s.body, "object_id": s.object_id, "keep": s.keep, "created_at": s.at})
            for s in write.stored
        ),
    ]  # fmt: skip
    groups: dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    for row in rows:
        values = {**row.values, "request_id": request_id} if row.table == "history" else row.values
        groups.setdefault((row.table, tuple(values)), []).append(values)
    return groups


def _transfers(write: Write) -> list[Row]:
    return [
        Row(
            "transfers",
            {
                "id": t.id, "kind": t.kind, "debit_id": t.debit.id, "credit_id": t.credit.id,
                "amount_minor": t.amount.minor, "currency": t.amount.currency, "type": t.type,
                "pending_id": t.pending_id, "reference_id": t.reference_id, "created_at": t.at,
            },
        )
        for t in write.transfers
    ]  # fmt: skip
