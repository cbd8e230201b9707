"""The clients' calls in the guides are parts of examples that run: what a reader copies has been tried."""

import ast
import re
from pathlib import Path

import pytest
from clients.generate.snippets import BLOCK, CLIENTS, PROGRAMS, filled, part_of, programs

from lastro.web.guide import pages, shelf

from .tree import ROOT

GUIDES = ROOT / "docs" / "guides"
# Whoever integrates reads these; each shows its main call in curl, Python and TypeScript.
DEVELOPERS = (
    "first-minute", "orders", "checkout", "subscriptions", "refunds", "payouts", "plans", "webhooks", "cards", "pix-keys",
    "static-codes", "own-bank",
)  # fmt: skip
_PART = re.compile(r"^\s*(?:#|//) part ([\w-]+)$", re.MULTILINE)


@pytest.mark.parametrize("path", sorted(GUIDES.glob("*.md")), ids=lambda path: path.name)
def test_each_block_is_as_its_example_has_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert filled(text, ROOT) == text, "run `make clients`"


@pytest.mark.parametrize("name", DEVELOPERS)
def test_a_developers_guide_shows_both_clients(name: str) -> None:
    for ending in (".md", ".pt.md"):
        text = (GUIDES / f"{name}{ending}").read_text(encoding="utf-8")
        named = [(m[1], re.sub(r"\.\w+$", "", m[2]), m[3]) for m in BLOCK.finditer(text)]
        by_language = {language: [one[1:] for one in named if one[0] == language] for language in CLIENTS}
        assert by_language["python"] == by_language["ts"] != []
        assert "```sh" in text


def test_every_part_of_an_example_is_shown() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in GUIDES.glob("*.md"))
    shown = {(m[1], m[2], m[3]) for m in BLOCK.finditer(text)}
    for language, folder in CLIENTS.items():
        for path in (ROOT / folder / "examples").glob(f"*.{'py' if language == 'python' else 'ts'}"):
            for name in _PART.findall(path.read_text(encoding="utf-8")):
                assert (language, f"examples/{path.name}", name) in shown, f"{path.name} {name}"


def test_the_programs_to_copy_are_the_examples() -> None:
    made = programs(ROOT)
    there = {path for folder in PROGRAMS.values() for path in (ROOT / folder).iterdir()}
    assert there == made.keys(), "run `make clients`"
    assert [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text] == [], "run `make clients`"


def test_a_part_on_a_page_leads_to_its_whole_program() -> None:
    held = shelf.read(ROOT / "docs", {})
    shown = 0
    for leaf in (leaf for _, leaves in held.groups for leaf in leaves if leaf.name.startswith("guides-")):
        for language, words in (("en", "The whole program"), ("pt", "O programa inteiro")):
            links = re.findall(rf'<a href="/docs/guide/([^"?]+)">{words}</a>', pages.page(held, leaf, language))
            assert len(links) == len(BLOCK.findall(leaf.in_(language)[1]))
            assert all(name in held.files for name in links)
            shown += len(links)
    assert shown > 20


def test_a_part_stands_alone_at_the_margin() -> None:
    text = "def f():\n    # part one\n    a = 1\n    if a:\n        b()\n    # end of one\n"
    assert part_of(text, "one") == "a = 1\nif a:\n    b()\n"
    for wrong in ("two", "o"):
        with pytest.raises(LookupError):
            part_of(text, wrong)


def test_python_parts_can_be_parsed() -> None:
    for path in (ROOT / CLIENTS["python"] / "examples").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for name in _PART.findall(text):
            compile(part_of(text, name), path.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
