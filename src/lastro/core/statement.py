"""The SQL statement of Writes: modifying CTEs, so that all of it happens, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.balance_debits import draws
from lastro.core.machine import history_row
from lastro.core.write import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.write import Decided, Freed, Quota, TouchMany, Write

_FEW = 4  # up to so many rows of one table are VALUES with parameters of their own, more come as arrays


@dataclass(frozen=True, slots=True)
class CommitStatement:
    """A statement and its arguments. write: all that it changes."""

    sql: str
    arguments: list[Any]
    write: Write


class _Builder:
    """Collects CTEs and their parameters; the same shape of Write gives the same text, which sessions keep prepared.

    few: up to so many rows of one table are VALUES.
    """

    def __init__(self, company_id: UUID, few: int) -> None:
        self.few = few
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

    def demand(self, name: str, cte: str, expected: int | str = 1) -> None:
        self.demands.append(f"demand('{name}', {expected}, (SELECT count(*) FROM {cte}))")  # noqa: S608 names of our own code

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]], types: Mapping[str, str]) -> None:
        """Inserts rows of the same columns. Each takes its company from the tenant check, so that the check runs first."""
        if len(rows) <= self.few:
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

    def change(self, c: _Change) -> None:
        """Changes one row, and demands that it was found."""
        assignments = ", ".join(f"{name} = {self.add(value)}" for name, value in c.sets.items())
        found = " AND ".join(f"{name} = {self.add(value)}" for name, value in c.matched.items())
        name = self.cte(
            f"UPDATE {c.table} t SET {assignments}{c.also_sets} WHERE company_id = $1 AND {found}{c.only} RETURNING 1"  # noqa: S608
        )
        self.demand(c.table, name)

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

    def change_alike(self, changes: Sequence[_Change], types: Mapping[str, str]) -> None:
        """Changes rows of one table, each to values of its own; the text is the same for any number of them."""
        like = changes[0]
        matched, sets = list(like.matched), list(like.sets)
        arrays = [f"{self.add([c.matched[name] for c in changes])}::{types[name]}[]" for name in matched]
        arrays += [f"{self.add([c.sets[name] for c in changes])}::{types[name]}[]" for name in sets]
        names = [f"m{n}" for n in range(len(matched))] + [f"s{n}" for n in range(len(sets))]
        assignments = ", ".join(f"{name} = u.s{n}" for n, name in enumerate(sets))
        found = " AND ".join(f"t.{name} = u.m{n}" for n, name in enumerate(matched))
        name = self.cte(
            f"UPDATE {like.table} t SET {assignments}{like.also_sets} FROM unnest({', '.join(arrays)}) u({', '.join(names)})"  # noqa: S608
            f" WHERE t.company_id = $1 AND {found}{like.only} RETURNING 1"
        )
        self.demand(like.table, name, self.add(len(changes)))

    def free(self, f: Freed) -> None:
        found = "".join(f" AND {c} = {self.add(v)}" for c, v in f.values.items())
        name = self.cte(f"DELETE FROM {f.table} WHERE company_id = $1{found} RETURNING 1")  # noqa: S608 names of our own code
        self.demand(f.table, name)

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


async def statement_of(database: Database, decided: Sequence[Decided]) -> CommitStatement:
    """Returns the statement of Writes. They are of one company and caller, but for the ids of requests.

    One Write is written out, and many alike have the same text. Several are arrays: any number of the same kinds has one.
    """
    write = decided[0].write
    for other in decided[1:]:
        write += other.write
    is_one = len(decided) == 1
    b = _Builder(write.company_id, few=_FEW if is_one else 0)
    door = _door(b, write, decided[0])
    for (table, _), rows in _grouped(decided).items():
        b.insert(table, rows, await database.columns(table) if len(rows) > b.few else {})
    for alike in _alike(_changes(write), is_one=is_one):
        if is_one:
            b.change(alike[0])
        else:
            b.change_alike(alike, await database.columns(alike[0].table))
    for many in write.many:
        b.touch_many(many, await database.columns(many.table))
    for freed in write.freed:
        b.free(freed)
    columns = _checked_last(b, write, decided)
    ctes, shown = "".join(f", {c}" for c in b.ctes), "".join(f", {c}" for c in columns)
    sql = f"WITH door AS MATERIALIZED ({door}){ctes} SELECT door.company_id{shown} FROM door"  # noqa: S608
    return CommitStatement(sql, b.arguments, write)


def _door(b: _Builder, write: Write, decided: Decided) -> str:
    """Returns the tenant check: the caller, the clock and what was relied on are as they were read."""
    caller = decided.caller
    relies = sorted(set(write.relies), key=lambda r: (r.kind, r.id))
    return (
        f"SELECT door_commit($1, {b.add(caller.client_id)}, {b.add(caller.client_version)},"
        f" {b.add(caller.clock_version)}, {b.add([r.kind for r in relies])}, {b.add([r.id for r in relies])},"
        f" {b.add([r.version for r in relies])}) AS company_id"
    )


def _checked_last(b: _Builder, write: Write, decided: Sequence[Decided]) -> list[str]:
    """Returns the columns of the last SELECT: guards, limits, funds, time."""
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
    times = [one.at for one in decided if one.at is not None]
    if times:
        timely = "timely_transfers" if write.transfers else "timely"
        columns.append(f"{timely}({', '.join((b.add(min(times)), *written))})")
    return columns


class _Change(msgspec.Struct, frozen=True):
    """An UPDATE of one row. matched: by what it is found; also_sets, only: the same for all that are alike."""

    table: str
    matched: Mapping[str, Any]
    sets: Mapping[str, Any]
    also_sets: str = ""
    only: str = ""


def _changes(write: Write) -> list[_Change]:
    """Returns the rows to change. Each is guarded by what was read of it."""
    released = ", due_at = NULL, lease_token = NULL, leased_until = NULL"
    withdrawn = ", due_at = NULL, outcome = 'withdrawn'"
    changes = [
        _Change(
            m.table, {"id": m.id, "version": m.version}, {m.state_column: m.to_state, "updated_at": m.at, **m.sets},
            ", version = t.version + 1",
        )
        for m in write.moves
    ]  # fmt: skip
    changes += [_Change(t.table, {t.key: t.id, **t.also, "version": t.version}, t.sets) for t in write.touches]
    changes += [
        _Change(
            "outbox", {"id": w.id, "sends": w.sends}, {"done_at": w.at}, withdrawn,
            " AND t.lease_token IS NULL" + (" AND t.due_at IS NOT NULL" if w.is_unsent else ""),
        )
        for w in write.withdrawn
    ]  # fmt: skip
    changes += [
        _Change(f.table, {"id": f.id, "lease_token": f.lease_token}, {"done_at": f.at, "outcome": f.outcome}, released)
        for f in write.finished
    ]
    return changes


def _alike(changes: Sequence[_Change], *, is_one: bool) -> list[list[_Change]]:
    """Puts changes of the same columns together; those of one Write stay apart."""
    found: dict[object, list[_Change]] = {}
    for place, c in enumerate(changes):
        shape = (c.table, tuple(c.matched), tuple(c.sets), c.also_sets, c.only)
        found.setdefault(place if is_one else shape, []).append(c)
    return [sorted(some, key=lambda c: str(next(iter(c.matched.values())))) for some in found.values()]


def _grouped(decided: Sequence[Decided]) -> dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]]:
    """Groups the rows to insert by table and columns; parents stay before children."""
    groups: dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    for one in decided:
        for row in rows_of(one.write):
            values = {**row.values, "request_id": one.caller.request_id} if row.table == "history" else row.values
            groups.setdefault((row.table, tuple(values)), []).append(values)
    return groups


def rows_of(write: Write) -> list[Row]:
    """Returns every row that a Write inserts. History, transfers, events, messages and answers are among them."""
    return [
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
