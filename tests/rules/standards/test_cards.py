import copy
import dataclasses
import json
import pickle
import traceback
from collections.abc import Callable
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from tests.in_one import in_one_test

from lastro.standards import cards
from lastro.standards.cards import Brand, CardError, CardNumber, Expiry, SecurityCode

VISA = "4111111111111111"


def number(prefix: str, length: int, fill: str = "0") -> str:
    """A number that begins so, with a right Luhn digit made by another's code."""
    body = prefix.ljust(length - 1, fill)
    return body + luhn.calc_check_digit(body)


numbers = st.builds(number, st.text("0123456789", min_size=6, max_size=11), st.integers(12, 19))


@in_one_test(
    ("text", "brand"),
    [
        (VISA, "VISA"),
        ("5555555555554444", "MASTERCARD"),
        ("378282246310005", "AMEX"),
        ("6062826786276634", "HIPERCARD"),
        (number("4", 13), "VISA"),
        (number("4", 19), "VISA"),
        (number("222100", 16), "MASTERCARD"),
        (number("272099", 16), "MASTERCARD"),
        (number("34", 15), "AMEX"),
        (number("305", 14), "DINERS"),
        (number("36", 14), "DINERS"),
        (number("38", 14), "DINERS"),
        (number("384100", 19), "HIPERCARD"),  # where Diners begins too
        (number("401178", 16), "ELO"),  # where Visa begins too
        (number("401179", 16), "ELO"),
        (number("431274", 16), "ELO"),
        (number("438935", 16), "ELO"),
        (number("451416", 16), "ELO"),
        (number("457393", 16), "ELO"),
        (number("457632", 16), "ELO"),
        (number("504175", 16), "ELO"),
        (number("506699", 16), "ELO"),
        (number("506778", 16), "ELO"),
        (number("509999", 16), "ELO"),
        (number("627780", 16), "ELO"),
        (number("636297", 16), "ELO"),
        (number("636368", 16), "ELO"),
        (number("650031", 16), "ELO"),
        (number("651652", 16), "ELO"),
        (number("655058", 16), "ELO"),
        (number("286900", 16), "CARNET"),
        (number("506199", 16), "CARNET"),
        (number("639559", 16), "CARNET"),
        # None of ours: neighbours of ranges, other brands, a length no card of the range has.
        (number("401177", 16), "VISA"),
        (number("401180", 16), "VISA"),
        (number("401178", 13), "VISA"),
        (number("222099", 16), None),
        (number("272100", 16), None),
        (number("506779", 16), None),
        (number("655059", 16), None),
        (number("637095", 16), None),  # Hiper
        (number("6011", 16), None),  # Discover
        (number("3528", 16), None),  # JCB
        (number("4", 15), None),
        (number("34", 16), None),
        (number("51", 15), None),
    ],
)
def test_brands(text: str, brand: Brand | None) -> None:
    assert CardNumber(text).brand == brand


def test_ranges_are_in_order_and_lie_inside_each_other_or_apart() -> None:
    ranges = cards.ranges()
    assert {one.brand for one in ranges} == set(cards.BRANDS)
    assert list(ranges) == sorted(ranges, key=lambda one: (one.first, one.last))
    for one in ranges:
        assert len(one.first) == len(one.last) == 6
        assert one.first <= one.last
    open_ends: list[str] = []
    for before, after in pairwise(ranges):
        open_ends = [end for end in [*open_ends, before.last] if end >= after.first]
        assert all(after.last <= end for end in open_ends), after


@given(numbers)
def test_a_number_with_its_digit_is_one(text: str) -> None:
    card = CardNumber(text)
    assert card.reveal() == text
    assert card.last_four == text[-4:]
    for last in "0123456789":
        if last != text[-1]:
            with pytest.raises(CardError) as refused:
                CardNumber(text[:-1] + last)
            assert refused.value.reason == "CHECK_DIGIT"


