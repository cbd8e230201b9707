"""The words of the console: laws and refusals are in the page's language."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from tests.house.tree import SCHEMA

from lastro.console import actions
from lastro.console.terms import FEMININE, LAWS, TERMS, Terms
from lastro.core.errors import Refusal

PT, EN = Terms("pt"), Terms("en")
CONSOLE = Path(actions.__file__).parent


def test_every_law_says_in_portuguese_what_it_says_in_english() -> None:
    named = set(re.findall(r"CREATE (?:OR REPLACE )?VIEW law_(\w+)", SCHEMA.read_text()))
    assert set(LAWS) == named, "what is there in one alone"
    assert PT.law("entries_add_up", "x") != EN.law("entries_add_up", "x") == "x"


def test_a_status_agrees_with_what_it_is_said_of() -> None:
    assert [PT.about(thing).state("PAID") for thing in ("order", "payout", "")] == ["Paga", "Pago", "Pago"]
    assert EN.about("order").state("PAID") == EN.state("PAID")
    masculine = {
        name.removeprefix("state.")
        for name, said in TERMS.items()
        if name.startswith("state.") and name != "state.ERROR" and re.match(r"(?!Só|Não|\w+ndo\b)\w+o\b", said["pt"])
    }
    assert set(FEMININE) == masculine, "what has one form alone"


# Whose refusals a person of the console sees: the verbs behind its acts, and what every form is read by.
_ASKED_BY_THE_CONSOLE = (
    "med/rules.py", "payouts/actions/review.py", "plans/actions/decide.py", "reconciliation/actions/settle.py",
    "console/api_calls.py", "console/decisions.py", "console/clients.py", "core/errors.py",
    "payouts/rules.py", "payouts/actions/create.py", "payouts/actions/finding.py", "payouts/actions/cancel.py",
    "plans/rules.py", "plans/sheets.py", "plans/actions/make.py", "orders/actions/end.py", "orders/refunds/create.py",
    "subscriptions/actions/cancel.py", "keys/actions/delete.py",
    "companies/actions/clients.py", "people/actions/administering.py",
)  # fmt: skip


def _text(said: ast.expr) -> str:
    """What an expression says, with X for what is not written there."""
    parts = getattr(said, "values", [said])
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts)


def _filled(description: str, call: ast.Call) -> str:
    """What a refusal's description says with the values of the call."""
    given = {word.arg: _text(word.value) for word in call.keywords}
    return re.sub(r"\{(\w+).*?\}", lambda place: given.get(place[1], "X"), description)


@pytest.mark.parametrize("name", _ASKED_BY_THE_CONSOLE)
def test_what_an_act_is_refused_with_is_said_in_portuguese(name: str) -> None:
    """Each sentence that the file refuses with has its words; what is put into it is any text."""
    tree = ast.parse((CONSOLE.parent / name).read_text())
    rooms = {line.module for line in ast.walk(tree) if isinstance(line, ast.ImportFrom) and line.module is not None}
    modules = [importlib.import_module(room) for room in rooms if room.startswith("lastro.")]
    declared = {
        one: told
        for module in (*modules, *(vars(module).get("problems") for module in modules))
        for one, told in vars(module or ast).items()
        if isinstance(told, Refusal)
    }
    sentences = []
    for call in (call for call in ast.walk(tree) if isinstance(call, ast.Call)):
        if getattr(call.func, "id", "") == "Problem" and len(call.args) == 3:
            sentences += [_text(call.args[2])]
        elif isinstance(call.func, ast.Attribute) and call.func.attr in ("problem", "refused"):
            raised = declared.get(getattr(call.func.value, "attr", getattr(call.func.value, "id", "")))
            if raised is not None:
                sentences += [_filled(raised.description, call)]
    sentences = [one for one in sentences if one != "X"]
    unsaid = [one for one in sentences if one in PT.refusal("INVALID", one)]
    assert not unsaid
