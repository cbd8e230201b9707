"""The network's store in one SQLite file. Every change is one transaction; no await stands inside one.

Requests of the same turn of the event loop may share a transaction (`sharing`). It ends at the next turn, and no answer
leaves before (`committed`): a simulator that is killed has kept all that it told.
"""

import asyncio
import fcntl
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TextIO

SCHEMA = Path(__file__).with_name("schema.sql")
CHECKPOINT_PAGES = 8000  # 32 MB: most pages are changed again before they are copied
CACHE_KIB = 65_536  # SQLite's own 2 MB are less than the indexes over random ids of a busy hour


class StoreInUseError(RuntimeError):
    """An error: another simulator has this file open."""


class Store:
    """One connection for one event loop; functions without await are atomic. Names of tables and columns are our own."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = _locked(path.with_suffix(".lock"))
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        # The file is ours alone, so that no statement has to ask the kernel for a lock; set before WAL, which heeds it.
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        path.chmod(0o600)
        self._is_inside = False
        self._is_shared = False
        self._waiting: list[asyncio.Future[None]] = []

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Runs a transaction; one inside another joins it."""
        if self._is_inside:
            yield
            return
        self._end_shared()
        self._connection.execute("BEGIN IMMEDIATE")
        self._is_inside = True
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        else:
            self._connection.execute("COMMIT")
        finally:
            self._is_inside = False

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Runs a part of this turn's transaction, whole or not at all. Its caller answers once it is `committed`."""
        if self._is_inside:
            yield
            return
        if not self._is_shared:
            asyncio.get_running_loop().call_soon(self._end_shared)
            self._connection.execute("BEGIN IMMEDIATE")
            self._is_shared = True
        self._connection.execute("SAVEPOINT part")
        self._is_inside = True
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK TO part")
            raise
        finally:
            self._is_inside = False
            self._connection.execute("RELEASE part")

    async def committed(self) -> None:
        """Waits for the end of the shared transaction, if there is one."""
        if self._is_shared:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter

    def _end_shared(self) -> None:
        """Commits what is shared. If that fails, it fails for all who wait."""
        if not self._is_shared:
            return
        problem: sqlite3.Error | None = None
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            problem = error
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        waiting, self._waiting, self._is_shared = self._waiting, [], False
        for waiter in waiting:
            if waiter.done():
                continue
            if problem is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(problem)

    def rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """Returns all rows of a query."""
        return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> sqlite3.Row | None:
        """Returns the first row of a query, if there is one."""
        found: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
        return found

    def run(self, sql: str, *values: object) -> int:
        """Changes rows; returns their count."""
        changed = self._connection.execute(sql, values).rowcount
        self._end_alone()
        return changed

    def find(self, table: str, **key: object) -> sqlite3.Row | None:
        """Returns the newest row with these values, if there is one."""
        return self.row(_query(table, "ORDER BY rowid DESC LIMIT 1", *key), *key.values())

    def get(self, table: str, **key: object) -> sqlite3.Row:
        """Returns the newest row with these values, which must exist."""
        found = self.find(table, **key)
        assert found is not None
        return found

    def every(self, table: str, **key: object) -> list[sqlite3.Row]:
        """Returns the rows with these values, oldest first."""
        return self.rows(_query(table, "ORDER BY rowid", *key), *key.values())

    def newest(self, table: str, limit: int, **key: object) -> list[sqlite3.Row]:
        """Returns the newest rows, oldest first. A value of None is that of any row."""
        key = {name: value for name, value in key.items() if value is not None}
        return self.rows(_query(table, "ORDER BY rowid DESC LIMIT ?", *key), *key.values(), limit)[::-1]

    def insert(self, table: str, **values: object) -> None:
        """Adds a row."""
        self.run(_addition("INSERT", table, *values), *values.values())

    def added(self, table: str, **values: object) -> sqlite3.Row:
        """Adds a row and returns it whole."""
        row = self.row(_addition("INSERT", table, *values) + " RETURNING *", *values.values())
        assert row is not None
        self._end_alone()
        return row

    def put(self, table: str, **values: object) -> None:
        """Adds a row, or replaces that of the same primary key."""
        self.run(_addition("INSERT OR REPLACE", table, *values), *values.values())

    def change(self, table: str, row: sqlite3.Row, **values: object) -> None:
        """Changes columns of one row."""
        self.run(_change(table, *values), *values.values(), row["seq"])

    def due(self, table: str, now: int, most: int = -1) -> list[sqlite3.Row]:
        """Returns the due rows, earliest first. most: -1 for all."""
        return self.rows(f"SELECT * FROM {table} WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?", now, most)  # noqa: S608

    def next_due(self, table: str) -> int | None:
        """Returns the earliest time at which a row is due."""
        row = self.row(f"SELECT min(due_at) AS due FROM {table} WHERE due_at IS NOT NULL")  # noqa: S608
        return None if row is None else row["due"]

    def number(self, name: str) -> int:
        """Returns a remembered number, zero if never set."""
        found = self.row("SELECT value FROM number WHERE name = ?", name)
        return 0 if found is None else int(found["value"])

    def remember(self, name: str, value: int) -> None:
        """Keeps a number."""
        self.put("number", name=name, value=value)

    def next_number(self, name: str) -> int:
        """Increments a counter and returns it."""
        row = self.row(
            "INSERT INTO number VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value", name
        )
        assert row is not None
        self._end_alone()
        return int(row["value"])

    def watch(self, hear: Callable[[str], object] | None) -> None:
        """Calls `hear` with each statement, for who counts them. None: no more."""
        self._connection.set_trace_callback(hear)

    def close(self) -> None:
        """Closes the file."""
        self._end_shared()
        self._connection.close()
        self._lock.close()

    def _end_alone(self) -> None:
        """Commits a change that was made outside `writing` and `sharing`: nobody waits for it."""
        if not self._is_inside:
            self._end_shared()


@cache
def _query(table: str, order: str, *names: str) -> str:
    where = f"WHERE {_equal(names)}" if names else ""
    return f"SELECT * FROM {table} {where} {order}"  # noqa: S608 our names


@cache
def _addition(verb: str, table: str, *names: str) -> str:
    return f"{verb} INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


@cache
def _change(table: str, *names: str) -> str:
    return f"UPDATE {table} SET {_equal(names, ', ')} WHERE seq = ?"  # noqa: S608 our names


def _equal(names: Iterable[str], between: str = " AND ") -> str:
    return between.join(f"{name} = ?" for name in names)


def _locked(path: Path) -> TextIO:
    """Locks the file; the kernel drops the lock when the process dies."""
    handle = path.open("w", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise StoreInUseError(f"another simulator uses {path.parent}") from error
    return handle
