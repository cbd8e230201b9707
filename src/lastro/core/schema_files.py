"""Finds the SQL files of the schema."""

from __future__ import annotations

from pathlib import Path


def schema_folder() -> Path:
    """Returns the folder of the SQL: beside the package in an install, at the top of the tree in a checkout."""
    packaged = Path(__file__).parents[1] / "schema"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "schema"
