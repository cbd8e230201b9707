"""What `make check` says of known holes: nothing is taken for good that nobody has looked at."""

import importlib.util
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


def test_the_check_asks(audit: ModuleType) -> None:
    """Every locked package, those of the tests and tools too."""
    assert audit.LOCK.is_file()
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    check = made.partition("\ncheck:")[2].partition("\n\n")[0]
    assert ".ci/audit.py || status=1" in check
