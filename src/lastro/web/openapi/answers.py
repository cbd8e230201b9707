"""The responses of operations: their bodies, their headers, and every reason of a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lastro.api_kit.http import STATUS, refusal
from lastro.api_kit.rendering import ApiError
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.media import JSON
from lastro.web.admission import WATCHED
from lastro.web.openapi import refusals
from lastro.web.openapi.schemas import reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lastro.api_kit.routes import Doc, Route
    from lastro.core.errors import Refusal
    from lastro.core.media import Media
    from lastro.web.openapi.open_paths import Gives, Open

# The text of a status by itself; the reasons follow in the description.
_SAYS = {
    400: "A value of the request is at fault.", 401: "Who calls is not known.", 403: "Who calls may not do this.",
    404: "There is no such thing here.", 406: "The answer is not had as what the caller takes.",
    409: "The state of something is in the way.", 413: "The body is too large.",
    415: "The body is of another kind.", 429: "Too many requests.", 500: "Something failed here.",
    503: "Something is away for the moment.",
}  # fmt: skip
_KINDS = {status: kind for kind, status in STATUS.items()}
_WHOLE = {"type": "integer", "minimum": 0}
# name: description, schema.
HEADERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "x-request-id": ("The request's name in our logs: yours, where you sent one of at most 128 printable characters.",
                     {"type": "string", "pattern": "^[!-~]{1,128}$"}),
    "ratelimit-limit": ("How many requests a minute the client has.", _WHOLE),
    "ratelimit-remaining": ("How many of them are left.", _WHOLE),
    "ratelimit-reset": ("Seconds until all are there again.", _WHOLE),
    "retry-after": ("Seconds to wait before the next try.", _WHOLE),
    "idempotent-replayed": ("The answer is the first one under this key, byte for byte.", {"const": "true"}),
    "x-lastro-possible-duplicate": ("The payout that this one may repeat.", {"type": "string", "format": "uuid"}),
    "www-authenticate": ("How to authenticate.", {"type": "string"}),
    "cache-control": ("Whether it may be kept.", {"type": "string"}),
    "etag": ("Send it back as `if-none-match`.", {"type": "string"}),
    "vary": ("What else of the request the answer depends on.", {"type": "string"}),
    "location": ("Where to go on.", {"type": "string", "format": "uri"}),
    "refresh": ("After how many seconds it comes again.", {"type": "string"}),
    "x-robots-tag": ("Whether searches may tell of it.", {"type": "string"}),
    "content-disposition": ("The name of the file that the answer is, where it is one.", {"type": "string"}),
}  # fmt: skip
_HEADER = "#/components/headers/{name}"
_ALWAYS = "x-request-id"
_LIMITS = ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset")
_OF_STATUS = {
    401: ("www-authenticate",), 406: ("vary",), 409: ("retry-after",), 429: ("retry-after",), 503: ("retry-after",),
}  # fmt: skip
# Statuses that every path may answer before its handler: the request is malformed, or there is too much to do.
_EVERY = (400, 403, 429, 500, 503)
_CERTAIN = {("retry-after", 429), ("retry-after", 503), ("vary", 406)}


def header_components(parts: Iterable[Any]) -> dict[str, Any]:
    """Returns the headers that some of the parts refer to."""
    used = {place for part in parts for place in _references(part)}
    return {
        name: {"description": text, "required": name == _ALWAYS, "schema": dict(schema)}
        for name, (text, schema) in HEADERS.items()
        if _HEADER.format(name=name) in used
    }


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def of_route(route: Route) -> dict[str, Any]:
    """Responses of an operation behind a token, by status."""
    doc = route.doc
    replay = () if route.key == "none" else ("idempotent-replayed",)
    always = (*_LIMITS, "vary") if route.offered else _LIMITS
    said: dict[str, Any] = {"description": "Done." if route.method != "GET" else "As asked.",
                            "headers": _headers((*always, *replay, *doc.headers), certain=always)}  # fmt: skip
    content = {} if doc.answer is None else {JSON: _content(reference(doc.answer), doc.response)}
    content |= of_media(doc.media)
    if content:
        said["content"] = content
    found = {str(status): said for status in (*route.also, route.success)}
    for status in refusals.statuses(route):
        found[str(status)] = error(doc, status)
    return found


def of_media(media: Iterable[Media]) -> dict[str, Any]:
    """Returns the content of a non-JSON body or answer, by media type."""
    return {
        one.name: _content(dict(one.schema or {"type": "string", "contentMediaType": one.name}), one.example)
        for one in media
    }


def of_open(path: str, operation: Open) -> dict[str, Any]:
    """Responses of an operation without a token, by status."""
    found: dict[str, Any] = {}
    given = {one.status: one for one in operation.gives}
    every = {status for status in _EVERY if status != 429 or path not in WATCHED}
    for number in sorted({*given, *operation.errors, *every}):
        if number not in given:
            found[str(number)] = error(operation.doc, number, limits=())
            continue
        found[str(number)] = _given(given[number])
        if number in every:
            # A path with its own error format is still behind the same middleware.
            content = found[str(number)]["content"][JSON]
            content["schema"] = {"anyOf": [content["schema"], reference(ApiError)]}
    return found


def error(doc: Doc, status: int, limits: tuple[str, ...] = _LIMITS) -> dict[str, Any]:
    """Returns a refusal. limits: headers that it may have beside its own."""
    declared, reasons = _of(doc.refusals, status), _of(refusals.of_doc(doc), status)
    about: list[Refusal | refusals.Answered] = [*declared]
    about = about or [one for one in refusals.WITHOUT_DETAILS if one.status == status]
    own = tuple(name for name in _OF_STATUS.get(status, ()) if limits or name != "www-authenticate")
    first = [*reasons, *_of((r for part in refusals.GENERAL.values() for r in part), status)][:1]
    problems = tuple(Problem(r.field, r.issue, r.cause) for r in first)
    example = msgspec.json.decode(refusal(Refused(_KINDS.get(status, Kind.UNAVAILABLE), problems)).body)
    lines = "\n".join(_line(one) for one in about)
    return {
        "description": f"{_SAYS[status]}\n\n{lines}".strip(),
        "headers": _headers((*own, *limits), certain=tuple(n for n in own if (n, status) in _CERTAIN)),
        "content": {JSON: _content(reference(ApiError), example)},
        **({"x-refusals": [described(r) for r in reasons]} if reasons else {}),
    }


def described(one: Refusal) -> dict[str, Any]:
    """Returns a reason as the document's own field `x-refusals` has it."""
    return {"status": STATUS[one.kind], "field": one.field, "issue": one.issue, "cause": one.cause, "cure": one.cure}


