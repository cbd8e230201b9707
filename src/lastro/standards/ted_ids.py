"""The control numbers of a TED: how ours are made and how those of the STR are recognised.

Source: messages of the national financial system (STR0008 and its kind): NumCtrlIF is given by the institution that sends,
NumCtrlSTR by the STR, and is what a TED and its return are matched by.
"""

import re
from datetime import date, datetime

from .calendar import brasilia_day
from .pix_ids import base62, from_base62, scramble

LONGEST_ACCOUNT_NUMBER = 13  # CtCredtd, without zeros in front
_COMPANY_DIGITS = 5
_CONTROL_NUMBER = re.compile(r"L[0-9a-zA-Z]{5}[0-9]{8}[0-9a-zA-Z]{6}")
_STR_NUMBER = re.compile(r"STR[0-9]{17}")


def control_number(at_utc: datetime, company_number: int, sequence: int) -> str:
    """Returns our NumCtrlIF, 20 characters.

    They are `L`, 5 base-62 digits of the company, Brasilia's day, 6 of the scrambled sequence. `at_utc` is aware: the day is
    that of the STR's session, as banks count it. Case-sensitive. Unique as long as a sequence number is used once in 62**6
    for a company. ValueError for a naive time, a negative sequence, or a company number outside 0..62**5-1.
    """
    if sequence < 0:
        raise ValueError("a sequence number is not negative")
    company, tail = base62(company_number, _COMPANY_DIGITS), base62(scramble(sequence), 6)
    return f"L{company}{brasilia_day(at_utc):%Y%m%d}{tail}"


def is_control_number(text: str) -> bool:
    """Tells whether `text` has the form of our NumCtrlIF. It has 20 characters with an existing day."""
    return _CONTROL_NUMBER.fullmatch(text) is not None and _is_day(text[6:14])


def company_of_control_number(text: str) -> int | None:
    """Returns the company number in our NumCtrlIF, else None. The number may be nobody's."""
    return from_base62(text[1 : 1 + _COMPANY_DIGITS]) if is_control_number(text) else None


def is_str_control_number(text: str) -> bool:
    """Tells whether `text` has the form of a NumCtrlSTR. It is `STR`, an existing day, nine digits."""
    return _STR_NUMBER.fullmatch(text) is not None and _is_day(text[3:11])


def is_account_number(text: str) -> bool:
    """Tells whether a TED can name an account of this number. It has one to 13 digits after leading zeros."""
    significant = text.lstrip("0")
    return text.isascii() and text.isdigit() and 0 < len(significant) <= LONGEST_ACCOUNT_NUMBER


def _is_day(digits: str) -> bool:
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True
