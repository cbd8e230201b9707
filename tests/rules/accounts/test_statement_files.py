"""Each file of a statement, read by somebody else: a library, or the schema and the table that were published."""

import csv
import io
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, cast
from uuid import UUID
from xml.etree import ElementTree as ET

import ofxparse
import pytest
import xmlschema
from ofxtools.Parser import OFXTree
from tests.cast import ANA, INSTITUTION

from lastro.accounts import Account
from lastro.accounts.statements.formats import WRITERS
from lastro.accounts.statements.formats.cnab240 import Cnab240
from lastro.accounts.statements.model import Statement
from lastro.accounts.statements.types import TYPES, UNCODED, history_code
from lastro.core.money import Money
from lastro.standards.legible import legible

from . import cnab

SINCE, UNTIL = datetime(2026, 1, 1, 3, tzinfo=UTC), datetime(2026, 2, 1, 2, 59, 59, 999999, tzinfo=UTC)
ACCOUNT = Account(UUID(int=1), "ACTIVE", 1, "000000019", "0001", "São Paulo", ANA, SINCE)
_WORDS = (None, "Pão & <queijo>", "=SUM(A1)", '"quoted", with\ncommas', "漢字 🙂 € é", "x" * 140, "-1", "]]>", "Ação\u0000")
_NAME = "E9999901020260131120000001aBcDeF"


def rows_of(seed: int, number: int, opening: int) -> list[tuple[Any, ...]]:
    """Entries as the statement of a file reads them, of every type in turn."""
    random, left, rows = Random(seed), opening, []
    for n in range(number):
        kind = sorted(TYPES)[n % len(TYPES)]
        side = 1 if TYPES[kind].ofx == "CREDIT" else -1
        minor = random.randint(1, 10 ** random.randint(1, 12))
        left += side * minor
        party = (random.choice([w for w in _WORDS if w]), "CPF", "52998224725") if n % 3 else (None, None, None)
        order_id = UUID(int=n) if n % 2 else None
        at = SINCE + n * timedelta(seconds=61, microseconds=1)
        rows.append(
            (
                side,
                at,
                UUID(int=2**127 + n),
                kind,
                minor,
                left,
                random.choice(_WORDS),
                order_id,
                _NAME if n % 4 else None,
                *party,
            )
        )
    return rows


def written(form: str, rows: Sequence[tuple[Any, ...]], opening: int, currency: str = "BRL") -> bytes:
    return printed(WRITERS[form][2](stated(rows, opening, currency)), rows)


def stated(rows: Sequence[tuple[Any, ...]], opening: int, currency: str = "BRL") -> Statement:
    closing = rows[-1][5] if rows else opening
    return Statement(
        ACCOUNT, INSTITUTION, currency, SINCE, UNTIL, Money(opening, currency), Money(closing, currency),
        UNTIL + timedelta(days=1), UUID(int=9), date(2026, 1, 31),
    )  # fmt: skip


def printed(writer: Any, rows: Sequence[tuple[Any, ...]]) -> bytes:
    middle = len(rows) // 2
    return b"".join((writer.head(), writer.entries(rows[:middle]), writer.entries(rows[middle:]), writer.foot()))


CASES = [(0, 0, 0), (1, 1, 500), (2, len(TYPES) * 2, 10**9), (3, 60, -(10**13))]


@pytest.mark.parametrize("case", CASES)
def test_csv_adds_up_and_runs_nothing(case: tuple[int, int, int]) -> None:
    rows = rows_of(*case)
    content = written("csv", rows, case[2])
    assert content.count(b"\r\n") >= len(rows) + 3
    opening, *entries, closing = csv.DictReader(io.StringIO(content.decode(), newline=""))
    assert (opening["type"], closing["type"]) == ("OPENING_BALANCE", "CLOSING_BALANCE")
    left = Decimal(opening["balanceAfter"])
    for entry, row in zip(entries, rows, strict=True):
        left += Decimal(entry["amount"])
        assert Decimal(entry["balanceAfter"]) == left == Decimal(row[5]) / 100
        assert (entry["id"], entry["type"], entry["title"]) == (str(row[2]), row[3], TYPES[row[3]].title)
        assert datetime.fromisoformat(entry["createdAt"]) == row[1]
        assert entry["description"].lstrip("'") == legible(row[6] or "")
        assert not {entry["description"][:1], entry["counterpartyName"][:1]} & set("=+-@")
        assert entry["counterpartyDocument"] in ("", "***.982.247-**")
    assert Decimal(closing["balanceAfter"]) == left


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("=1", "'=1"), ("\t=1", "'\t'=1"), ("\r-1", "'\r'-1"), (" +1", "' +1"), ("a;=1", "a;'=1"), ("a; @b", "a;' @b"),
        ("a\t=1", "a\t'=1"), ("a\r\n=1;-2", "a\r'\n'=1;'-2"), ('a;"=1"', 'a;\'"=1"'), (";;=1", ";;'=1"),
        ("a=1", "a=1"), ("a;b-c", "a;b-c"), ("a,b\nc", "a,b\nc"), ("", ""), (None, ""),
    ],
)  # fmt: skip
def test_csv_runs_nothing_where_a_semicolon_parts_cells_either(text: str | None, kept: str) -> None:
    (row,) = rows_of(1, 1, 0)
    content = written("csv", [(*row[:6], text, *row[7:9], text, "CPF", "52998224725")], 0)
    _, entry, _ = csv.DictReader(io.StringIO(content.decode(), newline=""))
    assert (entry["description"], entry["counterpartyName"]) == (kept, kept)


