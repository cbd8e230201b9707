"""Redocly and Spectral, which nobody here wrote, read the document by their recommended rules and find nothing."""

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
from tests import npm
from tests.http_contract import contract

_RULES = Path(__file__).parent / "openapi_lint"
_SECONDS = 400  # a few on a machine that does nothing else


def test_redocly_finds_nothing(tmp_path: Path) -> None:
    said = json.loads(_run("redocly", "lint", "--format=json", "--config=redocly.yaml", folder=_laid(tmp_path)))
    assert said["problems"] == []
    assert said["totals"] == {"errors": 0, "warnings": 0, "ignored": _ignored(tmp_path)}


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    said = _run("spectral", "lint", "--format=json", "--quiet", "--ruleset=spectral.yaml", folder=_laid(tmp_path))
    assert json.loads(said) == []


def _laid(folder: Path) -> Path:
    """A folder with the document and the rules."""
    (folder / "openapi.json").write_bytes(msgspec.json.encode(contract().document))
    for name, place in (("redocly.yaml", "redocly.yaml"), ("spectral.yaml", "spectral.yaml"), ("ignored.yaml", _IGNORED)):
        (folder / place).write_text((_RULES / name).read_text(encoding="utf-8"), encoding="utf-8")
    return folder


_IGNORED = ".redocly.lint-ignore.yaml"


def _ignored(folder: Path) -> int:
    return (folder / _IGNORED).read_text(encoding="utf-8").count("- '#/")


def _run(program: str, *options: str, folder: Path) -> Any:
    """What a program says of the document: nothing of it leaves the machine."""
    found = npm.installed(_RULES) / "node_modules/.bin" / program
    quiet = {"PATH": "/usr/bin:/bin:/usr/local/bin", "REDOCLY_TELEMETRY": "off", "CI": "true", "HOME": str(folder)}
    done = subprocess.run(
        [found, *options, "openapi.json"],
        cwd=folder,
        env=quiet,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.stdout
