import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import collection_slips
from lastro.standards.boleto import BoletoError, Reason

BY_TEN = ("85600000001500003282026102000000000000123000", "856000000013500003282026610200000004000001230002")
BY_ELEVEN = ("83820000000999000552026102000000000000456000", "838200000002999000552026610200000000000004560000")


@in_one_test(("code", "line", "amount"), [(*BY_TEN, 15000), (*BY_ELEVEN, 9990)])
def test_published_slips(code: str, line: str, amount: int) -> None:
    assert collection_slips.digitable_line(code) == line
    assert collection_slips.barcode_of_line(line) == code
    assert collection_slips.amount_minor(code) == amount


@given(st.sampled_from("6789"), st.text("0123456789", min_size=41, max_size=41))
def test_what_is_written_is_read(kind: str, rest: str) -> None:
    start = "8" + rest[0] + kind
    digit = collection_slips._check_digit(kind, start + rest[1:])
    code = f"{start}{digit}{rest[1:]}"
    line = collection_slips.digitable_line(code)
    assert len(line) == 48
    assert collection_slips.barcode_of_line(line) == code
    assert collection_slips.amount_minor(code) == (int(rest[1:12]) if kind in "68" else None)


@in_one_test(
    ("kind", "digits", "digit"),
    [
        ("6", "01230067896", 3),
        ("7", "01230067896", 3),
        ("8", "01230067896", 0),  # 176, no rest
        ("9", "5", 1),  # 10, so 11 - 10
        ("8", "6", 0),  # 12, so 11 - 1 = 10
    ],
)
def test_position_three_says_by_which_sum(kind: str, digits: str, digit: int) -> None:
    assert collection_slips._check_digit(kind, digits) == digit


@given(st.integers(0, 47), st.integers(1, 9))
def test_one_wrong_digit_is_noticed(at: int, more: int) -> None:
    line = BY_TEN[1]
    changed = line[:at] + str((int(line[at]) + more) % 10) + line[at + 1 :]
    with pytest.raises(BoletoError):
        collection_slips.barcode_of_line(changed)


@in_one_test(
    ("line", "reason"),
    [
        ("", "CHARACTER"),
        (BY_TEN[1][:-1] + "x", "CHARACTER"),
        (BY_TEN[1][:-1], "LENGTH"),
        (BY_TEN[0], "LENGTH"),
        ("0" + BY_TEN[1][1:], "FIELD"),
        (BY_TEN[1][:2] + "5" + BY_TEN[1][3:], "FIELD"),
        (BY_TEN[1][:-1] + "3", "CHECK_DIGIT"),
    ],
)
def test_what_is_no_slip_is_refused(line: str, reason: Reason) -> None:
    with pytest.raises(BoletoError) as refused:
        collection_slips.barcode_of_line(line)
    assert refused.value.reason == reason


def test_right_blocks_of_a_wrong_whole_are_noticed() -> None:
    first = BY_TEN[0][:3] + "7" + BY_TEN[0][4:11]
    with pytest.raises(BoletoError, match="of the bar code"):
        collection_slips.barcode_of_line(f"{first}{collection_slips._check_digit('6', first)}{BY_TEN[1][12:]}")


@in_one_test(
    ("code", "reason"),
    [
        (BY_TEN[1], "LENGTH"),
        (BY_TEN[0][:-1] + "1", "CHECK_DIGIT"),
        ("00199160500000123450000002800012345678901217", "FIELD"),
    ],
)
def test_what_is_no_bar_code_is_refused(code: str, reason: Reason) -> None:
    for read in (collection_slips.digitable_line, collection_slips.amount_minor):
        with pytest.raises(BoletoError) as refused:
            read(code)
        assert refused.value.reason == reason
