"""What a reader can hold in mind: short functions, short files, nothing unfinished, no names that say nothing."""

import ast
import re
from dataclasses import dataclass
from functools import cache

from .tree import EVERYWHERE, ROOT, Function, definitions, modules, parsed

LONGEST_FUNCTION = 60
LONGEST_FILE = 400
_VENDORED = "/vendor/"
_UNFINISHED = re.compile(
    r"(?<![\"'])\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK", "W" + "IP", "T" + "BD")) + r")\b"
)
_SAYS_NOTHING = {"util", "utils", "helper", "helpers", "manager", "managers", "common"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READ = {".py", ".sql", ".md", ".html", ".js", ".css", ".toml", ".run"}


@dataclass(frozen=True)
class Defined:
    """A function or class. empty: a function whose body promises something for later, and that is no Protocol's."""

    at: str
    name: str
    lines: int
    is_function: bool
    is_empty: bool


@cache
def defined() -> list[Defined]:
    """Every one of them, of files that are each parsed and forgotten."""
    found = []
    for m in EVERYWHERE:
        every = list(definitions(parsed(m.text).body))
        promised = {
            id(f) for c in every if isinstance(c, ast.ClassDef) and _is_protocol(c) for f in (c, *definitions(c.body))
        }
        for one in every:
            lines = (one.end_lineno or one.lineno) - one.lineno + 1
            is_function = isinstance(one, Function)
            is_empty = isinstance(one, Function) and id(one) not in promised and _is_empty(one)
            found.append(Defined(f"{m.name}:{one.lineno} {one.name}", one.name, lines, is_function, is_empty))
    return found


def test_no_function_is_longer_than_a_screen() -> None:
    assert len(defined()) > 1_000
    long = [f"{f.at} has {f.lines} lines" for f in defined() if f.is_function and f.lines > LONGEST_FUNCTION]
    assert not long, "\n".join(long)


def test_no_file_is_longer_than_a_sitting() -> None:
    files = [
        p
        for kind in ("py", "html", "js", "css")
        for folder in ("src", "tests", "bench")
        for p in (ROOT / folder).rglob(f"*.{kind}")
    ]
    sizes = {
        p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8").count("\n")
        for p in files
        if _VENDORED not in p.as_posix()
    }
    long = [f"{name} has {lines} lines" for name, lines in sizes.items() if lines > LONGEST_FILE]
    assert len(sizes) > 100
    assert not long, "\n".join(long)


def test_nothing_is_marked_unfinished() -> None:
    files = [
        p for folder in ("src", "tests", "bench", "docs", "schema") for p in (ROOT / folder).rglob("*") if p.suffix in _READ
    ]
    files += [p for p in ROOT.glob("*") if p.suffix in _READ or p.name == "Makefile"]
    marked = [
        f"{p.relative_to(ROOT)}:{number} {line.strip()}"
        for p in files
        for number, line in enumerate(p.read_text(encoding="utf-8").splitlines(), start=1)
        if _UNFINISHED.search(line)
    ]
    assert not marked, "\n".join(marked)


def test_every_function_does_something() -> None:
    """A body of three dots promises something for later; only a Protocol and an overload may have one."""
    empty = [one.at for one in defined() if one.is_empty]
    assert not empty, "\n".join(empty)


def _is_protocol(node: ast.ClassDef) -> bool:
    return any("Protocol" in ast.unparse(base) for base in node.bases)


def _is_empty(function: Function) -> bool:
    if any("overload" in ast.unparse(d) for d in function.decorator_list):
        return False
    body = [
        s
        for s in function.body
        if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str))
    ]
    if not body:
        return False  # a docstring that says why there is nothing to do
    return all(_says_nothing(s) for s in body)


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return "NotImplemented" in ast.unparse(statement)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and statement.value.value is ...


def test_names_say_something() -> None:
    names = [(one.at, one.name) for one in defined()]
    names += [(m.name, part) for m in EVERYWHERE for part in m.path.relative_to(ROOT).with_suffix("").parts]
    named = [at for at, name in names if {w.lower() for w in _WORD.findall(name)} & _SAYS_NOTHING]
    assert not named, "\n".join(named)


def test_the_trees_are_found() -> None:
    assert {m.name.split("/")[1] for m in modules("src")} >= {"lastro", "lastro_sandbox", "lastro_sim"}
