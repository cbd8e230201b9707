"""The part of the OpenAPI document that clients call: what is behind a token, with each field's first name alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from lastro.accounts import Institution
from lastro.app import wiring
from lastro.orders import Installation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

JSON = "application/json"


class _OnPaper:
    """An installation of which only the place is used."""

    place = Installation(Institution("00000000", "Lastro", "0001"), "https://lastro.example", sandbox=False)

    def __getattr__(self, name: str) -> None:
        return None


@dataclass(frozen=True)
class Operation:
    """An operation behind a token."""

    id: str
    method: str
    path: str
    said: Mapping[str, Any]

    @property
    def takes_key(self) -> bool:
        """True where it has an idempotency key."""
        return any(p["name"] == "idempotency-key" for p in self.said["parameters"])

    def parameters(self, place: str) -> list[Mapping[str, Any]]:
        """Returns its parameters of the path or the query."""
        return [p for p in self.said["parameters"] if p["in"] == place]

    def bodies(self) -> Mapping[str, Any]:
        """Returns the content of its body by media type."""
        found: Mapping[str, Any] = self.said.get("requestBody", {}).get("content", {})
        return found

    def answers(self) -> Mapping[str, Any]:
        """Returns the content of its success by media type."""
        return next((r.get("content", {}) for status, r in self.said["responses"].items() if status[0] == "2"), {})


def served() -> dict[str, Any]:
    """Returns the document as a lastro serves it in production."""
    return wiring.documented(cast("wiring.AppContext", _OnPaper()))


def prepared(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what of the document a client calls, and what it is told."""
    paths = {
        path: {method: one for method, one in item.items() if "x-permission" in one and "x-same-as" not in one}
        for path, item in document["paths"].items()
    }
    schemas = {name: _first_names(schema) for name, schema in document["components"]["schemas"].items()}
    return {
        **document,
        "paths": {path: item for path, item in paths.items() if item},
        "components": {**document["components"], "schemas": schemas},
    }


def _first_names(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a form without second names, and without the rules that told them apart."""
    fields = schema.get("properties", {})
    second = {name: one["x-alias-of"] for name, one in fields.items() if "x-alias-of" in one}
    # An answer's second name is no choice: both stand there.
    if not second or not schema.get("allOf"):
        return schema
    required = {name for rule in schema["allOf"] for one in rule.get("oneOf", ()) for name in one["required"]}
    kept = {name: one for name, one in fields.items() if name not in second}
    needed = [name for name in kept if name in required or name in schema.get("required", ())]
    rest = {name: value for name, value in schema.items() if name not in ("allOf", "properties", "required")}
    return {**rest, "properties": kept, **({"required": needed} if needed else {})}


def operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    """Yields each operation of a prepared document."""
    for path, item in document["paths"].items():
        for method, said in item.items():
            yield Operation(said["operationId"], method.upper(), path, said)


def resolved(document: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what a reference stands for."""
    while "$ref" in part:
        place: Any = document
        for step in part["$ref"].removeprefix("#/").split("/"):
            place = place[step]
        part = place
    return part
