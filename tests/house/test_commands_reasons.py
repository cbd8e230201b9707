"""Words that a command keeps or sends: every option that takes them is held to one line that says something."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lastro.cli import GROUPS, syntax
from lastro.config.settings import read

from .office import Office, environment

_WORDS = ("--reason", "--details", "--description", "--by")
_FILLED = {"settled_at": "2026-11-23T10:15:00-03:00", "rail": "pix", "day": "2026-11-22"}


def _commands() -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    for group in GROUPS:
        (acts,) = (a for a in syntax(group)._actions if isinstance(a, argparse._SubParsersAction))
        for name, parser in acts.choices.items():
            yield group, name, parser


def _said(parser: argparse.ArgumentParser, but: str) -> list[str]:
    """What the command cannot do without, but one option."""
    words = []
    for action in parser._actions:
        if not action.required or but in action.option_strings:
            continue
        value = next(iter(action.choices)) if action.choices else _FILLED.get(action.dest, "1")
        words += [*action.option_strings[:1], str(value)]
    return words


CASES = [
    pytest.param(group, name, option, id=f"{group} {name} {option}")
    for group, name, parser in _commands()
    for option in _WORDS
    if any(option in action.option_strings and not action.choices for action in parser._actions)
]


def test_those_of_disputes_are_among_them() -> None:
    assert {"med reimburse --reason", "med refuse --reason", "med decide --details"} <= {case.id for case in CASES}


def test_words_are_one_line_that_says_something(own_database: Any, tmp_path: Path) -> None:
    """Before anything is looked for: whatever the command is about need not be there."""
    office = Office(read(environment(own_database, tmp_path)))
    parsers = {(group, name): parser for group, name, parser in _commands()}
    passed = []
    for case in CASES:
        group, name, option = map(str, case.values)
        said = _said(parsers[group, name], option)
        passed += [
            (case.id, wrong[:5])
            for wrong in ("", " \t", "a\nb", "x" * 2001)
            if f"{option} must be one line" not in office.declined(group, name, *said, f"{option}={wrong}")
        ]
    assert passed == []
