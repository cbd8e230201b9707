"""What the template of a call says, in Portuguese and English, for whichever pages show one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# What a page that shows calls loads as `/console/static/copy.js`.
COPY: Final = Path(__file__).with_name("static") / "copy.js"
WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "call.answer": ("Resposta", "Answer"),
    "call.copied": ("Copiado", "Copied"),
    "call.copy": ("Copiar", "Copy"),
    "call.curl": ("A chamada, como curl", "The call, as curl"),
    "call.empty": ("Sem corpo.", "No body."),
    "call.masked": (
        "O que abre ou paga algo está encoberto; a chamada como curl o mostra.",
        "What opens or pays something is masked; the call as curl shows it.",
    ),
    "call.raw": ("Como chegou", "As it came"),
    "call.took": ("em {ms} ms", "in {ms} ms"),
}
