"""Slips of utilities and tax offices (arrecadação): 44 digits of the bar code, 48 of the line, written into each other.

They begin with 8, carry an amount and no due factor, and are another format than a boleto. Source: FEBRABAN, layout of
arrecadação and recebimento: four blocks of eleven digits, each with a check digit; position 3 says by which sum.
"""

import re

from .boleto import BoletoError
from .check_digits import modulo_10, modulo_11

BARCODE_DIGITS = 44
LINE_DIGITS = 48

_DIGITS = re.compile(r"[0-9]+")
_BLOCK = 11
# Position 3: the sum of the check digits. With 6 and 8 the amount is in reais, with 7 and 9 it is a quantity of something.
_BY_MODULO_10 = {"6": True, "7": True, "8": False, "9": False}


def digitable_line(code: str) -> str:
    """Returns the 48 digits of the line of a bar code. BoletoError unless `code` is 44 digits with a right check digit."""
    _check_barcode(code)
    blocks = (code[at : at + _BLOCK] for at in range(0, BARCODE_DIGITS, _BLOCK))
    return "".join(f"{block}{_check_digit(code[2], block)}" for block in blocks)


def barcode_of_line(line: str) -> str:
    """Returns the 44 digits of a 48-digit line. All five check digits are tested. Raises BoletoError."""
    _check_start(line, LINE_DIGITS)
    blocks = [line[at : at + _BLOCK + 1] for at in range(0, LINE_DIGITS, _BLOCK + 1)]
    for number, block in enumerate(blocks, start=1):
        if int(block[-1]) != _check_digit(line[2], block[:-1]):
            raise BoletoError("CHECK_DIGIT", f"the check digit of block {number} of the line does not match")
    code = "".join(block[:-1] for block in blocks)
    _check_barcode(code)
    return code


def amount_minor(code: str) -> int | None:
    """Centavos of BRL that a bar code asks for; None where it says a quantity of something else. BoletoError."""
    _check_barcode(code)
    return int(code[4:15]) if code[2] in {"6", "8"} else None


def _check_digit(kind: str, digits: str) -> int:
    if _BY_MODULO_10[kind]:
        return modulo_10(digits)
    digit = modulo_11(digits)
    return {10: 0, 11: 0}.get(digit, digit)


def _check_barcode(code: str) -> None:
    _check_start(code, BARCODE_DIGITS)
    if _check_digit(code[2], code[:3] + code[4:]) != int(code[3]):
        raise BoletoError("CHECK_DIGIT", "the check digit of the bar code does not match")


def _check_start(text: str, length: int) -> None:
    if _DIGITS.fullmatch(text) is None:
        raise BoletoError("CHARACTER", "a slip's number is empty or holds something other than digits")
    if len(text) != length:
        raise BoletoError("LENGTH", f"there are {len(text)} digits, not {length}")
    if text[0] != "8" or text[2] not in _BY_MODULO_10:
        raise BoletoError("FIELD", "a slip of a utility or a tax office begins with 8 and has 6, 7, 8 or 9 in position 3")
