"""Which methods there are, and which of them an installation has."""

import pytest

from lastro.companies import FeePlan
from lastro.core.money import MOST_MINOR, Money
from lastro.orders.methods import METHODS, known_method, method_of, methods_by
from lastro.orders.rules import fee_problem
from lastro.rails import port


@pytest.mark.parametrize(
    "name", [None, "", "PAY", "_PAY", "A_PAY", "a1_PAY", "A" * 17 + "_PAY", "BTC_PAY\n", "BTC-PAY", "CASH"]
)
def test_no_method(name: str | None) -> None:
    assert method_of(name) is None


@pytest.mark.parametrize("name", ["BTC_PAY", "A1_PAY", "A" * 16 + "_PAY"])
def test_every_brand_is_a_method_of_crypto(name: str) -> None:
    """Also one that is configured no more: its orders are still there."""
    found = known_method(name)
    assert (found.name, found.currency, found.rail, found.is_quoted) == (name, "BRL", port.CRYPTO, True)
    assert (found.is_refundable, found.has_pix, found.needs_address) == (False, False, False)


FREE = FeePlan(Money(0, "MXN"), 0, Money(0, "MXN"), "RECEIVER")
BORNE = FeePlan(Money(500, "MXN"), 0, Money(0, "MXN"), "CUSTOMER")
SHARED = FeePlan(Money(500, "MXN"), 0, Money(0, "MXN"), "RECEIVER")


@pytest.mark.parametrize("fees", [FREE, BORNE], ids=["without a fee", "with the customer's"])
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("OXXO", 1_000, 1_000_000), ("OXXOPAY", 1_000, 1_000_000), ("PAYNET", 1_000, 1_000_000),
        ("BOLETO", 1, 9_999_999_999), ("SPEI", 1, None), ("DEPOSIT", 1, None), ("CREDIT_CARD", 1, None),
        ("BTC_PAY", 1, None), ("PIX", 1, None),
    ],
)  # fmt: skip
def test_the_bounds_of_what_a_method_asks_for(name: str, least: int, most: int | None, fees: FeePlan) -> None:
    """They hold of what has to be paid, so that a fee which the customer bears counts."""
    method = known_method(name)
    more = fees.total(Money(1, "MXN")).minor if fees.payer == "CUSTOMER" else 0
    plan = FeePlan(Money(more, method.currency), 0, Money(0, method.currency), fees.payer)

    def problem(asked: int) -> str | None:
        return fee_problem(Money(asked - more, method.currency), plan, method)

    assert problem(max(least, more + 1)) is None
    if least > more + 1:
        assert "less than this method" in str(problem(least - 1))
    if most is not None:
        assert problem(most) is None
        assert "more than this method" in str(problem(most + 1))
    else:
        assert problem(MOST_MINOR) is None
        assert problem(MOST_MINOR + 1) == "is too large together with the fee"


def test_a_fee_is_not_more_than_what_it_is_taken_from() -> None:
    assert "less than the fee" in str(fee_problem(Money(499, "MXN"), SHARED, known_method("SPEI")))
    assert fee_problem(Money(500, "MXN"), SHARED, known_method("SPEI")) is None


def test_a_method_is_of_the_currency_of_its_rail() -> None:
    assert all(one.rail is None or port.RAILS[one.rail] == one.currency for one in METHODS.values())
    assert known_method("PIX").rail is None


@pytest.mark.parametrize(
    ("rails", "brands", "names"),
    [
        (set(), (), {"PIX"}),
        (set(), ("BTC",), {"PIX"}),
        ({port.BOLETO}, ("BTC",), {"PIX", "BOLETO"}),
        ({port.CRYPTO}, (), {"PIX"}),
        ({port.CRYPTO}, ("BTC", "ACME"), {"PIX", "BTC_PAY", "ACME_PAY"}),
    ],
)
def test_what_an_installation_has(rails: set[str], brands: tuple[str, ...], names: set[str]) -> None:
    assert methods_by(frozenset(rails), brands) == names
