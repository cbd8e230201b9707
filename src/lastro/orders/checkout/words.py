"""The texts of the hosted page in Portuguese, Spanish and English. Amounts and moments have the forms of the language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.standards.calendar import BRASILIA
from lastro.standards.spei_ids import MEXICO_CITY

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money

# The first is the default.
LANGUAGES = ("pt", "es", "en")
TAGS = {"pt": "pt-BR", "es": "es", "en": "en"}
NAMES = {"pt": "Português", "es": "Español", "en": "English"}

TEXTS = read_texts(Path(__file__).with_name("texts.toml"))

_SIGNS = {"BRL": "R$", "USD": "US$", "MXN": "MX$", "EUR": "€", "JPY": "¥"}
_SPACE = "\N{NO-BREAK SPACE}"  # an amount is never broken over two lines
# Currencies that Spanish writes with a point before the decimals, as English does; others have a comma, as in Portuguese.
_POINT_IN_SPANISH = ("MXN", "USD", "PEN")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Words(Speech):
    """The page's texts, amounts and moments in one language."""

    def __init__(self, language: str) -> None:
        super().__init__(language, TEXTS)

    @property
    def tag(self) -> str:
        """The language as HTML and HTTP name it."""
        return TAGS[self.language]

    def money(self, amount: Money) -> str:
        """Formats an amount: `R$ 1.234,56`, in English `R$1,234.56`. A currency without a sign has its code."""
        whole, _, decimals = str(amount).partition(".")
        grouped, point = f"{int(whole):,}", "."
        if self.language == "pt" or (self.language == "es" and amount.currency not in _POINT_IN_SPANISH):
            grouped, point = grouped.replace(",", "."), ","
        sign = _SIGNS.get(amount.currency)
        gap = "" if self.language == "en" and sign is not None else _SPACE
        return f"{sign or amount.currency}{gap}{grouped}{point if decimals else ''}{decimals}"

    def moment(self, at: datetime, currency: str) -> str:
        """Formats an instant by the currency's clock, with the clock's name. at: aware.

        Pesos have Mexico City's clock, as on the voucher that the customer prints.
        """
        is_mexican = currency == "MXN"
        local = at.astimezone(MEXICO_CITY if is_mexican else BRASILIA)
        clock = self("clock-mexico-city" if is_mexican else "clock-brasilia")
        if self.language == "en":
            return f"{local.day} {_MONTHS[local.month - 1]} {local:%Y, %H:%M} ({clock})"
        return f"{local:%d/%m/%Y, %H:%M} ({clock})" if self.language == "es" else f"{local:%d/%m/%Y às %H:%M} ({clock})"
