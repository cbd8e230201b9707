"""Check digits that several standards share: modulo 10 and modulo 11.

Sources: ISO/IEC 7812-1, annex B (Luhn: cards); FEBRABAN, layouts of slips (modulo 10 is the same sum, modulo 11).
"""

_TWICE = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)  # a doubled digit, its own digits added


def modulo_10(digits: str) -> int:
    """Returns the check digit to be written behind `digits`.

    The weights are 2, 1, 2, 1, ... from the right, the digits of each product added. ValueError unless `digits` are ASCII
    digits, at least one.
    """
    numbers = _numbers(digits)
    total = sum(_TWICE[number] for number in numbers[-1::-2]) + sum(numbers[-2::-2])
    return -total % 10


def modulo_11(digits: str) -> int:
    """Returns 11 less the sum modulo 11, so 1 to 11.

    The weights are 2 to 9 from the right, then 2 again. Each format decides how to write 10 and 11. ValueError unless
    `digits` are ASCII digits, at least one.
    """
    total = sum(number * (2 + place % 8) for place, number in enumerate(reversed(_numbers(digits))))
    return 11 - total % 11


def _numbers(digits: str) -> list[int]:
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError("only digits have a check digit")
    return [int(digit) for digit in digits]
