"""What the guide says around its pages, in English and Portuguese."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES: Final = ("en", "pt")
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "contents": ("Contents", "Conteúdo"),
    "decisions": ("Decisions", "Decisões"),
    "guide": ("guide", "guia"),
    "guides": ("Guides", "Guias"),
    "only-english": ("", "Esta página existe só em inglês."),
    "reference": ("Reference", "Referência"),
    "api": ("API reference", "Referência da API"),
    "running": ("Running it", "Operação"),
    "skip": ("Skip to the text", "Ir para o texto"),
    "start": ("Start", "Comece aqui"),
    "states": ("States", "Estados"),
}


def words(language: str) -> Mapping[str, str]:
    """Each by its name."""
    place = LANGUAGES.index(language)
    return {name: said[place] for name, said in _WORDS.items()}
