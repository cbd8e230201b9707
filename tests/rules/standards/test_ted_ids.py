from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import ted_ids

NOON = datetime(2026, 11, 21, 15, tzinfo=UTC)
OURS = ted_ids.control_number(NOON, 7, 1)
companies = st.integers(0, 62**5 - 1)
sequences = st.integers(0, 62**6 - 1)


def test_a_control_number_says_whose_it_is_and_when() -> None:
    assert OURS.startswith("L0000720261121")
    assert len(OURS) == 20


@given(companies, sequences)
def test_it_leads_back_to_its_company(company: int, sequence: int) -> None:
    number = ted_ids.control_number(NOON, company, sequence)
    assert len(number) == 20
    assert ted_ids.is_control_number(number)
    assert ted_ids.company_of_control_number(number) == company


def test_no_two_of_a_company_are_the_same() -> None:
    made = {ted_ids.control_number(NOON, 7, sequence) for sequence in range(20_000)}
    assert len(made) == 20_000


@in_one_test(
    ("at", "day"),
    [
        (datetime(2026, 11, 21, 2, 59, tzinfo=UTC), "20261120"),
        (datetime(2026, 11, 21, 3, tzinfo=UTC), "20261121"),
        (datetime(2026, 11, 21, 11, tzinfo=timezone(timedelta(hours=9))), "20261120"),
    ],
)
def test_its_day_is_brasilias(at: datetime, day: str) -> None:
    assert ted_ids.control_number(at, 7, 1)[6:14] == day


@in_one_test(
    ("at", "company", "sequence", "why"),
    [
        (NOON, 62**5, 1, "does not fit"),
        (NOON, -1, 1, "does not fit"),
        (NOON, 7, -1, "not negative"),
        (datetime(2026, 11, 21), 7, 1, "naive"),  # noqa: DTZ001
    ],
)
def test_what_cannot_be_said_is_refused(at: datetime, company: int, sequence: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ted_ids.control_number(at, company, sequence)


@in_one_test(
    "text",
    [
        "", OURS[:-1], OURS + "0", "l" + OURS[1:], "S" + OURS[1:], OURS[:3] + "-" + OURS[4:], OURS[:-1] + "\n",
        OURS.replace("20261121", "20261321"), OURS.replace("20261121", "20260230"), OURS.replace("20261121", "2026112a"),
        OURS.replace("20261121", "\uff12\uff10\uff12\uff16\uff11\uff11\uff12\uff11"), "STR20261121000000001",
    ],
)  # fmt: skip
def test_no_control_number_of_ours(text: str) -> None:
    assert not ted_ids.is_control_number(text)
    assert ted_ids.company_of_control_number(text) is None


@in_one_test(
    ("text", "fits"),
    [
        ("STR20261121000000001", True), ("STR20240229999999999", True), ("STR20230229000000001", False),
        ("STR20261321000000001", False), ("STR2026112100000001", False), ("STR202611210000000011", False),
        ("str20261121000000001", False), ("STR2026112100000000A", False), ("STR20261121000000001\n", False),
        ("", False), (OURS, False),
    ],
)  # fmt: skip
def test_the_strs_own_number(text: str, *, fits: bool) -> None:
    assert ted_ids.is_str_control_number(text) is fits


@in_one_test(
    ("text", "is_one"),
    [
        ("1", True), ("0001", True), ("300003", True), ("1" * 13, True), ("0" * 7 + "1" * 13, True), ("1" * 14, False),
        ("", False), ("000", False), ("30000A", False), ("3-1", False), ("\u0663", False), ("\u00b2", False),
    ],
)  # fmt: skip
def test_numbers_of_accounts_that_a_ted_can_name(text: str, is_one: bool) -> None:
    assert ted_ids.is_account_number(text) is is_one
