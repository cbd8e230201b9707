from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import boleto, boleto_numbers
from lastro.standards.boleto import Boleto
from lastro.standards.check_digits import modulo_10
from lastro.standards.own_numbers import own_digits

companies = st.integers(0, 62**5 - 1)
sequences = st.integers(0, 62**6 - 1)
OURS = own_digits(7, 1)


@given(companies, sequences)
def test_a_slip_leads_back_to_its_company(company: int, sequence: int) -> None:
    number = own_digits(company, sequence)
    slip = Boleto(bank="990", free_field=boleto_numbers.free_field("0001", number), amount_minor=1050)
    read = boleto.decode(boleto.digitable_line(boleto.barcode(slip)), near=date(2026, 11, 22))
    assert boleto_numbers.our_number_of(read.free_field) == number


def test_no_two_slips_have_the_same_free_field() -> None:
    made = {
        boleto_numbers.free_field("0001", own_digits(company, sequence)) for company in range(20) for sequence in range(1000)
    }
    assert len(made) == 20_000


def test_a_free_field_is_branch_number_and_digit() -> None:
    assert OURS.startswith("000000007")
    assert len(OURS) == 20
    assert boleto_numbers.free_field("0001", OURS)[:24] == "0001" + OURS


@in_one_test(
    ("branch", "number", "why"),
    [
        ("1", OURS, "branch"),
        ("000a", OURS, "branch"),
        ("0001", OURS[1:], "nosso número"),
        ("0001", "9" * 20, "nosso número"),
    ],
)
def test_what_makes_no_free_field_is_refused(branch: str, number: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        boleto_numbers.free_field(branch, number)


@given(companies, sequences, st.data())
def test_a_changed_free_field_is_not_ours(company: int, sequence: int, data: st.DataObject) -> None:
    field = boleto_numbers.free_field("0001", own_digits(company, sequence))
    at = data.draw(st.integers(0, 24))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != field[at]]))
    assert boleto_numbers.our_number_of(field[:at] + other + field[at + 1 :]) is None


def test_a_number_of_no_company_is_not_ours() -> None:
    body = "0001" + "9" * 20
    assert boleto_numbers.our_number_of(f"{body}{modulo_10(body)}") is None


@in_one_test(
    "field", ["", "0" * 24, "0" * 26, "0" * 24 + "a", "9" * 24 + "2", "0000002800012345678901217", "0001" + OURS + "\n"]
)
def test_free_fields_of_others_have_no_number(field: str) -> None:
    assert boleto_numbers.our_number_of(field) is None
