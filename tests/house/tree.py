"""The project's own files as the house tests read them: every module parsed once, its imports and its texts known."""

import ast
import gc
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
SCHEMA = ROOT / "schema" / "schema.sql"
MIGRATIONS = sorted((ROOT / "schema" / "migrations").glob("*.sql"))
# What stands above the rooms: it may read the clock, the environment and the machine's randomness.
ABOVE_ROOMS = ("app", "cli", "config", "console", "observability", "ops", "terminal", "timeline", "web", "worker")
NO_ROOMS = frozenset({"core", "api_kit", "http_client", "pdf", "standards", "ledger", "rails", *ABOVE_ROOMS})
ROOMS = sorted(p.name for p in (SRC / "lastro").iterdir() if (p / "__init__.py").exists() and p.name not in NO_ROOMS)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
_SQL = re.compile(r"\s*(SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s|DELETE\s+FROM\s|WITH\s+(RECURSIVE\s+)?\w+\s+AS\b)")


@dataclass(frozen=True)
class Module:
    """One Python file."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return parsed(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The whole tree, as `ast.walk` goes through it."""
        return tuple(ast.walk(self.tree))

    def strings(self) -> Iterator[tuple[int, str]]:
        """Line and text of every string that is no docstring; the fixed parts of an f-string as one."""
        skipped = set()
        for node in self.nodes:
            if isinstance(node, ast.Expr):
                skipped.add(id(node.value))
            if isinstance(node, ast.JoinedStr):
                skipped.update(id(part) for part in node.values)
        for node in self.nodes:
            if id(node) in skipped:
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.lineno, node.value
            elif isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
                yield node.lineno, "".join(str(part) for part in parts)

    def sql(self) -> Iterator[tuple[int, str]]:
        """Line and text of every string that is a statement."""
        return ((line, text) for line, text in self.strings() if _SQL.match(text))

    @cached_property
    def _imported(self) -> dict[str, str]:
        names = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                names.update(
                    {
                        (a.asname or a.name).partition(".")[0]: a.name if a.asname else a.name.partition(".")[0]
                        for a in node.names
                    }
                )
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
        return names

    def uses(self) -> Iterator[tuple[int, str]]:
        """Line and full name of everything imported that the code touches while it runs: annotations do not count."""
        silent: set[int] = set()
        for node in self.nodes:
            for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                if part is not None:
                    silent.update(id(inner) for inner in ast.walk(part))
        for node in self.nodes:
            if id(node) not in silent and isinstance(node, ast.Name | ast.Attribute):
                name = self._full_name(node)
                if name is not None:
                    yield node.lineno, name

    def _full_name(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return self._imported.get(node.id)
        if isinstance(node, ast.Attribute):
            before = self._full_name(node.value)
            return None if before is None else f"{before}.{node.attr}"
        return None


def parsed(text: str) -> ast.Module:
    """A tree, whose nodes are not looked through for garbage: over all files that takes three times as long as to parse them."""
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        gc.freeze()
        gc.enable()


def definitions(body: Sequence[ast.AST]) -> Iterator[Definition]:
    """Functions and classes at any depth; expressions, which are most of a tree, are not gone through."""
    for statement in body:
        if isinstance(statement, Definition):
            yield statement
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list):
                yield from definitions(inner)


@cache
def module(path: Path) -> Module:
    """One Python file, the same whoever asks, so that it is parsed once."""
    return Module(path)


def modules(*folders: str) -> list[Module]:
    """Every Python file below folders of the project."""
    return [module(p) for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))]


EVERYWHERE = modules("src", "tests", "bench")
PRODUCT = modules("src/lastro")


def without_comments(sql: str) -> str:
    """SQL without what stands behind two hyphens."""
    return re.sub(r"--[^\n]*", "", sql)
