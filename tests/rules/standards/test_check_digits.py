import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from tests.in_one import in_one_test

from lastro.standards.check_digits import modulo_10, modulo_11

numbers = st.text("0123456789", min_size=1, max_size=48)


@in_one_test(
    ("digits", "ten", "eleven"),
    [
        ("0", 0, 11),
        ("1", 8, 9),  # 2; 2
        ("5", 9, 1),  # 10, so 1 + 0; 10
        ("01230067896", 3, 11),  # 37; 176, which leaves no rest
        ("123456789", 7, 7),  # 43; 202, of which the 1 weighs 2 again
    ],
)
def test_sums_made_by_hand(digits: str, ten: int, eleven: int) -> None:
    assert modulo_10(digits) == ten
    assert modulo_11(digits) == eleven


@given(numbers)
def test_modulo_10_is_what_cards_call_luhn(digits: str) -> None:
    assert str(modulo_10(digits)) == luhn.calc_check_digit(digits)


@given(numbers, st.data())
def test_one_wrong_digit_is_noticed(digits: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(digits) - 1))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != digits[at]]))
    changed = digits[:at] + other + digits[at + 1 :]
    assert modulo_10(changed) != modulo_10(digits)
    assert modulo_11(changed) != modulo_11(digits)


@in_one_test("text", ["", "12a", "1 2", "-1", "\u0661", "\u00b2"])
def test_other_texts_have_none(text: str) -> None:
    for digit in (modulo_10, modulo_11):
        with pytest.raises(ValueError, match="only digits"):
            digit(text)