@in_one_test(
    ("text", "reason"),
    [
        ("", "FORM"), ("41111111111", "FORM"), ("4" * 20, "FORM"), ("4111 1111 1111 1111", "FORM"),
        ("4111-1111-1111-1111", "FORM"), (VISA + "\n", "FORM"), ("\uff14111111111111111", "FORM"),
        ("4111111111111112", "CHECK_DIGIT"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_without_echo(text: str, reason: cards.Reason) -> None:
    with pytest.raises(CardError) as refused:
        CardNumber(text)
    assert refused.value.reason == reason
    assert "4" * 3 not in str(refused.value)
    assert "111" not in repr(refused.value)


@in_one_test(
    ("text", "masked"),
    [
        (VISA, "411111******1111"),
        ("378282246310005", "378282*****0005"),
        (number("36", 14), "360000****" + number("36", 14)[-4:]),
        (number("4", 13), "*********" + number("4", 13)[-4:]),
        (number("4", 19), "400000*********" + number("4", 19)[-4:]),
    ],
)
def test_what_is_shown_of_a_number(text: str, masked: str) -> None:
    card = CardNumber(text)
    assert card.masked == str(card) == f"{card}" == masked
    assert repr(card) == f"CardNumber({masked})"


@dataclasses.dataclass
class Holder:
    number: CardNumber
    code: SecurityCode


SHOWN: list[Callable[[object], str]] = [
    repr,
    str,
    format,
    ascii,
    lambda one: f"{one!r:>40}",
    lambda one: "%s %r" % (one, one),  # noqa: UP031
    lambda one: str([one]),
    lambda one: str({"card": one}),
    lambda one: repr(Holder(one, SecurityCode("737"))),  # type: ignore[arg-type]
    lambda one: str(dir(one)),
    lambda one: str(ValueError(one)),
]


@in_one_test("show", SHOWN)
def test_it_never_prints(show: Callable[[object], str]) -> None:
    card, code = CardNumber("5555555555554444"), SecurityCode("737")
    assert "55555" not in show(card).replace("555555****", "")
    assert "737" not in show(code)


@in_one_test(
    "keep",
    [
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        json.dumps,
        vars,
        lambda one: dataclasses.asdict(Holder(one, one)),
        lambda one: [*one],
    ],
)
@in_one_test("secret", [CardNumber(VISA), SecurityCode("737")])
def test_it_is_not_copied_or_stored(keep: Callable[[object], object], secret: object) -> None:
    with pytest.raises(TypeError) as refused:
        keep(secret)
    said = "".join(traceback.format_exception_only(refused.value))
    assert VISA not in said
    assert "737" not in said


@in_one_test(
    ("text", "brand", "fits"),
    [
        ("123", "VISA", True), ("1234", "VISA", False), ("1234", "AMEX", True), ("123", "AMEX", False),
        ("000", "CARNET", True),
    ],
)  # fmt: skip
def test_the_length_of_a_security_code(text: str, brand: Brand, *, fits: bool) -> None:
    code = SecurityCode(text)
    assert code.fits(brand) is fits
    assert code.reveal() == text


@in_one_test("text", ["", "12", "98765", "98a", "987\n", "\u0661\u0662\u0663"])
def test_what_is_no_security_code_is_refused(text: str) -> None:
    with pytest.raises(CardError) as refused:
        SecurityCode(text)
    assert refused.value.reason == "FORM"
    assert "98" not in str(refused.value)


@in_one_test(
    ("text", "last_day"),
    [
        ("01/26", date(2026, 1, 31)),
        ("02/28", date(2028, 2, 29)),
        ("02/27", date(2027, 2, 28)),
        ("12/99", date(2099, 12, 31)),
    ],
)
def test_a_card_is_good_until_the_end_of_its_month(text: str, last_day: date) -> None:
    expiry = Expiry.parse(text)
    assert expiry.last_day == last_day
    assert not expiry.is_past(last_day)
    assert expiry.is_past(date.fromordinal(last_day.toordinal() + 1))


@given(st.integers(1, 12), st.integers(0, 99))
def test_an_expiry_is_read(month: int, year: int) -> None:
    assert Expiry.parse(f"{month:02d}/{year:02d}") == (2000 + year, month)


@in_one_test("text", ["", "00/26", "13/26", "1/26", "01/2026", "0126", "01-26", "01/26\n", "26/01", "\u0661\u0662/26"])
def test_what_is_no_expiry_is_refused(text: str) -> None:
    with pytest.raises(CardError) as refused:
        Expiry.parse(text)
    assert refused.value.reason == "FORM"
