from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import recurrence_ids as ids
from lastro.standards.pix_ids import own_suffix

ISPB = "99999010"
DAY = date(2026, 11, 21)
companies = st.integers(0, 62**5 - 1)
sequences = st.integers(0, 62**6 - 1)
makers = st.from_regex(r"[0-9A-Z]{8}", fullmatch=True)


def test_the_composition_of_ours() -> None:
    suffix = own_suffix(7, 9)
    assert ids.recurrence_id(ISPB, DAY, 7, 9, retries=True) == f"RR{ISPB}20261121{suffix}"
    assert ids.recurrence_id(ISPB, DAY, 7, 9, retries=False) == f"RN{ISPB}20261121{suffix}"
    assert len(ids.recurrence_id(ISPB, DAY, 7, 9, retries=True)) == 29


@in_one_test(("ispb", "company", "sequence"), [("1234567", 7, 9), (ISPB, 62**5, 9), (ISPB, 7, -1)])
def test_ours_are_made_of_what_fits(ispb: str, company: int, sequence: int) -> None:
    with pytest.raises(ValueError, match=r"ISPB|digits|sequence"):
        ids.recurrence_id(ispb, DAY, company, sequence, retries=True)


def test_the_published_samples() -> None:
    """Of API Pix 2.9.0: RecId, recPayload1."""
    assert ids.read_recurrence_id("RR1234567820240115abcdefghijk") == ids.RecurrenceId(
        retries=True, maker="12345678", day=date(2024, 1, 15), suffix="abcdefghijk"
    )
    assert ids.read_recurrence_id("RN123456782024011577825445612") == ids.RecurrenceId(
        retries=False, maker="12345678", day=date(2024, 1, 15), suffix="77825445612"
    )


@given(companies, sequences, makers, st.dates(), st.booleans())
def test_what_is_made_is_read(company: int, sequence: int, maker: str, day: date, retries: bool) -> None:
    made = ids.recurrence_id(maker, day, company, sequence, retries=retries)
    found = ids.read_recurrence_id(made)
    assert found == ids.RecurrenceId(retries=retries, maker=maker, day=day, suffix=own_suffix(company, sequence))
    assert str(found) == made
    assert ids.company_of_recurrence_id(made) == company


@given(st.dates(), companies, st.sets(sequences, min_size=2, max_size=2))
def test_two_of_a_day_differ(day: date, company: int, pair: set[int]) -> None:
    assert len({ids.recurrence_id(ISPB, day, company, one, retries=True) for one in pair}) == 2


@in_one_test(
    "text",
    [
        "", "SC876456782024021577825445312", "RS1234567820240115abcdefghijk", "rR1234567820240115abcdefghijk", "Rr1234567820240115abcdefghijk",
        "RR1234567a20240115abcdefghijk", "RR1234567820241315abcdefghijk", "RR1234567820240230abcdefghijk",
        "RR1234567800000115abcdefghijk", "RR1234567820240115abcdefghij", "RR1234567820240115abcdefghijkl",
        "RR1234567820240115abcdefghij-", "RR1234567820240115abcdefghijk\n", "RR12345678\u0662\u0660\u0662\u06640115abcdefghijk",
    ],
)  # fmt: skip
def test_other_texts_are_none(text: str) -> None:
    assert not ids.is_recurrence_id(text)
    assert ids.company_of_recurrence_id(text) is None
