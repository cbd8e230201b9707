"""What of the TypeScript client is made of the document: its types by openapi-typescript, its tables here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clients.generate.document import operations

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = "// Made by `make clients`: change the document, not this file.\n"


def for_types(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what of a prepared document the types are made of: no headers and no refusals, which the client handles."""
    paths = {path: {m: _slim(one) for m, one in item.items()} for path, item in document["paths"].items()}
    told = {name: {"post": _slim(item["post"])} for name, item in document["webhooks"].items()}
    kept = {name: document[name] for name in ("openapi", "info", "servers")}
    return {**kept, "paths": paths, "webhooks": told, "components": {"schemas": document["components"]["schemas"]}}


def _slim(operation: Mapping[str, Any]) -> dict[str, Any]:
    answers = {
        status: {name: value for name, value in one.items() if name != "headers"}
        for status, one in operation["responses"].items()
        if status[0] == "2"
    }
    parameters = [one for one in operation["parameters"] if one["in"] != "header"]
    kept = ("operationId", "summary", "requestBody")
    found = {name: operation[name] for name in kept if name in operation}
    return _without_examples({**found, "parameters": parameters, "responses": answers})


def _without_examples(operation: dict[str, Any]) -> dict[str, Any]:
    """Returns an operation without its examples: the document has them, and types of them would be long."""
    made: dict[str, Any] = json.loads(json.dumps(operation))
    for part in (made.get("requestBody", {}), *made["responses"].values()):
        for content in part.get("content", {}).values():
            content.pop("example", None)
    return made


def table(document: Mapping[str, Any]) -> str:
    """Returns the module with each operation's method, path, and whether it takes an idempotency key."""
    lines = [
        f"  {one.id}: [{json.dumps(one.method)}, {json.dumps(one.path)}, {json.dumps(one.takes_key)}],"
        for one in operations(document)
    ]
    return HEAD + "\nexport const OPERATIONS = {\n" + "\n".join(lines) + "\n} as const;\n"
