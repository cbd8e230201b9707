from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import own_numbers
from lastro.standards.pix_ids import unscramble

companies = st.integers(0, 62**5 - 1)
sequences = st.integers(0, 62**6 - 1)


@given(companies, sequences)
def test_they_lead_back_to_company_and_sequence(company: int, sequence: int) -> None:
    digits = own_numbers.own_digits(company, sequence)
    assert len(digits) == 20
    assert own_numbers.company_of_own_digits(digits) == company
    assert unscramble(int(digits[9:])) == sequence


def test_neighbours_look_unrelated() -> None:
    made = [own_numbers.scrambled_digits(sequence) for sequence in range(20_000)]
    assert len(set(made)) == 20_000
    assert {len(one) for one in made} == {11}
    assert sum(abs(int(a) - int(b)) < 10**6 for a, b in pairwise(made)) < 10


@in_one_test(
    ("company", "sequence", "why"),
    [(-1, 1, "number of a company"), (62**5, 1, "number of a company"), (7, -1, "not negative")],
)
def test_what_has_no_digits_is_refused(company: int, sequence: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        own_numbers.own_digits(company, sequence)


@in_one_test(
    "text",
    [
        "",
        "0" * 19,
        "0" * 21,
        "0" * 19 + "a",
        "0" * 20 + "\n",
        f"{62**5:09d}" + "0" * 11,  # a company that cannot be
        "0" * 9 + f"{62**6:011d}",  # what no sequence is scrambled to
    ],
)
def test_digits_of_others_have_no_company(text: str) -> None:
    assert own_numbers.company_of_own_digits(text) is None
