"""Every law is explained, and every journey ends with all of them."""

import ast
import re
from typing import Any

from .test_schema import asked
from .tree import ROOT, SCHEMA, definitions, modules

_DOCUMENT = ROOT / "docs" / "money.md"
_LAWS = """
SELECT relname::text AS name, obj_description(oid, 'pg_class') AS says FROM pg_class
 WHERE relkind = 'v' AND relname LIKE 'law\\_%' AND relnamespace = 'public'::regnamespace ORDER BY oid
"""
# At the end of a block or of a test these give back what play() gives: a Play, whose end asks for every law.
_PLAYS = {"play", "scene"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def explained() -> dict[str, list[str]]:
    """The document's line for each law: what it says, what a breach calls for, what it reads."""
    line = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
    return {f"law_{name}": cells for name, *cells in line.findall(_DOCUMENT.read_text(encoding="utf-8"))}


async def test_every_law_says_itself_in_one_sentence(database: Any) -> None:
    for name, says in await asked(database, _LAWS):
        assert says, f"{name} has no comment: verify could only print its name"
        assert re.fullmatch(r"[A-Z][^.]*\.", says), f"{name}: {says}"
        assert len(says) <= 140, name


async def test_every_law_is_explained(database: Any) -> None:
    """In the words of its comment, in the order of the schema, with what to do and what it reads."""
    laws = {row[0]: row[1] for row in await asked(database, _LAWS)}
    told = explained()
    assert {name: cells[0] for name, cells in told.items()} == laws
    assert list(told) == re.findall(r"^COMMENT ON VIEW (law_\w+)", SCHEMA.read_text(encoding="utf-8"), re.MULTILINE)
    assert all(all(cell.strip() for cell in cells) for cells in told.values())


def test_a_law_is_followed_by_its_comment() -> None:
    """Where the view is read, its meaning is read too."""
    blocks = SCHEMA.read_text(encoding="utf-8").split("CREATE VIEW law_")[1:]
    strays = [b.split(" ")[0] for b in blocks if f"COMMENT ON VIEW law_{b.split(' ')[0]} IS" not in b]
    assert len(blocks) > 16
    assert not strays


def test_every_journey_ends_with_every_law() -> None:
    """A test that plays does so by a fixture, or a fixture's fixture, or a block whose end is Play.end."""
    journeys = modules("tests/journeys", "tests/world")
    silent, played = [], 0
    for module in journeys:
        functions = [n for n in definitions(module.tree.body) if isinstance(n, _Function)]
        plays = set(_PLAYS)
        plays |= {f.name for f in functions if f.decorator_list and takes(f) & plays}
        tests = [f for f in functions if isinstance(f, ast.AsyncFunctionDef) and f.name.startswith("test_")]
        played += len(tests)
        silent += [f"{module.name}:{f.lineno} {f.name}" for f in tests if not takes(f) & plays and not opens(f)]
    assert played > 50
    assert not silent, "\n".join(silent)


def takes(function: _Function) -> set[str]:
    return {argument.arg for argument in function.args.args}


def opens(function: _Function) -> bool:
    return any(isinstance(n, ast.Call) and ast.unparse(n.func) == "playing" for n in ast.walk(function))


def test_what_is_called_a_play_ends_as_one() -> None:
    """That such an end sees a broken law is shown in tests/journeys/test_laws.py."""
    fixtures = [
        (module.name, node)
        for module in modules("tests/journeys", "tests/world")
        for node in definitions(module.tree.body)
        if isinstance(node, ast.AsyncFunctionDef) and node.name in _PLAYS
    ]
    assert fixtures
    assert [name for name, node in fixtures if "playing(" not in ast.unparse(node)] == []
