"""What to do about each refusal, as the document says it: a table for the clients' errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clients.generate.document import Operation, operations, resolved

from lastro.web.openapi.refusals import WITHOUT_DETAILS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PYTHON = '''"""What to do about each refusal. Made by `make clients`: change the document, not this file."""

from __future__ import annotations

TEXTS: tuple[str, ...] = {texts}
# By operation, empty for every one; then by status, field and issue.
_PLACES: dict[str, dict[str, int]] = {places}


def cure_of(operation: str, status: int, field: str, issue: str) -> str:
    """Returns what to do about a refusal. Empty: the document does not say."""
    named = f"{{status}} {{field}} {{issue}}"
    found = _PLACES.get(operation, {{}}).get(named, _PLACES[""].get(named))
    return "" if found is None else TEXTS[found]
'''
_TYPESCRIPT = """// What to do about each refusal. Made by `make clients`: change the document, not this file.

const TEXTS: readonly string[] = {texts};
// By operation (method and path), empty for every one; then by status, field and issue.
const PLACES: Readonly<Record<string, Readonly<Record<string, number>>>> = {places};

/** What to do about a refusal. Empty: the document does not say. */
export function cureOf(operation: string, status: number, field: string, issue: string): string {{
  const named = `${{status}} ${{field}} ${{issue}}`;
  const found = PLACES[operation]?.[named] ?? PLACES[""]?.[named];
  return found === undefined ? "" : (TEXTS[found] ?? "");
}}
"""


def python(document: Mapping[str, Any]) -> str:
    """Returns the module for Python: an operation is its id."""
    return _module(document, _PYTHON, lambda one: one.id)


def typescript(document: Mapping[str, Any]) -> str:
    """Returns the module for TypeScript: an operation is its method and path."""
    return _module(document, _TYPESCRIPT, lambda one: f"{one.method} {one.path}")


def _module(document: Mapping[str, Any], template: str, name: Any) -> str:
    texts: dict[str, int] = {}

    def place(cure: str) -> int:
        return texts.setdefault(cure, len(texts))

    shared = {f"{one.status}  ": place(one.cure) for one in WITHOUT_DETAILS}
    shared |= {_key(r): place(r["cure"]) for part in document["x-refusals"].values() for r in part}
    places = {"": shared}
    for one in operations(document):
        own = {_key(r): place(r["cure"]) for r in _refusals(document, one)}
        own = {key: number for key, number in own.items() if shared.get(key) != number}
        places |= {name(one): own} if own else {}
    written = json.dumps([*texts], ensure_ascii=False, indent=1)
    if template is _PYTHON:
        written = "(\n" + written[1:-1].rstrip() + ",\n)"
    return template.format(texts=written, places=json.dumps(places, ensure_ascii=False, indent=1))


def _key(refusal: Mapping[str, Any]) -> str:
    return f"{refusal['status']} {refusal['field']} {refusal['issue']}"


def _refusals(document: Mapping[str, Any], one: Operation) -> Iterator[Mapping[str, Any]]:
    for response in one.said["responses"].values():
        yield from resolved(document, response).get("x-refusals", ())
