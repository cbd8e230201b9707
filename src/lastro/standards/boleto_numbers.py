"""The numbers of the slips we issue: nosso número, and the free field that carries it in the bar code.

FEBRABAN leaves the 25 digits of the free field to the bank that issues; CNAB 240 gives nosso número twenty (field G069).
Ours are branch 4, nosso número 20 and a check digit modulo 10 over both: docs/decisions/boleto.md.
"""

import re

from .check_digits import modulo_10
from .own_numbers import company_of_own_digits, own_digits

_BRANCH = re.compile(r"[0-9]{4}")
_FREE_FIELD = re.compile(r"[0-9]{25}")


def our_number(company_number: int, sequence: int) -> str:
    """Returns a nosso número of twenty digits.

    Nine are of the company, eleven of the scrambled sequence. Unique as long as a sequence number is used once in 62**6 for
    a company. ValueError for a company number outside 0..62**5-1 or a negative sequence.
    """
    return own_digits(company_number, sequence)


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


def company_of_our_number(number: str) -> int | None:
    """Returns the company number in our nosso número, else None. The number may be nobody's."""
    return company_of_own_digits(number)
