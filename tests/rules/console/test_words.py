"""The words of the console: laws and refusals are in the page's language."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from tests.house.tree import SCHEMA

from lastro.console import actions
from lastro.console.terms import LAWS, Terms

PT, EN = Terms("pt"), Terms("en")
CONSOLE = Path(actions.__file__).parent


def test_every_law_says_in_portuguese_what_it_says_in_english() -> None:
    named = set(re.findall(r"CREATE (?:OR REPLACE )?VIEW law_(\w+)", SCHEMA.read_text()))
    assert set(LAWS) == named, "what is there in one alone"
    assert PT.law("entries_add_up", "x") != EN.law("entries_add_up", "x") == "x"


# Whose refusals a person of the console sees: the verbs behind its acts, and what every form is read by.
_ASKED_BY_THE_CONSOLE = (
    "med/rules.py", "payouts/actions/review.py", "plans/actions/decide.py", "reconciliation/actions/settle.py",
    "console/api_calls.py", "console/decisions.py", "console/clients.py", "core/errors.py",
)  # fmt: skip


@pytest.mark.parametrize("name", _ASKED_BY_THE_CONSOLE)
def test_what_an_act_is_refused_with_is_said_in_portuguese(name: str) -> None:
    """Each sentence that the file refuses with has its words; what is put into it is any text."""
    tree = ast.parse((CONSOLE.parent / name).read_text())
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call)]
    in_place = [call.args[2] for call in calls if getattr(call.func, "id", "") == "Problem" and len(call.args) == 3]
    in_place += [word.value for call in calls for word in call.keywords if word.arg == "why"]
    sentences = [
        "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in getattr(said, "values", [said]))
        for said in in_place
        if isinstance(said, ast.Constant | ast.JoinedStr)
    ]
    for line in ast.walk(tree):
        if isinstance(line, ast.ImportFrom) and line.module is not None and line.module.endswith(".problems"):
            room = importlib.import_module(line.module)
            told = [getattr(room, one.name).description for one in line.names]
            sentences += [re.sub(r"\{.*?\}", "X", one) for one in told if one != "{why}"]
    unsaid = [one for one in sentences if one in PT.refusal("INVALID", one)]
    assert not unsaid
