"""The catalogues that translators edit: whole in every language, every text used, and none missing."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from .tree import SRC

Texts = Mapping[str, Mapping[str, str]]
_ASKED = re.compile(r'\b(?:say|t|terms)\(\s*"([\w.-]+)"\s*[,)]')
_PLACE = re.compile(r"\{\w*\}")


def _folder(file: Path) -> Path:
    return file.parent.parent if file.parent.name == "texts" else file.parent


CATALOGUES: Mapping[Path, Texts] = {
    file: tomllib.loads(file.read_text(encoding="utf-8"))
    for file in sorted([*SRC.rglob("texts.toml"), *SRC.rglob("texts/*.toml")])
}


def _entries() -> Iterator[tuple[str, Path, str, Mapping[str, str]]]:
    for file, texts in CATALOGUES.items():
        for name, said in texts.items():
            yield f"{file.relative_to(SRC)}: {name}", file, name, said


def test_every_text_is_there_in_every_language_of_its_catalogue() -> None:
    languages = {file: {language for said in texts.values() for language in said} for file, texts in CATALOGUES.items()}
    assert not [where for where, file, _, said in _entries() if said.keys() != languages[file]]


def test_no_text_is_empty_or_has_blanks_around_it() -> None:
    assert not [where for where, _, _, said in _entries() for text in said.values() if not text or text != text.strip()]


def test_placeholders_are_the_same_in_every_language() -> None:
    assert not [
        where for where, _, _, said in _entries() if len({frozenset(_PLACE.findall(text)) for text in said.values()}) > 1
    ]


def test_a_refusal_repeats_no_more_than_its_sentence_has() -> None:
    for where, file, sentence, said in _entries():
        if file.name == "refusals.toml":
            assert set(_PLACE.findall(said["pt"])) <= {f"{{{n}}}" for n in range(sentence.count("{}"))}, where


def test_every_text_that_is_asked_for_is_there() -> None:
    missing = []
    for folder in {_folder(file) for file in CATALOGUES}:
        # The sandbox's pages are pages of the console, or show its terms.
        read = (
            (SRC / "lastro_sandbox", SRC / "lastro" / "console")
            if folder.is_relative_to(SRC / "lastro_sandbox")
            else (folder,)
        )
        known = {name for file, texts in CATALOGUES.items() if any(map(file.is_relative_to, read)) for name in texts}
        for file in (*folder.rglob("*.py"), *folder.rglob("*.html")):
            asked = set(_ASKED.findall(file.read_text(encoding="utf-8")))
            missing += [f"{file.relative_to(SRC)}: {name}" for name in sorted(asked - known)]
    assert not missing, "\n".join(missing)


def test_every_text_is_used() -> None:
    """Its name stands in the code, or is made by an f-string of words that stand there."""
    unused = [
        where
        for where, file, name, _ in _entries()
        if file.name not in ("laws.toml", "refusals.toml", "words.toml", "triggers.toml") and not _is_used(name)
    ]
    assert not unused, "\n".join(unused)


def test_every_refusal_is_given_somewhere() -> None:
    texts = (file.read_text(encoding="utf-8") for file in (SRC / "lastro").rglob("*.py"))
    code = "\n".join(re.sub(r'" *\n *f?"', "", text) for text in texts)  # a text over several lines is one
    unused = [
        name
        for _, file, name, _ in _entries()
        if file.name == "refusals.toml" and not all(map(code.__contains__, re.split(r"\{\}|: ", name)))
    ]
    assert not unused, "\n".join(unused)


@cache
def _is_used(name: str) -> bool:
    words, patterns = _said()
    made = (pattern.fullmatch(name) for pattern in patterns)
    return name in words or any(all(map(_is_used, found.groups())) for found in made if found is not None)


@cache
def _said() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Every word of the code that may be a name or a part of one, and every pattern that makes names."""
    words, patterns = set[str](), set[str]()
    for file in (*SRC.rglob("*.py"), *SRC.rglob("*.html")):
        text = file.read_text(encoding="utf-8")
        words |= set(re.findall(r"[\w.-]+", text))
        patterns |= {re.sub(r"\{[\w.]+\}", "{}", one) for one in re.findall(r"""\bf["']([\w.{}-]+)["']""", text)}
        patterns |= {one + "{}" for one in re.findall(r'"([\w.-]+)" ~', text)}
        patterns |= {"{}" + one for one in re.findall(r'~ "([\w.-]+)"', text)}
    words |= {word.lower().replace("_", "-") for word in words}
    made = (re.escape(one).replace(r"\{\}", r"([\w.-]+)") for one in patterns if len(one.replace("{}", "")) > 1)
    return frozenset(words), tuple(map(re.compile, made))
