"""The client for TypeScript, compiled by the strictest rules of the compiler that its lock file names."""

import os
import subprocess
from pathlib import Path

from tests import npm
from tests.house.tree import ROOT

PACKAGE = ROOT / "clients/typescript"
_SECONDS = 400  # some on a machine that does nothing else


def programs() -> Path:
    """The folder `node_modules` of the client. Skips the test, and says so, where npm is missing."""
    return npm.installed(PACKAGE) / "node_modules"


def compiled(folder: Path) -> Path:
    """A folder with the client, its examples and its tests as JavaScript. AssertionError: a type is wrong."""
    for name in ("src", "examples", "test", "tsconfig.json", "package.json"):
        (folder / name).symlink_to(PACKAGE / name)
    (folder / "node_modules").symlink_to(programs())
    options = ("--preserveSymlinks", "--outDir", "dist", "--project", "tsconfig.json")
    run("node", "node_modules/typescript/bin/tsc", *options, folder=folder)
    return folder / "dist"


def run(*command: str, folder: Path, **environment: str) -> str:
    """What a program prints. AssertionError, with what it said, where it fails."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
