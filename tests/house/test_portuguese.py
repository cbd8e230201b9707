"""What is read in Portuguese says what the English page says: the same parts, code, names and links."""

import posixpath
import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from .test_docs import FENCE, LINK, SCHEME
from .tree import ROOT

DOCS = ROOT / "docs"
# Pages for whoever operates lastro, and every guide. Each has its Portuguese page; neither changes without the other.
IN_BOTH = (
    "glossary.md", "install.md", "operations.md", "runbooks.md",
    *sorted(f"guides/{path.name}" for path in (DOCS / "guides").glob("*.md") if not path.name.endswith(".pt.md")),
)  # fmt: skip
# Beside docs/: the front page, and the clients that guides lead to.
BESIDE = ("../README.md", "../clients/python/README.md", "../clients/typescript/README.md")
HEADING = re.compile(r"^(#{1,6}) +(.+?) *$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


def portuguese(name: str) -> str:
    """`x.pt.md` of `x.md`; of anything else the same."""
    return f"{name.removesuffix('.md')}.pt.md" if name.endswith(".md") else name


def english(name: str) -> str:
    """`x.md` of `x.pt.md`; of anything else the same."""
    return f"{name.removesuffix('.pt.md')}.md" if name.endswith(".pt.md") else name


@cache
def text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def prose(words: str) -> str:
    return FENCE.sub("", words)


def anchors(words: str) -> list[str]:
    """Of its headings, in their order, as GitHub makes them."""
    titles = [re.sub(r"[`*]|\]\([^)]*\)", "", m[2]).lower() for m in HEADING.finditer(prose(words))]
    return [re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in titles]


def targets(name: str, words: str) -> set[str]:
    """Where its links lead, each heading by its place in its page, so that both languages name it alike."""
    found = set()
    for match in LINK.finditer(prose(words)):
        place, _, anchor = unquote(next(group for group in match.groups() if group)).partition("#")
        if SCHEME.match(place):
            found.add(place)
            continue
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), place)) if place else name
        at = anchors((DOCS / path).read_text(encoding="utf-8")).index(anchor) if anchor and path.endswith(".md") else ""
        found.add(f"{english(path)}#{at}")
    # The page itself in the other language is led to from where a reader may look for it, and says nothing.
    return found - {f"{english(name)}#"}


def names(words: str) -> set[str]:
    """What stands in code within a sentence, wherever the line breaks."""
    return {" ".join(match[1].split()) for match in CODE.finditer(prose(words))}


def differences(one: str, other: str, name: str) -> list[str]:
    """In which of its parts a Portuguese page (`other`) is not the English one (`one`)."""
    here, there = targets(name, one), targets(portuguese(name), other)
    # 1,000.50 and 1.000,50 are the same groups of digits.
    counts = [Counter(re.findall(r"\d+", prose(words))) for words in (one, other)]
    pairs = (
        ("levels of headings", *([len(m[1]) for m in HEADING.finditer(prose(words))] for words in (one, other))),
        ("blocks of code", *(FENCE.findall(words) for words in (one, other))),
        ("rows of tables", *(len(re.findall(r"^\|", prose(words), re.MULTILINE)) for words in (one, other))),
        ("points of lists", *(len(re.findall(r"^(?:-|\d+\.) ", prose(words), re.MULTILINE)) for words in (one, other))),
        ("paragraphs", *(len(re.findall(r"\n\n+", words.strip())) for words in (one, other))),
        ("numbers", *(sorted((count - counts[1 - n]).elements()) for n, count in enumerate(counts))),
        ("links", sorted(here - there), sorted(there - here)),
        ("names in code", sorted(names(one) - names(other)), sorted(names(other) - names(one))),
    )
    return [f"{what}: {first} | {second}" for what, first, second in pairs if first != second]


@pytest.mark.parametrize("name", [*IN_BOTH, *BESIDE])
def test_both_languages_say_the_same(name: str) -> None:
    assert (DOCS / portuguese(name)).is_file(), f"docs/{portuguese(name)} is missing"
    found = differences(text(name), text(portuguese(name)), name)
    assert not found, f"docs/{name} and its Portuguese page differ (English | Portuguese):\n" + "\n".join(found)


@pytest.mark.parametrize("name", [*IN_BOTH, *BESIDE])
def test_each_language_leads_to_the_other(name: str) -> None:
    for page, words in ((name, "Em português"), (portuguese(name), "In English")):
        other = posixpath.basename(name if page != name else portuguese(name))
        assert f"[{words}]({other})" in text(page).split("\n## ")[0], f"docs/{page} does not lead to {other}"


@pytest.mark.parametrize("name", [*IN_BOTH, *BESIDE])
def test_a_portuguese_page_leads_to_portuguese_pages(name: str) -> None:
    page, left = portuguese(name), []
    for match in LINK.finditer(prose(text(page))):
        link = next(group for group in match.groups() if group)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), link.partition("#")[0]))
        if path != posixpath.normpath(name) and path != portuguese(path) and (DOCS / portuguese(path)).is_file():
            left += [] if path.endswith(".pt.md") else [link]
    assert not left, f"docs/{page} leads to English pages that exist in Portuguese: {left}"


def test_every_portuguese_page_is_held() -> None:
    there = {path.relative_to(DOCS).as_posix() for path in Path(DOCS).rglob("*.pt.md")}
    assert there == {portuguese(name) for name in IN_BOTH}


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("\n## ", "\n### ", "levels of headings"), ("```sh\n", "```sh\ntrue\n", "blocks of code"),
        ("\n- ", "\n", "points of lists"), ("decisions/fees.md", "decisions/med.md", "links"), ("`RECEIVER`", "`CUSTOMER`", "names in code"), ("2,50 é 0,02", "2,50 é 0,03", "numbers"), ("desde quando. [", "desde quando.\n\n[", "paragraphs"),
        ("\n| `CUSTOMER` |", "\n`CUSTOMER`", "rows of tables"),
    ],
)  # fmt: skip
def test_what_differs_is_seen(before: str, after: str, what: str) -> None:
    page = text("guides/fees.pt.md")
    changed = page.replace(before, after) if what == "names in code" else page.replace(before, after, 1)
    assert changed != page
    assert [one for one in differences(text("guides/fees.md"), changed, "guides/fees.md") if one.startswith(what)]
