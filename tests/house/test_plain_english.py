"""Sentences of documents and docstrings name their noun, and are short; the rest of plain English is for readers."""

import ast
import re
from pathlib import Path

from .test_docs import FENCE, documents
from .tree import ROOT, definitions, modules

MOST_WORDS = 25  # between full stops, semicolons, colons and the dots of a list
BARE = re.compile(r"(Who|Whom|Whose|Whoever|What|Whatever|Whether|One that)\b")
LABEL_WORDS = 5  # "What holds." in bold is a heading
MOST_FIRST_WORDS = 12  # of a docstring, up to its first full stop, colon or semicolon
BARE_DOCSTRING = re.compile(r"(Who|Whom|Whose|Whoever|What|Whatever|Whether|Which|Where|How|Why|When|That|One that)\b")


def sentences(text: str) -> list[str]:
    """The prose of a page: no code, headings, tables; names in code count as one word."""
    text = re.sub(r"^(?:#|\||!\[|<|\[[^\]]*\]:).*$", "\n", FENCE.sub("\n\n", text), flags=re.MULTILINE)
    found = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        words = re.sub(r"^\s*(?:[-*]|\d+\.) +", "", block)
        words = re.sub(r"`[^`]*`", "x", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words))
        words = " ".join(re.sub(r"[*_]", "", words).split())
        found += [one for one in re.split(r"(?<=[.?!;:·])[)\"']*\s+", words) if one]
    return found


def faults(text: str) -> tuple[list[str], list[str]]:
    """The sentences that are too long; those that begin with a bare relative and are no question."""
    every = sentences(text)
    long = [one for one in every if len(one.split()) > MOST_WORDS]
    return long, [one for one in every if BARE.match(one) and one[-1] != "?" and len(one.split()) > LABEL_WORDS]


def pages() -> dict[str, Path]:
    """By name; the changelog is kept as it was, Portuguese pages follow the English ones."""
    found = {path.relative_to(ROOT).as_posix(): path for path in documents()}
    return {name: path for name, path in found.items() if not name.endswith(".pt.md") and name != "CHANGELOG.md"}


def test_sentences_are_short_and_name_their_noun() -> None:
    wrong = []
    for name, path in pages().items():
        long, bare = faults(path.read_text(encoding="utf-8"))
        wrong += [f"{name}: {len(one.split())} words: {one}" for one in long]
        wrong += [f"{name}: begins bare: {one}" for one in bare]
    assert len(pages()) > 5
    assert not wrong, "\n".join(wrong)


def test_sentences_in_portuguese_are_short() -> None:
    found = [path for path in documents() if path.name.endswith(".pt.md")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in found}
    wrong = [f"{name}: {len(one.split())} words: {one}" for name, text in texts.items() for one in faults(text)[0]]
    assert len(texts) > 30
    assert not wrong, "\n".join(wrong)


def docstring_faults(text: str) -> list[str]:
    """The faults of one docstring: a long first clause, and each sentence that begins bare and is no question."""
    words = " ".join(text.split())
    count = len(re.split(r"(?<=[.?!;:])\s", words)[0].split())
    long = [f"its first clause has {count} words: {words[:80]}"] if count > MOST_FIRST_WORDS else []
    every = re.split(r"(?<=[.?!])\s", words)
    return long + [f"begins bare: {one}" for one in every if BARE_DOCSTRING.match(one) and one[-1] != "?"]


def test_docstrings_begin_short_and_name_their_noun() -> None:
    wrong, seen = [], 0
    for module in modules("src"):
        for node in (module.tree, *definitions(module.tree.body)):
            text = ast.get_docstring(node)
            if text:
                seen += 1
                wrong += [f"{module.name}:{node.body[0].lineno}: {fault}" for fault in docstring_faults(text)]
    assert seen > 1_000
    assert not wrong, "\n".join(wrong)


def test_faults_are_seen() -> None:
    assert faults("Who waits is served.\nWhat is due? It ends.") == ([], []), "a label and a question"
    assert faults("What is due at midnight in Brasilia is looked for.")[1]
    assert faults(" ".join(["word"] * 26) + ".")[0]
    assert not faults(" ".join(["word"] * 25) + "; " + " ".join(["word"] * 20) + ".")[0]
    assert not docstring_faults("Tells who pays. What is due?\n\nseen: " + " ".join(["word"] * 20) + ".")
    assert docstring_faults("The account.\n\nWhether it is closed.") == ["begins bare: Whether it is closed."]
    assert docstring_faults(" ".join(["word"] * 12) + "\nword: more.")[0].startswith("its first clause has 13 words")
