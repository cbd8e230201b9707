"""The receipts' texts: Portuguese, reais, the clock of Brasilia."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.standards.calendar import BRASILIA

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money

say = Speech("pt", read_texts(Path(__file__).with_name("texts.toml")))
_SIGNS = {"BRL": "R$"}


def reais(amount: Money) -> str:
    """Formats reais: `R$ 1.234,56`."""
    text, _, cents = str(amount).rpartition(".")
    whole = f"{int(text):,}".replace(",", ".")
    return f"{_SIGNS.get(amount.currency, amount.currency)} {whole},{cents}"


def moment(at: datetime) -> str:
    """Formats a time: `31/01/2026 às 09:00:01`, by the clock of Brasilia."""
    return at.astimezone(BRASILIA).strftime("%d/%m/%Y às %H:%M:%S")


def document(kind: str, number: str) -> str:
    """Formats a document: `CNPJ 11.222.333/0001-81`. number: as on receipts; a CPF's is masked, with punctuation."""
    if kind == "CNPJ":
        number = f"{number[:2]}.{number[2:5]}.{number[5:8]}/{number[8:12]}-{number[12:]}"
    return f"{kind} {number}"
