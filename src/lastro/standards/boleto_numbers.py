"""The numbers of the slips we issue: nosso número, and the free field that carries it in the bar code.

FEBRABAN leaves the 25 digits of the free field to the bank that issues; CNAB 240 gives nosso número twenty (field G069).
Ours are branch 4, nosso número 20 (`own_digits`) and a check digit modulo 10 over both: docs/decisions/boleto.md.
"""

import re

from .check_digits import modulo_10
from .own_numbers import company_of_own_digits

_BRANCH = re.compile(r"[0-9]{4}")
_FREE_FIELD = re.compile(r"[0-9]{25}")


def free_field(branch: str, number: str) -> str:
    """Returns the free field, 25 digits, of a slip.

    number: nosso número. ValueError unless `branch` is four digits and `number` has the form of ours.
    """
    if _BRANCH.fullmatch(branch) is None:
        raise ValueError(f"{branch!r} is not a branch of four digits")
    if company_of_own_digits(number) is None:
        raise ValueError(f"{number!r} is not a nosso número of ours")
    return f"{branch}{number}{modulo_10(branch + number)}"


def our_number_of(field: str) -> str | None:
    """Returns the nosso número in our free field, else None. The caller has checked the bank."""
    if _FREE_FIELD.fullmatch(field) is None or int(field[24]) != modulo_10(field[:24]):
        return None
    return field[4:24] if company_of_own_digits(field[4:24]) is not None else None
