from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.core.money import DECIMALS, LEAST_MINOR, MOST_MINOR, Money, MoneyError

minors = st.integers(LEAST_MINOR, MOST_MINOR)
currencies = st.sampled_from(sorted(DECIMALS))


def issue(text: str, currency: str = "BRL", *, number: bool = False) -> str:
    with pytest.raises(MoneyError) as refused:
        Money.parse(text, currency, number=number)
    return refused.value.issue


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("10.50", 1050), ("10.5", 1050), ("10", 1000), ("0.01", 1), ("00.10", 10), ("007", 700),
        ("9999999999.99", MOST_MINOR),
    ],
)  # fmt: skip
def test_strings_are_read_exactly(text: str, minor: int) -> None:
    assert Money.parse(text, "BRL") == Money(minor, "BRL")


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("1e2", 10_000), ("1E2", 10_000), ("1e+2", 10_000), ("0.1", 10), ("1E-1", 10), ("10", 1000),
        ("1050e-2", 1050), ("0.00001e3", 1), ("1.2345e4", 1_234_500),
        ("9999999999.99", MOST_MINOR), ("999999999999e-2", MOST_MINOR),
    ],
)  # fmt: skip
def test_numbers_are_read_from_their_text(text: str, minor: int) -> None:
    assert Money.parse(text, "BRL", number=True) == Money(minor, "BRL")


@in_one_test(
    "text",
    [
        "", " ", " 1", "1 ", "1\n", "+1", "-1", "1,50", "1.000,00", "1,000.00", "1_000", "1.", ".5", "1..2", "1e2", "0x10",
        "NaN", "Infinity", "-Infinity", "inf", "R$ 1", "\uff11.\uff15", "\u0661", "1.2.3", "null", "true", "10.500", "10.501", "0.001",
        "1" * 25, "0." + "0" * 13,
    ],
)  # fmt: skip
def test_a_string_that_is_no_amount_is_refused_for_its_form(text: str) -> None:
    assert issue(text) == "INVALID"


@pytest.mark.parametrize(
    "text",
    [
        "NaN", "1e", "e1", "1e-100", "10.500", "1500e-3", "0.070000000000000000000000", "--1", "+1", "1.e1", "0.001",
        "1e-3", "10.501", "1" * 25, "1 ",
    ],
)  # fmt: skip
def test_a_number_that_is_no_amount_is_refused_for_its_form(text: str) -> None:
    assert issue(text, number=True) == "INVALID"


@pytest.mark.parametrize("text", ["0", "0.00", "-0", "-0.0", "0e9", "-1", "-0.01", "10000000000", "1e10", "1e99", "1" * 24])
def test_a_number_beyond_the_range_is_refused_for_its_size(text: str) -> None:
    assert issue(text, number=True) == "OUT_OF_RANGE"


@pytest.mark.parametrize("text", ["0", "0.0", "0.00", "000", "10000000000", "10000000000.00"])
def test_a_string_beyond_the_range_is_refused_for_its_size(text: str) -> None:
    assert issue(text) == "OUT_OF_RANGE"


@pytest.mark.parametrize(("text", "minor"), [("1050", 1050), ("1", 1)])
def test_a_currency_without_decimals_has_none(text: str, minor: int) -> None:
    assert Money.parse(text, "JPY") == Money(minor, "JPY")
    assert str(Money(minor, "JPY")) == text
    assert issue(text + ".0", "JPY") == "INVALID"
    assert issue(text + ".5", "JPY", number=True) == "INVALID"
    assert issue(text + ".0", "JPY", number=True) == "INVALID"


@pytest.mark.parametrize("text", ["1e100", "1e999999", "9e30", "-1e40"])
def test_a_number_of_any_size_is_refused_for_its_size(text: str) -> None:
    assert issue(text, "BRL", number=True) == "OUT_OF_RANGE"


def test_an_unknown_currency_is_refused() -> None:
    assert issue("1", "XXX") == "INVALID"


@given(minors, currencies)
def test_what_is_printed_is_read_as_the_same(minor: int, currency: str) -> None:
    money = Money(minor, currency)
    assert Money.parse(str(money), currency) == money
    assert Money.parse(str(money), currency, number=True) == money
    assert money.wire() == {"currency": currency, "value": str(money)}


@given(st.integers(-MOST_MINOR, MOST_MINOR), currencies)
def test_what_is_printed_is_the_decimal_number(minor: int, currency: str) -> None:
    places = DECIMALS[currency]
    assert Decimal(str(Money(minor, currency))) == Decimal(minor).scaleb(-places)
    assert len(str(Money(minor, currency)).partition(".")[2]) == places


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?", fullmatch=True))
def test_a_json_number_is_its_decimal_value_or_refused(text: str) -> None:
    exact = Decimal(text) * 100
    try:
        assert Money.parse(text, "BRL", number=True).minor == exact
    except MoneyError as refused:
        # The decimals as they are written decide, zeros at the end too: 10.500 has three.
        has_room, fits = -Decimal(text).as_tuple().exponent <= 2, LEAST_MINOR <= exact <= MOST_MINOR  # type: ignore[operator]
        is_right = not has_room if refused.issue == "INVALID" else not fits
    else:
        is_right = True
    assert is_right


@given(st.text(max_size=30))
def test_any_text_is_an_amount_or_refused(text: str) -> None:
    for number in (False, True):
        try:
            money = Money.parse(text, "BRL", number=number)
        except MoneyError:
            continue
        assert LEAST_MINOR <= money.minor <= MOST_MINOR


@pytest.mark.parametrize(
    ("minor", "basis_points", "share"),
    [
        (50, 100, 0), (150, 100, 2), (250, 100, 2), (350, 100, 4), (51, 100, 1), (49, 100, 0), (1000, 0, 0),
        (1000, 10_000, 1000), (-50, 100, 0), (-150, 100, -2), (-51, 100, -1), (0, 250, 0),
    ],
)  # fmt: skip
def test_a_share_is_rounded_half_to_even(minor: int, basis_points: int, share: int) -> None:
    assert Money(minor, "BRL").share(basis_points) == Money(share, "BRL")


@given(st.integers(-MOST_MINOR, MOST_MINOR), st.integers(0, 10_000))
def test_a_share_is_what_decimal_says(minor: int, basis_points: int) -> None:
    exact = (Decimal(minor) * basis_points / 10_000).quantize(Decimal(1), ROUND_HALF_EVEN)
    assert Money(minor, "BRL").share(basis_points).minor == exact


@given(minors, minors)
def test_adding_and_taking_away_are_of_one_currency(a: int, b: int) -> None:
    assert Money(a, "BRL") + Money(b, "BRL") == Money(a + b, "BRL")
    assert Money(a, "BRL") - Money(b, "BRL") == Money(a - b, "BRL")
    with pytest.raises(ValueError, match="do not add up"):
        Money(a, "BRL") + Money(b, "USD")
    with pytest.raises(ValueError, match="do not add up"):
        Money(a, "BRL") - Money(b, "USD")
