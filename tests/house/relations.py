"""The tables that the product's statements touch, read from the source: by which session, and through which functions."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, reduce

from .tree import PRODUCT, SCHEMA, SRC, Function, Module, definitions, without_comments

_NAMED = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:ONLY\s+)?(\w+)|\b(\w+)\(")
_MADE = re.compile(r"CREATE (?:OR REPLACE )?(TABLE|VIEW|FUNCTION) (\w+)")
_NEXT = re.compile(r"^(?=(?:CREATE|COMMENT|GRANT|REVOKE|ALTER|INSERT|DO) )", re.MULTILINE)
HOLE = "{}"  # in a statement: what cannot be followed
_ASKS = frozenset({"fetch", "search", "row", "value"})  # of a Session


@cache
def _made() -> Mapping[str, tuple[str, str]]:
    """What the schema makes: kind and text, by name."""
    parts = _NEXT.split(without_comments(SCHEMA.read_text(encoding="utf-8")))
    return {made[2]: (made[1], part) for part in parts if (made := _MADE.match(part))}


@cache
def tables() -> Mapping[str, str]:
    """The tables of the schema, and how each is made."""
    return {name: text for name, (kind, text) in _made().items() if kind == "TABLE"}


@cache
def _behind(name: str) -> frozenset[str]:
    """The tables behind a view or function, however deep; a table stands for itself."""
    seen, left = set[str](), [name]
    while left:
        one = left.pop()
        if one not in seen and one in _made():
            seen.add(one)
            kind, text = _made()[one]
            left += () if kind == "TABLE" else _words(text)
    return frozenset(seen & tables().keys())


def _words(sql: str) -> list[str]:
    return [one[1] or one[2] for one in _NAMED.finditer(sql)]


def touched(sql: str) -> frozenset[str]:
    """The tables that a statement reads or writes, also by views and functions."""
    return frozenset().union(*map(_behind, _words(sql)))


@dataclass(frozen=True)
class Block:
    """The body of an `async with database.session(…)`, and the name of its session."""

    module: Module
    node: ast.AsyncWith
    name: str
    has_company: bool
    within: Function | None

    @property
    def place(self) -> str:
        return f"{short(self.module)}:{self.node.lineno}"


def short(module: Module) -> str:
    """A module's path below src/lastro."""
    return module.name.removeprefix("src/lastro/")


@cache
def _functions() -> Mapping[str, list[tuple[Module, ast.ClassDef | None, Function]]]:
    """The product's functions by name, each with the class that it is of."""
    found = defaultdict(list)
    for module in PRODUCT:
        classes = {id(f): c for c in definitions(module.tree.body) if isinstance(c, ast.ClassDef) for f in c.body}
        for one in definitions(module.tree.body):
            if isinstance(one, Function):
                found[one.name].append((module, classes.get(id(one)), one))
    return found


