"""The result of a plan as CSV: every reader gets back what was written, and no spreadsheet runs any of it."""

import csv
import io
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.money import Money
from lastro.plans.model import Plan, PlannedPayout
from lastro.plans.rendering import result_csv
from lastro.standards.legible import legible

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
PLAN = Plan(UUID(int=7), "APPLIED", 3, "JSON", 3, "0f" * 32, 1, "lc_x", AT, AT, AT)


def line(**values: Any) -> PlannedPayout:
    given: dict[str, Any] = {
        "external_id": "a", "account_id": UUID(int=5), "method": "PIX", "amount": Money(1050, "BRL"), "fee": Money(5, "BRL"),
        "transfers": 1, "destination": None, "duplicate_of": None, "issues": None, "payout_id": None,
    }  # fmt: skip
    return PlannedPayout(UUID(int=1), 1, UUID(int=7), 1, 2, b"{}", **{**given, **values})


def rows(*lines: PlannedPayout) -> list[dict[str, str]]:
    text = result_csv(PLAN, lines).decode()
    assert text.count("\n") == text.count("\r\n") or "\n" in "".join(line.external_id or "" for line in lines)
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_what_became_of_a_line() -> None:
    made = line(
        payout_id=UUID(int=9),
        payout_status="PAID",
        end_to_end_id="E1",
        paid_at=AT,
        duplicate_of="line 1",
        control_number="7",
    )
    assert rows(made) == [
        {
            "line": "2", "externalId": "a", "status": "CREATED", "amount": "10.50", "fee": "0.05", "transfers": "1",
            "payoutId": str(UUID(int=9)), "payoutStatus": "PAID", "endToEndId": "E1", "controlNumber": "7",
            "paidAt": "2026-01-31T12:00:00.000000Z", "possibleDuplicate": "line 1", "issues": "",
        },
    ]  # fmt: skip


def test_a_ted_has_no_end_to_end_id() -> None:
    """Also one to an account here, which our own books know by one."""
    (found,) = rows(line(method="TED", payout_id=UUID(int=9), payout_status="PAID", end_to_end_id="E1"))
    assert (found["payoutStatus"], found["endToEndId"]) == ("PAID", "")


def test_why_there_is_no_payout() -> None:
    problems = [
        {"field": "amount", "issue": "INVALID", "description": 'is, "odd"'}, {"field": "", "issue": "X", "description": "y"},
    ]  # fmt: skip
    nothing = dict.fromkeys(("external_id", "account_id", "method", "amount", "fee", "transfers"))
    (found,) = rows(line(**nothing, issues=msgspec.json.encode(problems).decode()))
    assert (found["status"], found["issues"]) == ("REFUSED", 'amount INVALID: is, "odd"; X: y')
    assert [found[name] for name in ("externalId", "amount", "fee", "transfers", "payoutId")] == [""] * 5


def test_why_a_payout_failed() -> None:
    (found,) = rows(line(payout_id=UUID(int=9), payout_status="ERROR", error_message="AC07: closed"))
    assert (found["payoutStatus"], found["issues"]) == ("ERROR", "AC07: closed")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", '=HYPERLINK("http://x","y")'])
def test_nothing_is_run_as_a_formula(text: str) -> None:
    (found,) = rows(line(external_id=text))
    assert found["externalId"] == f"'{text}"


def test_nothing_is_run_behind_what_parts_cells_elsewhere() -> None:
    (found,) = rows(line(external_id="a;=1", error_message="AC07: x\t@y", payout_id=UUID(int=9), payout_status="ERROR"))
    assert (found["externalId"], found["issues"]) == ("a;'=1", "AC07: x\t'@y")


@pytest.mark.parametrize("text", ["a=1", "1-2", "'=1", "a@b.c", "é", "a,b", 'a"b', "a;b", "a\nb"])
def test_other_texts_stand_as_they_are(text: str) -> None:
    (found,) = rows(line(external_id=text))
    assert found["externalId"] == text


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=5))
def test_every_reader_gets_back_what_was_written(texts: list[str]) -> None:
    found = list(
        csv.reader(io.StringIO(result_csv(PLAN, [line(external_id=t) for t in texts]).decode(), newline=""), strict=True)
    )
    assert [row[1].replace("'", "") for row in found[1:]] == [legible(t).replace("'", "") for t in texts]
    assert {len(row) for row in found} == {13}


def test_without_lines_there_is_a_header() -> None:
    assert result_csv(PLAN, []).decode().splitlines()[0].split(",")[:3] == ["line", "externalId", "status"]
