"""A plan's body becomes lines: what is no list of payouts is refused whole, what is no payout is a line of its own."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.core.errors import Problem
from lastro.plans.model import MOST_LINES, Sheet
from lastro.plans.rules import count_of, sheets_of
from lastro.plans.sheets import COLUMNS, read_csv, read_json

HEAD = "externalId,accountId,paymentMethod,amount,description"
ROW = "salary-7,0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21,PIX,10.50,Salary"
ACCOUNT = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"


def lines(found: list[Sheet] | Problem) -> list[Sheet]:
    assert isinstance(found, list), found
    return found


def no(found: Any) -> tuple[str, str]:
    assert isinstance(found, Problem), found
    return found.field, found.issue


def bodies(text: str | bytes) -> list[Any]:
    """What each row of a CSV asks for."""
    raw = text.encode() if isinstance(text, str) else text
    return [msgspec.json.decode(sheet.raw) for sheet in lines(read_csv(raw))]


# ── JSON ──


@in_one_test(
    ("raw", "said"),
    [
        (b"", ("body", "INVALID")), (b" ", ("body", "INVALID")), (b"null", ("body", "INVALID")),
        (b"[]", ("body", "INVALID")), (b'"a"', ("body", "INVALID")), (b'{"payouts":[{}]', ("body", "INVALID")),
        (b'{"payouts":[{}]}x', ("body", "INVALID")), (b'\xef\xbb\xbf{"payouts":[{}]}', ("body", "INVALID")),
        (b'{"\xff":1,"payouts":[{}]}', ("body", "INVALID")), ('{"payouts":[{}]}'.encode("utf-16"), ("body", "INVALID")),
        (b"{}", ("payouts", "REQUIRED")), (b'{"payouts":null}', ("payouts", "REQUIRED")),
        (b'{"payouts":[]}', ("payouts", "REQUIRED")), (b'{"payouts": [ ] }', ("payouts", "REQUIRED")),
        (b'{"payouts":{}}', ("payouts", "INVALID")), (b'{"payouts":"x"}', ("payouts", "INVALID")),
        (b'{"payouts":7}', ("payouts", "INVALID")), (b'{"payouts":true}', ("payouts", "INVALID")),
        (b'{"Payouts":[{}]}', ("payouts", "REQUIRED")),
        (b'{"payouts":[{}],"payouts":[{}]}', ("body", "INVALID")),
        (b'{"payouts":[{}],"payouts":1}', ("body", "INVALID")),
        (b'{"payouts":[{}],"\\u0070ayouts":[{}]}', ("body", "INVALID")),
        (b'{"payouts":[{}],"other":{"a":1,"a":2}}', ("body", "INVALID")),
        (b'{"payouts":[{}],"other":' + b"[" * 40 + b"]" * 40 + b"}", ("body", "INVALID")),
        (b'{"payouts":' + b"[" * 100_000 + b"]" * 100_000 + b"}", ("body", "INVALID")),
        (b"[" * 100_000, ("body", "INVALID")),
    ],
)  # fmt: skip
def test_a_body_that_is_no_plan(raw: bytes, said: tuple[str, str]) -> None:
    assert no(read_json(raw)) == said
    assert no(count_of("JSON", raw)) == said


@pytest.mark.parametrize(
    "one", [b"{}", b"null", b"7", b'"x"', b"[]", b'{"a":1,"a":2}', b'{"a":"\xff"}', b"[" * 40 + b"]" * 40]
)
def test_what_is_no_payout_is_a_line_as_it_was_written(one: bytes) -> None:
    """It is looked at with the others, so that all that is wrong is said at once."""
    found = lines(read_json(b'{"other":1,"payouts":[' + one + b', {"b" : 2}]}'))
    assert [(s.number, s.line, s.raw, s.problems) for s in found] == [(1, 1, one, ()), (2, 2, b'{"b" : 2}', ())]


@pytest.mark.parametrize("count", [1, MOST_LINES])
def test_as_many_as_may_be(count: int) -> None:
    assert len(lines(read_json(b'{"payouts":[' + b",".join([b"{}"] * count) + b"]}"))) == count
    assert len(lines(read_csv("\n".join([HEAD, *[ROW] * count]).encode()))) == count


def test_one_more_than_may_be() -> None:
    many = b'{"payouts":[' + b",".join([b"{}"] * (MOST_LINES + 1)) + b"]}"
    assert no(read_json(many)) == no(count_of("JSON", many)) == ("payouts", "TOO_LONG")
    table = "\n".join([HEAD, *[ROW] * (MOST_LINES + 1)]).encode()
    assert no(read_csv(table)) == no(count_of("CSV", table)) == ("body", "TOO_LONG")
    assert no(read_csv(table + b"\n" + table)) == ("body", "TOO_LONG"), "what comes behind is not even read"


# ── CSV ──


def test_every_column_has_its_place() -> None:
    cells = {name: f"the {name}" for name in COLUMNS} | {"allowDuplicate": "TRUE"}
    table = f"{','.join(cells)}\n{','.join(cells.values())}"
    assert bodies(table) == [
        {
            "externalId": "the externalId", "accountId": "the accountId", "paymentMethod": "the paymentMethod",
            "amount": {"value": "the amount", "currency": "the currency"}, "description": "the description",
            "paymentData": {
                "pixKey": "the pixKey", "qrcodeData": "the qrcodeData",
                "bankAccount": {
                    "ispb": "the ispb", "bankNumber": "the bankNumber", "accountType": "the accountType",
                    "branchNumber": "the branchNumber", "accountNumber": "the accountNumber",
                },
            },
            "receiver": {
                "name": "the receiverName",
                "document": {"type": "the receiverDocumentType", "number": "the receiverDocument"},
            },
            "scheduledDate": "the scheduledDate", "allowDuplicate": True,
        },
    ]  # fmt: skip


SAID = {
    "externalId": "salary-7", "accountId": ACCOUNT, "paymentMethod": "PIX", "amount": {"value": "10.50", "currency": "BRL"},
    "description": "Salary",
}  # fmt: skip


@pytest.mark.parametrize(
    "table",
    [
        f"{HEAD}\n{ROW}", f"{HEAD}\n{ROW}\n", f"{HEAD}\r\n{ROW}\r\n", f"{HEAD}\r{ROW}\r", f"\ufeff{HEAD}\n{ROW}",
        f"{HEAD}\n\n   \n,,,,\n{ROW}\n\n", f"{HEAD}\n{ROW},,,\n", f" {HEAD.replace(',', ' , ')} \n {ROW.replace(',', ' , ')} ",
        HEAD.replace(",", ";") + "\n" + ROW.replace(",", ";"),
        HEAD.replace(",", ";") + "\n" + ROW.replace(",", ";").replace("10.50", "10,50"),
        HEAD + "\n" + ROW.replace("Salary", '"Salary"'), ",".join(f'"{c}"' for c in HEAD.split(",")) + "\n" + ROW,
        ",".join(reversed(HEAD.split(","))) + "\n" + ",".join(reversed(ROW.split(","))),
        f"{HEAD},pixKey,ispb\n{ROW},,\n", f"{HEAD},pixKey\n{ROW}\n",
    ],
)  # fmt: skip
def test_one_payout_however_the_table_is_written(table: str) -> None:
    assert bodies(table) == [SAID]
    assert count_of("CSV", table.encode()) == 1


@pytest.mark.parametrize(
    ("column", "cell", "path", "value"),
    [
        ("receiverDocument", "24681357928", ("receiver", "document"), {"number": "24681357928", "type": "CPF"}),
        ("receiverDocument", "11222333000181", ("receiver", "document"), {"number": "11222333000181", "type": "CNPJ"}),
        ("receiverDocument", "x", ("receiver", "document"), {"number": "x", "type": "CNPJ"}),
        ("currency", "USD", ("amount", "currency"), "USD"),
        ("allowDuplicate", "true", ("allowDuplicate",), True),
        ("allowDuplicate", "False", ("allowDuplicate",), False),
        ("allowDuplicate", "yes", ("allowDuplicate",), "yes"),
        ("pixKey", '"a, ""b"""', ("paymentData", "pixKey"), 'a, "b"'),
        ("pixKey", "'=1", ("paymentData", "pixKey"), "'=1"),
    ],
)
def test_a_cell_says(column: str, cell: str, path: tuple[str, ...], value: Any) -> None:
    (body,) = bodies(f"{HEAD},{column}\n{ROW},{cell}")
    for part in path:
        body = body[part]
    assert body == value


