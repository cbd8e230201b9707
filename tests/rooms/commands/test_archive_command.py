"""lastro archive: every company has a folder of its own, and a no is a sentence."""

from pathlib import Path
from typing import Any

import pytest
from tests.house.office import Office, environment

from lastro.config.settings import read


@pytest.fixture
def office(own_database: Any, tmp_path: Path) -> Office:
    return Office(read(environment(own_database, tmp_path)))


def test_every_company_is_told_of(office: Office, tmp_path: Path) -> None:
    office.types("company", "add", "Ana")
    nothing = [{"company": number, "files": 0, "events": 0} for number in (0, 1)]
    assert office.asks("archive", "events", str(tmp_path / "archive"), "--days", "30") == nothing
    checked = office.asks("archive", "check", str(tmp_path / "archive"))
    assert checked == [one | {"missing": 0} for one in nothing]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("archive", "events", "x", "--days", "0"), "--days must be from 1"),
        (("archive", "events", "x", "--days", "99999"), "--days must be from 1"),
        (("archive", "check", "/nowhere"), "There is no folder"),
    ],
)
def test_a_no_is_a_sentence(office: Office, words: tuple[str, ...], said: str) -> None:
    assert said in office.declined(*words)
