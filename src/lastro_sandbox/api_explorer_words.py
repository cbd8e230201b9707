"""What the pages for trying operations say, in Portuguese and English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "nav.try": ("Experimentar a API", "Try the API"),
    "try.about": (
        "Cada operação como formulário. O que se envia é uma chamada de verdade a esta API: token, webhooks e tudo.",
        "Each operation as a form. What is sent is a real call of this very API: token, webhooks and all.",
    ),
    "try.again": ("Começar de novo, com outros valores", "Begin anew, with other values"),
    "try.as": ("Chama como o cliente", "Called as the client"),
    "try.away": ("Ninguém respondeu em 30 segundos.", "Nobody answered within 30 seconds."),
    "try.body": ("Corpo", "Body"),
    "try.file": (
        "Como arquivo vai uma pequena imagem nossa, em branco.", "As the file goes a small picture of ours, a blank one.",
    ),
    "try.large": ("{field}: grande demais para uma página.", "{field}: too large for a page."),
    "try.media": ("Tipo do corpo", "Type of body"),
    "try.missing": ("{field}: falta.", "{field}: missing."),
    "try.no-client": (
        "A sandbox não conhece nenhum cliente desta empresa. Escolha outra empresa no alto da página.",
        "The sandbox knows no client of this company. Choose another company at the top of the page.",
    ),
    "try.no-token": ("O token foi recusado: {field}.", "The token was refused: {field}."),
    "try.open": ("Não precisa de token.", "No token is needed."),
    "try.reference": ("Na referência", "In the reference"),
    "try.required": ("obrigatório", "required"),
    "try.role": (
        "Enviar o que muda algo é de quem tem o papel operate.", "Sending what changes something is for the role operate.",
    ),
    "try.secret": (
        "No lugar de {field} entra o segredo do cliente, que nenhuma página mostra.",
        "In place of {field} goes the client's secret, which no page shows.",
    ),
    "try.send": ("Enviar", "Send"),
    "try.starting": ("A sandbox ainda está começando; tente de novo.", "The sandbox is still starting; try again."),
    "try.token": ("$TOKEN é o que responde", "$TOKEN is what this answers:"),
    "try.unfit": ("{field}: só ASCII imprimível.", "{field}: printable ASCII only."),
}  # fmt: skip
