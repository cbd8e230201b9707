"""Imports run downward, and every room has a front door that import-linter watches."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .tree import ROOMS, ROOT

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


@pytest.fixture(scope="module")
def said() -> str:
    """What import-linter says of the tree."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize("name", [c["name"] for c in CONTRACTS])
def test_imports_keep_the_contract(said: str, name: str) -> None:
    """That of the name; what breaks it stands at the end."""
    assert f"{name} KEPT" in said, said.partition("Broken contracts")[2] or said


@pytest.mark.parametrize("room", [*ROOMS, "ledger", "rails"])
def test_every_room_has_a_watched_front_door(room: str) -> None:
    watched = [c for c in CONTRACTS if c["type"] == "protected" and c["protected_modules"] == [f"lastro.{room}.*"]]
    assert watched, f"pyproject.toml lacks a protected contract of lastro.{room}"
