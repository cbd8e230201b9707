"""Reads second names of fields, and names problems as they were sent.

A form lists its second names in `aliases`. A body is turned into main names before anything else reads it, so that rules,
Writes and the fingerprint of a request know one name of each thing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import inspect

from lastro.api_kit.forms import Form, plain, without_none
from lastro.core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NULL = b"null"
_BLANKS = b" \t\r\n"


class Names(NamedTuple):
    """The second names of a form's fields. main: of each the main one. inner: of the forms within it, by field."""

    main: Mapping[str, str]
    inner: Mapping[str, Names]


@dataclass(frozen=True, slots=True)
class Renamed:
    """A body in main names. sent: the second name of each field that came under it, by its main path.

    problems: of fields that came under both names and disagree.
    """

    raw: bytes
    body: dict[str, Any]
    sent: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def as_sent(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Returns the problems with each field named as the client named it."""
        return tuple(replace(problem, field=self._path(problem.field)) for problem in problems)

    def _path(self, path: str) -> str:
        above, told = "", []
        for part in path.split("."):
            name, bracket, item = part.partition("[")
            told.append(self.sent.get(above + name, name) + bracket + item)
            above += f"{part}."
        return ".".join(told)


def in_main_names(raw: bytes, body: dict[str, Any], form: type[Form] | None) -> Renamed:
    """Returns the body with each second name replaced by its main name. body: what forms.parsed() has made of raw.

    Both names with one value are one field. Both with different values are a problem of both. Null counts as absent.
    """
    names = None if form is None else names_of(form)
    if names is None or not _has_second(body, names):
        return Renamed(raw, body)
    renamed = Renamed(raw, body)
    main = msgspec.json.encode(_value(raw.lstrip(_BLANKS), names, "", renamed))
    return replace(renamed, raw=main, body=plain.decode(main))


@lru_cache
def names_of(form: type) -> Names | None:
    """Returns a form's second names, those within it too. None: there are none, or it is no form."""
    if not issubclass(form, Form):
        return None
    info = inspect.type_info(form)
    assert isinstance(info, inspect.StructType)
    inner: dict[str, Names] = {}
    for one in info.fields:
        kind = without_none(one.type)
        item = without_none(kind.item_type) if isinstance(kind, inspect.ListType) else kind
        below = names_of(item.cls) if isinstance(item, inspect.StructType) else None
        if below is not None:
            inner[one.encode_name] = below
    return Names(form.aliases, inner) if form.aliases or inner else None


def second_names(form: type) -> dict[str, tuple[str, ...]]:
    """Returns the second names of a form's own fields, by main name."""
    names = names_of(form)
    aliases = {} if names is None else names.main
    return {main: tuple(one for one in aliases if aliases[one] == main) for main in aliases.values()}


def spellings(path: str, form: type[Form]) -> tuple[str, ...]:
    """Returns every way to write a field's path, the main one first. Items of a list are `name[]`."""
    names, choices = names_of(form), []
    for part in path.split("."):
        name, bracket, item = part.partition("[")
        others = () if names is None else tuple(one for one, main in names.main.items() if main == name)
        choices.append([one + bracket + item for one in (name, *others)])
        names = None if names is None else names.inner.get(name)
    return tuple(".".join(parts) for parts in product(*choices))


def _has_second(value: Any, names: Names) -> bool:
    if isinstance(value, list):
        return any(_has_second(item, names) for item in value)
    if not isinstance(value, dict):
        return False
    if not names.main.keys().isdisjoint(value):
        return True
    return any(name in value and _has_second(value[name], below) for name, below in names.inner.items())


def _value(raw: bytes, names: Names, path: str, renamed: Renamed) -> Any:
    """Returns an object, or a list of them, in main names. Anything else stays as it is, for the form to refuse."""
    if raw.startswith(b"["):
        items = msgspec.json.decode(raw, type=list[msgspec.Raw])
        return [_value(bytes(item), names, f"{path[:-1]}[{place}].", renamed) for place, item in enumerate(items)]
    if not raw.startswith(b"{"):
        return msgspec.Raw(raw)
    given: dict[str, Any] = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    for name, piece in given.items():
        main = names.main.get(name, name)
        if main in names.inner:
            given[name] = _value(bytes(piece), names.inner[main], f"{path}{main}.", renamed)
    for second, main in names.main.items():
        value = given.pop(second, None)
        if value is None or msgspec.json.encode(value) == _NULL:
            continue
        kept = given.get(main)
        if kept is None or msgspec.json.encode(kept) == _NULL:
            given[main] = value
            renamed.sent[path + main] = second
        elif plain.decode(msgspec.json.encode(kept)) != plain.decode(msgspec.json.encode(value)):
            renamed.problems.extend(
                Problem(path + one, "MUTUALLY_EXCLUSIVE", f"is {other} by another name, and they disagree")
                for one, other in ((main, second), (second, main))
            )
    return given
