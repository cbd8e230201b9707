"""Reads second names of fields, and names problems as they were sent.

A form lists its second names in `aliases`. A body is turned into main names before anything else reads it, so that rules,
Writes and the fingerprint of a request know one name of each thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from lastro.api_kit.forms import Form, plain, without_none
from lastro.core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NULL = b"null"


@dataclass(frozen=True, slots=True)
class Renamed:
    """A body in main names. sent: the path of each field that came under another, by its main path.

    problems: of fields that came under both names and disagree.
    """

    raw: bytes
    sent: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def as_sent(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Returns the problems with each field named as the client named it."""
        return tuple(replace(problem, field=self._path(problem.field)) for problem in problems)

    def _path(self, path: str) -> str:
        for main, sent in self.sent.items():
            if path == main or path.startswith((f"{main}.", f"{main}[")):
                return sent + path[len(main) :]
        return path


def in_main_names(raw: bytes, form: type[Form] | None) -> Renamed:
    """Returns the body with each second name replaced by its main name. raw: a body that forms.parsed() has accepted.

    Both names with one value are one field. Both with different values are a problem of both. Null counts as absent.
    """
    names = None if form is None else _finder(form)
    if names is None or form is None or names.search(raw) is None:
        return Renamed(raw)
    renamed = Renamed(raw)
    body = _object(raw, form, "", renamed)
    return replace(renamed, raw=msgspec.json.encode(body))


@lru_cache
def second_names(form: type) -> dict[str, tuple[str, ...]]:
    """Returns the second names of fields, as they stand in JSON. A type that is no form has none."""
    aliases = form.aliases if issubclass(form, Form) else {}
    return {main: tuple(one for one in aliases if aliases[one] == main) for main in aliases.values()}


@lru_cache
def _finder(form: type[Form]) -> re.Pattern[bytes] | None:
    """Returns the pattern of a form's second names. None: it and its parts have none."""
    found = sorted({name for part in _parts(form) for name in part.aliases})
    return re.compile(b'"(?:%s)"' % b"|".join(re.escape(name).encode() for name in found)) if found else None


def _parts(form: type[Form]) -> Iterator[type[Form]]:
    yield form
    for part, _ in _inner(form).values():
        yield from _parts(part)


@lru_cache
def _inner(form: type[Form]) -> dict[str, tuple[type[Form], bool]]:
    """Returns the forms within a form, by field. True beside one: the field is a list of them."""
    info = inspect.type_info(form)
    assert isinstance(info, inspect.StructType)
    found: dict[str, tuple[type[Form], bool]] = {}
    for one in info.fields:
        kind = without_none(one.type)
        item = without_none(kind.item_type) if isinstance(kind, inspect.ListType) else kind
        if isinstance(item, inspect.StructType) and issubclass(item.cls, Form):
            found[one.encode_name] = (item.cls, item is not kind)
    return found


def _object(raw: bytes, form: type[Form], path: str, renamed: Renamed) -> Any:
    """Returns an object in main names. Anything else stays as it is, for the form to refuse."""
    if not raw.startswith(b"{"):
        return msgspec.Raw(raw)
    given: dict[str, Any] = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    for second, main in form.aliases.items():
        value = given.pop(second, None)
        if value is None or bytes(value) == _NULL:
            continue
        kept = given.get(main)
        if kept is not None and bytes(kept) != _NULL:
            if plain.decode(kept) != plain.decode(value):
                renamed.problems.extend(
                    Problem(path + one, "MUTUALLY_EXCLUSIVE", f"is {path}{other} by another name, and they disagree")
                    for one, other in ((main, second), (second, main))
                )
            continue
        given[main] = value
        renamed.sent[path + main] = path + second
    for name, (part, is_list) in _inner(form).items():
        if name in given:
            given[name] = _value(bytes(given[name]), part, path + name, renamed, is_list=is_list)
    return given


def _value(raw: bytes, part: type[Form], path: str, renamed: Renamed, *, is_list: bool) -> Any:
    if not is_list:
        return _object(raw, part, path + ".", renamed)
    if not raw.startswith(b"["):
        return msgspec.Raw(raw)
    items = msgspec.json.decode(raw, type=list[msgspec.Raw])
    return [_object(bytes(item), part, f"{path}[{place}].", renamed) for place, item in enumerate(items)]
