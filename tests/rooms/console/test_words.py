"""Every word of a list of the interface has its words for people, in both languages; and counts and documents are written."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cast import PLACE
from tests.house.test_states import machines_of_the_code
from tests.http_contract import contract

import lastro
from lastro.accounts.statements import TYPES
from lastro.app import inbox_handlers
from lastro.console.terms import TERMS, Terms
from lastro.core.errors import Refusal
from lastro.orders.methods import METHODS
from lastro.rails import port
from lastro.rails.port import RAILS

# What programs say to programs, and what has its own words: issues of refusals.
_FOR_PROGRAMS = {"ApiErrorError", "OAuthErrorError", "ErrorDetailIssue"}
_KIND = re.compile(r"[a-z-]+\.[a-z_]+")
_TRIGGERS = {trigger for machine in machines_of_the_code().values() for _, trigger in machine.moves}


def _words() -> Iterator[tuple[str, str]]:
    """Every word of a named list of the document, with its list."""
    for name, schema in contract().document["components"]["schemas"].items():
        if name not in _FOR_PROGRAMS:
            yield from ((name, word) for word in schema.get("enum", ()))


def _has_words(word: str) -> bool:
    return f"word.{word}" in TERMS or f"state.{word}" in TERMS


def test_every_word_of_the_interface_has_its_words() -> None:
    assert len(list(_words())) > 300
    assert not [f"{name}: {word}" for name, word in _words() if not _has_words(word)]


def test_every_issue_of_a_refusal_has_its_words() -> None:
    issues = contract().document["components"]["schemas"]["ErrorDetailIssue"]["enum"]
    assert not [issue for issue in issues if f"issue.{issue}" not in TERMS]


def test_every_state_trigger_method_network_and_entry_has_its_words() -> None:
    machines = machines_of_the_code().values()
    assert not [(one.name, state) for one in machines for state in one.states() if f"state.{state}" not in TERMS]
    assert not [trigger for trigger in _TRIGGERS if f"trigger.{trigger}" not in TERMS]
    assert not [word for word in (*METHODS, *RAILS, *TYPES) if f"word.{word}" not in TERMS]


def _modules() -> Iterator[ast.Module]:
    """The code of every module."""
    for file in sorted(Path(lastro.__file__).parent.rglob("*.py")):
        yield ast.parse(file.read_text(encoding="utf-8"))


def _kinds() -> set[str]:
    """Every kind of message: those that the port and rooms name, and those that a handler takes."""
    constants = {
        value
        for module in pkgutil.iter_modules(port.__path__, f"{port.__name__}.")
        for value in vars(importlib.import_module(module.name)).values()
        if isinstance(value, str) and _KIND.fullmatch(value)
    }
    return constants | set(inbox_handlers.inbox_verbs(PLACE))


def _outcomes() -> set[str]:
    """Every word with which a message is settled: as an argument, by a branch, or in a statement of SQL."""
    found, places = (
        set[str](),
        {"settled": 0, "done": 0, "finished": 0, "SetAside": 1, "_set_aside": 1, "finish": -1, "Finished": 3},
    )
    for module in _modules():
        for node in ast.walk(module):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                place = places.get(name)
                if place is not None and len(node.args) > place:
                    found |= set(_told(node.args[place]))
            elif isinstance(node, ast.Assign) and any(getattr(one, "id", "") in ("outcome", "said") for one in node.targets):
                found |= {word for word in _told(node.value) if word in ("handled", "known", "alarmed", "ignored")}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall(r"outcome = '(\w+)'", node.value))
    return found


def _told(value: ast.expr) -> Iterator[str]:
    """The words that an expression may be."""
    if isinstance(value, ast.IfExp):
        yield from (*_told(value.body), *_told(value.orelse))
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif "ALARMED" in (getattr(value, "id", ""), getattr(value, "attr", "")):
        yield port.ALARMED


def test_every_message_outcome_and_network_has_its_words() -> None:
    kinds, outcomes = _kinds(), _outcomes()
    assert len(kinds) > 50
    assert {"handled", "known", "ignored", "answered", "sent", "withdrawn", "refused", "judged", port.ALARMED} <= outcomes
    assert {kind for kind in kinds if f"networkMessage.{kind}" not in TERMS} == set()
    assert {word for word in outcomes if f"outcome.{word}" not in TERMS} == set()
    assert {name for name in port.RESERVED if f"word.{name}" not in TERMS} == set()


# Of commands, and of operations that no form of the console calls.
_NOT_OF_FORMS = {
    "NAME_UNKNOWN", "SETTLED_AT_OUT_OF_RANGE", "RETURN_DECIDED", "BOOK_NOT_ALLOWED", "NOT_PROVABLE", "DECIDED_ALREADY",
    "REFUND_CODE_INVALID",
}  # fmt: skip


@pytest.mark.parametrize("room", ["orders", "orders.refunds", "payouts", "plans"])
def test_every_refusal_of_what_a_person_fills_in_is_in_portuguese(room: str) -> None:
    told = vars(importlib.import_module(f"lastro.{room}.problems"))
    refusals = {name: one for name, one in told.items() if isinstance(one, Refusal)}
    assert len(refusals) > 5
    said = {
        name: re.sub(r"\{[^}]*\}", "X", one.description)
        for name, one in refusals.items()
        if one.description not in ("", "{why}") and name not in _NOT_OF_FORMS
    }
    assert [name for name, text in said.items() if text in Terms("pt").refusal("INVALID", text)] == []


def test_no_message_has_words_that_there_is_not() -> None:
    told = {name.removeprefix("networkMessage.") for name in TERMS if name.startswith("networkMessage.")}
    assert told == _kinds()
    assert {name.removeprefix("outcome.") for name in TERMS if name.startswith("outcome.")} == _outcomes()


def test_a_statement_and_the_console_call_an_entry_the_same() -> None:
    assert {kind: TERMS[f"word.{kind}"]["pt"] for kind in TYPES} == {kind: one.title for kind, one in TYPES.items()}


def test_no_trigger_has_words_that_there_is_not() -> None:
    """Of one thing a trigger may have words of its own: `foreignPayment.claim`."""
    told = {name.removeprefix("trigger.") for name in TERMS if name.startswith("trigger.")}
    of_things = {name for name in told if f"thing.{name.partition('.')[0]}" in TERMS}
    assert told - of_things == _TRIGGERS
    assert {name.partition(".")[2] for name in of_things} <= _TRIGGERS


@pytest.mark.parametrize(
    ("language", "number", "text"),
    [
        ("pt", 0, "0 movimentos"), ("pt", 1, "1 movimento"), ("pt", 2, "2 movimentos"), ("pt", 1000, "1.000 movimentos"),
        ("en", 1, "1 movement"), ("en", 2, "2 movements"),
    ],
)  # fmt: skip
def test_a_count_is_in_the_singular_for_one_alone(language: str, number: int, text: str) -> None:
    assert Terms(language).count("count.payments", number) == text


def test_every_singular_has_its_plural() -> None:
    assert not [name for name in TERMS if name.endswith(".one") and name.removesuffix(".one") not in TERMS]


@pytest.mark.parametrize(
    ("stored", "written"),
    [
        ("12345678909", "123.456.789-09"), ("12345678000195", "12.345.678/0001-95"), ("12ABC34501DE35", "12.ABC.345/01DE-35"),
        ("***.456.789-**", "***.456.789-**"), ("AB1234567", "AB1234567"), ("", ""),
    ],
)  # fmt: skip
def test_a_document_is_written_as_people_write_it(stored: str, written: str) -> None:
    assert Terms("pt").document(stored) == written
