# ruff: noqa: INP001
"""Prints the fewest tests that send each statement of lastro once: those which a second server is worth asking for.

It reads what tests/statements.py has written while all tests ran on the first server, and takes the test that sends most
statements a second, again and again, until none is left. Statements that the tests of `whole` send are not looked for; the
tests of `never` are not taken.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_SECONDS_OF_ANY_TEST = 0.1  # what a test takes besides its own


@dataclass
class Test:
    """A test function with all its cases."""

    seconds: float = 0.0
    statements: set[str] = field(default_factory=set)


def read(lines: Iterable[str]) -> dict[str, Test]:
    """Adds up the cases of each function."""
    found: dict[str, Test] = defaultdict(Test)
    for line in lines:
        said = json.loads(line)
        test = found[said["test"]]
        test.seconds += said["seconds"]
        test.statements.update(said["statements"])
    return dict(found)


def chosen(tests: Mapping[str, Test], whole: Collection[str], never: Collection[str]) -> list[str]:
    """Returns the tests that send all that `whole` leaves, by name."""
    sent: set[str] = set().union(*(test.statements for name, test in tests.items() if _is_in(name, whole)))
    others = {name: test for name, test in tests.items() if not _is_in(name, (*whole, *never))}
    left: set[str] = set().union(*(test.statements for test in others.values())) - sent
    taken: list[str] = []
    while left:
        best = max(sorted(others), key=lambda name: _worth(others[name], left))
        left -= others[best].statements
        taken.append(best)
    return sorted(taken)


def _worth(test: Test, left: Collection[str]) -> float:
    return len(test.statements & set(left)) / (test.seconds + _SECONDS_OF_ANY_TEST)


def _is_in(test: str, places: Collection[str]) -> bool:
    file = test.partition("::")[0]
    return any(file == place or file.startswith(f"{place}/") for place in places)


def main() -> int:
    """Chooses, prints a name a line, and gives the exit status: 1 where nothing was told."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--whole", nargs="*", default=[])
    parser.add_argument("--never", nargs="*", default=[])
    asked = parser.parse_args()
    told = (line for file in sorted(asked.folder.glob("*.jsonl")) for line in file.read_text(encoding="utf-8").splitlines())
    names = chosen(read(told), asked.whole, asked.never)
    sys.stdout.write("".join(f"{name}\n" for name in names))
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main())
