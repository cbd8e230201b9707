"""The threat model names tests that are there, for every border and every asset."""

import ast
import re

from .tree import ROOT

MODEL = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (B\d+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_abuse_names_tests_that_are_there() -> None:
    missing = []
    for _, abuse, _, _, shown in _ROW.findall(MODEL):
        named = _TEST.findall(shown)
        assert named, f"nothing shows that this cannot be done: {abuse}"
        assert not _TEST.sub("", shown).strip(), f"not the id of a test: {shown}"
        missing += [f"{file}::{name}" for file, name in named if name not in _tests_of(file)]
    assert missing == []


def _tests_of(file: str) -> set[str]:
    path = ROOT / file
    if not path.exists():
        return set()
    parsed = ast.parse(path.read_text(encoding="utf-8")).body
    return {one.name for one in parsed if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_border_and_every_asset_is_in_a_row() -> None:
    rows = _ROW.findall(MODEL)
    assert len(rows) > 20
    assert {border for border, *_ in rows} == set(re.findall(r"\bB\d+\b", _paragraph("**Borders**")))
    assets = {asset for _, _, column, _, _ in rows for asset in column.split()}
    assert assets == set(re.findall(r"\bA\d+\b", _paragraph("**Assets**")))


def _paragraph(begins: str) -> str:
    return next(part for part in MODEL.split("\n\n") if part.startswith(begins))
