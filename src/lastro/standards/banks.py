"""The institutions of Brazil by ISPB and COMPE number.

Source: ParticipantesSTR.csv (participants of the STR, with their COMPE numbers) and the list of active Pix participants,
both of the Central Bank. `banks.csv` beside this file holds both as one; its origin: docs/decisions/bank-list.md.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from .pix_ids import is_ispb

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Network = Literal["STR", "PIX"]

_ACCENTS = re.compile("[\u0300-\u036f]")
NO_COMPE = "000"  # no institution has this number
_COMPE = re.compile(r"[0-9]{3}")
_LISTED = ("ispb", "compe", "short_name", "name", "str", "pix")
_FLAGS = {"0": False, "1": True}
_TITLE_LINES = 5  # above the names of the columns
_NO_CODE = {"", "n/a"}


class Bank(NamedTuple):
    """An institution. compe: three digits, None where it has none; in_str: a TED reaches it; in_pix: a Pix does."""

    ispb: str
    compe: str | None
    short_name: str
    name: str
    in_str: bool
    in_pix: bool


class Participants(NamedTuple):
    """One list of the Central Bank as it was read. Its banks are marked as in that network alone."""

    network: Network
    banks: tuple[Bank, ...]


class BankList:
    """Institutions, by ISPB in ascending order. ValueError where two have the same ISPB or COMPE number."""

    def __init__(self, banks: Iterable[Bank]) -> None:
        self._banks = tuple(sorted(banks))
        self._by_ispb = {bank.ispb: bank for bank in self._banks}
        self._by_compe = {bank.compe: bank for bank in self._banks if bank.compe is not None}
        if len(self._by_ispb) < len(self._banks):
            raise ValueError(f"two banks have the ISPB {_twice(bank.ispb for bank in self._banks)}")
        if len(self._by_compe) < sum(bank.compe is not None for bank in self._banks):
            raise ValueError(f"two banks have the COMPE number {_twice(bank.compe for bank in self._banks if bank.compe)}")

    def all_banks(self) -> tuple[Bank, ...]:
        """Returns every one of them."""
        return self._banks

    def by_ispb(self, ispb: str) -> Bank | None:
        """Returns the bank of these eight characters, compared exactly."""
        return self._by_ispb.get(ispb)

    def by_compe(self, compe: str) -> Bank | None:
        """Returns the bank of these three digits, zeros in front included."""
        return self._by_compe.get(compe)

    def renewed(self, given: Participants) -> BankList:
        """Returns this list with one network's part renewed.

        given: a newer list of the Central Bank. An institution that it lacks leaves that network, and leaves the list if it
        was in no other. Names and COMPE numbers are the STR's; the list of Pix, which has short names alone, names those
        that the STR lacks.
        """
        fresh = {bank.ispb: bank for bank in given.banks}
        kept = [_renewed(bank, fresh.pop(bank.ispb, None), given.network) for bank in self._banks]
        return BankList([bank for bank in (*kept, *fresh.values()) if bank.in_str or bank.in_pix])

    def joined(self, others: Iterable[Bank]) -> BankList:
        """This list and others; of two with the same ISPB or COMPE number, the other one."""
        others = tuple(others)
        ispbs, codes = {bank.ispb for bank in others}, {bank.compe for bank in others} - {None}
        return BankList([*(b for b in self._banks if b.ispb not in ispbs and b.compe not in codes), *others])

    def text(self) -> str:
        """Returns the list as `read_list` reads it."""
        written = io.StringIO()
        rows = csv.writer(written, lineterminator="\n")
        rows.writerow(_LISTED)
        rows.writerows((*bank[:4], int(bank.in_str), int(bank.in_pix)) for bank in self._banks)
        return written.getvalue()


@cache
def packaged() -> BankList:
    """Returns the list that came with this version."""
    return read_list(Path(__file__).with_name("banks.csv").read_text(encoding="utf-8"))


def read_list(text: str) -> BankList:
    """Returns a list that `text` wrote. ValueError: it is something else."""
    head, *rows = csv.reader(io.StringIO(text))
    if tuple(head) != _LISTED:
        raise ValueError("this is no bank list of ours")
    return BankList(
        Bank(ispb, compe or None, short_name, name, _FLAGS[in_str], _FLAGS[in_pix])
        for ispb, compe, short_name, name, in_str, in_pix in rows
    )


def read_participants(content: bytes) -> Participants:
    """Reads the Central Bank's list of STR or Pix participants.

    ValueError: it is neither. UTF-8 or Latin-1, separated by comma or semicolon, with or without lines of title above. Codes
    that a spreadsheet has stripped of the zeros in front get them back: 3 digits for COMPE, 8 for ISPB. The list of Pix ends
    at the first institution that is only about to join; one without an ISPB in it holds no accounts and is left out.
    """
    names, rows = _table(_decoded(content))
    if "numerocodigo" in names:
        network: Network = "STR"
    elif "modalidadedeparticipacaonopix" in names:
        network = "PIX"
    else:
        raise ValueError("this is neither the list of the STR's participants nor that of Pix")
    banks = tuple(_participants(network, names, rows))
    if not banks:
        raise ValueError("this list names no bank")
    BankList(banks)
    return Participants(network, banks)


def folded(text: str) -> str:
    """Returns a name as people look for it: without accents, in lower case."""
    return _ACCENTS.sub("", unicodedata.normalize("NFD", text)).lower()


def _participants(network: Network, names: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Bank]:
    for row in rows:
        cells = {name: " ".join(cell.split()) for name, cell in zip(names, row, strict=False)}
        if not any(cells.values()):
            continue
        if cells.get("ispb") == "ISPB" or folded(row[0]).startswith("lista de "):
            return
        ispb, short_name = _padded(cells.get("ispb", ""), 8), cells.get("nomereduzido", "")
        if not ispb and network == "PIX":
            continue
        if not is_ispb(ispb) or not short_name:
            raise ValueError(f"no bank can be made of the line {';'.join(row)[:80]!r}")
        if network == "STR":
            name, code = cells.get("nomeextenso") or short_name, _compe(cells.get("numerocodigo", ""))
            yield Bank(ispb, code, short_name, name, in_str=True, in_pix=False)
        else:
            yield Bank(ispb, None, short_name, short_name, in_str=False, in_pix=True)


def _renewed(bank: Bank, fresh: Bank | None, network: Network) -> Bank:
    if network == "STR":
        if fresh is None:
            return bank._replace(compe=None, in_str=False)
        return fresh._replace(in_pix=bank.in_pix)
    if fresh is None:
        return bank._replace(in_pix=False)
    return bank._replace(in_pix=True) if bank.in_str else fresh


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _table(text: str) -> tuple[list[str], Iterator[list[str]]]:
    """Returns the plain names of the columns, and the rows below."""
    lines = io.StringIO(text, newline="")
    for _, line in zip(range(_TITLE_LINES + 1), lines, strict=False):
        mark = ";" if ";" in line else ","
        names = [re.sub(r"[^a-z0-9]", "", folded(cell)) for cell in next(csv.reader([line], delimiter=mark), [])]
        if "ispb" in names and "nomereduzido" in names:
            return names, csv.reader(lines, delimiter=mark)
    raise ValueError("no line of this file names the columns ISPB and Nome_Reduzido")


def _padded(code: str, length: int) -> str:
    return code.zfill(length) if code and code.isascii() and code.isdigit() else code


def _compe(cell: str) -> str | None:
    if cell.lower() in _NO_CODE:
        return None
    code = _padded(cell, 3)
    if code == NO_COMPE:
        return None  # some lists write a missing number so
    if _COMPE.fullmatch(code) is None:
        raise ValueError(f"{cell[:20]!r} is no COMPE number")
    return code


def _twice(codes: Iterable[str]) -> str:
    return next(code for code, count in Counter(codes).items() if count > 1)
