"""Links of the documents lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

from .tree import ROOT, SRC

LINK = re.compile(
    r"(?<!!)\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)|!\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE
)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([^` ]+(?:\.py|\.csv|/))`")
SMALL = ("pdf", "terminal")  # packages whose two files need no README
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def documents() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted(SRC.rglob("README.md"))]


def anchors(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    titles = re.findall(r"^#{1,6}\s+(.+?)\s*#*$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\]\([^)]*\)", "", t).lower()).strip().replace(" ", "-") for t in titles}


def test_links_lead_somewhere() -> None:
    lost = []
    for document in documents():
        text = document.read_text(encoding="utf-8")
        for match in LINK.finditer(FENCE.sub("", text)):
            link = unquote(next(g for g in match.groups() if g))
            if SCHEME.match(link) or (link.startswith("/docs/guide/") and document.parent != ROOT):
                continue  # test_guide.py follows what is served
            place, _, anchor = link.partition("#")
            target = (document.parent / place).resolve() if place else document
            if not target.exists() or not target.is_relative_to(ROOT):
                lost.append(f"{document.relative_to(ROOT)}: {link}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
                lost.append(f"{document.relative_to(ROOT)}: {link} (no such heading)")
    assert len(documents()) > 5
    assert not lost, "\n".join(lost)


def test_each_package_has_a_readme_whose_files_are_there() -> None:
    packages = {path.parent for path in (SRC / "lastro").glob("*/__init__.py")} - {SRC / "lastro" / name for name in SMALL}
    lost = [f"{path.name} has no README.md" for path in sorted(packages) if not (path / "README.md").is_file()]
    for readme in sorted(SRC.rglob("README.md")):
        text = readme.read_text(encoding="utf-8")
        places = (readme.parent, SRC / "lastro", ROOT)
        gone = [name for name in NAMED.findall(text) if not any((at / name).exists() for at in places)]
        lost += [f"{readme.relative_to(SRC)}: {name} is not there" for name in gone]
        if text.count("\n") > 25:
            lost.append(f"{readme.relative_to(SRC)}: longer than half a page")
    assert not lost, "\n".join(lost)
