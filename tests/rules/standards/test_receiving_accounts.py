"""Account numbers for orders: read back, told from others, never twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import receiving_accounts
from lastro.standards.pix_ids import SEQUENCES
from lastro.standards.receiving_accounts import ReceivingAccount

NUMBERS = st.integers(0, SEQUENCES - 1)


@given(NUMBERS)
def test_what_is_made_is_read_back(number: int) -> None:
    made = receiving_accounts.own("991", "0001", number)
    assert receiving_accounts.read(str(made)) == made
    assert (made.bank, made.branch, len(made.account)) == ("991", "0001", 12)


@given(st.sets(NUMBERS, min_size=2, max_size=20))
def test_no_two_numbers_share_an_account(numbers: set[int]) -> None:
    assert len({receiving_accounts.own("991", "0001", number).account for number in numbers}) == len(numbers)


@given(NUMBERS, st.integers(7, 18), st.integers(1, 9))
def test_a_wrong_digit_of_the_account_is_seen(number: int, place: int, more: int) -> None:
    text = str(receiving_accounts.own("991", "0001", number))
    wrong = f"{text[:place]}{(int(text[place]) + more) % 10}{text[place + 1 :]}"
    assert receiving_accounts.read(wrong) is None


@in_one_test("text", ["", "991000100000000000", "99100010000000000000", "99100010000000000\u06610", "991 0001 000000000000"])
def test_other_texts_are_none(text: str) -> None:
    assert receiving_accounts.read(text) is None


@in_one_test("parts", [("99", "00011", "000000000000"), ("991", "0001", "000000000001"), ("99x", "0001", "000000000000")])
def test_what_has_not_the_form_is_not_written(parts: tuple[str, str, str]) -> None:
    with pytest.raises(ValueError, match="is not bank, branch and account"):
        str(ReceivingAccount(*parts))


def test_zeros_are_right() -> None:
    assert str(ReceivingAccount("991", "0001", "000000000000")) == "9910001000000000000"


def test_a_number_is_not_negative() -> None:
    with pytest.raises(ValueError, match="not negative"):
        receiving_accounts.own("991", "0001", -1)
