"""The operations as methods: of a client that waits, and of one for asyncio."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clients.generate.document import JSON, Operation, operations, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEAD = '''"""Each operation as a method. Made by `make clients`: change the document, not this file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import {collections}
from typing import Any, Literal

from lastro_client import models
from lastro_client.calls import Call, File, new_key, segment


class {name}(ABC):
    """Every operation, by its name in the document."""

    @abstractmethod
    {define} _sent(self, call: Call) -> Any:
        """Sends a call and returns its answer."""

    @abstractmethod
    def _items(self, page: {page}) -> {iterator}[Any]:
        """Yields the items of every page."""
'''
_KINDS = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
_SUFFIX = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class _Argument:
    name: str
    kind: str
    is_required: bool
    sent_as: str

    def written(self) -> str:
        return f"{self.name}: {self.kind}" if self.is_required else f"{self.name}: {self.kind} | None = None"


def module(document: Mapping[str, Any], *, is_async: bool) -> str:
    """Returns the text of a module."""
    name, define = ("AsyncOperations", "async def") if is_async else ("Operations", "def")
    page = "Callable[[str | None], Awaitable[Any]]" if is_async else "Callable[[str | None], Any]"
    iterator = "AsyncIterator" if is_async else "Iterator"
    collections = "AsyncIterator, Awaitable, Callable" if is_async else "Callable, Iterator"
    head = _HEAD.format(collections=collections, name=name, define=define, page=page, iterator=iterator)
    methods = [text for one in operations(document) for text in _methods(document, one, is_async=is_async)]
    return head + "\n" + "\n\n".join(methods) + "\n"


def _methods(document: Mapping[str, Any], one: Operation, *, is_async: bool) -> Iterator[str]:
    """Yields a method for each kind of body and answer, and one for all pages of a list."""
    define, wait = ("async def", "await ") if is_async else ("def", "")
    for suffix, body, answer, accept in _ways(one):
        path, query = _arguments(one, "path"), _arguments(one, "query")
        if suffix:
            query = [q for q in query if q.name != "format"]
        keyed = ["idempotency_key: str | None = None"] if one.takes_key else []
        first = ["self", *(a.written() for a in path), *([body.written] if body.written else [])]
        rest = [*body.named, *(a.written() for a in sorted(query, key=lambda a: not a.is_required)), *keyed]
        signature = ", ".join([*first, *(["*", *rest] if rest else [])])
        returns = f"{define} {one.id}{suffix}({signature}) -> {answer}:"
        parts = [f'"{one.id}"', f'"{one.method}"', _path(one, path), *_query(query), *body.sent, *accept]
        parts += ["key=new_key(idempotency_key)"] if one.takes_key else []
        send = f"{wait}self._sent(Call({', '.join(parts)}))"
        lines = [f"    {returns}", f'        """{_summary(one)}"""']
        typed = f"        found: {answer} = {send}"
        lines += [f"        {send}"] if answer == "None" else [typed, "        return found"]
        yield "\n".join(lines)
    item = _item(document, one)
    if item is not None:
        yield _iterating(one, item, is_async=is_async)


@dataclass(frozen=True)
class _Body:
    written: str = ""
    named: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()


def _ways(one: Operation) -> Iterator[tuple[str, _Body, str, list[str]]]:
    """Yields suffix, body, type of the answer and what is accepted: JSON first, then each other type of either."""
    bodies, answers = [*_bodies(one)] or [("", _Body())], [*_answers(one)] or [("", "None", [])]
    for suffix, body in bodies:
        for answer_suffix, answer, accept in answers:
            yield suffix + answer_suffix, body, answer, accept


def _bodies(one: Operation) -> Iterator[tuple[str, _Body]]:
    for media, content in one.bodies().items():
        schema, is_required = content["schema"], one.said["requestBody"]["required"]
        if media == JSON:
            kind = _model(schema)
            if is_required:
                yield "", _Body(f"body: {kind}", (), ("body=body",))
            else:
                yield "", _Body(f"body: {kind} | None = None", (), ("body=body or {}",))
        elif media == "multipart/form-data":
            fields = [_field(name, said, schema) for name, said in schema["properties"].items()]
            pairs = ", ".join(f'"{a.sent_as}": {a.name}' for a in fields)
            named = tuple(a.written() for a in sorted(fields, key=lambda a: not a.is_required))
            yield "", _Body("", named, (f"fields={{{pairs}}}",))
        else:
            yield _suffix(media) if JSON in one.bodies() else "", _Body("body: bytes", (), ("body=body", f'media="{media}"'))


def _answers(one: Operation) -> Iterator[tuple[str, str, list[str]]]:
    for media, content in one.answers().items():
        if media == JSON:
            yield "", _model(content["schema"]), []
        else:
            yield _suffix(media) if JSON in one.answers() else "", "bytes", [f'accept="{media}"']


def _suffix(media: str) -> str:
    name = {"text/plain": "text"}.get(media, media.rpartition("/")[2].removeprefix("x-"))
    return "_as_" + _SUFFIX.sub("_", name)


def _field(name: str, said: Mapping[str, Any], schema: Mapping[str, Any]) -> _Argument:
    kind = "File" if said.get("format") == "binary" else _kind(said)
    return _Argument(_snake(name), kind, name in schema.get("required", ()), name)


def _arguments(one: Operation, place: str) -> list[_Argument]:
    found = one.parameters(place)
    return [_Argument(_snake(p["name"]), _kind(p["schema"]), bool(p.get("required")), p["name"]) for p in found]


def _path(one: Operation, arguments: list[_Argument]) -> str:
    path = one.path
    for a in arguments:
        path = path.replace(f"{{{a.sent_as}}}", f"{{segment({a.name})}}")
    return f'{"f" if arguments else ""}"{path}"'


def _query(arguments: list[_Argument]) -> list[str]:
    pairs = ", ".join(f'"{a.sent_as}": {a.name}' for a in arguments)
    return [f"query={{{pairs}}}"] if arguments else []


def _kind(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _model(schema)
    if "const" in schema:
        return f'Literal["{schema["const"]}"]'
    return _KINDS[schema["type"]]


def _model(schema: Mapping[str, Any]) -> str:
    return "models." + str(schema["$ref"]).rpartition("/")[2]


def _snake(name: str) -> str:
    found = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()
    return found + "_" if found == "from" else found


def _summary(one: Operation) -> str:
    return f"{one.said['summary']}: `{one.method} {one.path}`."


def _item(document: Mapping[str, Any], one: Operation) -> str | None:
    """Returns the type of a paged list's items; None: it is no such list."""
    content = one.answers().get(JSON)
    if content is None or all(p["name"] != "cursor" for p in one.parameters("query")):
        return None
    fields = resolved(document, content["schema"])["properties"]
    return _model(fields["data"]["items"]) if {"data", "nextCursor", "hasNext"} <= fields.keys() else None


def _iterating(one: Operation, item: str, *, is_async: bool) -> str:
    path, query = (
        _arguments(one, "path"),
        [a for a in _arguments(one, "query") if a.name not in ("cursor", "format", "language")],
    )
    given = ", ".join([*(a.name for a in path), *(f"{a.name}={a.name}" for a in query), "cursor=cursor"])
    rest = ", ".join(a.written() for a in sorted(query, key=lambda a: not a.is_required))
    signature = ", ".join(["self", *(a.written() for a in path), *(["*", rest] if rest else [])])
    name, kind = "iterate_" + one.id.partition("_")[2], "AsyncIterator" if is_async else "Iterator"
    return (
        f"    def {name}({signature}) -> {kind}[{item}]:\n"
        f'        """{one.said["summary"]}: each of every page, by `{one.id}`."""\n'
        f"        return self._items(lambda cursor: self.{one.id}({given}))"
    )
