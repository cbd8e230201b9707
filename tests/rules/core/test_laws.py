"""What a law about a sum says where each server has a part of it."""

from uuid import UUID

from lastro.core.laws import added

BRL, MXN = {"company_id": None, "currency": "BRL"}, {"company_id": None, "currency": "MXN"}


def test_what_goes_from_one_server_to_another_comes_to_zero() -> None:
    assert added([{**BRL, "minor": -700}, {**BRL, "minor": 500}, {**BRL, "minor": 200}], "currency", "minor") == []


def test_a_sum_that_is_left_is_said_once_and_currencies_are_never_mixed() -> None:
    rows = [{**BRL, "minor": -700}, {**MXN, "minor": 700}, {**BRL, "minor": 500}]
    assert added(rows, "currency", "minor") == [{**BRL, "minor": -200}, {**MXN, "minor": 700}]


def test_of_one_server_the_rows_are_said_as_they_are() -> None:
    rows = [{"company_id": UUID(int=1), "currency": "BRL", "minor": 5}]
    assert added(rows, "currency", "minor") == rows
