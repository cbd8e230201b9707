"""Portuguese that people read holds no English sentence, agrees with itself, and has one word for one thing."""

import re
import tomllib
from functools import cache

import pytest

from lastro.accounts.statements.types import TYPES
from lastro.app import diagrams
from lastro.config import table

from .test_docs import FENCE, documents
from .tree import ROOT, SRC

# Words of nearly every English sentence, and of no Portuguese one.
_ENGLISH = (
    "the of and is are was were which with from that this these those you your by when where what has have been will must"
    " cannot its their they than then there into each every it an be at on or if not how who"
)
_NAME = re.compile(r"\{\w*\}|(?<!\*)\*[^*\n]+\*(?!\*)")  # a place in a text, and what is named as it stands elsewhere
_FEMININE = (
    "cobrança devolução conta chave assinatura contestação tarifa rede notificação requisição transação linha página"
    " migração tentativa diferença reivindicação resposta mensagem empresa pessoa decisão conexão"
)
_MASCULINE = (
    "pagamento recebimento plano evento extrato banco código titular pagador recebedor cliente documento certificado"
    " lançamento saldo motivo prazo servidor processo boleto aplicativo celular webhook"
)
_HE = "os uns do dos no nos ao aos pelo pelos este esse aquele deste desse neste nesse mesmo outro nenhum algum"
_SHE = "as uma umas da das na nas à às pela pelas esta essa aquela desta dessa nesta nessa mesma outra nenhuma alguma"
# One word for one thing: what is said no more, and what is said now.
_SAID_NOW = {
    r"\b(?:a|da|na|pela|à) (?:lastro|sandbox)\b": "o lastro, o sandbox",
    r"QR code": "QR Code, as the Central Bank writes it",
    r"\b[Cc]opia e cola": "Pix Copia e Cola",
    r"\b[Dd]isputas?\b": "contestação",
    r"\b[Pp]ix alheios?\b": "Pix não identificado",
    r"\b[Rr]estores?\b": "restauração",
    r"\b[Cc]redenciadora": "adquirente",
    r"\b[Aa]rranjos?\b": "rede",
    r"\btelefone simulado": "celular simulado",
    r"\bquarto de hora\b": "quinze minutos",
    r"\d[ \N{NO-BREAK SPACE}]%": "95%, without a space",
    r"R\$ ?\d[\d.]*\.\d\d\b": "R$ 1.234,56",
}


def _prose(page: str) -> str:
    """A page without its code and where its links lead."""
    return re.sub(r"`[^`]*`", "x", re.sub(r"\]\([^)]*\)", "]", FENCE.sub("\n\n", page)))


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Each text with where it stands: pages without their code, catalogues, what statements say."""
    paths = [*documents(), *sorted(ROOT.glob("clients/*/README.pt.md"))]
    pages = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    about = SRC / "lastro" / "web" / "openapi" / "about.pt.md"
    pages["openapi/about.pt.md"] = about.read_text(encoding="utf-8")
    made = {"settings.pt.md": table.page("pt"), **diagrams.pages()}
    found = [(name, _prose(text)) for name, text in {**pages, **made}.items() if name.endswith(".pt.md")]
    for path in sorted(SRC.rglob("*.toml")):
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        for name, one in said.items():
            if isinstance(one, dict) and isinstance(one.get("pt"), str):
                found.append((f"{path.relative_to(SRC)}: {name}", one["pt"]))
    found += [(f"statements: {name}", f"{one.title}. {one.portuguese}") for name, one in TYPES.items()]
    return tuple(found)


def english(text: str) -> list[str]:
    """The parts of a text that are English: sentences, cells of tables, points of lists."""
    parts = re.split(r"[.?!:;|]+\s|\||\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text)
    known = set(_ENGLISH.split())
    return [one for one in parts if known & set(re.findall(r"(?<!\w)[a-z]+(?!\w)", _NAME.sub("", one).lower()))]


def _plural(word: str) -> str:
    return f"{word[:-2]}ões" if word.endswith("ão") else f"{word}es" if word.endswith("r") else f"{word}s"


def _pattern(before: str, nouns: str) -> re.Pattern[str]:
    words = "|".join(form for noun in nouns.split() for form in (_plural(noun), noun))
    return re.compile(rf"\b(?:{before.replace(' ', '|')}) (?:{words})\b", re.IGNORECASE)


_DISAGREE = (_pattern(_HE, _FEMININE), _pattern(_SHE, _MASCULINE))


def disagreements(text: str) -> list[str]:
    """Articles beside a noun of the other gender."""
    flat = " ".join(text.split())
    return [found[0] for pattern in _DISAGREE for found in pattern.finditer(flat)]


def test_no_sentence_is_in_english() -> None:
    assert len(texts()) > 1000
    assert not [f"{where}: {' '.join(one.split())}" for where, text in texts() for one in english(text)]


def test_articles_agree_with_their_nouns() -> None:
    assert not [f"{where}: {one}" for where, text in texts() for one in disagreements(text)]


@pytest.mark.parametrize(("before", "now"), _SAID_NOW.items())
def test_one_thing_has_one_word(before: str, now: str) -> None:
    found = [f"{where}: {one[0]}" for where, text in texts() for one in re.finditer(before, text)]
    assert not found, f"say {now}"


def test_what_is_wrong_is_seen() -> None:
    assert english("A cobrança é paga. The order is paid by its payer.") == ["The order is paid by its payer."]
    assert not english("Uma cobrança que o pagador paga uma só vez, no prazo; se for tarde, é recusada.")
    assert disagreements("os\ncobranças continuam abertas, e na extrato nada") == ["os cobranças", "na extrato"]
