from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from tests.in_one import in_one_test

from lastro.standards import cash_references
from lastro.standards.cash_references import OXXO_PAY, PAYNET, ReferenceForm

FORMS = [
    OXXO_PAY,
    PAYNET,
    ReferenceForm(length=14, prefix="93"),
    ReferenceForm(length=16, prefix="1010", luhn=True),
    ReferenceForm(length=30, prefix="01", luhn=True),
]
forms = st.sampled_from(FORMS)
numbers = st.integers(0, 62**6 - 1)


@in_one_test(
    ("form", "text"),
    [
        (OXXO_PAY, "93345678901234"),
        (PAYNET, "1010101346018565"),
        (FORMS[2], "93345678901234"),
        (ReferenceForm(length=16, prefix="1010"), "1010101346018565"),
    ],
)
def test_published_references(form: ReferenceForm, text: str) -> None:
    assert cash_references.is_reference(form, text)


@given(forms, numbers)
def test_what_is_made_has_its_form(form: ReferenceForm, number: int) -> None:
    made = cash_references.reference(form, number)
    assert cash_references.is_reference(form, made)
    assert len(made) == form.length
    assert made.startswith(form.prefix)
    assert not form.luhn or luhn.is_valid(made)


@in_one_test("form", FORMS)
def test_each_voucher_has_another_reference(form: ReferenceForm) -> None:
    assert len({cash_references.reference(form, number) for number in range(5_000)}) == 5_000


@given(numbers, st.integers(0, 15), st.integers(1, 9))
def test_a_check_digit_notices_one_wrong_digit(number: int, at: int, more: int) -> None:
    made = cash_references.reference(FORMS[3], number)
    assert not cash_references.is_reference(FORMS[3], made[:at] + str((int(made[at]) + more) % 10) + made[at + 1 :])


@in_one_test(
    ("form", "text"),
    [
        (OXXO_PAY, ""),
        (OXXO_PAY, "9334567890123"),
        (OXXO_PAY, "933456789012345"),
        (OXXO_PAY, "9334567890123a"),
        (OXXO_PAY, "9334567890123\n"),
        (PAYNET, "OPENPAY02DQ35YOY"),
        (FORMS[2], "94345678901234"),
        (FORMS[3], "1010101346018565"),  # the sample carries no Luhn digit
    ],
)
def test_other_texts_are_none(form: ReferenceForm, text: str) -> None:
    assert not cash_references.is_reference(form, text)


@in_one_test(
    ("make", "why"),
    [
        (lambda: ReferenceForm(length=10), "leave less"),
        (lambda: ReferenceForm(length=14, prefix="9334"), "leave less"),
        (lambda: ReferenceForm(length=14, prefix="933", luhn=True), "leave less"),
        (lambda: ReferenceForm(length=20, prefix="OX"), "not digits"),
        (lambda: cash_references.reference(OXXO_PAY, -1), "not negative"),
    ],
)
def test_what_makes_no_reference_is_refused(make: Callable[[], object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make()