def _line(one: Refusal | refusals.Answered) -> str:
    name = f"`{one.field}` `{one.issue}`: " if not isinstance(one, refusals.Answered) and one.issue else ""
    return f"- {name}{one.cause} {one.cure}"


def _of(found: Iterable[Refusal], status: int) -> list[Refusal]:
    return [r for r in found if STATUS[r.kind] == status]


def _given(one: Gives) -> dict[str, Any]:
    said: dict[str, Any] = {"description": one.description, "headers": _headers(one.headers, certain=one.headers)}
    if one.schema is not None:
        schema = reference(one.schema) if isinstance(one.schema, type) else dict(one.schema)
        said["content"] = {media: _content(schema, one.example) for media in (one.media, *one.also)}
    return said


def _content(schema: Mapping[str, Any], example: Any) -> dict[str, Any]:
    return {"schema": dict(schema)} | ({} if example is None else {"example": example})


def _headers(names: Iterable[str], certain: Iterable[str]) -> dict[str, Any]:
    """Returns headers' schemas. certain: those always there, which stand in full, since a reference cannot say so."""
    always = set(certain)
    return {name: _certain(name) if name in always else {"$ref": _HEADER.format(name=name)}
            for name in (_ALWAYS, *names)}  # fmt: skip


def _certain(name: str) -> dict[str, Any]:
    text, schema = HEADERS[name]
    return {"description": text, "required": True, "schema": dict(schema)}
