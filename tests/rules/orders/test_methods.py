"""Which methods there are, and which of them an installation has."""

import pytest

from lastro.orders.methods import METHODS, known_method, method_of, methods_by
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
