"""The document as a Postman collection (schema v2.1.0): every operation ready to be sent, the token fetched by itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCHEMA: Final = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_IN_PATH: Final = re.compile(r"\{(\w+)\}")
# Kept for 50 of its 60 minutes. pm.sendRequest is Postman's and newman's own.
_TOKEN_FETCHED: Final = """
const until = Number(pm.variables.get("tokenUntil") || 0);
if (Date.now() > until && pm.variables.get("clientId")) {
  pm.sendRequest({
    url: pm.variables.get("baseUrl") + "/auth/v1/token",
    method: "POST",
    header: {"content-type": "application/json"},
    body: {mode: "raw", raw: JSON.stringify({
      clientId: pm.variables.get("clientId"),
      clientSecret: pm.variables.get("clientSecret"),
    })},
  }, (error, answer) => {
    if (error || answer.code !== 200) {
      console.error("No token: look at the variables clientId and clientSecret.", error || answer.text());
      return;
    }
    pm.collectionVariables.set("token", answer.json().token);
    pm.collectionVariables.set("tokenUntil", String(Date.now() + 50 * 60 * 1000));
  });
}
""".strip()


def collection(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a Postman collection of our OpenAPI document, as a JSON value.

    Each of its tags is a folder. A user sets the variables clientId and clientSecret after the import. A new idempotency key
    is made with each request; to send one again under its key, the key is written out.
    """
    info = document["info"]
    folders: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in document["tags"]}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            folders[operation["tags"][0]].append(_request(path, method, operation))
    described = {tag["name"]: tag["description"] for tag in document["tags"]}
    return {
        "info": {"name": f"{info['title']} {info['version']}", "description": info["description"], "schema": SCHEMA},
        "variable": [
            {"key": "baseUrl", "value": document["servers"][0]["url"]}, {"key": "clientId", "value": ""},
            {"key": "clientSecret", "value": ""}, {"key": "token", "value": ""}, {"key": "tokenUntil", "value": "0"},
        ],
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}", "type": "string"}]},
        "event": [{"listen": "prerequest", "script": {"type": "text/javascript", "exec": _TOKEN_FETCHED.split("\n")}}],
        "item": [
            {"name": name, "description": described[name], "item": requests} for name,
            requests in folders.items() if requests
        ],
    }  # fmt: skip


def _request(path: str, method: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    headers, body = [*_headers(operation)], _body(operation)
    if body is not None and body["mode"] == "raw":
        headers.append({"key": "content-type", "value": "application/json"})
    request: dict[str, Any] = {
        "method": method.upper(), "header": headers, "url": _url(path, operation), "description": operation["description"],
    }  # fmt: skip
    if not any("bearer" in one for one in operation["security"]):
        request["auth"] = {"type": "noauth"}
    sent = request | ({} if body is None else {"body": body})
    return {"id": operation["operationId"], "name": operation["summary"], "request": sent, "response": []}


def _url(path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    named = {p["name"]: p for p in operation["parameters"] if p["in"] == "path"}
    plain = _IN_PATH.sub(r":\1", path)
    queries = [
        {"key": p["name"], "value": _shown(p), "description": p["description"], "disabled": not p.get("required", False)}
        for p in operation["parameters"]
        if p["in"] == "query"
    ]
    asked = "&".join(f"{q['key']}={q['value']}" for q in queries if not q["disabled"])
    url: dict[str, Any] = {
        "raw": "{{baseUrl}}" + plain + (f"?{asked}" if asked else ""), "host": ["{{baseUrl}}"],
        "path": plain.removeprefix("/").split("/"),
    }  # fmt: skip
    if named:
        url["variable"] = [
            {"key": name, "value": _shown(named[name]), "description": named[name]["description"]}
            for name in _IN_PATH.findall(path)
        ]
    return url | ({"query": queries} if queries else {})


def _headers(operation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for parameter in operation["parameters"]:
        if parameter["in"] == "header":
            is_key = parameter["name"] == "idempotency-key"
            yield {
                "key": parameter["name"], "value": "{{$guid}}" if is_key else _shown(parameter),
                "description": parameter["description"], "disabled": not is_key,
            }  # fmt: skip


def _body(operation: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the example of a JSON body, or a form's fields. The fields are empty, a file is to be chosen."""
    content: Mapping[str, Any] = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        raw = json.dumps(content["application/json"].get("example", {}), indent=2, ensure_ascii=False)
        return {"mode": "raw", "raw": raw, "options": {"raw": {"language": "json"}}}
    if "multipart/form-data" in content:
        return {"mode": "formdata", "formdata": [_field(*one) for one in _properties(content["multipart/form-data"])]}
    if "application/x-www-form-urlencoded" in content:
        known = {"grant_type": "client_credentials", "client_id": "{{clientId}}", "client_secret": "{{clientSecret}}"}
        return {"mode": "urlencoded", "urlencoded": [{"key": key, "value": value} for key, value in known.items()]}
    return {"mode": "file", "file": {}} if content else None


def _properties(content: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from content.get("schema", {}).get("properties", {}).items()


def _field(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    is_file = schema.get("format") == "binary" or "contentMediaType" in schema or schema.get("type") != "string"
    return {"key": name, "type": "file", "src": []} if is_file else {"key": name, "type": "text", "value": ""}


def _shown(parameter: Mapping[str, Any]) -> str:
    """Returns an example of the value, or a placeholder."""
    schema = parameter.get("schema", {})
    value = parameter.get("example", schema.get("example", schema.get("default", "")))
    return value if isinstance(value, str) else json.dumps(value)
