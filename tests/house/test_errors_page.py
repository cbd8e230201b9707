"""Whatever the code can refuse has a word of the interface and a place on the page of errors."""

import ast
import importlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import get_args

from tests.in_one import in_one_test

from lastro.api_kit import rendering
from lastro.api_kit.http import STATUS
from lastro.api_kit.routes import Doc, Route
from lastro.app import build_docs, errors_page
from lastro.core.errors import Kind, Refusal
from lastro.web.middleware import LARGEST_BODY

from .tree import ROOT, SRC, Module, modules

# Who makes a problem, and which of its arguments is the issue.
_MAKERS = {"Problem": 1, "MoneyError": 0, "_Refuse": 1, "Refusal": 2, "invalid": 1, "conflict": 1, "misread": 1}
_TELLING = modules("src/lastro", "src/lastro_sandbox")
# Who may make a problem without a declaration of a room, and why.
_UNDECLARED = {
    "src/lastro/api_kit": "reads the fields of any form and query",
    "src/lastro/app/errors_page.py": "shows an example of each word",
    "src/lastro/console": "is the form of a page, of which the API knows nothing",
    "src/lastro/core": "stands below the rooms",
    "src/lastro/web": "refuses of any operation, as web/openapi/refusals.py tells",
    "src/lastro_sandbox": "is no room: what only a sandbox has",
}
PROBLEMS = [m for m in _TELLING if m.path.name == "problems.py"]


def issues(module: Module) -> Iterator[tuple[int, str]]:
    """Line and issue of every problem that names it in place, also where it chooses between two."""
    for node in module.nodes:
        if not isinstance(node, ast.Call):
            continue
        maker = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        place = _MAKERS.get(maker)
        if place is None or len(node.args) <= place:
            continue
        given = node.args[place]
        for one in (given.body, given.orelse) if isinstance(given, ast.IfExp) else (given,):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield node.lineno, one.value


@cache
def made() -> str:
    """The page, made once for all that look at it."""
    return errors_page.page(build_docs.routes())


def test_every_size_that_a_body_may_have_is_told() -> None:
    sizes = {route.largest_body or LARGEST_BODY for route in build_docs.routes()}
    assert len(sizes) > 1
    assert [size for size in sizes if f" {size / 1024**2:g} MiB" not in errors_page.STATUSES[Kind.TOO_LARGE].meaning] == []


def test_every_issue_that_is_told_is_one_of_the_interface() -> None:
    found = [(m.name, line, issue) for m in _TELLING for line, issue in issues(m)]
    assert len(found) > 100
    assert not [f"{name}:{line} {issue}" for name, line, issue in found if issue and issue not in errors_page.ISSUES]


def test_an_issue_nobody_knows_is_seen() -> None:
    class Made(Module):
        tree = ast.parse('errors.Problem("a", "TOO_BLUE" if blue else "INVALID", "is blue")\nMoneyError("ODD", "is odd")')

    assert sorted(issues(Made(ROOT))) == [(1, "INVALID"), (1, "TOO_BLUE"), (2, "ODD")]


def test_the_words_are_the_same_everywhere() -> None:
    assert set(errors_page.ISSUES) == set(get_args(rendering.Issue))
    assert all(issue.example.issue == name for name, issue in errors_page.ISSUES.items())
    assert set(Kind) == set(STATUS) == set(errors_page.STATUSES)


def test_every_status_and_issue_stands_on_the_page() -> None:
    text = made()
    for status in (*STATUS.values(), 500):
        assert text.count(f"\n| {status} | `") >= 1, status
    for issue in errors_page.ISSUES:
        assert f"\n### {issue}\n" in text


@in_one_test("route", build_docs.routes(), ids=lambda route: route.operation)
def test_every_operation_stands_on_the_page(route: Route) -> None:
    text = made()
    assert f"\n`{route.method} {route.path}`\n" in text
    for refusal in route.doc.refusals:
        assert refusal.cause in text
        assert refusal.cure in text
        assert (refusal.issue or "REQUIRED") in errors_page.ISSUES


