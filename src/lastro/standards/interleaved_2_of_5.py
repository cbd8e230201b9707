"""Interleaved 2 of 5, the bar code of slips: two digits share five bars and the five spaces between them.

Source: ISO/IEC 16390 (the code); FEBRABAN, layout of the bar code: wide is three times narrow, 103 mm by 13 mm without
quiet zones, which makes a module of 0.254 mm.
"""

import re

_WIDE = 3
# The two wide elements of each digit's five.
_DIGITS = ("00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010")
_EVEN = re.compile(r"(?:[0-9]{2})+")


def widths(digits: str) -> list[int]:
    """Returns the bars and spaces of `digits` in modules, for `bars`. ValueError for an odd number of digits, or none."""
    if _EVEN.fullmatch(digits) is None:
        raise ValueError("Interleaved 2 of 5 holds an even number of digits")
    found = [1, 1, 1, 1]
    for at in range(0, len(digits), 2):
        for bar, space in zip(_DIGITS[int(digits[at])], _DIGITS[int(digits[at + 1])], strict=True):
            found += (_WIDE if bar == "1" else 1, _WIDE if space == "1" else 1)
    return [*found, _WIDE, 1, 1]