@pytest.mark.parametrize("case", CASES)
def test_ofx_is_read_by_ofxtools(case: tuple[int, int, int]) -> None:
    rows = rows_of(*case)
    tree = OFXTree()
    tree.parse(io.BytesIO(written("ofx", rows, case[2])))
    ofx = tree.convert()  # holds every field against the specification
    (statement,) = ofx.statements
    assert (statement.bankacctfrom.acctid, statement.bankacctfrom.branchid, statement.curdef) == ("000000019", "0001", "BRL")
    entries = [] if not rows else statement.banktranlist
    assert [e.trnamt for e in entries] == [Decimal(r[0] * r[4]) / 100 for r in rows]
    assert [e.fitid for e in entries] == [str(r[2]) for r in rows]
    assert [e.dtuser for e in entries] == [r[1].replace(microsecond=r[1].microsecond // 1000 * 1000) for r in rows]
    assert all(e.memo.startswith(TYPES[r[3]].title) for e, r in zip(entries, rows, strict=True))
    assert statement.ledgerbal.balamt == Decimal(case[2]) / 100 + sum(e.trnamt for e in entries)


@pytest.fixture(scope="module")
def published() -> xmlschema.XMLSchema:
    """camt.053.001.08 as ISO 20022 publishes it."""
    return xmlschema.XMLSchema(Path(__file__).with_name("camt.053.001.08.xsd"))


@pytest.mark.parametrize("case", CASES)
def test_camt053_is_as_its_published_schema(published: xmlschema.XMLSchema, case: tuple[int, int, int]) -> None:
    rows = rows_of(*case)
    read: Any = published.to_dict(io.BytesIO(written("camt053", rows, case[2])))
    (statement,) = read["BkToCstmrStmt"]["Stmt"]

    def value(part: Any) -> Decimal:
        return Decimal(part["Amt"]["$"]) * (1 if part["CdtDbtInd"] == "CRDT" else -1)

    opening, closing = statement["Bal"]
    assert [b["Tp"]["CdOrPrtry"]["Cd"] for b in (opening, closing)] == ["OPBD", "CLBD"]
    entries = statement.get("Ntry", [])
    assert [value(e) for e in entries] == [Decimal(r[0] * r[4]) / 100 for r in rows]
    assert value(opening) + sum(value(e) for e in entries) == value(closing)
    assert [e["BkTxCd"]["Prtry"]["Cd"] for e in entries] == [r[3] for r in rows]
    assert {e["NtryRef"] for e in entries} == {r[2].hex for r in rows}


@pytest.mark.parametrize(
    ("text", "end_to_end_id", "told", "named"),
    [
        ("&" * 141, "E" * 35, "&" * 140, "E" * 35), ("x" * 138 + "<>&", "E" * 36, "x" * 138 + "<>", None),
        ("a", "&" * 35, "a", "&" * 35),
    ],
)  # fmt: skip
def test_camt053_is_well_formed_at_its_longest(
    published: xmlschema.XMLSchema, text: str, end_to_end_id: str, told: str, named: str | None
) -> None:
    (row,) = rows_of(1, 1, 0)
    content = written("camt053", [(*row[:6], text, row[7], end_to_end_id, text, "CPF", "52998224725")], 0)
    read: Any = published.to_dict(io.BytesIO(content))
    (details,) = read["BkToCstmrStmt"]["Stmt"][0]["Ntry"][0]["NtryDtls"][0]["TxDtls"]
    assert details["RmtInf"]["Ustrd"] == [told]
    assert details.get("Refs", {}).get("EndToEndId") == named


@pytest.mark.parametrize("case", CASES)
def test_cnab240_is_as_the_published_table(case: tuple[int, int, int]) -> None:
    rows = rows_of(*case)
    (lot,) = cnab.read(written("cnab240", rows, case[2]))
    assert cnab.signed(lot.header, "balance") == case[2]
    assert [int(e["amount"]) * (1 if e["side"] == "C" else -1) for e in lot.entries] == [r[0] * r[4] for r in rows]
    assert [cnab.day_of(e["booked"]) for e in lot.entries] == [(r[1] - timedelta(hours=3)).date() for r in rows]
    assert {(e["account"], e["account_digit"], e["branch"]) for e in lot.entries} <= {("000000000001", "9", "00001")}
    assert {e["document"] for e in lot.entries} <= {_NAME.upper(), *(r[2].hex.upper() for r in rows)}
    assert lot.trailer["status"] == "F"


class _SmallLots(Cnab240):
    most_in_a_lot = 3


def test_more_than_a_lot_counts_are_several_each_closing_where_the_next_opens() -> None:
    """Read by the published table, which holds that each lot is a statement of its own and adds up."""
    rows = rows_of(1, 7, 500)
    lots = cnab.read(printed(_SmallLots(stated(rows, 500)), rows))
    assert [len(lot.entries) for lot in lots] == [3, 3, 1]
    assert [lot.trailer["balance"] for lot in lots[:-1]] == [lot.header["balance"] for lot in lots[1:]]
    assert Cnab240.most_in_a_lot == 99_999, "a record's number has five digits"


# ── days: 30 November, with a Pix at 22:30 in Brasilia, as readers that know nothing of each other see it ──

LAST_DAY, EVENING = date(2026, 11, 30), datetime(2026, 12, 1, 1, 30, tzinfo=UTC)


def of_day(form: str, day: date = LAST_DAY) -> bytes:
    """The statement of one day, with one entry at half past ten in the evening there."""
    since = datetime(day.year, day.month, day.day, 3, tzinfo=UTC)
    until = since + timedelta(days=1, microseconds=-1)
    at = since + timedelta(hours=22, minutes=30)
    rows = [(1, at, UUID(int=7), "PIX_IN", 100, 100, None, None, _NAME, None, None, None)]
    statement = Statement(
        ACCOUNT, INSTITUTION, "BRL", since, until, Money(0, "BRL"), Money(100, "BRL"), until + timedelta(hours=9),
        UUID(int=random_id()), day,
    )  # fmt: skip
    return printed(WRITERS[form][2](statement), rows)


def random_id() -> int:
    """Another id each time that a file is made."""
    return Random().getrandbits(128)


@pytest.mark.filterwarnings("ignore:Call to deprecated method")
def test_an_evenings_entry_keeps_its_day_in_ofxparse() -> None:
    """It turns every time into UTC and forgets the offset, as many accounting programs do."""
    statement = ofxparse.OfxParser.parse(io.BytesIO(of_day("ofx"))).account.statement
    (entry,) = statement.transactions
    assert (entry.date.date(), statement.start_date.date(), statement.end_date.date()) == (LAST_DAY,) * 3
    assert (entry.amount, entry.id) == (Decimal("1.00"), str(UUID(int=7)))


def test_an_evenings_entry_keeps_its_day_in_ofxtools() -> None:
    tree = OFXTree()
    tree.parse(io.BytesIO(of_day("ofx")))
    (statement,) = tree.convert().statements
    (entry,) = statement.banktranlist
    assert (entry.dtposted.date(), entry.dtuser) == (LAST_DAY, EVENING)
    assert {
        at.date() for at in (statement.banktranlist.dtstart, statement.banktranlist.dtend, statement.ledgerbal.dtasof)
    } == {LAST_DAY}


def test_an_evenings_entry_keeps_its_day_in_camt053(published: xmlschema.XMLSchema) -> None:
    (statement,) = cast("Any", published.to_dict(io.BytesIO(of_day("camt053"))))["BkToCstmrStmt"]["Stmt"]
    (entry,) = statement["Ntry"]
    (details,) = entry["NtryDtls"][0]["TxDtls"]
    assert (entry["BookgDt"], entry["ValDt"]) == ({"Dt": "2026-11-30"}, {"Dt": "2026-11-30"})
    assert entry["AcctSvcrRef"] == details["Refs"]["AcctSvcrRef"] == UUID(int=7).hex
    assert datetime.fromisoformat(details["RltdDts"]["TxDtTm"]) == EVENING
    assert statement["FrToDt"]["FrDtTm"].startswith("2026-11-30T00:00:00")


def test_camt053_as_bank_statement_importers_read_it() -> None:
    """By the paths of the Odoo community importer: a date in BookgDt/Dt, references that tell entries apart."""
    root = ET.fromstring(of_day("camt053"))
    names = {"c": "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"}

    def text(path: str) -> str | None:
        return root.findtext(path, namespaces=names)

    entry = "c:BkToCstmrStmt/c:Stmt/c:Ntry"
    assert (text(f"{entry}/c:BookgDt/c:Dt"), text(f"{entry}/c:ValDt/c:Dt")) == ("2026-11-30", "2026-11-30")
    assert (text(f"{entry}/c:Amt"), text(f"{entry}/c:CdtDbtInd")) == ("1.00", "CRDT")
    assert text(f"{entry}/c:NtryDtls/c:TxDtls/c:Refs/c:EndToEndId") == _NAME
    assert text(f"{entry}/c:AcctSvcrRef") == UUID(int=7).hex
    assert text("c:BkToCstmrStmt/c:Stmt/c:Id") == "000000019-BRL-20261130-20261130"


def test_a_closed_day_asked_for_twice_is_the_same_statement() -> None:
    ids = [re.findall(rb"<Stmt><Id>(.+?)</Id>", of_day("camt053")) for _ in range(2)]
    assert ids[0] == ids[1] != re.findall(rb"<Stmt><Id>(.+?)</Id>", of_day("camt053", date(2026, 12, 1)))
    assert len(ids[0][0]) <= 35


def test_csv_is_in_brasilia() -> None:
    _, entry, _ = csv.DictReader(io.StringIO(of_day("csv").decode(), newline=""))
    assert entry["createdAt"] == "2026-11-30T22:30:00.000000-03:00"


def test_csv_for_a_spreadsheet_in_portuguese() -> None:
    content = of_day("csv-pt")
    assert content.startswith(b"\xef\xbb\xbf")
    opening, entry, closing = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=";")
    assert (entry["createdAt"], entry["amount"], entry["balanceAfter"]) == ("30/11/2026 22:30:00", "1,00", "1,00")
    assert (opening["balanceAfter"], closing["createdAt"]) == ("0,00", "30/11/2026 23:59:59")


def test_cnab240_counts_files_statements_and_lots() -> None:
    days = [date(2026, 11, 29), LAST_DAY]
    contents = [of_day("cnab240", day) for day in days]
    files = [int(content[157:163]) for content in contents]
    numbers = [int(cnab.read(content)[0].header["number"]) for content in contents]
    assert files == [(day - SINCE.date()).days + 1 for day in days]
    assert (files[1] - files[0], numbers[1] > numbers[0]) == (1, True)
    assert of_day("cnab240") == of_day("cnab240")


def test_each_type_has_a_history_code_of_its_own() -> None:
    codes = [history_code(name) for name in TYPES]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch("[0-9]{4}", code) and code != UNCODED for code in codes)
    assert history_code("OF_A_NEWER_VERSION") == UNCODED


