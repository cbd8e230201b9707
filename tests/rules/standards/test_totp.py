"""One-time codes by time, against the tables of RFC 6238 and RFC 4226."""

import pytest
from tests.in_one import in_one_test

from lastro.standards import totp

SECRET = b"12345678901234567890"
# RFC 6238, Appendix B, the rows of SHA-1.
VECTORS = [
    (59, "94287082"), (1111111109, "07081804"), (1111111111, "14050471"), (1234567890, "89005924"), (2000000000, "69279037"),
    (20000000000, "65353130"),
]  # fmt: skip
# RFC 4226, Appendix D.
COUNTERS = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]


@in_one_test(("seconds", "code"), VECTORS)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    assert totp.code_at(SECRET, totp.step_of(seconds), 8) == code


def test_counters_give_the_codes_of_the_standard() -> None:
    assert [totp.code_at(SECRET, step) for step in range(10)] == COUNTERS


@in_one_test(
    ("off", "after", "found"),
    [
        (0, 0, 100), (-1, 0, 99), (1, 0, 101), (-2, 0, None), (2, 0, None), (0, 100, None), (0, 99, 100),
        (1, 100, 101), (-1, 100, None),
    ],
)  # fmt: skip
def test_a_clock_may_be_off_by_a_step_and_a_code_counts_once(off: int, after: int, found: int | None) -> None:
    """off: of the step whose code is shown. after: the last step that was taken."""
    assert totp.step_shown(SECRET, totp.code_at(SECRET, 100 + off), 100 * totp.STEP_SECONDS + 7.5, after) == found


@in_one_test("code", ["", "1", "0000000", "x" * 6, "\N{ARABIC-INDIC DIGIT ONE}" * 6, "\ud800"])
def test_what_is_no_code_is_not_taken(code: str) -> None:
    assert totp.step_shown(SECRET, code, 3000, 0) is None


def test_a_secret_is_read_as_it_is_shown() -> None:
    shown = totp.shown(SECRET)
    assert shown == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    assert totp.secret_of(shown.lower()[:8] + " " + shown[8:]) == SECRET
    assert totp.uri(SECRET, "rita@ana.example", "lastro") == (
        f"otpauth://totp/lastro:rita%40ana.example?secret={shown}&issuer=lastro"
    )
    with pytest.raises(ValueError, match=r"[Nn]on-base32|padding"):
        totp.secret_of("1!")
