"""Lists an operation's refusals: the web app's own, a form's by its types, and those its room declares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msgspec import inspect

from lastro.api_kit.aliases import second_names, spellings
from lastro.api_kit.forms import Amount, without_none
from lastro.api_kit.http import STATUS
from lastro.api_kit.routes import NO_NETWORK
from lastro.core.errors import Kind, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lastro.api_kit.forms import Form
    from lastro.api_kit.routes import Doc, Route

ANY_HEADER = "<header>"
ANY_QUERY = "<query>"


@dataclass(frozen=True, slots=True)
class Answered:
    """The text of a status without details. cause, cure: for people."""

    status: int
    cause: str
    cure: str


# Of every operation that takes its kind. ANY_… stands for the name of a header or query parameter.
HOST = (
    Refusal(Kind.INVALID, "host", "NOT_ALLOWED", "The request calls this server by a name that is not its own.",
            "Call it by the address that you were given."),
    Refusal(Kind.INVALID, ANY_HEADER, "DUPLICATE",
            "A header that may stand once is there twice: host, origin, authorization, content-type, content-length,"
            " content-encoding, idempotency-key, x-request-id.", "Send it once."),
)  # fmt: skip
QUERY = (
    Refusal(Kind.INVALID, ANY_QUERY, "NOT_ALLOWED", "The operation has no query parameter of this name.", "Leave it out."),
    Refusal(Kind.INVALID, ANY_QUERY, "DUPLICATE", "A query parameter is given twice.", "Give it once."),
    Refusal(Kind.INVALID, ANY_QUERY, "INVALID", "A query parameter is not UTF-8.", "Escape the bytes of its UTF-8 by `%`."),
)
BODY = (
    Refusal(Kind.INVALID, "body", "REQUIRED", "The operation takes a body, and there is none.", "Send one JSON object."),
    Refusal(Kind.INVALID, "body", "INVALID",
            "The body is no JSON object in UTF-8, is deeper than 32, has a key twice, or ended before it was whole.",
            "Send one JSON object, whole."),
    Refusal(Kind.INVALID, "body", "EXPIRED", "The body did not arrive within 15 seconds.", "Send it at once."),
    Refusal(Kind.TOO_LARGE, "body", "TOO_LONG", "The body has more than 1,048,576 bytes, or more than the description says.",
            "Send less."),
    Refusal(Kind.UNSUPPORTED_TYPE, "content-type", "NOT_SUPPORTED",
            "The body is not sent as `application/json` in UTF-8, nor as another type that the operation lists.",
            "Set the header `content-type` to what the body is."),
    Refusal(Kind.UNSUPPORTED_TYPE, "content-encoding", "NOT_SUPPORTED", "The body is compressed.", "Send it as it is."),
)  # fmt: skip
KEY_REQUIRED = Refusal(
    Kind.INVALID, "idempotency-key", "REQUIRED", "The operation is only done under a key.",
    "Send a new UUID with each new request, and the same with each repetition.",
)  # fmt: skip
KEY = (
    Refusal(Kind.INVALID, "idempotency-key", "TOO_LONG", "The key has more characters than the operation takes.",
            "Send a UUID."),
    Refusal(Kind.INVALID, "idempotency-key", "INVALID", "The key is empty, or not of printable ASCII without blanks.",
            "Send a UUID."),
    Refusal(Kind.CONFLICT, "idempotency-key", "CONFLICT",
            "The key was used for another request, or a request under it is still being worked on (then with Retry-After).",
            "Send a new key with a new request; repeat an old one unchanged, after the time that is named."),
    Refusal(Kind.CONFLICT, "idempotency-key", "DUPLICATE",
            "The request was done so long ago that its answer is no longer kept; the description names the object.",
            "Read the object."),
)  # fmt: skip
ACCEPT = Refusal(
    Kind.NOT_ACCEPTABLE, "accept", "NOT_SUPPORTED", "The operation's answer is not had as what the header `accept` names.",
    "Name one of the media types that the description lists, or leave the header out.",
)  # fmt: skip
METHOD = Refusal(
    Kind.METHOD_NOT_ALLOWED, "method", "NOT_ALLOWED", "The path does not take this method.",
    "Use one that the header `allow` lists.",
)  # fmt: skip
GENERAL: Mapping[str, tuple[Refusal, ...]] = {
    "path": (METHOD,), "all": HOST, "query": QUERY, "body": BODY, "required-key": (KEY_REQUIRED,), "key": KEY,
    "accept": (ACCEPT,), "network": (NO_NETWORK,),
}  # fmt: skip
WITHOUT_DETAILS = (
    Answered(401, "There is no bearer token, or it is none of ours, has ended, was revoked, or its client was.",
             "Get a new token."),
    Answered(403, "The client lacks the permission, calls from a network that is not its own, or the page that calls is"
             " another origin's.", "Have the client given the permission."),
    Answered(404, "There is nothing here of this id. What is another company's answers the same.", "Look at the id."),
    Answered(429, "The client has used up its requests, has too many large bodies or files on their way, or its company asks"
             " more than its share while others wait.",
             "Wait for the seconds that Retry-After names."),
    Answered(500, "Something failed here.",
             "Send the request again under its `idempotency-key`, and tell us the `x-request-id`."),
    Answered(503, "The database, or a network that has to be asked, is away, or more is asked than can be done.",
             "Send the request again under its `idempotency-key` after the seconds that Retry-After names."),
)  # fmt: skip

_OF_A_FIELD = {
    "REQUIRED": ("The field is missing or null.", "Send it."),
    "INVALID": ("It has the wrong type or form, is empty, or is none of the words that the interface names.",
                "Send what the schema says."),
    "TOO_LONG": ("It has more characters than the field takes.", "Send what the schema says."),
    "OUT_OF_RANGE": ("It is too small or too large.", "Send what the schema says."),
    "NOT_SUPPORTED": ("The currency is not one that this is done in.", "Send BRL."),
    "MUTUALLY_EXCLUSIVE": ("The field came under both of its names, with different values.", "Send it under one name."),
}  # fmt: skip
_AMOUNT = {"currency": ("NOT_SUPPORTED",), "value": ("INVALID", "OUT_OF_RANGE")}


def parts(route: Route) -> tuple[str, ...]:
    """Returns the groups of general refusals that concern an operation."""
    found = ["all", "query"]
    if route.method != "GET":
        found.append("body")
    if route.key != "none":
        found.append("key")
    if route.key == "required":
        found.append("required-key")
    if route.offered:
        found.append("accept")
    if route.needs_network:
        found.append("network")
    return tuple(found)


def of_route(route: Route) -> tuple[Refusal, ...]:
    """Returns all detailed refusals of an operation, its room's own first."""
    return (*of_doc(route.doc), *(r for part in parts(route) for r in GENERAL[part]))


