"""Reads texts by key and language from the translators' TOML files."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Texts = Mapping[str, Mapping[str, str]]  # by key, then by language


def read_texts(*files: Path) -> Texts:
    """Reads catalogues whose texts are used together. ValueError: two of them have one key."""
    found: dict[str, Mapping[str, str]] = {}
    for file in files:
        texts = tomllib.loads(file.read_text(encoding="utf-8"))
        if twice := texts.keys() & found.keys():
            raise ValueError(f"{file} repeats {sorted(twice)}")
        found |= texts
    return found


class Speech:
    """The texts of one language: say("key"), and what stands in braces by its name."""

    def __init__(self, language: str, texts: Texts) -> None:
        self.language = language
        self._texts = texts

    def __call__(self, name: str, /, **values: object) -> str:
        """Returns the text of that name. KeyError: there is none, which a test would have found."""
        text = self._texts[name][self.language]
        return text.format(**values) if values else text

    def known(self, name: str, otherwise: str) -> str:
        """Returns the text of that name; otherwise the one given."""
        return self._texts[name][self.language] if name in self._texts else otherwise