@pytest.mark.parametrize(
    ("separator", "amount", "read"),
    [
        (";", "10,5", "10.5"), (";", "10,50", "10.50"), (";", "1.234,56", "1.234,56"), (";", "10,500", "10,500"),
        (";", "10.50", "10.50"), (",", '"10,50"', "10,50"), (";", "\u0661,\u0665", "\u0661,\u0665"), (";", "-1,00", "-1,00"),
    ],
)  # fmt: skip
def test_a_decimal_comma_is_read_where_semicolons_separate(separator: str, amount: str, read: str) -> None:
    """What could be thousands is not guessed at: the amount is refused as it stands."""
    table = "\n".join(text.replace(",", separator) for text in (HEAD, ROW)).replace("10.50", amount)
    assert bodies(table)[0]["amount"]["value"] == read


def test_the_line_is_that_of_the_file() -> None:
    """As an editor counts it: a quoted cell may go over several, and blank ones count."""
    table = (
        f"{HEAD}\r\n\r\n{ROW}\r\n{ROW.replace('Salary', chr(34) + 'two' + chr(13) + chr(10) + 'lines' + chr(34))}\r\n"
        f"{ROW}\r\n,,,,\r\n{ROW},too,many\r\n"
    )
    found = lines(read_csv(table.encode()))
    assert [(s.number, s.line) for s in found] == [(1, 3), (2, 4), (3, 6), (4, 8)]
    assert [s.problems[0].issue if s.problems else None for s in found] == [None, None, None, "INVALID"]
    split = f'"externalId\n",{HEAD.partition(",")[2]}\n{ROW}'
    assert [s.line for s in lines(read_csv(split.encode()))] == [3]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", ("body", "REQUIRED")), (b"\n\n", ("body", "REQUIRED")), (HEAD.encode(), ("body", "REQUIRED")),
        (f"{HEAD}\n\n,,,,\n".encode(), ("body", "REQUIRED")), (b"externalId,amount\na,1", ("body", "REQUIRED")),
        (f"{HEAD},colour\n{ROW},red".encode(), ("body", "INVALID")), (f"{HEAD},\n{ROW},".encode(), ("body", "INVALID")),
        (f"{HEAD.lower()}\n{ROW}".encode(), ("body", "INVALID")), (ROW.encode(), ("body", "INVALID")),
        (f"{HEAD},amount\n{ROW},1".encode(), ("body", "DUPLICATE")),
        (f"{HEAD}\n{ROW}é".encode("latin-1"), ("body", "INVALID")), (f"{HEAD}\n{ROW}".encode("utf-16"), ("body", "INVALID")),
        (f'{HEAD}\n{ROW}"'.encode().replace(b"Salary", b'"Salary'), None),
        (f'{HEAD}\n"{ROW}'.encode(), ("body", "INVALID")),
        (f'{HEAD}\n"a"b{ROW}'.encode(), ("body", "INVALID")),
        (f"{HEAD}\n{'a' * 200_000}{ROW}".encode(), ("body", "INVALID")),
        (b'{"payouts":[]}', ("body", "INVALID")), (b"\x00", ("body", "INVALID")), (b"PK\x03\x04", ("body", "INVALID")),
    ],
)  # fmt: skip
def test_a_table_that_is_no_plan(raw: bytes, said: tuple[str, str] | None) -> None:
    if said is None:
        assert len(lines(read_csv(raw))) == 1
    else:
        assert no(read_csv(raw)) == no(count_of("CSV", raw)) == said


