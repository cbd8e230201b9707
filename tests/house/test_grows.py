"""What grows: the document says of every table how long it is kept and what removes it, and names none that is not there."""

import re

from .tree import ROOT, SCHEMA


def test_every_table_is_told_of() -> None:
    tables = set(re.findall(r"^CREATE TABLE (\w+)", SCHEMA.read_text(encoding="utf-8"), re.MULTILINE)) | {"migrations"}
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = text[text.index("## What grows") : text.index("## Watching it")]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row[1])]
    assert len(named) == len(set(named)), "each is in one row"
    assert set(named) == tables
    silent = [row[1] for row in rows if not row[4].strip() or not row[5].strip()]
    assert not silent, "how long, and what removes it"


def test_only_what_is_said_to_be_removed_may_be() -> None:
    """Who may delete rows of a table is in the schema; the document must not say that nothing removes them."""
    granted = {
        table
        for grant in re.findall(
            r"^GRANT (?:[^;]*, )?DELETE ON ([\w, ]+) TO", SCHEMA.read_text(encoding="utf-8"), re.MULTILINE
        )
        for table in grant.split(", ")
    }
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `") and line.count("|") == 6]
    kept = {name for row in rows if row[5].strip() == "nothing" for name in re.findall(r"`(\w+)`", row[1])}
    assert granted >= {"answers", "own_keys"}
    assert not granted & kept