def test_every_currency_has_its_decimals() -> None:
    assert b",10.00,MXN," in written("csv", [], 1000, "MXN")


@pytest.mark.parametrize("form", sorted(WRITERS))
def test_a_file_is_the_same_however_it_is_cut(form: str) -> None:
    rows = rows_of(5, 9, 7)
    whole = written(form, rows, 7)
    assert whole == written(form, rows, 7)
    assert len(whole) > len(written(form, rows[:1], 7))


def test_a_period_that_is_not_over_has_another_name_and_number_each_day() -> None:
    """An importer refuses a number that falls, and takes what it knows by its id for read."""

    def asked(last_day: date, until: datetime) -> tuple[str, int]:
        zero = Money(0, "BRL")
        made = Statement(ACCOUNT, INSTITUTION, "BRL", SINCE, until, zero, zero, until, UUID(int=1), last_day)
        return made.name, made.sequence

    ahead, now = LAST_DAY + timedelta(days=90), datetime.combine(LAST_DAY, time(12), UTC)
    today, again = asked(ahead, now), asked(ahead, now + timedelta(hours=1))
    tomorrow = asked(LAST_DAY + timedelta(days=1), now + timedelta(days=1))
    assert today == again
    assert (tomorrow[0] != today[0], tomorrow[1]) == (True, today[1] + 1)
