"""The network's store in one SQLite file. Every change is one transaction; no await stands inside one."""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

SCHEMA = Path(__file__).with_name("schema.sql")


class StoreInUseError(RuntimeError):
    """An error: another simulator has this file open."""


class Store:
    """One connection for one event loop; functions without await are atomic."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = _locked(path.with_suffix(".lock"))
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        path.chmod(0o600)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Runs a transaction; one inside another joins it."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """Returns all rows of a query."""
        return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> sqlite3.Row | None:
        """Returns the first row of a query, if there is one."""
        found: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
        return found

    def run(self, sql: str, *values: object) -> int:
        """Changes rows; returns their count."""
        return self._connection.execute(sql, values).rowcount

    def number(self, name: str) -> int:
        """Returns a remembered number, zero if never set."""
        found = self.row("SELECT value FROM number WHERE name = ?", name)
        return 0 if found is None else int(found["value"])

    def remember(self, name: str, value: int) -> None:
        """Keeps a number."""
        self.run(
            "INSERT INTO number (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name,
            value,
        )

    def next_number(self, name: str) -> int:
        """Increments a counter and returns it."""
        with self.writing():
            value = self.number(name) + 1
            self.remember(name, value)
            return value

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()
        self._lock.close()


def _locked(path: Path) -> TextIO:
    """Locks the file; the kernel drops the lock when the process dies."""
    handle = path.open("w", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise StoreInUseError(f"another simulator uses {path.parent}") from error
    return handle
