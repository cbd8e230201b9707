"""The references of cash vouchers in Mexico: digits that a shop's till scans (Code 128) or types.

Sources: Conekta (OXXO Pay: 14 digits, `93345678901234`), Openpay (Paynet, one charge: 16 digits, `1010101346018565`).
Neither publishes a check digit, and the samples carry no Luhn digit; the older OXXO voucher has no published length. So a
form is a value: who operates the network says its length, prefix and check digit.
"""

import re
from dataclasses import dataclass

from .check_digits import modulo_10
from .own_numbers import SCRAMBLED_DIGITS, scrambled_digits

_DIGITS = re.compile(r"[0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceForm:
    """The form of a network's references.

    length: digits in all; prefix: those it begins with; luhn: the last one is a check digit modulo 10. ValueError: less than
    eleven digits remain, or the prefix is no digits.
    """

    length: int
    prefix: str = ""
    luhn: bool = False

    def __post_init__(self) -> None:
        if _DIGITS.fullmatch(self.prefix) is None:
            raise ValueError(f"the prefix {self.prefix!r} is not digits")
        if self.length - len(self.prefix) - self.luhn < SCRAMBLED_DIGITS:
            raise ValueError(f"{self.length} digits leave less than {SCRAMBLED_DIGITS} for the number of a voucher")


# The older OXXO voucher: no length is published, so it has that of OXXO Pay until its operator says another.
OXXO = ReferenceForm(length=14)
OXXO_PAY = ReferenceForm(length=14)
PAYNET = ReferenceForm(length=16)


def reference(form: ReferenceForm, number: int) -> str:
    """Returns the reference of a network's `number`-th voucher.

    Two numbers below 62**6 never share one, and neighbours look unrelated. ValueError for a negative number.
    """
    body = scrambled_digits(number).zfill(form.length - len(form.prefix) - form.luhn)
    digits = form.prefix + body
    return f"{digits}{modulo_10(digits)}" if form.luhn else digits


def is_reference(form: ReferenceForm, text: str) -> bool:
    """Tells whether `text` has that form. Checks its length, its prefix and its check digit, if the form has one."""
    if len(text) != form.length or _DIGITS.fullmatch(text) is None or not text.startswith(form.prefix):
        return False
    return not form.luhn or int(text[-1]) == modulo_10(text[:-1])
