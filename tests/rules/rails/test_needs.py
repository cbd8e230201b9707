"""Each kind of message that is ever written for a network says until when it is needed."""

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import lastro
from lastro.app.outbox_lines import NEEDS
from lastro.rails import port
from lastro.rails.port import ALWAYS
from lastro.rails.rejected_messages import REFUSED_ENDS

PORT = Path(inspect.getfile(port)).parent


def messages(path: Path) -> Iterator[tuple[ast.FunctionDef, ast.expr]]:
    """Each function of a module that makes a message, and what stands there as its kind."""
    text = path.read_text()
    for function in ast.walk(ast.parse(text)) if "Message(" in text else ():
        for call in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
            is_one = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Message"
            if is_one and isinstance(call, ast.Call) and len(call.args) > 2:
                assert isinstance(function, ast.FunctionDef)
                yield function, call.args[2]


def kinds(path: Path) -> set[str]:
    """The kinds of a module's messages: each a constant, or an argument that is one of several."""
    found: set[str] = set()
    for function, kind in messages(path):
        known = vars(sys.modules[f"{port.__name__}.{path.stem}"])
        assert isinstance(kind, ast.Name), function.name
        if kind.id in known:
            found.add(known[kind.id])
            continue
        (argument,) = [one for one in function.args.args if one.arg == kind.id]
        assert argument.annotation is not None
        several = get_args(known.get(ast.unparse(argument.annotation)))
        assert several, f"{function.name} takes any kind"
        found |= set(several)
    return found


def test_each_kind_that_is_written_says_until_when_it_is_needed() -> None:
    written = {kind for path in PORT.glob("*.py") for kind in kinds(path)}
    assert written >= {port.PAYMENT_SEND, port.MED_VERDICT, port.CLAIM_CONFIRM, port.CODE_SEND}
    assert NEEDS.keys() == written


def test_nobody_but_the_port_makes_a_message() -> None:
    root = Path(inspect.getfile(lastro)).parent
    assert [path for path in root.rglob("*.py") if path.parent != PORT and any(messages(path))] == []


@pytest.mark.parametrize("kind", sorted(kind for kind, need in NEEDS.items() if need.asks))
def test_what_is_asked_about_is_an_order(kind: str) -> None:
    assert kind in REFUSED_ENDS


def test_what_is_so_for_good_is_always_told() -> None:
    assert {kind for kind, need in NEEDS.items() if need is ALWAYS} == {
        port.PIX_ANSWER, port.AUTHORIZATION_ANSWER, port.RECURRENCE_CLOSE,
    }  # fmt: skip
