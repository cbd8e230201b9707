from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import boleto
from lastro.standards.boleto import Boleto, BoletoError, Reason

TODAY = date(2026, 11, 22)
SAMPLE = "00199160500000123450000002800012345678901217"
SAMPLE_LINE = "00190000090280001234256789012178916050000012345"
ITAU = "1101234567880057123457000"
VECTORS = [
    (SAMPLE, SAMPLE_LINE, "001", "0000002800012345678901217", date(2026, 10, 20)),
    (
        "34196166700000123451101234567880057123457000",
        "34191101213456788005871234570001616670000012345",
        "341",
        ITAU,
        date(2002, 5, 1),
    ),
    (
        "34193999900000123451101234567880057123457000",
        "34191101213456788005871234570001399990000012345",
        "341",
        ITAU,
        date(2025, 2, 21),
    ),
    (
        "34199100000000123451101234567880057123457000",
        "34191101213456788005871234570001910000000012345",
        "341",
        ITAU,
        date(2025, 2, 22),
    ),
]
COLLECTION = "85600000001500003282026102000000000000123000"
COLLECTION_LINE = "856000000013500003282026610200000004000001230002"

slips = st.builds(
    Boleto,
    bank=st.integers(0, 799).map(lambda number: f"{number:03d}"),
    free_field=st.text("0123456789", min_size=25, max_size=25),
    amount_minor=st.none() | st.integers(1, boleto.MOST_MINOR),
    due_date=st.none() | st.dates(boleto.FIRST_DUE_DATE, boleto.LAST_DUE_DATE),
)


@in_one_test(("code", "line", "bank", "free_field", "due"), VECTORS)
def test_published_slips_are_written_and_read(code: str, line: str, bank: str, free_field: str, due: date) -> None:
    slip = Boleto(bank=bank, free_field=free_field, amount_minor=12345, due_date=due)
    assert boleto.barcode(slip) == code
    assert boleto.digitable_line(code) == line
    assert boleto.barcode_of_line(line) == code
    for text in (code, line, boleto.printed_line(line)):
        assert boleto.decode(text, near=due) == slip


def test_a_line_is_printed_in_five_fields() -> None:
    assert boleto.printed_line(SAMPLE_LINE) == "00190.00009 02800.012342 56789.012178 9 16050000012345"
    with pytest.raises(BoletoError):
        boleto.printed_line(SAMPLE)


@given(slips)
def test_what_is_written_is_read(slip: Boleto) -> None:
    code = boleto.barcode(slip)
    line = boleto.digitable_line(code)
    assert (len(code), len(line)) == (44, 47)
    assert boleto.barcode_of_line(line) == code
    near = slip.due_date or TODAY
    assert boleto.decode(code, near) == boleto.decode(line, near) == boleto.decode(boleto.printed_line(line), near) == slip


@given(slips, st.data())
def test_one_wrong_digit_is_noticed(slip: Boleto, data: st.DataObject) -> None:
    code = boleto.barcode(slip)
    for text in (code, boleto.digitable_line(code)):
        at = data.draw(st.integers(0, len(text) - 1))
        other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != text[at]]))
        # The general check digit writes 0, 10 and 11 as 1, so that three wrong sums look alike: a bar code may hide a
        # change there, a line only in the fields that have no digit of their own.
        own_digit = len(text) == 47 and at < 32
        if own_digit or code[4] != "1":
            with pytest.raises(BoletoError):
                boleto.decode(text[:at] + other + text[at + 1 :], TODAY)


def test_the_general_digit_is_never_zero() -> None:
    digits = [boleto.barcode(Boleto(bank="990", free_field=f"{number:025d}"))[4] for number in range(2000)]
    assert set(digits) == set("123456789")
    assert digits.count("1") > 2 * digits.count("2")  # 0, 10 and 11 are written as 1


@in_one_test(
    ("due", "factor"),
    [
        (None, "0000"), (date(2000, 7, 3), "1000"), (date(2000, 7, 4), "1001"), (date(2012, 4, 27), "5316"),
        (date(2025, 2, 20), "9998"), (date(2025, 2, 21), "9999"), (date(2025, 2, 22), "1000"),
        (date(2025, 2, 23), "1001"), (date(2025, 2, 26), "1004"), (date(2049, 10, 13), "9999"),
    ],
)  # fmt: skip
def test_published_due_factors(due: date | None, factor: str) -> None:
    assert boleto.due_factor(due) == factor
    assert boleto.due_date(factor, near=due or TODAY) == due


@in_one_test("day", [date(1997, 10, 7), date(2000, 7, 2), date(2049, 10, 14)])
def test_a_day_outside_both_rounds_has_no_factor(day: date) -> None:
    with pytest.raises(BoletoError) as refused:
        boleto.due_factor(day)
    assert refused.value.reason == "FACTOR"


@given(st.dates(boleto.FIRST_DUE_DATE, boleto.LAST_DUE_DATE), st.integers(-4499, 4500))
def test_the_nearest_day_is_read(day: date, apart: int) -> None:
    assert boleto.due_date(boleto.due_factor(day), near=day - timedelta(days=apart)) == day


