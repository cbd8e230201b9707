"""Account numbers in Brazil that one order alone is paid to: bank 3, branch 4, account 12, written together as a CLABE is.

Neither these nor a CLABE have room for the company whose order it is: it is found by the number itself.
"""

import re
from typing import NamedTuple

from .check_digits import modulo_10
from .own_numbers import scrambled_digits

_FULL = re.compile(r"[0-9]{19}")


class ReceivingAccount(NamedTuple):
    """A receiving account. bank: its COMPE number. branch: four digits. account: twelve, the last a check digit."""

    bank: str
    branch: str
    account: str

    def __str__(self) -> str:
        """Returns the 19 digits. ValueError where a part has not its form."""
        digits = "".join(self)
        if tuple(map(len, self)) != (3, 4, 12) or read(digits) is None:
            raise ValueError(f"{tuple(self)} is not bank, branch and account")
        return digits


def own(bank: str, branch: str, number: int) -> ReceivingAccount:
    """Returns the account of the installation's `number`-th order.

    It has eleven scrambled digits, and one modulo 10 over them. Two numbers below 62**6 never share one. ValueError for a
    negative number, or another form of bank or branch.
    """
    digits = scrambled_digits(number)
    made = ReceivingAccount(bank, branch, f"{digits}{modulo_10(digits)}")
    str(made)
    return made


def read(text: str) -> ReceivingAccount | None:
    """Returns the parts of 19 digits, None for any other text: the last digit is the account's right check digit."""
    if _FULL.fullmatch(text) is None or int(text[18]) != modulo_10(text[7:18]):
        return None
    return ReceivingAccount(text[:3], text[3:7], text[7:])
