"""The pages of the guide: files of docs/ and what is made of the code, each under one name, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

START: Final = "guides-first-minute"
PORTUGUESE: Final = ".pt.md"
# The guides in the order in which somebody integrates; those that are not named follow.
_JOURNEY: Final = (
    "guides/orders.md", "guides/checkout.md", "guides/subscriptions.md", "guides/refunds.md", "guides/payouts.md",
    "guides/plans.md", "guides/webhooks.md", "guides/certify.md", "guides/pix-keys.md", "guides/pix-keys-and-limits.md",
    "guides/static-codes.md", "guides/cards.md", "guides/slips.md", "guides/transfers.md", "guides/vouchers.md",
    "guides/crypto.md", "guides/opening.md", "guides/statements.md", "guides/fees.md", "guides/med.md",
    "guides/own-bank.md", "guides/switching.md", "guides/going-live.md",
)  # fmt: skip
# Groups by their words, each with the files that begin it and the folder whose files follow in the order of their titles.
_GROUPS: Final = (
    ("start", ("guides/first-minute.md", "guides/sandbox.md", "guides/simulated-network.md"), None),
    ("guides", _JOURNEY, "guides"),
    (
        "running",
        (
            "install.md",
            "operations.md",
            "settings.md",
            "guides/administration.md",
            "runbooks.md",
            "security.md",
            "reliability.md",
            "performance.md",
        ),
        None,
    ),
    ("reference", ("errors.md", "refusals.md", "money.md", "glossary.md", "map.md"), None),
    ("states", (), "states"),
    ("decisions", (), "decisions"),
)
# Other files that pages link to: pictures, examples, files to be copied.
_SERVED: Final = frozenset({".conf", ".go", ".java", ".json", ".mjs", ".php", ".py", ".svg", ".png", ".ts", ".yml"})
_TITLE: Final = re.compile(r"^# (.+)$", re.MULTILINE)
_FIRST: Final = re.compile(r"^(?!#|\||```|\[|- |\d+\. |<|!)\S.*(?:\n\S.*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One page. path: of its file, below docs/. text: Markdown. portuguese: the same in Portuguese, where there is one."""

    name: str
    path: PurePosixPath
    title: str
    text: str
    portuguese: str | None = None

    def in_(self, language: str) -> tuple[str, str]:
        """Its language among ours, and its Markdown in it."""
        return ("pt", self.portuguese) if language == "pt" and self.portuguese is not None else ("en", self.text)

    def title_in(self, language: str) -> str:
        """Its title in the language that `in_` gives it in."""
        return _title(self.in_(language)[1])

    @property
    def first_words(self) -> str:
        """Its first paragraph, on one line."""
        found = _FIRST.search(self.text)
        return "" if found is None else " ".join(found[0].split())


@dataclass(frozen=True, slots=True)
class Shelf:
    """The pages of the guide. groups: pages by the word of their group, in order. files: others that pages link to."""

    groups: tuple[tuple[str, tuple[Leaf, ...]], ...]
    files: dict[str, bytes]

    def leaf(self, name: str) -> Leaf | None:
        """Returns the page of this name."""
        return next((leaf for _, leaves in self.groups for leaf in leaves if leaf.name == name), None)

    def place_of(self, path: PurePosixPath) -> str | None:
        """Returns the served name of a file below docs/; None: not served."""
        name = name_of(path)
        return name if self.leaf(name) is not None or name in self.files else None


def docs_folder() -> Path:
    """Returns the folder of the docs. It is beside the package in an install, at the top of the tree in a checkout."""
    packaged = Path(__file__).parents[2] / "docs"
    return packaged if packaged.is_dir() else Path(__file__).parents[4] / "docs"


def read(folder: Path, generated: Mapping[str, str]) -> Shelf:
    """Reads all pages of a folder, with the generated ones by path. A page that no group names stands with the reference."""
    written = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))
    }
    texts = {**written, **generated}
    pages = {
        path: _leaf(path, text, texts.get(path.removesuffix(".md") + PORTUGUESE))
        for path, text in texts.items()
        if not path.endswith(PORTUGUESE)
    }
    groups = [(word, tuple(pages.pop(path) for path in _taken(pages, first, of))) for word, first, of in _GROUPS]
    left = tuple(pages.values())
    groups = [(word, leaves + left if word == "reference" else leaves) for word, leaves in groups]
    others = (path for path in sorted(folder.rglob("*")) if path.suffix in _SERVED)
    files = {name_of(PurePosixPath(path.relative_to(folder).as_posix())): path.read_bytes() for path in others}
    return Shelf(tuple(groups), files)


def name_of(path: PurePosixPath) -> str:
    """Returns `guides-orders` for guides/orders.md, `proxy-nginx.conf` for proxy/nginx.conf."""
    text = path.as_posix()
    for ending in (PORTUGUESE, ".md"):
        text = text.removesuffix(ending)
    return text.replace("/", "-")


def _taken(pages: dict[str, Leaf], first: tuple[str, ...], of: str | None) -> list[str]:
    named = [path for path in first if path in pages]
    held = {path for _, firsts, _ in _GROUPS for path in firsts}
    return named + list(_of_folder(pages, of, held))


def _of_folder(pages: dict[str, Leaf], folder: str | None, held: set[str]) -> Iterator[str]:
    found = [path for path in pages if folder is not None and path.startswith(f"{folder}/") and path not in held]
    yield from sorted(found, key=lambda path: pages[path].title.lower())


def _leaf(path: str, text: str, portuguese: str | None) -> Leaf:
    below = PurePosixPath(path)
    return Leaf(name_of(below), below, _title(text), text, portuguese)


def _title(text: str) -> str:
    found = _TITLE.search(text)
    assert found is not None, "a page begins with its title"
    return found[1].replace("`", "")