def declarations() -> dict[str, tuple[Path, Refusal]]:
    """Every refusal of a `problems.py`, by its module and name; with the folder that it is for."""
    found = {}
    for m in PROBLEMS:
        name = ".".join(m.path.relative_to(SRC).with_suffix("").parts)
        for key, value in vars(importlib.import_module(name)).items():
            if isinstance(value, Refusal):
                found[f"{name}.{key}"] = (m.path.parent, value)
    return found


def raised(module: Module) -> Iterator[tuple[str, set[str | None] | None]]:
    """Each declared refusal that a module raises, and the names of the values it gives; None: it is named alone."""
    from_ = {
        one.asname or one.name: f"{node.module}.{one.name}"
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for one in node.names
    }

    def known(node: ast.AST) -> str | None:
        above = node.value if isinstance(node, ast.Attribute) else node
        name = from_.get(getattr(above, "id", ""))
        if isinstance(node, ast.Attribute):
            return f"{name}.{node.attr}" if name is not None and name.endswith(".problems") else None
        return name if name is not None and ".problems." in name else None

    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("problem", "refused"):
            name = known(node.func.value)
            if name is not None:
                yield name, {word.arg for word in node.keywords}
        elif (name := known(node)) is not None:
            yield name, None


def test_what_is_declared_is_raised_with_its_values_and_told() -> None:
    told = {replace(refusal, field="") for route in build_docs.routes() for refusal in route.doc.refusals}
    declared = declarations()
    calls = [(m.name, name, given) for m in _TELLING if m.path.name != "docs.py" for name, given in raised(m)]
    assert len(declared) > 250
    by_rooms = {name for name, (_, refusal) in declared.items() if refusal.description}
    wrong = [f"{name} is raised by nobody" for name in by_rooms - {name for _, name, _ in calls}]
    for name, (_, refusal) in declared.items():
        is_told = replace(refusal, field="") in told
        wrong += [] if is_told or not refusal.cause else [f"{name} stands on no operation"]
        wrong += [] if refusal.cause or not is_told else [f"{name} stands on an operation, without cause and cure"]
    for where, name, given in calls:
        if given is None:
            continue
        wanted = {field for _, field, _, _ in Formatter().parse(declared[name][1].description) if field is not None}
        wrong += [] if given == wanted else [f"{where}: {name} is given {given}, its description names {wanted}"]
    assert not wrong, "\n".join(sorted(wrong))


def test_a_refusal_is_declared_once() -> None:
    """A room makes no problem in place, and its documentation repeats none that it has declared."""
    said = {(folder, refusal.field, refusal.issue) for folder, refusal in declarations().values()}
    wrong = []
    for m in _TELLING:
        for node in m.nodes:
            if not isinstance(node, ast.Call):
                continue
            maker = getattr(node.func, "id", "")
            if maker == "Problem" and not m.name.startswith(tuple(_UNDECLARED)):
                wrong.append(f"{m.name}:{node.lineno} makes a problem in place")
            elif maker in ("misread", "Refusal") and m.path.name != "problems.py":
                at = [getattr(arg, "value", None) for arg in node.args[maker == "Refusal" :][:2]]
                wrong += [f"{m.name}:{node.lineno} says {at} again"] if (m.path.parent, *at) in said else []
    assert not wrong, "\n".join(wrong)


def test_a_refusal_that_a_room_declares_comes_to_the_page() -> None:
    route = build_docs.routes()[0]
    refusal = Refusal(Kind.CONFLICT, "colour", "DUPLICATE", "It is taken.", "Choose another.")
    fake = replace(route, path="/paint", doc=Doc("Paint", refusals=(refusal,)))
    text = errors_page.page((fake,))
    assert "\n`PUT /paint`\n" in text
    assert "| 409 | `colour` | `DUPLICATE` | It is taken. | Choose another. |" in text


def test_no_cell_of_a_table_breaks_it() -> None:
    """A bar in a sentence would begin another column."""
    columns = 0
    for line in made().splitlines():
        if not line.startswith("|"):
            columns = 0
            continue
        columns = columns or line.count("|")
        assert line.count("|") == columns, line
