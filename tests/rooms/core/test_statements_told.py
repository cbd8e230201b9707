"""What `.ci/run` hears of the tests that run, and chooses by for the second server."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cast import Cast
from tests.statements import listen, name_of, told

from lastro.core.db import Database
from lastro.core.session import Session

OWN = "SELECT 1 AS one"


def said(folder: Path) -> list[dict[str, Any]]:
    (file,) = folder.glob("*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def test_each_test_tells_what_lastro_sent_in_it(
    cast: Cast, pool: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what its connection has prepared before; not what the test words itself."""
    monkeypatch.setattr(Session, "fetch", Session.fetch)  # put back at the end
    listen()
    with told("tests/a.py::test_a[1]", tmp_path):
        await cast.ana()
    with told("tests/a.py::test_b", tmp_path):
        await cast.ana()
    with told("tests/a.py::test_c", tmp_path):
        async with pool.session() as session:
            assert await session.row(OWN) is not None
    first, second, own = said(tmp_path)
    assert [one["test"] for one in (first, second, own)] == [
        "tests/a.py::test_a",
        "tests/a.py::test_b",
        "tests/a.py::test_c",
    ]
    assert first["seconds"] > 0
    assert first["statements"]
    assert set(first["statements"]) & set(second["statements"])
    assert name_of(OWN) not in own["statements"]
