"""A reader of CNAB 240 statements, made from the published table of fields alone: FEBRABAN, Layout Padrão CNAB 240, service
"Extrato de Conta Corrente para Conciliação Bancária". It refuses what the table does not allow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

# name: first and last place (from 1), and what stands there: N digits, A text, a constant as it is, "" blanks.
_OWNER = {
    "inscription_type": (18, 18, "N"), "inscription": (19, 32, "A"), "agreement": (33, 52, "A"), "branch": (53, 57, "N"),
    "branch_digit": (58, 58, "A"), "account": (59, 70, "N"), "account_digit": (71, 71, "A"), "both_digit": (72, 72, "A"),
}  # fmt: skip
FILE_HEADER = {
    "bank": (1, 3, "N"), "lot": (4, 7, "0000"), "record": (8, 8, "0"), "cnab_1": (9, 17, ""), **_OWNER, "company": (73, 102, "A"),
    "bank_name": (103, 132, "A"), "cnab_2": (133, 142, ""), "code": (143, 143, "2"), "made_on": (144, 151, "N"),
    "made_at": (152, 157, "N"), "sequence": (158, 163, "N"), "layout": (164, 166, "N"), "density": (167, 171, "N"),
    "of_bank": (172, 191, "A"), "of_company": (192, 211, "A"), "cnab_3": (212, 240, ""),
}  # fmt: skip
LOT_HEADER = {
    "bank": (1, 3, "N"), "lot": (4, 7, "N"), "record": (8, 8, "1"), "operation": (9, 9, "E"), "service": (10, 11, "04"),
    "form": (12, 13, "40"), "layout": (14, 16, "033"), "cnab_1": (17, 17, ""), **_OWNER, "company": (73, 102, "A"),
    "cnab_2": (103, 142, ""), "day": (143, 150, "N"), "balance": (151, 168, "N"), "side": (169, 169, "A"), "status": (170, 170, "A"),
    "currency": (171, 173, "A"), "number": (174, 178, "N"), "cnab_3": (179, 240, ""),
}  # fmt: skip
SEGMENT_E = {
    "bank": (1, 3, "N"), "lot": (4, 7, "N"), "record": (8, 8, "3"), "number": (9, 13, "N"), "segment": (14, 14, "E"),
    "cnab_1": (15, 17, ""), **_OWNER, "company": (73, 102, "A"), "cnab_2": (103, 108, ""), "nature": (109, 111, "DPV"),
    "more_kind": (112, 113, "N"), "more": (114, 133, "A"), "cpmf": (134, 134, "N"), "booked": (135, 142, "N"), "day": (143, 150, "N"),
    "amount": (151, 168, "N"), "side": (169, 169, "A"), "category": (170, 172, "N"), "code": (173, 176, "A"),
    "history": (177, 201, "A"), "document": (202, 240, "A"),
}  # fmt: skip
LOT_TRAILER = {
    "bank": (1, 3, "N"), "lot": (4, 7, "N"), "record": (8, 8, "5"), "cnab_1": (9, 17, ""), **_OWNER, "cnab_2": (73, 88, ""),
    "blocked_long": (89, 106, "N"), "credit_line": (107, 124, "N"), "blocked": (125, 142, "N"), "day": (143, 150, "N"),
    "balance": (151, 168, "N"), "side": (169, 169, "A"), "status": (170, 170, "A"), "records": (171, 176, "N"),
    "debits": (177, 194, "N"), "credits": (195, 212, "N"), "cnab_3": (213, 240, ""),
}  # fmt: skip
FILE_TRAILER = {
    "bank": (1, 3, "N"), "lot": (4, 7, "9999"), "record": (8, 8, "9"), "cnab_1": (9, 17, ""), "lots": (18, 23, "N"),
    "records": (24, 29, "N"), "accounts": (30, 35, "N"), "cnab_2": (36, 240, ""),
}  # fmt: skip
_FLAGS = {"cpmf"}  # N here is the letter
# The categories of entries of the table of the same layout, those of debit and those of credit.
DEBITS = {str(n) for n in range(101, 123)}
CREDITS = {str(n) for n in range(201, 219)}

Record = Mapping[str, str]


@dataclass
class Lot:
    """A statement in the file."""

    header: Record
    entries: list[Record] = field(default_factory=list)
    trailer: Record = field(default_factory=dict)


def read(content: bytes) -> list[Lot]:
    """The statements of a file; AssertionError: it is not as the layout says."""
    assert content.endswith(b"\r\n")
    lines = content.decode("ascii")[:-2].split("\r\n")
    assert {len(line) for line in lines} == {240}
    _fields(lines[0], FILE_HEADER)
    last = _fields(lines[-1], FILE_TRAILER)
    lots: list[Lot] = []
    for line in lines[1:-1]:
        match line[7]:
            case "1":
                lots.append(Lot(_fields(line, LOT_HEADER)))
            case "3":
                lots[-1].entries.append(_fields(line, SEGMENT_E))
            case other:
                assert other == "5"
                lots[-1].trailer = _fields(line, LOT_TRAILER)
    assert (int(last["lots"]), int(last["records"]), int(last["accounts"])) == (len(lots), len(lines), len(lots))
    numbers = [int(lot.header["number"]) for lot in lots]
    assert numbers == list(range(numbers[0], numbers[0] + len(lots)))
    for number, lot in enumerate(lots, start=1):
        _hold(number, lot)
    return lots


def _hold(number: int, lot: Lot) -> None:
    """What a lot says of itself is so."""
    records: Sequence[Record] = (lot.header, *lot.entries, lot.trailer)
    assert {int(r["lot"]) for r in records} == {number}
    assert [int(e["number"]) for e in lot.entries] == list(range(1, len(lot.entries) + 1))
    assert int(lot.trailer["records"]) == len(records)
    sums = {side: sum(int(e["amount"]) for e in lot.entries if e["side"] == side) for side in "DC"}
    assert (int(lot.trailer["debits"]), int(lot.trailer["credits"])) == (sums["D"], sums["C"])
    assert signed(lot.header, "balance") + sums["C"] - sums["D"] == signed(lot.trailer, "balance")
    assert all(e["category"] in (DEBITS if e["side"] == "D" else CREDITS) for e in lot.entries)
    for record, name in ((lot.header, "day"), (lot.trailer, "day"), *((e, "booked") for e in lot.entries)):
        day_of(record[name])


def signed(record: Record, name: str) -> int:
    return int(record[name]) * (-1 if record["side"] == "D" else 1)


def day_of(text: str) -> date:
    return date(int(text[4:]), int(text[2:4]), int(text[:2]))


def _fields(line: str, layout: Mapping[str, tuple[int, int, str]]) -> Record:
    found, place = {}, 1
    for name, (first, last, kind) in layout.items():
        assert first == place, f"the table has a hole before {name}"
        text, place = line[first - 1 : last], last + 1
        if name in _FLAGS:
            assert text in "SN"
        elif kind == "N":
            assert text.isdigit(), (name, text)
        elif kind == "":
            assert not text.strip(), (name, text)
        elif kind != "A":
            assert text == kind, (name, text)
        found[name] = text.rstrip()
    assert place == 241
    return found
