"""Programs from npm that a lock file names: each installed once on a machine, in the user's cache."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

_INSTALL_SECONDS = 180


def installed(package: Path) -> Path:
    """Finds the folder with what a package's lock file says, installing it if need be. Skips the test where that fails.

    package: the folder with `package.json` and `package-lock.json`.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip(f"npm is not on this machine, and {package.name} comes from it")
    lock = (package / "package-lock.json").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lastro"
    place = cache / f"{package.name}-{hashlib.sha256(lock).hexdigest()[:16]}"
    if place.is_dir():
        return place
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=f"{package.name}-new-") as new:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(package / name, new)
        _install(npm, package.name, Path(new))
        try:
            Path(new).rename(place)
        except OSError:  # another worker was quicker, and its copy is the same
            assert place.is_dir()
        else:
            Path(new).mkdir()
    return place


def _install(npm: str, name: str, folder: Path) -> None:
    """Installs by the lock file alone, running no package's scripts."""
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install {name} within {_INSTALL_SECONDS} s")
    if done.returncode:
        pytest.skip(f"npm cannot install {name} here: {' '.join(done.stderr.split())[:200]}")
