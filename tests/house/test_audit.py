"""What `make check` says of known holes: nothing is taken for good that nobody has looked at."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .tree import ROOT

HOLE = {"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"], "aliases": ["CVE-2019-10906"], "description": "…"}
GOOD = {"name": "aiohttp", "version": "3.14.5", "vulns": []}
BAD = {"name": "jinja2", "version": "2.4.1", "vulns": [HOLE]}
# As pip-audit words it behind a mirror that serves packages and knows nothing of their holes, and ends with 0.
UNASKED = {"name": "orjson", "skip_reason": "Dependency not found on PyPI and could not be audited: orjson (3.0)"}


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("dependencies", "status", "said"),
    [
        ([GOOD, GOOD], 0, "no known holes in 2 dependencies"),
        ([GOOD, BAD], 1, "jinja2 2.4.1: PYSEC-2019-217, mended in 2.10.1"),
        ([{**BAD, "vulns": [{**HOLE, "fix_versions": []}]}], 1, "jinja2 2.4.1: PYSEC-2019-217, mended in no version yet"),
        ([GOOD, UNASKED], 0, "NOT AUDITED: the service knows nothing of 1 of 2 dependencies: orjson"),
        ([UNASKED] * 5, 0, "NOT AUDITED: the service knows nothing of 5 of 5 dependencies: orjson, orjson, orjson, …"),
        ([], 0, "NOT AUDITED: the service that knows holes did not answer."),
    ],
    ids=["all asked, none", "a hole", "a hole without a cure", "one unasked", "none asked", "an empty report"],
)
def test_what_a_report_means(audit: ModuleType, dependencies: list[Any], status: int, said: str) -> None:
    assert audit.judge({"dependencies": dependencies, "fixes": []}, "") == (status, said)


def test_a_hole_fails_although_others_could_not_be_asked(audit: ModuleType) -> None:
    status, said = audit.judge({"dependencies": [BAD, UNASKED], "fixes": []}, "")
    assert status == 1
    assert [line.split(":")[0] for line in said.splitlines()] == ["jinja2 2.4.1", "NOT AUDITED"]


def test_no_report_is_no_audit(audit: ModuleType) -> None:
    status, said = audit.judge(None, "Traceback …\nConnectionError: Failed to resolve 'pypi.org'\n")
    assert status == 0
    assert said == "NOT AUDITED: the service that knows holes did not answer. ConnectionError: Failed to resolve 'pypi.org'"


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (None, 1), ({"dependencies": []}, 1), ({"dependencies": [GOOD, UNASKED]}, 1), ({"dependencies": [GOOD, BAD]}, 1),
        ({"dependencies": [GOOD, GOOD]}, 0),
    ],
    ids=["no answer", "an empty report", "one unasked", "a hole", "all asked, none"],
)  # fmt: skip
def test_where_an_audit_is_required_its_absence_fails(audit: ModuleType, report: Any, status: int) -> None:
    found, said = audit.judge(report, "", is_required=True)
    assert (found, said) == (status, audit.judge(report, "")[1])


@pytest.mark.parametrize(("required", "status"), [("1", 1), ("", 0)])
def test_the_variable_requires_it(audit: ModuleType, tmp_path: Path, required: str, status: int) -> None:
    """The program itself, with an index that nobody can reach and proxies that lead nowhere."""
    nowhere = dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"), "http://127.0.0.1:9")
    told = {
        **os.environ, **nowhere, "NO_PROXY": "", "no_proxy": "", "PIP_CACHE_DIR": str(tmp_path),
        audit.REQUIRED: required,
    }  # fmt: skip
    command = [sys.executable, str(ROOT / ".ci" / "audit.py")]
    ended = subprocess.run(command, env=told, capture_output=True, text=True, check=False)
    assert ended.stdout.startswith("NOT AUDITED: the service that knows holes did not answer."), ended.stdout
    assert ended.returncode == status


def test_the_check_asks(audit: ModuleType) -> None:
    """Every locked package, those of the tests and tools too."""
    assert audit.LOCK.is_file()
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    check = made.partition("\ncheck:")[2].partition("\n\n")[0]
    assert ".ci/audit.py || status=1" in check


def test_the_whole_run_hands_the_wish_on(audit: ModuleType) -> None:
    """It forgets every other LASTRO_ variable, which would lead its tests astray."""
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"{audit.REQUIRED}=$audit_required make check" in run
