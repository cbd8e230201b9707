"""Slips in the words and forms of those who get them: reais, days, documents, the bank's number with its digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.standards.check_digits import modulo_11

if TYPE_CHECKING:
    from datetime import date

    from lastro.core.money import Money


def reais(amount: Money) -> str:
    """`R$ 1.234,56`."""
    text, _, cents = str(amount).rpartition(".")
    return f"R$ {int(text):,}".replace(",", ".") + f",{cents}"


def day(at: date) -> str:
    """`31/01/2026`."""
    return f"{at:%d/%m/%Y}"


def document(kind: str | None, number: str | None) -> str:
    """`CPF 123.456.789-09`; empty where there is none."""
    if kind is None or number is None:
        return ""
    if kind == "CPF":
        number = f"{number[:3]}.{number[3:6]}.{number[6:9]}-{number[9:]}"
    elif kind == "CNPJ":
        number = f"{number[:2]}.{number[2:5]}.{number[5:8]}/{number[8:12]}-{number[12:]}"
    return f"{kind} {number}"


def bank(compe: str) -> str:
    """`001-9`: a bank's three digits with their check digit as slips print it, modulo 11 with 10 and 11 as 0."""
    digit = modulo_11(compe)
    return f"{compe}-{digit if digit < 10 else 0}"
