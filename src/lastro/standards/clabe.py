"""CLABE: the account numbers of Mexico, 18 digits: bank 3, plaza (city) 3, account 11, check digit.

Source: Banco de México, rules of the CLABE. They take each product modulo 10 before it is added, which changes no digit.
"""

import re
from typing import NamedTuple

from .own_numbers import scrambled_digits

_DIGITS = re.compile(r"[0-9]+")
_WEIGHTS = (3, 7, 1) * 6


class Clabe(NamedTuple):
    """The parts of a CLABE. bank and plaza: three digits each; account: eleven."""

    bank: str
    plaza: str
    account: str

    def __str__(self) -> str:
        """Returns the 18 digits. ValueError where a part has not its number of digits."""
        for part, length in zip(self, (3, 3, 11), strict=True):
            if len(part) != length or _DIGITS.fullmatch(part) is None:
                raise ValueError(f"{part!r} is not {length} digits")
        digits = "".join(self)
        return f"{digits}{_check_digit(digits)}"


def read(text: str) -> Clabe | None:
    """Returns the parts of a valid CLABE, else None.

    A CLABE is 18 digits with a right check digit at the end. The existence of the bank and plaza is not checked.
    """
    if len(text) != 18 or _DIGITS.fullmatch(text) is None or int(text[17]) != _check_digit(text[:17]):
        return None
    return Clabe(text[:3], text[3:6], text[6:17])


def own_account(number: int) -> str:
    """Returns the account digits of our `number`-th CLABE, eleven in all.

    The number counts the CLABEs of the whole installation. There is no room for the company. Two numbers below 62**6 never
    share one. ValueError for a negative number.
    """
    return scrambled_digits(number)


def _check_digit(digits: str) -> int:
    return -sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits, strict=False)) % 10
