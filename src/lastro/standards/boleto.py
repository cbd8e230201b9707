"""Boleto (bank slip): writes and reads bar code and line.

The bar code has 44 digits: bank 3, currency `9`, check digit 1, due factor 4, amount 10, free field 25. The line has 47,
which hold the same in five fields with check digits of their own, for people to type. Sources: FEBRABAN, layout of the bar
code; Carta Circular BCB 2.926/2000 (due factor); FEBRABAN Comunicado 082/2012 (its second round). The reading of a factor:
docs/decisions/boleto.md.
"""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from .check_digits import modulo_10, modulo_11

BARCODE_DIGITS = 44
LINE_DIGITS = 47
MOST_MINOR = 9_999_999_999  # R$ 99,999,999.99: ten digits
FIRST_DUE_DATE = date(2000, 7, 3)  # factor 1000 for the first time
LAST_DUE_DATE = date(2049, 10, 13)  # factor 9999 for the second time; what follows nobody has laid down
NEAREST = 4500

Reason = Literal[
    "CHARACTER",  # something that is neither a digit nor the dot, blank or hyphen a line is printed with
    "LENGTH",  # neither 44 digits nor 47
    "COLLECTION",  # a slip of a utility or a tax office, which begins with 8 (module collection_slips)
    "CURRENCY",  # another currency than 9, the real
    "CHECK_DIGIT",  # a digit was changed or lost
    "FACTOR",  # a due factor from 0001 to 0999, or one that names a day outside both rounds
    "FIELD",  # a part that its form does not allow
]

_REAL = "9"
_NO_FACTOR = "0000"
_ROUND = 9000  # factors 1000 to 9999
_DIGITS = re.compile(r"[0-9]+")
_PRINTED = str.maketrans("", "", " .-")
_BANK = re.compile(r"[0-9]{3}")
_FREE_FIELD = re.compile(r"[0-9]{25}")


class BoletoError(ValueError):
    """A slip not to be read, or not to be written. `reason` is stable, the message is for people."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Boleto:
    """The contents of a slip.

    bank: three digits (COMPE); free_field: 25 digits with a meaning that each bank decides. amount_minor: centavos of BRL up
    to 99,999,999.99; None is written as zero, and payer or registry decides. due_date None is factor `0000`: the slip names
    no day.
    """

    bank: str
    free_field: str
    amount_minor: int | None = None
    due_date: date | None = None


def barcode(slip: Boleto) -> str:
    """Returns the 44 digits of `slip`, for an Interleaved 2 of 5. BoletoError FIELD or FACTOR for what does not fit."""
    if _BANK.fullmatch(slip.bank) is None:
        raise BoletoError("FIELD", f"bank is {slip.bank!r}, not three digits")
    if _FREE_FIELD.fullmatch(slip.free_field) is None:
        raise BoletoError("FIELD", "free_field is not 25 digits")
    if slip.amount_minor is not None and not 1 <= slip.amount_minor <= MOST_MINOR:
        raise BoletoError("FIELD", f"amount_minor is {slip.amount_minor}, not from 1 to {MOST_MINOR}")
    _check_kind(slip.bank)
    before = slip.bank + _REAL
    after = f"{due_factor(slip.due_date)}{slip.amount_minor or 0:010d}{slip.free_field}"
    return before + _general_digit(before + after) + after


def digitable_line(code: str) -> str:
    """Returns the 47 digits of a bar code's line. BoletoError unless `code` is 44 digits that `decode` would read."""
    _check_barcode(code)
    free = code[19:]
    fields = (code[:4] + free[:5], free[5:15], free[15:])
    return "".join(f"{field}{modulo_10(field)}" for field in fields) + code[4] + code[5:19]


def barcode_of_line(line: str) -> str:
    """Returns the 44 digits of a line of 47. All four check digits are tested. BoletoError, also for dots and blanks."""
    _check_digits_only(line, LINE_DIGITS)
    for number, field in enumerate((line[:10], line[10:21], line[21:32]), start=1):
        if int(field[-1]) != modulo_10(field[:-1]):
            raise BoletoError("CHECK_DIGIT", f"the check digit of field {number} of the line does not match")
    code = line[:4] + line[32:] + line[4:9] + line[10:20] + line[21:31]
    _check_barcode(code)
    return code


