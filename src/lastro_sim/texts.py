"""The texts of the pages, in Portuguese and English."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

LANGUAGES = ("pt", "en")

TEXTS: Mapping[str, Mapping[str, str]] = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
SIGNS = {"BRL": "R$", "MXN": "MX$"}


class Speech:
    """The texts in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    @property
    def locale(self) -> str:
        """The language in HTML's form."""
        return "pt-BR" if self.language == "pt" else "en"

    def __call__(self, name: str) -> str:
        """Returns the text of that name; an unknown name stands for itself."""
        return TEXTS[name][self.language] if name in TEXTS else name

    def money(self, amount: str, currency: str | None = None) -> str:
        """Formats an amount for people. currency: BRL by default."""
        whole, _, cents = amount.partition(".")
        grouped = f"{int(whole):,}"
        sign = SIGNS[currency or "BRL"]
        return f"{sign} {grouped.replace(',', '.')},{cents}" if self.language == "pt" else f"{sign} {grouped}.{cents}"


def spoken(accepted: str) -> Speech:
    """Returns the browser's preferred language among ours, English otherwise."""
    best, language = 0.0, "en"
    for part in accepted[:500].split(","):
        name, _, parameters = part.strip().partition(";")
        weight = _weight(parameters.strip())
        primary = name.strip().lower().partition("-")[0]
        if primary in LANGUAGES and weight > best:
            best, language = weight, primary
    return Speech(language)


def _weight(parameters: str) -> float:
    if not parameters.startswith("q="):
        return 1.0
    try:
        return float(parameters[2:])
    except ValueError:
        return 0.0