def test_what_is_wrong_with_the_header_is_named_and_cut_short() -> None:
    problem = read_csv(f"{HEAD},{'x' * 1000},a,b,c,d,e,f\n{ROW}".encode())
    assert isinstance(problem, Problem)
    assert problem.description == f"the header names no column '{'x' * 40}', 'a', 'b', 'c', 'd'"
    lacking = read_csv(b"externalId,amount\na,1")
    assert isinstance(lacking, Problem)
    assert lacking.description == "the header lacks accountId, paymentMethod, description"


@pytest.mark.parametrize(
    ("row", "field", "issue"),
    [(f"{ROW},x", "", "INVALID"), (ROW.replace("Salary", "x" * 4097), "description", "TOO_LONG")],
)
def test_a_row_that_is_none_is_said_by_its_line(row: str, field: str, issue: str) -> None:
    good, bad = lines(read_csv(f"{HEAD}\n{ROW}\n{row}\n".encode()))
    assert (good.problems, bad.raw, bad.line) == ((), b"", 3)
    assert [(p.field, p.issue) for p in bad.problems] == [(field, issue)]


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=5, max_size=5), max_size=6))
def test_no_table_breaks_the_reader(rows: list[list[str]]) -> None:
    """Whatever the cells are: lines or a reason, and the count is that of the lines."""
    raw = "\n".join([HEAD, *(",".join(row) for row in rows)]).encode()
    found, count = sheets_of("CSV", raw), count_of("CSV", raw)
    assert (len(found) if isinstance(found, list) else found) == count


@given(st.binary(max_size=60))
def test_no_bytes_break_the_readers(raw: bytes) -> None:
    for form in ("JSON", "CSV"):
        for body in (raw, b'{"payouts":[' + raw + b"]}", HEAD.encode() + b"\n" + raw):
            assert isinstance(sheets_of(form, body), list | Problem)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_a_line_is_the_very_json_that_was_sent(value: Any) -> None:
    one = json.dumps(value).encode()
    (sheet,) = lines(read_json(b'{"payouts":[' + one + b"]}"))
    assert sheet.raw == one
