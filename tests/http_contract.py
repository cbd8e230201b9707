"""The served document, and whether an answer keeps it. Tests hold every answer and every notification they see against it."""

import copy
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock
from urllib.parse import parse_qsl, unquote

import jsonschema_rs
import msgspec

from lastro.accounts import Institution
from lastro.app import wiring
from lastro.orders import Installation
from lastro.web.middleware import _ONCE
from lastro.web.openapi import UNTOLD
from lastro_sandbox.wiring import OPEN_PATHS

if TYPE_CHECKING:
    import httpx

Part = Mapping[str, Any]
# A method that a path does not take may be refused before that is looked at.
_BEFORE_THE_METHOD = {400, 401, 403, 404, 405, 413, 415, 429, 503}
_WITHOUT_DETAILS = {401, 403, 404, 429, 500, 503}
# Refused before there is an operation: how the request came over the line.
_ON_THE_LINE = {("request", "INVALID")}


class BrokenContractError(AssertionError):
    """An answer is not as the document says."""


@cache
def contract(*, sandbox: bool = True) -> "Contract":
    """Of a sandbox: what only a sandbox has is documented with the rest. Or of production, which has none of it."""
    place = Installation(Institution("00000000", "Lastro", "0001"), "https://lastro.test", sandbox=sandbox)
    return Contract(wiring.documented(Mock(place=place), OPEN_PATHS if sandbox else None))


async def holding(answer: "httpx.Response") -> None:
    """Of an HTTP client that asks a sandbox, as a hook: each answer it hears is as the document says."""
    await answer.aread()
    _heard(answer, contract())


def holding_in_production(answer: "httpx.Response") -> None:
    """The same of a client that waits for its answers, of production."""
    answer.read()
    _heard(answer, contract(sandbox=False))


def _heard(answer: "httpx.Response", kept: "Contract") -> None:
    target = answer.request.url.raw_path.decode()
    kept.holds(answer.request.method, target, answer.status_code, answer.headers, answer.content)


