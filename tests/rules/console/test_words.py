"""The words of the console: laws and refusals are in the page's language."""

import ast
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
    """Each sentence that stands in the file as a Problem has its words; what is put into it is any text."""
    tree = ast.parse((CONSOLE.parent / name).read_text())
    sentences = [
        "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in getattr(said, "values", [said]))
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Problem" and len(call.args) == 3
        for said in call.args[2:]
        if isinstance(said, ast.Constant | ast.JoinedStr)
    ]
    unsaid = [one for one in sentences if one in PT.refusal("INVALID", one)]
    assert not unsaid
