"""CPF and CNPJ in the form they are stored: no punctuation, letters in upper case.

Source: Receita Federal (check digits; IN RFB 2.229/2024 for the CNPJ with letters, in force since July 2026).
"""

import re
from operator import mul
from typing import Literal

from stdnum.br import cnpj

DocumentType = Literal["CPF", "CNPJ"]

_CPF = re.compile(r"[0-9]{11}")
_FIRST, _SECOND = range(10, 1, -1), range(11, 1, -1)  # weights of the nine digits, and of these with the first check digit
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}")


def is_cpf(text: str) -> bool:
    """Tells whether `text` is a valid CPF. Ten strings of one repeated digit pass the sum and are refused."""
    if _CPF.fullmatch(text) is None or text == text[0] * 11:
        return False
    digits = list(map(int, text))
    first, second = (sum(map(mul, weights, digits)) * 10 % 11 % 10 for weights in (_FIRST, _SECOND))
    return digits[9:] == [first, second]


def is_cnpj(text: str) -> bool:
    """Tells whether `text` is a valid CNPJ. It is twelve digits or upper-case letters and two right check digits."""
    # python-stdnum also takes punctuation and surrounding blanks, which are not the stored form.
    return _CNPJ.fullmatch(text) is not None and cnpj.is_valid(text)


def is_document(kind: str, number: str) -> bool:
    """Tells whether `number` is a valid document of type `kind`. False for any type but `CPF` and `CNPJ`."""
    return (kind == "CPF" and is_cpf(number)) or (kind == "CNPJ" and is_cnpj(number))


def printed(number: str) -> str:
    """Writes a document as people do: `123.456.789-09`, `12.ABC.678/0001-95`.

    Its form alone decides which; anything else stays as it is.
    """
    if _CPF.fullmatch(number) is not None:
        return f"{number[:3]}.{number[3:6]}.{number[6:9]}-{number[9:]}"
    if _CNPJ.fullmatch(number) is not None:
        return f"{number[:2]}.{number[2:5]}.{number[5:8]}/{number[8:12]}-{number[12:]}"
    return number


def mask(number: str) -> str:
    """Returns a document fit to be shown to a stranger: `***.456.789-**` for a CPF, `**.222.333/0001-**` for a CNPJ.

    The length alone decides which; anything else becomes as many stars as it has characters.
    """
    if len(number) == 11:
        return f"***.{number[3:6]}.{number[6:9]}-**"
    if len(number) == 14:
        return f"**.{number[2:5]}.{number[5:8]}/{number[8:12]}-**"
    return "*" * len(number)
