"""A statement as CNAB 240: records of 240 characters, in ASCII capitals.

Source: FEBRABAN, Layout Padrão CNAB 240, "Extrato de Conta Corrente para Conciliação Bancária" (service 04, segment E, lot
layout 033). A lot counts its records in five digits: a longer statement is several lots, each closing where the next opens.
The file's number (NSA) is the last day's in the account's life, and a lot's is made of it, so that both rise from one day to
the next and a day asked for again has the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.accounts.statements.formats.printing import plain
from lastro.accounts.statements.model import BRASILIA
from lastro.accounts.statements.types import TYPES, history_code, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from asyncpg import Record

    from lastro.accounts.statements.model import Statement

_MOST_LOTS = 11  # of MOST_ENTRIES
MOST_ENTRIES = 999_000  # the file's trailer counts records in six
_FILE_LAYOUT, _LOT_LAYOUT = "103", "033"
_OWNERS = {"CPF": "1", "CNPJ": "2"}


class Cnab240:
    """One file: its header, one lot or more, its trailer."""

    most_in_a_lot = 99_999  # the record's number has five digits

    def __init__(self, statement: Statement) -> None:
        s = self._statement = statement
        number, holder = s.account.number, s.account.holder
        self._bank = (s.institution.compe or "000").rjust(3, "0")
        # Inscription, agreement with the bank, branch, account, name: the same in every record.
        self._owner = (
            f"{_OWNERS.get(holder.document_type, '0')}{holder.document_number:>014.14}{'':20}{s.account.branch:>05.5} "
            f"{number[:-1]:>012.12}{number[-1]} "
        )
        self._name = plain(holder.full_name, 30)
        self._lot = self._in_lot = self._records = 0
        self._balance = s.opening.minor
        self._debits = self._credits = 0

    def head(self) -> bytes:
        """Returns the headers of the file and of the first lot."""
        made = self._statement.made_at.astimezone(BRASILIA)
        header = (
            f"{self._bank}00000{'':9}{self._owner}{self._name}{plain(self._statement.institution.name, 30)}{'':10}2"
            f"{made:%d%m%Y%H%M%S}{self._statement.sequence % 10**6:06d}{_FILE_LAYOUT}00000{'':69}"
        )
        return self._written([header, self._lot_header(self._statement.since)])

    def entries(self, rows: Sequence[Record]) -> bytes:
        """Returns a record of segment E for each entry."""
        lines = []
        for side, at, id_, kind, minor, left, description, _, end_to_end_id, _, _, _ in rows:
            if self._in_lot == self.most_in_a_lot:
                lines += [self._lot_trailer(at, "P"), self._lot_header(at)]
            self._in_lot += 1
            self._balance = left
            if side > 0:
                self._credits += minor
            else:
                self._debits += minor
            day, known = _day(at), TYPES.get(kind)
            category = ("201" if side > 0 else "104") if known is None else known.cnab
            lines.append(
                f"{self._bank}{self._lot:04d}3{self._in_lot:05d}E{'':3}{self._owner}{self._name}{'':6}DPV00"
                f"{plain(description or '', 20)}N{day}{day}{minor:018d}{'C' if side > 0 else 'D'}{category}"
                f"{history_code(kind)}{plain(title_of(kind), 25)}{plain(end_to_end_id or id_.hex, 39)}"
            )
        return self._written(lines)

    def foot(self) -> bytes:
        """Returns the trailers of the last lot and of the file."""
        s = self._statement
        trailer = self._lot_trailer(s.until, "F" if s.until < s.made_at else "P")
        records = self._records + 2
        last = f"{self._bank}99999{'':9}{self._lot:06d}{records:06d}{self._lot:06d}{'':205}"
        return self._written([trailer, last])

    def _lot_header(self, at: datetime) -> str:
        self._lot += 1
        self._in_lot = self._debits = self._credits = 0
        number = self._statement.sequence * _MOST_LOTS + self._lot
        return (
            f"{self._bank}{self._lot:04d}1E0440{_LOT_LAYOUT} {self._owner}{self._name}{'':40}{_day(at)}"
            f"{_signed(self._balance)}F{self._statement.currency}{number % 10**5:05d}{'':62}"
        )

    def _lot_trailer(self, at: datetime, status: str) -> str:
        return (
            f"{self._bank}{self._lot:04d}5{'':9}{self._owner}{'':16}{0:018d}{0:018d}{0:018d}{_day(at)}"
            f"{_signed(self._balance)}{status}{self._in_lot + 2:06d}{self._debits:018d}{self._credits:018d}{'':28}"
        )

    def _written(self, lines: Sequence[str]) -> bytes:
        self._records += len(lines)
        assert all(len(line) == 240 for line in lines), "a record has 240 characters"
        return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def _day(at: datetime) -> str:
    return f"{at.astimezone(BRASILIA):%d%m%Y}"


def _signed(minor: int) -> str:
    return f"{abs(minor):018d}{'D' if minor < 0 else 'C'}"
