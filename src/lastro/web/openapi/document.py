"""Makes the OpenAPI 3.1 document of all routes and events."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.api_kit.catalogue import read_texts
from lastro.api_kit.rendering import ApiError
from lastro.api_kit.routes import ID_SCHEMA
from lastro.core.media import JSON
from lastro.web.openapi import answers
from lastro.web.openapi.enumerations import with_names
from lastro.web.openapi.open_paths import FORM_ENCODED
from lastro.web.openapi.refusals import GENERAL, parts
from lastro.web.openapi.schemas import components, reference
from lastro.web.public import OAuthForm
from lastro.webhooks import HEADERS, Acknowledgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import msgspec

    from lastro.api_kit.routes import Doc, Route
    from lastro.web.openapi.open_paths import Open
    from lastro.webhooks import EventType, Fixed

VERSION = "3.1.1"
_IN_PATH = re.compile(r"\{(\w+)\}")
# In the order in which the document has them; the reference's catalogue says what each is.
_TAGS = (
    "orders", "payouts", "subscriptions", "med", "accounts", "webhooks", "tokens", "keys", "qr",
    "checkout", "slips", "vouchers", "banks", "service", "sandbox",
)  # fmt: skip
_NAMES = {
    "400": "Invalid", "401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "406": "NotAcceptable",
    "409": "Conflict", "413": "TooLarge",
    "415": "UnsupportedType", "429": "TooMany", "500": "Failed", "503": "Unavailable",
}  # fmt: skip
_ABOUT = (Path(__file__).parent / "about.md").read_text(encoding="utf-8").strip()
_TEXTS = read_texts(Path(__file__).with_name("texts.toml"))


def document(
    url: str,
    version: str,
    routes: Iterable[Route],
    open_paths: Mapping[str, Mapping[str, Open]],
    event_types: Sequence[EventType],
) -> dict[str, Any]:
    """Returns the document as a JSON value. It is the same for the same arguments. url: of this lastro."""
    paths: dict[str, dict[str, Any]] = {}
    kinds: set[type[msgspec.Struct]] = {ApiError, Acknowledgement, OAuthForm}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
        for path in route.same_at:
            # Two paths, one operation: its id has to be another all the same.
            same = {"operationId": f"{route.operation}_elsewhere", "x-same-as": route.operation}
            paths.setdefault(path, {})[route.method.lower()] = {**_operation(route), **same}
        kinds |= _kinds(route.doc)
    for path, methods in open_paths.items():
        for method, one in methods.items():
            paths.setdefault(path, {})[method.lower()] = _open(path, one)
            kinds |= _kinds(one.doc)
            kinds |= {g.schema for g in one.gives if isinstance(g.schema, type)}
    kinds |= {event_type.body for event_type in event_types}
    schemas = components(kinds)
    used = {tag for item in paths.values() for operation in item.values() for tag in operation["tags"]}
    told = {event_type.name: {"post": _told(event_type, schemas)} for event_type in event_types}
    responses = _shared(paths)
    return with_names({
        "openapi": VERSION,
        "info": {"title": "lastro", "version": version, "description": _ABOUT, "contact": {"name": "lastro", "url": url},
                 "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "servers": [{"url": url}],
        "tags": [{"name": name, "description": _TEXTS[f"group-{name}-about"]["en"]} for name in _TAGS if name in used],
        "paths": paths,
        "webhooks": told,
        "components": {
            "schemas": schemas,
            "responses": responses,
            "headers": answers.header_components((paths, responses)),
            "securitySchemes": _schemes(),
        },
        "x-refusals": {part: [answers.described(r) for r in found] for part, found in GENERAL.items()},
    })  # fmt: skip


def _shared(paths: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Refusals that several operations word alike, taken out of them and named."""
    every = [operation["responses"] for item in paths.values() for operation in item.values()]
    shared: dict[str, Any] = {}
    for status, word in _NAMES.items():
        alike = [responses[status] for responses in every if status in responses]
        for response in [r for n, r in enumerate(alike) if alike.count(r) > 1 and r not in alike[:n]]:
            number = sum(name.startswith(word) for name in shared) + 1
            shared[word if number == 1 else f"{word}{number}"] = response
    places = [(f"#/components/responses/{name}", response) for name, response in shared.items()]
    for responses in every:
        for status, response in responses.items():
            responses[status] = next(({"$ref": place} for place, one in places if one == response), response)
    return shared


def _kinds(doc: Doc) -> set[type[msgspec.Struct]]:
    return {kind for kind in (doc.form, doc.answer) if kind is not None}


def _schemes() -> dict[str, Any]:
    return {
        "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                   "description": "A token of `POST /auth/v1/token` or `POST /oauth2/token`."},
        "basic": {"type": "http", "scheme": "basic", "description": "A client's id and secret, for `POST /oauth2/token`."},
    }  # fmt: skip


