"""The arguments of tools: frozen types, from which their JSON Schemas are made and by which calls are read."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLACE = re.compile(r" - at `\$\.?(.*?)`$")
_UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"

ID = Meta(pattern=_UUID, examples=["0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"])
AMOUNT = Meta(pattern=r"^[0-9]{1,10}\.[0-9]{2}$", examples=["10.50"])
CODE = Meta(min_length=1, max_length=64)
DAY = Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", examples=["2026-12-24"])

Since = Annotated[str, Meta(description="Made at or after: a date (the whole day in Brasilia) or a timestamp, ISO 8601.")]
Until = Annotated[str, Meta(description="Made at or before: a date (the whole day in Brasilia) or a timestamp, ISO 8601.")]
Limit = Annotated[int, Meta(ge=1, le=100, description="How many rows a page has at most; 20 where nothing is said.")]
Cursor = Annotated[str, Meta(max_length=64, description="The nextCursor of the page before; left out on the first.")]
Key = Annotated[
    str,
    Meta(
        pattern="^[!-~]{1,255}$",
        description="The idempotency key. Left out it is made of the arguments, so that an equal call does nothing twice.",
    ),
]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Base of all arguments: words of the API, unknown ones refused."""


class Paged(Arguments, frozen=True, kw_only=True):
    """Arguments of every list by cursor."""

    limit: Limit | UnsetType = UNSET
    cursor: Cursor | UnsetType = UNSET


def read(tool: str, kind: type[msgspec.Struct], given: Mapping[str, Any]) -> Any:
    """Reads a call's arguments. Declined: they do not fit, said with the argument's own description."""
    try:
        return msgspec.convert(dict(given), type=kind)
    except msgspec.ValidationError as error:
        text = str(error)
        place = _PLACE.search(text)
        where = place[1] if place is not None else ""
        about = _described(schema(kind), where) if where else ""
        what = text[: place.start()] if place is not None else text
        raise CommandFailed(
            f"{tool} was not called, and nothing was changed: {where or 'the arguments'}: {what}."
            + (f" {where} is: {about}" if about else "")
            + (_taken(schema(kind), where) if "field" in what else "")
        ) from None


def schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Returns the JSON Schema of the arguments, an object at its root."""
    (root,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    own = parts.pop(root["$ref"].rsplit("/", 1)[-1])
    for part in (own, *parts.values()):
        part.pop("title", None)
    whole: dict[str, Any] = own | ({"$defs": parts} if parts else {})
    return whole


def given(arguments: msgspec.Struct) -> dict[str, Any]:
    """Returns what was given, by the API's names."""
    told: dict[str, Any] = msgspec.to_builtins(arguments)
    return told


def key_of(tool: str, arguments: msgspec.Struct, own: str | UnsetType) -> str:
    """Returns the idempotency key of a call: the given one, or one made of the arguments."""
    if own is not UNSET:
        return own
    digest = hashlib.sha256(msgspec.json.encode(arguments, order="sorted")).hexdigest()
    return f"mcp-{tool}-{digest[:40]}"


def _described(root: dict[str, Any], where: str) -> str:
    """Returns an argument's description and its allowed words. where: its path, as payouts[0].amount."""
    here, text = _at(root, where)
    words = ", ".join(str(word) for word in here.get("enum", ()))
    return f"{text} One of {words}." if words else text


def _taken(root: dict[str, Any], where: str) -> str:
    """Returns a sentence with every field that an object takes. where: its path; empty: the arguments themselves."""
    here = _resolved(root, _at(root, where)[0])
    here = _resolved(root, here["items"]) if "items" in here else here
    needed = here.get("required", ())
    names = [name if name in needed else f"{name} (may be left out)" for name in here.get("properties", {})]
    return f" It takes {', '.join(names)}." if names else ""


def _at(root: dict[str, Any], where: str) -> tuple[dict[str, Any], str]:
    """Returns the part of a schema at a path, and its description. Without one it is that of the part around it."""
    here, text = root, ""
    for name in re.findall(r"[A-Za-z]+", where):
        here = _resolved(root, here)
        here = _resolved(root, here["items"]) if "items" in here else here
        here = here.get("properties", {}).get(name, {})
        text = here.get("description", text)
    return here, text


def _resolved(root: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    return root["$defs"][part["$ref"].rsplit("/", 1)[-1]] if "$ref" in part else part