@cache
def _constants(module: Module) -> Mapping[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = node.value
    return found


def _dotted(module: Module) -> str:
    return ".".join(module.path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


def _constant(module: Module, expression: ast.expr) -> tuple[Module, ast.expr] | None:
    """The constant that a name leads to, here or where it is imported from."""
    if isinstance(expression, ast.Name) and expression.id in _constants(module):
        return module, _constants(module)[expression.id]
    full = module._full_name(expression)
    if full is None:
        return None
    package, _, name = full.rpartition(".")
    inside = [m for m in PRODUCT if f"{_dotted(m)}.".startswith(f"{package}.") and name in _constants(m)]
    return (inside[0], _constants(inside[0])[name]) if inside else None


def statement(module: Module, expression: ast.expr, within: Function | None = None, depth: int = 0) -> str | None:
    """The text of a statement with all that it is made of; None: it comes from elsewhere, as an argument or attribute."""
    if isinstance(expression, ast.Constant):
        return str(expression.value)
    if depth > 12:
        return ""
    if isinstance(expression, ast.Name | ast.Attribute):
        if (found := _constant(module, expression)) is not None:
            return statement(*found, None, depth + 1)
        values = list(_assigned(within, expression.id)) if within and isinstance(expression, ast.Name) else []
        texts = [statement(module, one, within, depth + 1) for one in values]
        return None if not texts or None in texts else "\n".join(map(str, texts))
    if isinstance(expression, ast.JoinedStr):
        parts = [one.value if isinstance(one, ast.FormattedValue) else one for one in expression.values]
        return "".join(statement(module, one, within, depth + 1) or HOLE for one in parts)
    inner = [one for one in ast.iter_child_nodes(expression) if isinstance(one, ast.expr | ast.keyword)]
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        inner = [expression.func.value, *expression.args, *expression.keywords]
    texts = [statement(module, one.value if isinstance(one, ast.keyword) else one, within, depth + 1) for one in inner]
    return None if all(text is None for text in texts) else "\n".join(HOLE if text is None else text for text in texts)


def _assigned(within: Function, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(within):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            yield node.value
        elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name) and node.target.id == name:
            yield node.iter


def blocks() -> Iterator[Block]:
    """Every block of the product with a session of its own."""
    for module in PRODUCT:
        around = {
            id(node): one for one in definitions(module.tree.body) if isinstance(one, Function) for node in ast.walk(one)
        }
        for node in module.nodes:
            if isinstance(node, ast.AsyncWith):
                for item in node.items:
                    call, name = item.context_expr, item.optional_vars
                    if not (
                        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(name, ast.Name)
                    ):
                        continue
                    if call.func.attr in {"session", "session_for"}:
                        yield Block(module, node, name.id, bool(call.args), around.get(id(node)))


@dataclass(frozen=True)
class Touched:
    """The tables that a session touches, and the places where that cannot be followed."""

    tables: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()

    def __or__(self, other: "Touched") -> "Touched":
        return Touched(self.tables | other.tables, self.unknown | other.unknown)


def touched_in(block: Block) -> Touched:
    """What a block's session touches, also by functions it is given to."""
    parts = (_followed(block.module, one, block.name, block.within) for one in block.node.body)
    return reduce(Touched.__or__, parts, Touched())


def touched_by(module: Module, function: Function) -> Touched:
    """What a function touches by the session it is given."""
    name = _session_of(function)
    return Touched() if name is None else _followed(module, function, name, function)


def _session_of(function: Function) -> str | None:
    every = (*function.args.args, *function.args.kwonlyargs)
    return next((a.arg for a in every if _type_of(a.annotation) == "Session"), None)


def _type_of(annotation: ast.expr | None) -> str | None:
    return annotation.id if isinstance(annotation, ast.Name) else None


_SEEN: dict[tuple[int, str], Touched] = {}


def _followed(module: Module, body: ast.AST, name: str, within: Function | None) -> Touched:
    if (key := (id(body), name)) not in _SEEN:
        _SEEN[key] = Touched()  # of one that calls itself
        calls = [node for node in ast.walk(body) if isinstance(node, ast.Call)]
        _SEEN[key] = reduce(Touched.__or__, (_by_call(module, one, name, within) for one in calls), Touched())
    return _SEEN[key]


def _by_call(module: Module, call: ast.Call, name: str, within: Function | None) -> Touched:
    func, given = call.func, (*call.args, *(k.value for k in call.keywords))
    unknown = Touched(unknown=frozenset({f"{short(module)} {ast.unparse(func)}"}))
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == name:
        if func.attr not in _ASKS:
            return Touched()
        text = statement(module, call.args[0], within)
        if text is None:
            return Touched(unknown=frozenset({f"{short(module)} {ast.unparse(call.args[0])}"}))
        return Touched(touched(text))
    if not any(isinstance(one, ast.Name) and one.id == name for one in given):
        return Touched()
    called = _called(module, func, within)
    return reduce(Touched.__or__, (touched_by(*one) for one in called)) if called else unknown


def _called(module: Module, func: ast.expr, within: Function | None) -> list[tuple[Module, Function]]:
    """The functions that a call may reach."""
    full = module._full_name(func)
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    every = [(m, of, f) for m, of, f in _functions().get(name, ()) if _session_of(f)]
    if full is not None:
        package = full.rpartition(".")[0]
        return [(m, f) for m, of, f in every if of is None and f"{_dotted(m)}.".startswith(f"{package}.")]
    here = [(m, f) for m, of, f in every if m is module]
    owner = func.value if isinstance(func, ast.Attribute) else None
    if owner is None or (isinstance(owner, ast.Name) and owner.id == "self"):
        return here
    of_type = owner.func.id if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) else None
    if isinstance(owner, ast.Name) and within is not None:
        of_type = next((_type_of(a.annotation) for a in within.args.args if a.arg == owner.id), None)
    return [(m, f) for m, of, f in every if of is not None and of.name == of_type]
