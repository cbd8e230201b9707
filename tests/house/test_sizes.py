"""What a reader can hold in mind: short functions, short files, nothing unfinished, no names that say nothing."""

import ast
import re
from collections.abc import Iterator

from .tree import EVERYWHERE, ROOT, Module, modules

LONGEST_FUNCTION = 60
LONGEST_FILE = 400
_VENDORED = "/vendor/"
_UNFINISHED = re.compile(
    r"(?<![\"'])\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK", "W" + "IP", "T" + "BD")) + r")\b"
)
_SAYS_NOTHING = {"util", "utils", "helper", "helpers", "manager", "managers", "common"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READ = {".py", ".sql", ".md", ".html", ".js", ".css", ".toml", ".run"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(module: Module) -> Iterator[Function]:
    return (n for n in module.nodes if isinstance(n, Function))


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{m.name}:{f.lineno} {f.name} has {f.end_lineno - f.lineno + 1} lines"
        for m in EVERYWHERE
        for f in functions(m)
        if f.end_lineno is not None and f.end_lineno - f.lineno + 1 > LONGEST_FUNCTION
    ]
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
    empty = []
    for m in EVERYWHERE:
        promised = {id(f) for c in m.nodes if isinstance(c, ast.ClassDef) and _is_protocol(c) for f in ast.walk(c)}
        empty += [f"{m.name}:{f.lineno} {f.name}" for f in functions(m) if id(f) not in promised and _is_empty(f)]
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
    named: list[str] = []
    for m in EVERYWHERE:
        names = [(0, part) for part in m.path.relative_to(ROOT).with_suffix("").parts]
        names += [(n.lineno, n.name) for n in m.nodes if isinstance(n, Function | ast.ClassDef)]
        for line, name in names:
            words = {w.lower() for w in _WORD.findall(name)}
            if words & _SAYS_NOTHING:
                named.append(f"{m.name}:{line} {name}")
    assert not named, "\n".join(named)


def test_the_trees_are_found() -> None:
    assert {m.name.split("/")[1] for m in modules("src")} >= {"lastro", "lastro_sandbox", "lastro_sim"}
