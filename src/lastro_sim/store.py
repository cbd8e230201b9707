"""The network's memory in one SQLite file. Every change is one transaction; no await stands inside one."""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

SCHEMA = Path(__file__).with_name("schema.sql")


class StoreInUseError(RuntimeError):
    """Another simulator already works on this file."""


class Store:
    """One connection, used by one event loop: a function without await is atomic towards all others."""

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
        """All of it or nothing. A transaction inside another joins it."""
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
        """All rows of a query."""
        return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> sqlite3.Row | None:
        """The first row of a query, if there is one."""
        found: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
        return found

    def run(self, sql: str, *values: object) -> int:
        """Change rows; answers how many."""
        return self._connection.execute(sql, values).rowcount

    def number(self, name: str) -> int:
        """A remembered number, zero if never set."""
        found = self.row("SELECT value FROM number WHERE name = ?", name)
        return 0 if found is None else int(found["value"])

    def remember(self, name: str, value: int) -> None:
        """Keep a number."""
        self.run(
            "INSERT INTO number (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name,
            value,
        )

    def next_number(self, name: str) -> int:
        """Count one further."""
        with self.writing():
            value = self.number(name) + 1
            self.remember(name, value)
            return value

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()
        self._lock.close()


def _locked(path: Path) -> TextIO:
    """Hold a lock on the file for life; the kernel drops it when the process dies."""
    handle = path.open("w", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise StoreInUseError(f"another simulator uses {path.parent}") from error
    return handle
