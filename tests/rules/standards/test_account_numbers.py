import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards.account_numbers import is_account_number, with_check_digit

eight = st.integers(0, 10**8 - 1).map(lambda number: f"{number:08d}")


@in_one_test(
    ("digits", "number"),
    [
        ("00000000", "000000000"),  # 11 becomes 0
        ("00000001", "000000019"),  # 2, so 11 - 2
        ("12345678", "123456789"),  # 156, rest 2
        ("00000006", "000000060"),  # 12, rest 1: 10 becomes 0
        ("10000000", "100000002"),  # 9, so 11 - 9
    ],
)
def test_check_digit(digits: str, number: str) -> None:
    assert with_check_digit(digits) == number
    assert is_account_number(number)


@in_one_test("digits", ["", "1234567", "123456789", "1234567a", "1234567\n", "\uff112345678"])
def test_eight_digits_are_demanded(digits: str) -> None:
    with pytest.raises(ValueError, match="eight digits"):
        with_check_digit(digits)


@given(eight)
def test_the_digit_is_checked(digits: str) -> None:
    number = with_check_digit(digits)
    assert is_account_number(number)
    assert [last for last in "0123456789" if is_account_number(digits + last)] == [number[-1]]


@in_one_test("text", ["", "00000001", "0000000199", "00000001-9", "000000019\n", "00000001x"])
def test_other_texts_are_no_account_number(text: str) -> None:
    assert not is_account_number(text)
