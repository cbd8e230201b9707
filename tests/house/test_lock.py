"""What the Makefile installs is what was locked: pip compares each file with the hash in the lock file."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .tree import ROOT

_FILES = {
    "tried.py": "",
    "tried-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tried\nVersion: 1.0\n",
    "tried-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tried-1.0.dist-info/RECORD": "",
}


def made(folder: Path) -> str:
    """A package in the folder; its SHA-256."""
    file = folder / "tried-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        for name, text in _FILES.items():
            wheel.writestr(name, text)
    return hashlib.sha256(file.read_bytes()).hexdigest()


def install(folder: Path, lock: str) -> "subprocess.CompletedProcess[str]":
    (folder / "requirements.lock").write_text(lock, encoding="utf-8")
    command: list[str | Path] = [
        sys.executable, "-m", "pip", "install", "--no-index", "--find-links", folder, "--target", folder / "installed",
        "--disable-pip-version-check", "--require-hashes", "-r", folder / "requirements.lock",
    ]  # fmt: skip
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("lock", "says"),
    [
        ("tried==1.0 --hash=sha256:{other}", "DO NOT MATCH"),
        ("tried==1.0", "Hashes are required"),
        ("tried==1.0 --hash=sha256:{own}", None),
    ],
)
def test_a_package_that_was_replaced_is_not_installed(tmp_path: Path, lock: str, says: str | None) -> None:
    own = made(tmp_path)
    ended = install(tmp_path, lock.format(own=own, other=hashlib.sha256(b"what was locked").hexdigest()))
    assert (ended.returncode == 0) == (says is None), ended.stderr
    assert says is None or says in ended.stderr
    assert (tmp_path / "installed" / "tried.py").exists() == (says is None)


def test_every_package_is_installed_by_its_hash() -> None:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    (way,) = [line for line in lines if line.startswith("INSTALLED = ")]
    assert "--require-hashes -r $(1)" in way
    assert sum("$(call INSTALLED,requirements" in line for line in lines) == 3
    assert not [
        line for line in lines if "PIP) install" in line and "--require-hashes" not in line and "--no-deps" not in line
    ]
