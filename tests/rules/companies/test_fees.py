"""What a method costs at an instant, how long a plan holds, and what may be entered."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.companies import DatedPlan, FeePlan, Fees, currency_of, rules, terms
from lastro.companies.rendering import percent
from lastro.core.money import MOST_MINOR, Money
from lastro.orders.methods import METHODS

JAN, FEB, MAR = (datetime(2026, month, 1, 3, tzinfo=UTC) for month in (1, 2, 3))
INSTANT = timedelta(microseconds=1)


def plan(fixed: int, payer: str = "RECEIVER", currency: str = "BRL") -> FeePlan:
    return FeePlan(Money(fixed, currency), 0, Money(0, currency), payer)


def entered(fixed: int, since: datetime, **changes: Any) -> DatedPlan:
    values: dict[str, Any] = {
        "id": UUID(int=fixed), "direction": "IN", "method": "PIX", "plan": plan(fixed), "valid_from": since,
        "created_at": JAN, "removed_at": None, "version": 1,
    }  # fmt: skip
    return DatedPlan(**{**values, **changes})


@pytest.mark.parametrize(
    ("instant", "fixed", "payer"),
    [
        (JAN - INSTANT, 0, "CUSTOMER"),  # nothing is borne by whoever the company says
        (JAN, 1, "RECEIVER"),
        (FEB - INSTANT, 1, "RECEIVER"),
        (FEB, 2, "CUSTOMER"),
        (MAR - INSTANT, 2, "CUSTOMER"),
        (MAR, 3, "RECEIVER"),
        (MAR + timedelta(days=9999), 3, "RECEIVER"),
    ],
)
def test_a_plan_holds_from_its_very_instant_until_the_next_one(instant: datetime, fixed: int, payer: str) -> None:
    fees = Fees("BRL", "CUSTOMER", ((JAN, plan(1)), (FEB, plan(2, "CUSTOMER")), (MAR, plan(3))))
    assert fees.at(instant) == plan(fixed, payer)
    assert fees.borne_by("RECEIVER").at(instant) == plan(fixed, "RECEIVER")


def test_without_plans_all_is_free_in_the_currency_of_the_method() -> None:
    assert Fees("MXN").at(JAN).total(Money(100, "MXN")) == Money(0, "MXN")


@given(
    st.integers(1, MOST_MINOR), st.integers(0, 10**9), st.integers(0, 10_000), st.integers(0, 10**9),
    st.sampled_from(["BRL", "MXN"]),
)  # fmt: skip
def test_a_fee_is_fixed_share_and_additional_half_to_even(
    amount: int, fixed: int, basis_points: int, additional: int, currency: str
) -> None:
    share = (Decimal(amount) * basis_points / 10_000).quantize(Decimal(1), ROUND_HALF_EVEN)
    fee = FeePlan(Money(fixed, currency), basis_points, Money(additional, currency)).total(Money(amount, currency))
    assert fee == Money(fixed + int(share) + additional, currency)


@pytest.mark.parametrize(
    ("plans", "now", "held"),
    [
        ([], JAN, []),
        ([entered(1, JAN)], JAN - INSTANT, [(1, None, False)]),
        ([entered(1, JAN), entered(2, FEB)], FEB - INSTANT, [(1, FEB, False), (2, None, False)]),
        ([entered(1, JAN), entered(2, FEB)], FEB, [(1, FEB, True), (2, None, False)]),
        ([entered(1, JAN), entered(2, FEB, removed_at=JAN), entered(3, MAR)], FEB, [(1, MAR, False), (3, None, False)]),
        ([entered(1, JAN), entered(2, FEB, method="TED")], MAR, [(1, None, False), (2, None, False)]),
        ([entered(1, JAN), entered(2, FEB, direction="OUT")], MAR, [(1, None, False), (2, None, False)]),
    ],
)
def test_a_plan_ends_where_the_next_one_of_its_method_begins(
    plans: list[DatedPlan], now: datetime, held: list[tuple[int, datetime | None, bool]]
) -> None:
    assert [(t.plan.plan.fixed.minor, t.until, t.has_ended) for t in terms(plans, now)] == held


@pytest.mark.parametrize(
    ("method", "currency"),
    [
        ("PIX", "BRL"), ("TED", "BRL"), ("DEPOSIT", "BRL"), ("BOLETO", "BRL"), ("BINANCE_PAY", "BRL"), ("CREDIT_CARD", "MXN"),
        ("SPEI", "MXN"), ("OXXO", "MXN"), ("OXXOPAY", "MXN"), ("PAYNET", "MXN"),
    ],
)  # fmt: skip
def test_a_method_has_its_currency(method: str, currency: str) -> None:
    assert currency_of(method) == currency
    assert rules.price_problems("IN", method, 0, None) == []


def test_orders_and_their_fees_are_of_one_currency() -> None:
    assert {name: currency_of(name) for name in METHODS} == {name: method.currency for name, method in METHODS.items()}


@pytest.mark.parametrize(
    ("price", "wrong"),
    [
        (("IN", "PIX", 10_000, "CUSTOMER"), []),
        (("OUT", "TED", 0, None), []),
        (("IN", "PIX", 10_001, None), [("percent", "OUT_OF_RANGE")]),
        (("IN", "PIX", -1, None), [("percent", "OUT_OF_RANGE")]),
        (("IN", "pix", 0, None), [("method", "INVALID")]),
        (("IN", "PIX\n", 0, None), [("method", "INVALID")]),
        (("IN", "_PAY", 0, None), [("method", "INVALID")]),
        (("OUT", "BOLETO", 0, None), [("method", "INVALID")]),
        (("OUT", "PIX", 0, "RECEIVER"), [("payer", "NOT_ALLOWED")]),
        (("IN", "PIX", 0, "BANK"), [("payer", "INVALID")]),
        (("IN", "", -1, "BANK"), [("method", "INVALID"), ("percent", "OUT_OF_RANGE"), ("payer", "INVALID")]),
    ],
)
def test_what_may_be_entered(price: tuple[str, str, int, str | None], wrong: list[tuple[str, str]]) -> None:
    assert [(p.field, p.issue) for p in rules.price_problems(*price)] == wrong


@pytest.mark.parametrize(
    ("basis_points", "text"), [(0, "0.00"), (1, "0.01"), (99, "0.99"), (150, "1.50"), (10_000, "100.00")]
)
def test_a_share_is_written_in_percent(basis_points: int, text: str) -> None:
    assert percent(basis_points) == text
