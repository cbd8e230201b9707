"""Our account numbers: eight digits and one check digit, written together without a hyphen."""

import re

_EIGHT = re.compile(r"[0-9]{8}")
_NINE = re.compile(r"[0-9]{9}")


def with_check_digit(eight_digits: str) -> str:
    """Returns the nine characters of the account number. ValueError unless `eight_digits` is exactly eight ASCII digits.

    Modulo 11 with weights 2 to 9 from the right: digit = 11 - sum mod 11, where 10 and 11 become 0.
    """
    if _EIGHT.fullmatch(eight_digits) is None:
        raise ValueError(f"{eight_digits!r} is not eight digits")
    total = sum(weight * int(digit) for weight, digit in zip(range(9, 1, -1), eight_digits, strict=True))
    check = 11 - total % 11
    return f"{eight_digits}{check if check < 10 else 0}"


def in_full(digits: str) -> str:
    """Restores the leading zeros that a network leaves out."""
    return digits.zfill(9)


def is_account_number(text: str) -> bool:
    """Tells whether `text` is nine digits with a right check digit."""
    return _NINE.fullmatch(text) is not None and with_check_digit(text[:8]) == text
