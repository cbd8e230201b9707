from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import spei_ids

NOON = datetime(2026, 11, 22, 18, tzinfo=UTC)
OURS = spei_ids.tracking_key(NOON, 7, 1)


@given(st.integers(0, 62**5 - 1), st.integers(0, 62**6 - 1))
def test_a_tracking_key_leads_back_to_its_company(company: int, sequence: int) -> None:
    key = spei_ids.tracking_key(NOON, company, sequence)
    assert spei_ids.is_tracking_key(key)
    assert spei_ids.company_of_tracking_key(key) == company


def test_a_tracking_key_says_when_and_whose() -> None:
    assert OURS.startswith("L20261122000000007")
    assert len(OURS) == 29


@in_one_test(
    ("at", "day"),
    [
        (datetime(2026, 11, 22, 5, 59, tzinfo=UTC), "20261121"),
        (datetime(2026, 11, 22, 6, tzinfo=UTC), "20261122"),
        (datetime(2026, 7, 22, 5, 59, tzinfo=UTC), "20260721"),  # no summer time since 2022
        (datetime(2026, 11, 22, 14, tzinfo=timezone(timedelta(hours=9))), "20261121"),
    ],
)
def test_its_day_is_mexicos(at: datetime, day: str) -> None:
    assert spei_ids.tracking_key(at, 7, 1)[1:9] == day


@in_one_test(
    ("at", "company", "sequence", "why"),
    [
        (NOON.replace(tzinfo=None), 7, 1, "naive"),
        (NOON, 62**5, 1, "number of a company"),
        (NOON, 7, -1, "not negative"),
    ],
)
def test_what_cannot_be_said_is_refused(at: datetime, company: int, sequence: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        spei_ids.tracking_key(at, company, sequence)


@in_one_test("text", ["1", "MBAN01002311220012345678", "a" * 30, OURS])
def test_forms_of_a_tracking_key(text: str) -> None:
    assert spei_ids.is_tracking_key(text)


@in_one_test("text", ["", "a" * 31, "a-b", "a b", "a\n", "ñ", "\u0661"])
def test_other_texts_are_no_tracking_key(text: str) -> None:
    assert not spei_ids.is_tracking_key(text)
    assert spei_ids.company_of_tracking_key(text) is None


@in_one_test("text", ["M" + OURS[1:], OURS[:-1], OURS + "0", OURS[:9] + "9" * 20])
def test_keys_of_others_have_no_company(text: str) -> None:
    assert spei_ids.company_of_tracking_key(text) is None


@given(st.integers(0, 10**12))
def test_a_reference_has_seven_digits(sequence: int) -> None:
    reference = spei_ids.numeric_reference(sequence)
    assert len(reference) == 7
    assert spei_ids.is_numeric_reference(reference)
    assert reference != "0000000"


def test_references_begin_anew_after_the_last() -> None:
    assert [spei_ids.numeric_reference(n) for n in (0, 9_999_998, 9_999_999)] == ["0000001", "9999999", "0000001"]
    with pytest.raises(ValueError, match="not negative"):
        spei_ids.numeric_reference(-1)


@in_one_test(("text", "fits"), [("1", True), ("1234567", True), ("", False), ("12345678", False), ("1a", False)])
def test_forms_of_a_reference(text: str, *, fits: bool) -> None:
    assert spei_ids.is_numeric_reference(text) is fits
