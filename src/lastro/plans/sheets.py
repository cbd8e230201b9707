"""Splits a plan's body into lines, each a create's JSON body. It is a list in JSON, or a table in CSV."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from lastro.api_kit import forms
from lastro.core.errors import Problem, Refusal
from lastro.plans import problems as refusals
from lastro.plans.model import MOST_LINES, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# The columns, and the fields of a create that they fill.
COLUMNS = {
    "externalId": "externalId", "accountId": "accountId", "paymentMethod": "paymentMethod", "amount": "amount.value",
    "currency": "amount.currency", "description": "description", "pixKey": "paymentData.pixKey",
    "qrcodeData": "paymentData.qrcodeData", "ispb": "paymentData.bankAccount.ispb",
    "bankNumber": "paymentData.bankAccount.bankNumber", "accountType": "paymentData.bankAccount.accountType",
    "branchNumber": "paymentData.bankAccount.branchNumber", "accountNumber": "paymentData.bankAccount.accountNumber",
    "receiverName": "receiver.name", "receiverDocumentType": "receiver.document.type",
    "receiverDocument": "receiver.document.number", "scheduledDate": "scheduledDate", "allowDuplicate": "allowDuplicate",
}  # fmt: skip
_FIELDS = {path: column for column, path in COLUMNS.items()}
_NEEDED = ("externalId", "accountId", "paymentMethod", "amount", "description")
_WORDS = {"true": True, "false": False}
_END_OF_LINE = re.compile(r"[\r\n]")
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}\Z", re.ASCII)
_LONGEST_CELL = 4096  # a QR has at most 1,024 characters
_MOST_COMMAS = 100 * MOST_LINES  # a payout has some twenty: a body with so many more is not read to its end
_CPF_DIGITS = 11

T = TypeVar("T")


class _Reader(Protocol):
    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


def read_json(raw: bytes) -> list[Sheet] | Problem:
    """Splits `{"payouts": […]}` into payouts, each still as text."""
    try:
        outer = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        payouts = bytes(outer.get("payouts", b"null"))
        forms.parsed(raw.replace(payouts, b"[]", 1) if payouts.startswith(b"[") else raw)  # each line is parsed by itself
    except (forms.NotJson, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return refusals.BODY_INVALID.problem(why="must be a JSON object in UTF-8, with no key twice")
    if payouts == b"null":
        return refusals.PAYOUTS_REQUIRED.problem(why="is required")
    if not payouts.startswith(b"["):
        return refusals.PAYOUTS_INVALID.problem()
    if payouts.count(b",") > _MOST_COMMAS:
        return refusals.PAYOUTS_TOO_LONG.problem()
    each = msgspec.json.decode(payouts, type=list[msgspec.Raw])
    return _count_problem(refusals.PAYOUTS_REQUIRED, refusals.PAYOUTS_TOO_LONG, len(each)) or [
        Sheet(n, n, bytes(one)) for n, one in enumerate(each, start=1)
    ]


def read_csv(raw: bytes) -> list[Sheet] | Problem:
    """Reads the rows of a CSV in UTF-8, below a header.

    The header names the columns in any order; separators are commas or semicolons. With semicolons, as spreadsheets write in
    Brazil, an amount may have a decimal comma.
    """
    return _rows(raw, _sheet)


def count_csv(raw: bytes) -> int | Problem:
    """Counts the rows of read_csv at a tenth of its cost; or returns its problem."""
    found = _rows(raw, lambda number, *_: number)
    return found if isinstance(found, Problem) else len(found)


def _rows(raw: bytes, make: Callable[[int, int, Sequence[str], Sequence[str], str], T]) -> list[T] | Problem:
    """Returns the results of `make` for each row: of its number, line, cells, the header's names and the separator."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return refusals.BODY_INVALID.problem(why="must be UTF-8")
    header = _END_OF_LINE.split(text, maxsplit=1)[0]
    separator = ";" if header.count(";") > header.count(",") else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        names = [name.strip() for name in next(rows, [])]
        problem = _header_problem(names)
        if problem is not None:
            return problem
        found = [make(number, line, row, names, separator) for number, line, row in _numbered(rows)]
    except csv.Error as broken:
        return refusals.BODY_INVALID.problem(why=f"is no CSV: line {rows.line_num}: {broken}")
    return _count_problem(refusals.BODY_REQUIRED, refusals.BODY_TOO_LONG, len(found)) or found


def _numbered(rows: _Reader) -> Iterator[tuple[int, int, list[str]]]:
    line, number, blank = rows.line_num + 1, 0, 0  # the header may have several lines, too
    for row in rows:
        begins, line = line, rows.line_num + 1
        if not row or not any(cell.strip() for cell in row):
            blank += 1
            if blank > MOST_LINES:
                raise csv.Error(f"there are more than {MOST_LINES} blank rows")
            continue
        number += 1
        if number > MOST_LINES + 1:
            return  # one more is enough to refuse too many
        yield number, begins, row


def _sheet(number: int, line: int, row: Sequence[str], names: Sequence[str], separator: str) -> Sheet:
    if len(row) > len(names) and any(row[len(names) :]):
        return Sheet(
            number, line, b"", (refusals.LINE_INVALID.problem(why=f"has {len(row)} cells under {len(names)} columns"),)
        )
    cells = {name: cell for name, cell in zip(names, map(str.strip, row), strict=False) if cell}
    long = [refusals.CELL_TOO_LONG.problem(name) for name, cell in cells.items() if len(cell) > _LONGEST_CELL]
    if long:
        return Sheet(number, line, b"", tuple(long))
    if separator == ";" and _DECIMAL_COMMA.match(cells.get("amount", "")):
        cells["amount"] = cells["amount"].replace(",", ".")
    cells.setdefault("currency", "BRL")
    if "receiverDocument" in cells:
        cells.setdefault("receiverDocumentType", "CPF" if len(cells["receiverDocument"]) == _CPF_DIGITS else "CNPJ")
    body: dict[str, Any] = {}
    for name, cell in cells.items():
        *above, last = COLUMNS[name].split(".")
        here = body
        for part in above:
            here = here.setdefault(part, {})
        here[last] = _WORDS.get(cell.lower(), cell) if name == "allowDuplicate" else cell
    return Sheet(number, line, msgspec.json.encode(body))


def column_of(path: str) -> str:
    """Returns a form field's CSV column; its path where there is none."""
    return _FIELDS.get(path, path)


def _header_problem(names: Sequence[str]) -> Problem | None:
    unknown = [name[:40] for name in names if name not in COLUMNS]
    if unknown:
        return refusals.BODY_INVALID.problem(why=f"the header names no column {', '.join(map(repr, unknown[:5]))}")
    if len(set(names)) != len(names):
        return refusals.BODY_DUPLICATE.problem()
    lacking = [name for name in _NEEDED if name not in names]
    return refusals.BODY_REQUIRED.problem(why=f"the header lacks {', '.join(lacking)}") if lacking else None


def _count_problem(none: Refusal, too_many: Refusal, count: int) -> Problem | None:
    if count == 0:
        return none.problem(why="must have at least one payout")
    return too_many.problem() if count > MOST_LINES else None
