"""A statement as CSV (RFC 4180) in UTF-8, an entry a line, between a line of what there was and one of what was left."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from lastro.accounts.statements.formats.printing import decimal_of, moment
from lastro.accounts.statements.types import title_of
from lastro.standards.documents import mask
from lastro.standards.spreadsheets import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from asyncpg import Record

    from lastro.accounts.statements.model import Statement

COLUMNS = (
    "createdAt", "id", "operation", "type", "title", "amount", "balanceAfter", "currency", "description", "orderId",
    "endToEndId", "counterpartyName", "counterpartyDocument",
)  # fmt: skip
OPENING, CLOSING = "OPENING_BALANCE", "CLOSING_BALANCE"


class Table:
    """Amounts are signed, so that they add up from the first line to the last."""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._decimal = decimal_of(statement.currency)

    def head(self) -> bytes:
        """The names of the columns, and what the account had."""
        s = self._statement
        return _lines((COLUMNS, self._balance(moment(s.since), OPENING, "Saldo inicial", s.opening.minor)))

    def entries(self, rows: Sequence[Record]) -> bytes:
        """A line each."""
        decimal, currency = self._decimal, self._statement.currency
        return _lines(
            (
                moment(at), id_, "in" if side > 0 else "out", kind, title_of(kind), decimal(side * minor), decimal(left),
                currency, description and as_text(description), order_id, end_to_end_id, name and as_text(name),
                number and mask(number),
            )
            for side, at, id_, kind, minor, left, description, order_id, end_to_end_id, name, _, number in rows
        )  # fmt: skip

    def foot(self) -> bytes:
        """What was left."""
        s = self._statement
        return _lines((self._balance(moment(s.until), CLOSING, "Saldo final", s.closing.minor),))

    def _balance(self, at: str, kind: str, title: str, minor: int) -> tuple[object, ...]:
        return (at, None, None, kind, title, None, self._decimal(minor), self._statement.currency, *(None,) * 5)


def _lines(rows: Iterable[Sequence[object]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode()
