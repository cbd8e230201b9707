"""Every line that can be logged has fields that may be said, and is explained to whoever runs lastro."""

import ast
import re
from collections.abc import Iterator

import pytest

from lastro.observability import logs

from .exported import everything
from .tree import PRODUCT, ROOT, Module

_LEVELS = frozenset({"debug", "info", "warning", "error", "critical", "exception"})
_ASIDE = frozenset({"exc_info"})  # becomes `exception`
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def _lines(module: Module) -> Iterator[tuple[int, ast.Call]]:
    """Each call that logs a line: of a logger's level, or of one that was chosen before and is called `tell`."""
    for node in module.nodes:
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        logs_itself = (
            isinstance(function, ast.Attribute) and function.attr in _LEVELS and "log" in ast.unparse(function.value)
        )
        first = node.args[0] if node.args else None
        chosen = ast.unparse(function) == "tell" and isinstance(first, ast.Constant) and isinstance(first.value, str)
        if logs_itself or chosen:
            yield node.lineno, node


@pytest.fixture(scope="module")
def lines() -> list[tuple[str, int, ast.Call]]:
    """Every such call, its module and line."""
    return [(m.name, line, call) for m in PRODUCT for line, call in _lines(m)]


def test_every_field_of_a_line_may_be_said(lines: list[tuple[str, int, ast.Call]]) -> None:
    dropped = [
        f"{name}:{line} {keyword.arg}"
        for name, line, call in lines
        for keyword in call.keywords
        if keyword.arg is not None and keyword.arg not in logs.ALLOWED | _ASIDE
    ]
    assert len(lines) > 20
    assert not dropped, "left out of the line: " + ", ".join(dropped)


def test_every_line_is_explained(lines: list[tuple[str, int, ast.Call]]) -> None:
    told = {
        argument.value
        for _, _, call in lines
        for argument in call.args[:1]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }
    assert {"request", "worked", "lane.broke"} <= told
    missing = sorted(event for event in told if f"`{event}`" not in OPERATIONS)
    assert not missing, f"docs/operations.md does not say what these lines mean: {missing}"
    section = OPERATIONS.partition("### Log lines")[2].partition("\n## ")[0]
    explained = {
        name for row in re.findall(r"^\|([^|]+)\|", section, re.MULTILINE) for name in re.findall(r"`([a-z_.]+)`", row)
    }
    gone = sorted(explained - {"event"} - told)  # the head of the table
    assert not gone, f"docs/operations.md explains lines that are never written: {gone}"


def test_no_line_is_worded_with_values(lines: list[tuple[str, int, ast.Call]]) -> None:
    """What is said is a name to search for; values are fields, where the list sees them."""
    worded = [f"{name}:{line}" for name, line, call in lines if call.args and not isinstance(call.args[0], ast.Constant)]
    assert not worded


@pytest.fixture(scope="module")
def figures() -> set[str]:
    families = everything().registry.collect()
    return {family.name + ("_total" if family.type == "counter" else "") for family in families}


def test_every_figure_is_explained(figures: set[str]) -> None:
    ours = {name for name in figures if name.startswith("lastro_")}
    assert {"lastro_request_seconds", "lastro_due", "lastro_refusals_total"} <= ours
    missing = sorted(name for name in ours if f"`{name}" not in OPERATIONS)
    assert not missing, f"docs/operations.md does not say what these figures are: {missing}"
    named = set(re.findall(r"`(lastro_[a-z_]+)", OPERATIONS)) - {"lastro_app", "lastro_work", "lastro_audit", "lastro_owner"}
    bases = {re.sub(r"_(count|sum|bucket)$", "", name) for name in named}
    assert not sorted(bases - ours), "docs/operations.md names figures that there are not"


def test_figures_are_named_as_prometheus_has_it(figures: set[str]) -> None:
    assert not [name for name in figures if re.search(r"_(ms|minutes|count)$", name)]
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in figures)
