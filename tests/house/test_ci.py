"""What `.ci/run` runs on the second server: what is named runs whole, of the rest one test for each statement; and what it
tries once more.
"""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from .tree import ROOT

RUN = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
# What stands around the script's functions that run a suite: the tests that are given fail the first time, and then pass.
BEFORE = """
set -uo pipefail
work=$1; shift; names=("$@")
status=0 passed=0 failed=0 few=10
closings=()
unsteady=()
make() {
  if [ -e "$work/tried" ]; then echo "=== ${#names[@]} passed in 0.10s ==="; return 0; fi
  touch "$work/tried"
  printf 'FAILED %s - AssertionError: why\\n' "${names[@]}"
  echo "=== ${#names[@]} failed, 5 passed in 1.00s ==="
  return 1
}
"""
AFTER = """
suite embedded ""
printf 'unsteady: %s\\n' "${unsteady[@]:-none}"
printf '%s\\n' "${closings[@]}" "status $status" "$passed passed, $failed failed"
"""


def listed(name: str) -> list[str]:
    found = re.search(rf"^{name}=\(\n(.*?)^\)$", RUN, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1].split()


@pytest.mark.parametrize("name", ["both_servers", "one_server"])
def test_each_file_that_is_named_is_there(name: str) -> None:
    named = listed(name)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert len(named) == len(set(named))


def test_what_speaks_sql_runs_on_both_servers() -> None:
    """Statements, rights, plans and migrations are what a server's version can change."""
    both = {
        "tests/rooms/core", "tests/rooms/laws", "tests/rooms/ledger", "tests/house/test_lists.py", "tests/house/test_migrate.py",
        "tests/house/test_schema.py", "tests/house/test_states.py", "tests/house/test_strangers_rows.py",
        "tests/house/test_watched_by_index.py",
    }  # fmt: skip
    assert all(any(name.startswith(one) for one in listed("both_servers")) for name in both)
    assert not both & set(listed("one_server"))
    assert 'suite "PostgreSQL-15" "${both_servers[*]} @$work/chosen"' in RUN


@pytest.fixture(scope="module")
def choosing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("one_test_each", ROOT / ".ci" / "one_test_each.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line(test: str, seconds: float, *statements: str) -> str:
    return json.dumps({"test": test, "seconds": seconds, "statements": statements})


def test_each_statement_goes_to_the_second_server_once(choosing: ModuleType) -> None:
    tests = choosing.read([
        line("tests/rooms/a/test_a.py::test_slow", 9.0, "create", "read", "cancel"),
        line("tests/rooms/a/test_a.py::test_cases", 0.1, "create"),
        line("tests/rooms/a/test_a.py::test_cases", 0.1, "cancel"),
        line("tests/rooms/a/test_b.py::test_reads", 0.1, "read", "lock"),
        line("tests/rooms/a/test_b.py::test_nothing", 0.0),
        line("tests/rooms/core/test_c.py::test_locks", 0.1, "lock"),
        line("tests/rooms/console/test_d.py::test_page", 0.1, "read", "list", "create", "cancel"),
    ])  # fmt: skip
    whole, never = ["tests/rooms/core"], ["tests/rooms/console"]
    assert choosing.chosen(tests, whole, never) == [
        "tests/rooms/a/test_a.py::test_cases",
        "tests/rooms/a/test_b.py::test_reads",
    ]
    assert choosing.chosen(tests, ["tests/rooms"], []) == []


def test_what_begins_alike_is_another_place(choosing: ModuleType) -> None:
    tests = choosing.read([line("tests/rooms/core_of/test_a.py::test_a", 0.1, "read")])
    assert choosing.chosen(tests, ["tests/rooms/core"], []) == ["tests/rooms/core_of/test_a.py::test_a"]


def test_no_statement_at_all_is_a_failure(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / ".ci" / "one_test_each.py"), str(tmp_path)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 1
    assert '--never "${one_server[@]}" >"$work/chosen" || status=1' in RUN


def ran(folder: Path, *failed: str) -> list[str]:
    """What the script says of a suite in which these tests fail, and pass when they are tried again."""
    functions = RUN[RUN.index("suite() {") : RUN.index("programs=")]
    command = ["bash", "-c", BEFORE + functions + AFTER, "bash", str(folder), *failed]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_a_few_that_failed_are_tried_again(tmp_path: Path) -> None:
    said = ran(tmp_path, "tests/rooms/test_a.py::test_a", "tests/house/test_b.py::test_b")
    assert {"unsteady: tests/house/test_b.py::test_b", "tests/rooms/test_a.py::test_a"} <= set(said)
    assert said[-2:] == ["status 0", "7 passed, 0 failed"]


def test_more_than_a_few_are_not(tmp_path: Path) -> None:
    said = ran(tmp_path, *(f"tests/rooms/test_a.py::test_{n}" for n in range(11)))
    assert "unsteady: none" in said
    assert said[-2:] == ["status 1", "5 passed, 11 failed"]


@pytest.mark.parametrize("others", [(), ("tests/rooms/test_a.py::test_a",)])
@pytest.mark.parametrize("storm", [
    "tests/world/test_whole_storm.py::test_the_whole_world_comes_to_rest", "tests/journeys/test_crashes.py::test_a[1]",
    "tests/model/test_orders.py::TestOrders::runTest", "tests/rooms/ledger/test_storm.py::test_a",
])  # fmt: skip
def test_what_looks_for_a_race_and_failed_is_not_tried_again(tmp_path: Path, storm: str, others: tuple[str, ...]) -> None:
    """What it found once is there, though the same storm seldom finds it twice."""
    said = ran(tmp_path, storm, *others)
    assert f"not tried again: {storm}" in said
    assert "unsteady: none" in said
    assert said[-2:] == ["status 1", f"5 passed, {1 + len(others)} failed"]


def test_a_failover_is_tried_again_unless_it_lost_something(tmp_path: Path) -> None:
    name = "tests/world/test_failover.py::test_a"
    for folder in ("slow", "lost"):
        (tmp_path / folder).mkdir()
    assert ran(tmp_path / "slow", name)[-2:] == ["status 0", "6 passed, 0 failed"]
    lost = ran(tmp_path / "lost", f"{name} - AssertionError: acknowledged, and lost")
    assert "unsteady: none" in lost
    assert lost[-2:] == ["status 1", "5 passed, 1 failed"]
