"""What the reference says around the document, in Portuguese and English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.api_kit.language import preferred

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES = ("en", "pt")

_WORDS: Mapping[str, tuple[str, str]] = {
    "about": ("About", "Sobre"),
    "access": ("Permission", "Permissão"),
    "always": ("always", "sempre"),
    "answers": ("Answers", "Respostas"),
    "body": ("Body", "Corpo"),
    "call": ("Call it", "Como chamar"),
    "cause": ("Cause", "Causa"),
    "contents": ("Contents", "Conteúdo"),
    "cure": ("Cure", "Solução"),
    "default": ("default", "padrão"),
    "empty": ("No body.", "Sem corpo."),
    "events": ("What you are told", "O que você recebe"),
    "events-about": (
        "Each is posted to your URL. Check a signature, keep the `x-event-id`, answer 200 with `returnCode: SUCCESS`.",
        "Cada um vai por POST à sua URL. Confira uma assinatura, guarde o `x-event-id`, responda 200 `returnCode: SUCCESS`.",
    ),
    "example": ("Example", "Exemplo"),
    "field": ("Field", "Campo"),
    "file": ("The same as OpenAPI 3.1", "O mesmo em OpenAPI 3.1"),
    "guide": ("Guide", "Guia"),
    "header": ("Header", "Cabeçalho"),
    "headers": ("Headers", "Cabeçalhos"),
    "issue": ("Issue", "Motivo"),
    "meaning": ("Meaning", "Significado"),
    "name": ("Name", "Nome"),
    "none": ("No token is needed.", "Não precisa de token."),
    "null": ("or null", "ou nulo"),
    "of": ("list of", "lista de"),
    "one-of": ("one of", "um de"),
    "or": ("or", "ou"),
    "parameters": ("Parameters", "Parâmetros"),
    "errors": ("Errors of every operation", "Erros de toda operação"),
    "refusals": ("Why it may be refused", "Por que pode ser recusado"),
    "required": ("required", "obrigatório"),
    "schema": ("Fields", "Campos"),
    "schemas": ("Types", "Tipos"),
    "skip": ("Go to the text", "Ir para o texto"),
    "title": ("Reference", "Referência"),
    "try": ("Try it", "Experimentar"),
    "type": ("Type", "Tipo"),
    "version": ("Version", "Versão"),
}


def words(language: str) -> dict[str, str]:
    """Every word in one of our languages."""
    return {name: said[LANGUAGES.index(language)] for name, said in _WORDS.items()}


def wanted(accepted: str) -> str:
    """The language among ours that an Accept-Language prefers; English where it wants neither."""
    return preferred(accepted, LANGUAGES)
