"""Commits Writes, each by one statement, and maps what the server refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncpg

from lastro.core.errors import DatabaseAway, InDebt, InsufficientFunds, KeyBusy, KeyTaken, OverQuota, Stale, Taken
from lastro.core.failpoints import failpoint
from lastro.core.reference_rows import Apart, remove
from lastro.core.session import unsharded
from lastro.core.statement import rows_of, statement_of
from lastro.core.write import OURS, Decided

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lastro.core.db import Database, Session
    from lastro.core.statement import CommitStatement
    from lastro.core.write import Caller, Write

_TRY_AGAIN = frozenset({"40001", "40P01"})


async def commit(
    database: Database, write: Write, caller: Caller = OURS, session: Session | None = None,
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
    await commit_together(database, (Decided(write, caller, decided_at),), session)


async def commit_together(database: Database, decided: Sequence[Decided], session: Session | None = None) -> None:
    """Makes several Writes of one company so, in one statement: all of them, or none. Raises as `commit`."""
    statement = await statement_of(database, decided)
    try:
        await _execute(database, statement, session)
    except DatabaseAway:
        await _once_more(database, statement, decided)
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


async def _once_more(database: Database, statement: CommitStatement, decided: Sequence[Decided]) -> None:
    try:
        await _execute(database, statement, None)
    except (Stale, KeyTaken, KeyBusy, Taken, InsufficientFunds, asyncpg.IntegrityConstraintViolationError):
        # The first try may have committed after all, and then it is what stands in the way: its rows, its answer, and the
        # money that it has drawn or the hold that it has ended.
        for one in decided:  # all or none
            if await was_written(database, one.write):
                return
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
        for row in rows_of(write):
            if "id" in row.values:
                sql = f"SELECT true FROM {row.table} WHERE company_id = $1 AND id = $2"  # noqa: S608 a table of ours
                return await session.value(sql, write.company_id, row.values["id"]) is True
        for t in write.touches:
            named = {t.key: t.id, **t.also, **t.sets}
            same = " AND ".join(f"{column} IS NOT DISTINCT FROM ${n}" for n, column in enumerate(named, 2))
            sql = f"SELECT true FROM {t.table} WHERE company_id = $1 AND {same}"  # noqa: S608 a table of ours
            return await session.value(sql, write.company_id, *named.values()) is True
    return False


async def _execute(database: Database, statement: CommitStatement, session: Session | None) -> None:
    write = statement.write
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
