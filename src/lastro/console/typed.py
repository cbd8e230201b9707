"""Values as people type them, in the spelling of the API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

AMOUNT: Final = re.compile(r"[0-9]{1,13}(?:\.[0-9]{1,2})?")
_CPF_LENGTH: Final = 11
_PUNCTUATION: Final = re.compile(r"[\s./-]")


def given(form: Mapping[str, str], *names: str) -> dict[str, Any]:
    """Returns the fields that are filled in, without blanks around."""
    return {name: form[name].strip() for name in names if form.get(name, "").strip()}


def amount(text: str) -> str:
    """Converts a typed amount to the interface's: `1.234,56` and `1,234.56` become 1234.56. Other text stays as typed."""
    plain = text.strip().removeprefix("R$").removeprefix("MX$").strip()
    point = "," if plain.rfind(",") > plain.rfind(".") else "."
    whole = plain.replace("." if point == "," else ",", "").replace(",", ".")
    return whole if AMOUNT.fullmatch(whole) else text


def reais(text: str) -> dict[str, str]:
    """Converts a typed amount of reais to the interface's, with its currency."""
    return money(text, "BRL")


def money(text: str, currency: str) -> dict[str, str]:
    """Converts a typed amount to the interface's, with its currency."""
    return {"currency": currency, "value": amount(text)}


def number(text: str) -> str:
    """Returns a number without its punctuation, in capitals."""
    return _PUNCTUATION.sub("", text).upper()


def document(text: str) -> dict[str, str]:
    """Converts a typed CPF or CNPJ to the interface's. A longer number than a CPF is a CNPJ's."""
    found = number(text)
    return {"type": "CPF" if len(found) <= _CPF_LENGTH else "CNPJ", "number": found}


def told(action: str, asked: Mapping[str, str] | None) -> dict[str, Any]:
    """Returns what the audit says of a new object: its amount. No text that a person wrote."""
    is_amount = asked is not None and AMOUNT.fullmatch(asked["value"])
    return {"action": action, **({"amount": asked} if is_amount else {})}