@given(st.dates(boleto.FIRST_DUE_DATE, boleto.LAST_DUE_DATE), st.integers(-3000, 5500))
def test_the_window_of_2012_is_read_too(day: date, apart: int) -> None:
    assert boleto.due_date(boleto.due_factor(day), near=day - timedelta(days=apart), ahead=5500) == day


@in_one_test(
    ("near", "ahead", "due"),
    [
        (date(2012, 10, 27), 4500, date(2000, 7, 3)),  # 4501 days before the later one
        (date(2012, 10, 28), 4500, date(2025, 2, 22)),  # 4500 days from both
        (date(2012, 10, 27), 5500, date(2025, 2, 22)),
        (date(1990, 1, 1), 4500, date(2000, 7, 3)),
        (date(2080, 1, 1), 4500, date(2025, 2, 22)),
    ],
)
def test_which_of_two_days_a_factor_means(near: date, ahead: int, due: date) -> None:
    assert boleto.due_date("1000", near, ahead) == due


def _with(at: int, digits: str) -> str:
    """The sample with other digits from a place on, and a check digit that matches."""
    code = SAMPLE[:at] + digits + SAMPLE[at + len(digits) :]
    return code[:4] + boleto._general_digit(code[:4] + code[5:]) + code[5:]


@in_one_test(
    ("text", "reason"),
    [
        ("", "CHARACTER"),
        ("0019916050000012345000000280001234567890121x", "CHARACTER"),
        (SAMPLE + "\n", "CHARACTER"),
        ("\uff10" + SAMPLE[1:], "CHARACTER"),
        (SAMPLE[:-1], "LENGTH"),
        (SAMPLE_LINE + "0", "LENGTH"),
        (COLLECTION, "COLLECTION"),
        (COLLECTION_LINE, "COLLECTION"),
        (_with(3, "8"), "CURRENCY"),
        (_with(5, "0001"), "FACTOR"),
        (_with(5, "0999"), "FACTOR"),
        (SAMPLE[:43] + "8", "CHECK_DIGIT"),
        (SAMPLE_LINE[:9] + "8" + SAMPLE_LINE[10:], "CHECK_DIGIT"),
        (SAMPLE_LINE[:20] + "3" + SAMPLE_LINE[21:], "CHECK_DIGIT"),
        (SAMPLE_LINE[:31] + "9" + SAMPLE_LINE[32:], "CHECK_DIGIT"),
        (SAMPLE_LINE[:32] + "1" + SAMPLE_LINE[33:], "CHECK_DIGIT"),
        (SAMPLE_LINE[:-1] + "6", "CHECK_DIGIT"),
    ],
)
def test_what_is_no_slip_is_refused(text: str, reason: Reason) -> None:
    with pytest.raises(BoletoError) as refused:
        boleto.decode(text, TODAY)
    assert refused.value.reason == reason


@in_one_test(
    ("write", "reason"),
    [
        (lambda: boleto.barcode(Boleto(bank="1", free_field=ITAU)), "FIELD"),
        (lambda: boleto.barcode(Boleto(bank="34A", free_field=ITAU)), "FIELD"),
        (lambda: boleto.barcode(Boleto(bank="856", free_field=ITAU)), "COLLECTION"),
        (lambda: boleto.barcode(Boleto(bank="341", free_field=ITAU[:-1])), "FIELD"),
        (lambda: boleto.barcode(Boleto(bank="341", free_field=ITAU + "\n")), "FIELD"),
        (lambda: boleto.barcode(Boleto(bank="341", free_field=ITAU, amount_minor=0)), "FIELD"),
        (lambda: boleto.barcode(Boleto(bank="341", free_field=ITAU, amount_minor=10**10)), "FIELD"),
        (lambda: boleto.barcode(Boleto(bank="341", free_field=ITAU, due_date=date(2049, 10, 14))), "FACTOR"),
        (lambda: boleto.digitable_line(SAMPLE_LINE), "LENGTH"),
        (lambda: boleto.digitable_line(_with(5, "0999")), "FACTOR"),
        (lambda: boleto.barcode_of_line(boleto.printed_line(SAMPLE_LINE)), "CHARACTER"),
        (lambda: boleto.due_date("10000", TODAY), "FIELD"),
        (lambda: boleto.due_date("-100", TODAY), "FIELD"),
        (lambda: boleto.due_date("0500", TODAY), "FACTOR"),
    ],
)
def test_what_does_not_fit_is_refused(write: Callable[[], object], reason: Reason) -> None:
    with pytest.raises(BoletoError) as refused:
        write()
    assert refused.value.reason == reason


def test_the_ends_of_both_rounds() -> None:
    rounds = boleto.LAST_DUE_DATE - boleto.FIRST_DUE_DATE
    assert rounds == timedelta(days=2 * 9000 - 1)
    assert boleto.FIRST_DUE_DATE - timedelta(days=1000) == date(1997, 10, 7)
