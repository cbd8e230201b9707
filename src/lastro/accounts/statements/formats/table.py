"""A statement as CSV (RFC 4180) in UTF-8, an entry a line.

Opening and closing balance enclose the entries; times are Brasilia's. For a spreadsheet in Portuguese, as it writes such
files itself: semicolons, decimal commas, days as 30/11/2026, and a byte order mark in front.
"""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from lastro.accounts.statements.formats.printing import decimal_of, moment
from lastro.accounts.statements.model import BRASILIA
from lastro.accounts.statements.types import title_of
from lastro.standards.documents import mask
from lastro.standards.spreadsheets import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from asyncpg import Record

    from lastro.accounts.statements.model import Statement

COLUMNS = (
    "createdAt", "id", "operation", "type", "title", "amount", "balanceAfter", "currency", "description", "orderId",
    "endToEndId", "counterpartyName", "counterpartyDocument",
)  # fmt: skip
OPENING, CLOSING = "OPENING_BALANCE", "CLOSING_BALANCE"


class Table:
    """A statement as CSV. Amounts are signed: they add up over all lines."""

    _DELIMITER, _MARK = ",", b""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._decimal = decimal_of(statement.currency)

    def head(self) -> bytes:
        """Returns the names of the columns and the opening balance."""
        s = self._statement
        opening = self._balance(self._moment(s.since), OPENING, "Saldo inicial", s.opening.minor)
        return self._MARK + self._lines((COLUMNS, opening))

    def entries(self, rows: Sequence[Record]) -> bytes:
        """Returns a line for each entry."""
        amount, currency = self._amount, self._statement.currency
        return self._lines(
            (
                self._moment(at), id_, "in" if side > 0 else "out", kind, title_of(kind), amount(side * minor), amount(left),
                currency, description and as_text(description), order_id, end_to_end_id, name and as_text(name),
                number and mask(number),
            )
            for side, at, id_, kind, minor, left, description, order_id, end_to_end_id, name, _, number in rows
        )  # fmt: skip

    def foot(self) -> bytes:
        """Returns the line of the closing balance."""
        s = self._statement
        return self._lines((self._balance(self._moment(s.until), CLOSING, "Saldo final", s.closing.minor),))

    def _balance(self, at: str, kind: str, title: str, minor: int) -> tuple[object, ...]:
        return (at, None, None, kind, title, None, self._amount(minor), self._statement.currency, *(None,) * 5)

    def _moment(self, at: datetime) -> str:
        return moment(at)

    def _amount(self, minor: int) -> str:
        return self._decimal(minor)

    def _lines(self, rows: Iterable[Sequence[object]]) -> bytes:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=self._DELIMITER, lineterminator="\r\n").writerows(rows)
        return out.getvalue().encode()


class PortugueseTable(Table):
    """The same for a spreadsheet in Portuguese."""

    _DELIMITER, _MARK = ";", BOM_UTF8

    def _moment(self, at: datetime) -> str:
        return f"{at.astimezone(BRASILIA):%d/%m/%Y %H:%M:%S}"

    def _amount(self, minor: int) -> str:
        return self._decimal(minor).replace(".", ",")