class Contract:
    """An OpenAPI document to hold answers against. What it says of our own answers is all they may have."""

    def __init__(self, document: Part) -> None:
        self.document = document
        self._schemas = copy.deepcopy(document["components"]["schemas"])
        for name in self._sent():
            self._schemas[name]["additionalProperties"] = False
        self._validators: dict[str, Any] = {}
        # A word is nearer than a parameter, as the router has it.
        paths = sorted(document["paths"].items(), key=lambda one: one[0].count("{"))
        self._paths = [(_pattern(path), item) for path, item in paths]

    def holds(self, method: str, target: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """BrokenContractError where the answer to this request is not documented so. target: path and query."""
        path, _, query = target.partition("?")
        headers = {name.lower(): value for name, value in headers.items()}
        item = next((item for pattern, item in self._paths if pattern.fullmatch(path)), None)
        if {".", ".."} & set(unquote(path).split("/")):
            item = None  # it is another path, or none
        if item is None and path in UNTOLD:
            return
        operation = (item or {}).get("get" if method == "HEAD" else method.lower())
        what = f"{method} {path} {status}"
        if operation is None:
            self._refused(what, {}, status, body if method != "HEAD" else None, query)
            _demand(status in (_BEFORE_THE_METHOD if item else {400, 403, 404, 413, 415}), f"{what} of what is not there")
            return
        response = self._resolved(operation["responses"].get(str(status)))
        _demand(response is not None, f"{what} is not documented")
        self._headers(what, response, headers)
        media = headers.get("content-type", "").partition(";")[0]
        content = response.get("content", {})
        if method == "HEAD" or not content:
            _demand(not body, f"{what} has a body")
            return
        _demand(media in content, f"{what} is sent as {media}")
        if media == "application/json":
            value = msgspec.json.decode(body)
            self.valid(what, content[media]["schema"], value)
            if status >= 400 and "message" in value:
                self._refused(what, operation, status, body, query)

    def told(self, event: str, headers: Mapping[str, str], body: Any) -> None:
        """BrokenContractError where a delivery is not documented so."""
        item = self.document["webhooks"].get(event)
        _demand(item is not None, f"{event} is not documented")
        said = item["post"]
        self.valid(event, said["requestBody"]["content"]["application/json"]["schema"], body)
        headers = {name.lower(): value for name, value in headers.items()}
        known = {p["name"]: p for p in said["parameters"]}
        for name, parameter in known.items():
            _demand(name in headers or not parameter["required"], f"{event} lacks {name}")
            if name in headers:
                self.valid(f"{event} {name}", parameter["schema"], headers[name])
        undocumented = {name for name in headers if name.startswith(("x-", "webhook-"))} - known.keys()
        _demand(not undocumented, f"{event} has {undocumented}")

    def valid(self, what: str, schema: Part, value: Any) -> None:
        """BrokenContractError where a value does not fit a schema of the document."""
        key = msgspec.json.encode(schema).decode()
        if key not in self._validators:
            whole = {**schema, "components": {"schemas": self._schemas}}
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        wrong = [f"{'.'.join(map(str, e.instance_path))}: {e.message}" for e in self._validators[key].iter_errors(value)]
        _demand(not wrong, f"{what}: {wrong[:5]}")

    def operations(self) -> Iterator[tuple[str, str, Part]]:
        """Path, method and what is said of it."""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield path, method, operation

    def resolved(self, part: Part) -> Part:
        """What a reference stands for."""
        found: Part = self._resolved(part)
        return found

    def _headers(self, what: str, response: Part, headers: Mapping[str, str]) -> None:
        for name, one in response.get("headers", {}).items():
            header = self._resolved(one)
            _demand(name in headers or not header.get("required"), f"{what} lacks {name}")
            if name in headers:
                text = headers[name]
                value = int(text) if header["schema"].get("type") == "integer" and text.isdecimal() else text
                self.valid(f"{what} {name}", header["schema"], value)
        documented = response.get("headers", {}).keys()
        said = {n for n in headers if n.startswith(("ratelimit-", "x-", "idempotent-"))} - {"x-content-type-options"}
        _demand(said <= documented, f"{what} has {said - documented}")

    def _refused(self, what: str, operation: Part, status: int, body: bytes | None, query: str) -> None:
        """Each detail is one that is documented."""
        if body is None:
            return
        said = msgspec.json.decode(body)
        self.valid(what, {"$ref": "#/components/schemas/ApiError"}, said)
        _demand(not said["details"] or status not in _WITHOUT_DETAILS, f"{what} tells details: {said['details']}")
        response = self._resolved(operation.get("responses", {}).get(str(status))) or {}
        parts = ("path", *operation.get("x-refused-as", ("all", "body")))
        known = [*response.get("x-refusals", ()), *(r for part in parts for r in self.document["x-refusals"][part])]
        admitted = {(r["field"], r["issue"]) for r in known if r["status"] == status} | _ON_THE_LINE
        given = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
        names = {"query", *(name[:64] for name, _ in given)}
        broken = {name for name, value in given if not value.isprintable()}
        for detail in said["details"]:
            field, issue = re.sub(r"\[\d+\]", "[]", detail["field"]), detail["issue"]
            is_query = field in (broken if issue == "INVALID" else names)
            known_as = [field, *(["<header>"] if field.encode() in _ONCE else []), *(["<query>"] if is_query else [])]
            _demand(any((name, issue) in admitted for name in known_as), f"{what} does not document {field} {issue}")

    def _resolved(self, part: Part | None) -> Any:
        while part is not None and "$ref" in part:
            place: Any = self.document
            for step in part["$ref"].removeprefix("#/").split("/"):
                place = place[step]
            part = place
        return part

    def _sent(self) -> set[str]:
        """The types that answers and notifications are made of."""
        told = [item["post"]["requestBody"] for item in self.document["webhooks"].values()]
        found: set[str] = set()
        left = _named([operation["responses"] for *_, operation in self.operations()])
        left |= _named(told) | _named(self.document["components"]["responses"])
        while left:
            found |= left
            left = _named([self._schemas[name] for name in left]) - found
        return found


def _named(part: Any) -> set[str]:
    """Every type that a part of the document refers to."""
    if isinstance(part, Mapping):
        here = {part["$ref"].rpartition("/")[2]} if str(part.get("$ref", "")).startswith("#/components/schemas/") else set()
        return here.union(*(_named(value) for value in part.values()))
    return set[str]().union(*(_named(value) for value in part)) if isinstance(part, list | tuple) else set()


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))


def _demand(kept: bool, what: str) -> None:
    if not kept:
        raise BrokenContractError(what)