def of_doc(doc: Doc) -> tuple[Refusal, ...]:
    """Returns the detailed refusals of a Doc: declared ones, then by types."""
    declared = tuple(r for r in doc.refusals if r.issue)
    known = {(r.field, r.issue) for r in declared}
    found = (*declared, *(r for r in of_form(doc.form) if (r.field, r.issue) not in known))
    return found if doc.form is None else tuple(_spelled(found, doc.form))


def _spelled(refusals: Iterable[Refusal], form: type[Form]) -> Iterator[Refusal]:
    """Yields each refusal under every name of its field."""
    for refusal in refusals:
        for path in spellings(refusal.field, form):
            yield refusal if path == refusal.field else replace(refusal, field=path)


def statuses(route: Route) -> tuple[int, ...]:
    """Returns every error status an operation can give, ascending."""
    found = {401, 403, 429, 500, 503}
    return tuple(sorted(found | {STATUS[r.kind] for r in (*of_route(route), *route.doc.refusals)}))


def of_form(form: type[Form] | None) -> tuple[Refusal, ...]:
    """Returns the refusals that the types of a body's fields imply."""
    if form is None:
        return ()
    kind = inspect.type_info(form)
    assert isinstance(kind, inspect.StructType)
    return tuple(Refusal(Kind.INVALID, field, issue, *_OF_A_FIELD[issue]) for field, issue in _fields(kind, ""))


def _fields(struct: inspect.StructType, path: str) -> Iterator[tuple[str, str]]:
    for field in struct.fields:
        name = path + field.encode_name
        if field.required:
            yield name, "REQUIRED"
        yield from _values(without_none(field.type), name)
        if issubclass(struct.cls, Amount):
            yield from ((name, issue) for issue in _AMOUNT[field.encode_name])
        for second in second_names(struct.cls).get(field.encode_name, ()):
            yield name, "MUTUALLY_EXCLUSIVE"
            yield path + second, "MUTUALLY_EXCLUSIVE"


def _values(kind: inspect.Type, name: str) -> Iterator[tuple[str, str]]:
    if not isinstance(kind, inspect.RawType):
        yield name, "INVALID"
    if isinstance(kind, inspect.StructType):
        yield from _fields(kind, name + ".")
    elif isinstance(kind, inspect.ListType):
        yield from _values(without_none(kind.item_type), f"{name}[]")
    elif isinstance(kind, inspect.StrType) and kind.max_length is not None:
        yield name, "TOO_LONG"
    elif isinstance(kind, inspect.IntType):
        yield name, "OUT_OF_RANGE"