def _operation(route: Route) -> dict[str, Any]:
    doc = route.doc
    found: dict[str, Any] = {
        "operationId": route.operation,
        "tags": [route.permission.partition(":")[0]],
        "summary": doc.summary,
        "description": f"{doc.description}\n\nPermission: `{route.permission}`.".strip(),
        "security": [{"bearer": []}],
        "x-permission": route.permission,
        "x-refused-as": parts(route),
        "parameters": list(_parameters(route)),
    }
    if doc.form is not None:
        content: dict[str, Any] = {"schema": reference(doc.form)}
        if doc.request is not None:
            content["example"] = doc.request
        bodies = {JSON: content, **answers.of_media(doc.bodies)}
        found["requestBody"] = {"required": not route.may_be_empty, "content": bodies}
    elif doc.bodies:
        found["requestBody"] = {"required": True, "content": answers.of_media(doc.bodies)}
    return {**found, "responses": answers.of_route(route)}


def _parameters(route: Route) -> Iterator[dict[str, Any]]:
    for name in _IN_PATH.findall(route.path):
        yield {"name": name, "in": "path", "required": True, "schema": dict(ID_SCHEMA), "example": _ID,
               "description": "An id as we print it; anything else answers as one that nobody has."}  # fmt: skip
    for query in route.queries:
        described = {"name": query.name, "in": "query", "description": query.description, "schema": dict(query.schema)}
        yield described | ({"required": True} if query.is_required else {})
    if route.key != "none":
        best = "A UUID." if route.key_is_uuid else "A UUID is best."
        free = {"type": "string", "minLength": 1, "maxLength": route.key_longest, "pattern": "^[!-~]+$"}
        yield {
            "name": "idempotency-key", "in": "header", "required": route.key == "required",
            "description": f"Makes it safe to send the request again. {best}",
            "schema": dict(ID_SCHEMA) if route.key_is_uuid else free,
            "example": "5a1d4cf5-6b0e-4f3b-9d3c-0f5b6a7c8d9e",
        }  # fmt: skip
    yield _REQUEST_ID


_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
_REQUEST_ID = {
    "name": "x-request-id", "in": "header", "schema": {"type": "string"},
    "description": "Your name for the request, at most 128 printable characters without blanks; it comes back. Without one,"
    " or with another kind of one, the answer has one of ours.",
}  # fmt: skip


def _open(path: str, one: Open) -> dict[str, Any]:
    doc = one.doc
    named = one.parameters or {}
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}, "description": named[name]}
        for name in _IN_PATH.findall(path)
    ]
    parameters += [
        {"name": q.name, "in": "query", "description": q.description, "schema": dict(q.schema)} for q in one.queries
    ]
    found: dict[str, Any] = {
        "operationId": one.operation, "tags": [one.tag], "summary": doc.summary, "description": doc.description,
        "security": [], "x-refused-as": ("all",) if doc.form is None and one.takes == JSON else ("all", "body"),
        "parameters": [*parameters, _REQUEST_ID],
    }  # fmt: skip
    if one.takes == FORM_ENCODED:
        found["security"] = [{}, {"basic": []}]
    elif one.needs_token:
        found["security"] = [{"bearer": []}]
    form = OAuthForm if one.takes == FORM_ENCODED else doc.form
    if form is not None:
        content: dict[str, Any] = {"schema": reference(form)}
        if one.takes == FORM_ENCODED:
            # RFC 6749 §3.2: what is not known is ignored, but nothing is there twice.
            content["schema"]["additionalProperties"] = {"type": "string"}
        if doc.request is not None:
            content["example"] = doc.request
        found["requestBody"] = {"required": True, "content": {one.takes: content}}
    return {**found, "responses": answers.of_open(path, one)}


def _always(place: dict[str, str], value: Mapping[str, Fixed], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an object's schema with its fixed values. place: the reference to its schema without them."""
    fields = schemas[place["$ref"].rpartition("/")[2]]["properties"]
    always = {
        name: {"const": one} if isinstance(one, str) else _always({"$ref": fields[name]["$ref"]}, one, schemas)
        for name, one in value.items()
    }
    return {"allOf": [place, {"type": "object", "properties": always}]} if always else place


def _told(event_type: EventType, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the webhook operation of an event type."""
    schema = _always(reference(event_type.body), event_type.always, schemas)
    return {
        "operationId": re.sub(r"[^A-Za-z0-9]+", "_", event_type.name).lower(),
        "tags": ["webhooks"],
        "summary": event_type.summary,
        "description": event_type.description,
        "security": [],
        "parameters": [
            {"name": h.name, "in": "header", "required": h.always, "description": h.description,
             "schema": {"const": event_type.name} if h.name == "x-event-type" else dict(h.schema),
             "example": event_type.name if h.name == "x-event-type" else h.example}
            for h in HEADERS
        ],
        "requestBody": {"required": True, "content": {JSON: {"schema": schema, "example": event_type.example}}},
        "responses": {
            "200": {"description": "You have it. Any other status or body is a failed attempt, and four more follow: after a"
                    " minute, ten minutes, an hour and six hours.",
                    "content": {JSON: {"schema": reference(Acknowledgement), "example": {"returnCode": "SUCCESS"}}}},
        },
    }  # fmt: skip