def printed_line(line: str) -> str:
    """Prints a line of 47 digits as slips do: `00190.00009 02800.012342 56789.012178 9 16050000012345`.

    Raises BoletoError.
    """
    barcode_of_line(line)
    return f"{line[:5]}.{line[5:10]} {line[10:15]}.{line[15:21]} {line[21:26]}.{line[26:32]} {line[32]} {line[33:]}"


def decode(text: str, near: date, ahead: int = NEAREST) -> Boleto:
    """Reads a bar code of 44 digits or a line of 47.

    Check digits are tested; dots, blanks and hyphens are ignored. near, ahead: choose between the two days of a due factor,
    as in `due_date`. Raises BoletoError.
    """
    digits = text.translate(_PRINTED)
    if len(digits) == LINE_DIGITS:
        code = barcode_of_line(digits)
    else:
        _check_barcode(digits)
        code = digits
    return Boleto(
        bank=code[:3],
        free_field=code[19:],
        amount_minor=int(code[9:19]) or None,
        due_date=due_date(code[5:9], near, ahead),
    )


def due_factor(day: date | None) -> str:
    """Returns the four digits of a due date; None is `0000`.

    1000 on 2000-07-03, 9999 on 2025-02-21, 1000 again on the day after. BoletoError FACTOR before 2000-07-03 and after
    2049-10-13.
    """
    if day is None:
        return _NO_FACTOR
    if not FIRST_DUE_DATE <= day <= LAST_DUE_DATE:
        raise BoletoError("FACTOR", f"{day} has no due factor: they go from {FIRST_DUE_DATE} to {LAST_DUE_DATE}")
    return str(1000 + (day - FIRST_DUE_DATE).days % _ROUND)


def due_date(factor: str, near: date, ahead: int = NEAREST) -> date | None:
    """Returns the day of a due factor, None for `0000`.

    A factor names two days, 9,000 days apart. The later one is taken if it is at most `ahead` days after `near`: with 4500
    that is the nearer one of both; 5500 reads as FEBRABAN proposed in 2012, 3,000 days back and 5,500 ahead.
    BoletoError: FACTOR for 0001 to 0999, FIELD for what is not four digits.
    """
    if _DIGITS.fullmatch(factor) is None or len(factor) != 4:
        raise BoletoError("FIELD", f"{factor!r} is not a due factor")
    if factor == _NO_FACTOR:
        return None
    if factor[0] == "0":
        raise BoletoError("FACTOR", f"there is no due factor {factor}: they begin with 1000")
    first = FIRST_DUE_DATE + timedelta(days=int(factor) - 1000)
    second = first + timedelta(days=_ROUND)
    return second if (second - near).days <= ahead else first


def _general_digit(rest: str) -> str:
    # 10 and 11 become 1, never 0: a 0 in that place would make the code look like another format.
    digit = modulo_11(rest)
    return str(digit if digit < 10 else 1)


def _check_barcode(code: str) -> None:
    _check_digits_only(code, BARCODE_DIGITS)
    _check_kind(code)
    if code[3] != _REAL:
        raise BoletoError("CURRENCY", f"the currency is {code[3]}, not {_REAL}")
    if _general_digit(code[:4] + code[5:]) != code[4]:
        raise BoletoError("CHECK_DIGIT", "the check digit of the bar code does not match")
    if code[5] == "0" and code[5:9] != _NO_FACTOR:
        raise BoletoError("FACTOR", f"there is no due factor {code[5:9]}: they begin with 1000")


def _check_digits_only(text: str, length: int) -> None:
    if _DIGITS.fullmatch(text) is None:
        raise BoletoError("CHARACTER", "a slip's number is empty or holds something other than digits")
    # A slip of a utility has 48 digits, so what it is says more than how long it is.
    if len(text) != length:
        _check_kind(text)
        raise BoletoError("LENGTH", f"there are {len(text)} digits, not {length}")


def _check_kind(digits: str) -> None:
    if digits[0] == "8":
        raise BoletoError("COLLECTION", "a number that begins with 8 is of a utility or a tax office, another format")
