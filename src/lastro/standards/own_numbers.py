"""Our numbers for networks that carry digits alone.

They are the company and the scrambled sequence in decimal: nine and eleven digits, for what `pix_ids` writes in eleven
base-62 characters.
"""

import re

from .pix_ids import COMPANY_NUMBERS, SEQUENCES, scramble

SCRAMBLED_DIGITS = 11
_COMPANY_DIGITS = 9
_OWN = re.compile(r"[0-9]{20}")


def own_digits(company_number: int, sequence: int) -> str:
    """Returns twenty digits: nine of the company, eleven of the scrambled sequence.

    Unique as long as a sequence number is used once in 62**6 (57 thousand million) for a company. ValueError for a company
    number outside 0..62**5-1 or a negative sequence.
    """
    if not 0 <= company_number < COMPANY_NUMBERS:
        raise ValueError(f"{company_number} is not the number of a company")
    return f"{company_number:0{_COMPANY_DIGITS}d}{scrambled_digits(sequence)}"


def scrambled_digits(sequence: int) -> str:
    """Returns eleven digits; two sequences below 62**6 never share them. ValueError for a negative one."""
    if sequence < 0:
        raise ValueError("a sequence number is not negative")
    return f"{scramble(sequence):0{SCRAMBLED_DIGITS}d}"


def company_of_own_digits(digits: str) -> int | None:
    """Returns the company number in our twenty digits, else None. The number may be nobody's."""
    if _OWN.fullmatch(digits) is None or int(digits[_COMPANY_DIGITS:]) >= SEQUENCES:
        return None
    company = int(digits[:_COMPANY_DIGITS])
    return company if company < COMPANY_NUMBERS else None
