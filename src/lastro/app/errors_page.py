"""The guide's page of errors: every refusal of this server, cause and cure, made of the code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from lastro.api_kit.http import STATUS, refusal, unexpected
from lastro.api_kit.routes import NO_NETWORK
from lastro.core.errors import Kind, Problem, Refusal, Refused
from lastro.web.openapi.refusals import ACCEPT, BODY, HOST, KEY, KEY_REQUIRED, QUERY, of_route

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.api_kit.http import Response
    from lastro.api_kit.routes import Route


@dataclass(frozen=True, slots=True)
class Status:
    """The meaning of a status. again: whether, and when, the same request may be retried."""

    meaning: str
    cure: str
    again: str


@dataclass(frozen=True, slots=True)
class Issue:
    """The meaning of one word of `details[].issue`. example: a problem as it is told."""

    meaning: str
    cause: str
    cure: str
    example: Problem


_CHANGED = "not as it is"
_ON_THE_LINE = (
    Refusal(Kind.METHOD_NOT_ALLOWED, "method", "NOT_ALLOWED", "The path does not take this method.",
            "Use one that the header `allow` lists."),
    Refusal(Kind.INVALID, "request", "INVALID", "A request with a body asks for another protocol by `upgrade`.",
            "Tell your client to speak HTTP/1.1: Java's sends `upgrade: h2c` by itself."),
)  # fmt: skip
_EVERYWHERE = (*HOST, *QUERY, *BODY, KEY_REQUIRED, *KEY, ACCEPT, NO_NETWORK)
_KEYS = {"required": " An `idempotency-key` is required.", "optional": " Takes an `idempotency-key`.", "none": ""}
STATUSES: dict[Kind, Status] = {
    Kind.INVALID: Status(
        "A value of the request is at fault. `details` names every one that can be known without looking anything up.",
        "Mend what `details` names.", _CHANGED,
    ),
    Kind.UNAUTHORIZED: Status(
        "There is no bearer token, or it is not one of ours, has ended, or its client was revoked. We do not say which.",
        "Ask for a token at `POST /auth/v1/token`. If that answers 401 too, the client's secret is wrong or the client is"
        " revoked.", "with a new token",
    ),
    Kind.FORBIDDEN: Status(
        "The client is known and may not do this: it lacks the operation's permission, or calls from a network that is not"
        " on its list, or a web page of another origin asks.",
        "Have whoever runs this lastro give the client the permission, or add the network you call from.", _CHANGED,
    ),
    Kind.NOT_FOUND: Status(
        "There is no such path, or no such object of your company. An id of another company, a malformed id and an unknown"
        " one are answered by the same bytes.",
        "Compare path and id, letter by letter: ids are lower case, a path has no `/` at its end. Then see whether the token"
        " is of the company that made the object.", _CHANGED,
    ),
    Kind.METHOD_NOT_ALLOWED: Status(
        "The path is there, but not for this method.", "Use one of those that the header `allow` lists.", _CHANGED,
    ),
    Kind.NOT_ACCEPTABLE: Status(
        "The answer is not had as any of the media types in the header `accept`. Only operations with more than one way to"
        " answer look at it.",
        "Name one that it has (`details` says which), or leave the header out: then it is JSON, where JSON is had.",
        _CHANGED,
    ),
    Kind.CONFLICT: Status(
        "The request is right; the state of something stands in its way: an id used before, a key used for another request,"
        " an object that has moved on.",
        "Read the object and decide again. Do not repeat blindly.",
        "not before something has changed; with `retry-after`, after so many seconds",
    ),
    Kind.TOO_LARGE: Status(
        "The body has more than the operation takes: 1 MiB; without a token 64 KiB; of a plan 8 MiB; of a document that is"
        " uploaded 10.5 MiB, of which the file has 10.",
        "Send less; of plans, several; of a document, a smaller picture of it.", _CHANGED,
    ),
    Kind.UNSUPPORTED_TYPE: Status(
        "The body is not sent as JSON in UTF-8, or it is compressed.",
        "Send `content-type: application/json` and no `content-encoding`.", _CHANGED,
    ),
    Kind.TOO_MANY: Status(
        "The client has asked more often than it may. `ratelimit-limit`, `-remaining` and `-reset` stand on every answer to"
        " a client that is known by its token, not on those without one nor on answers to who asks for a token."
        " Or it has as many large bodies (plans, uploads: two) or files (four) on their way as one client may. Or more is"
        " asked than can be done, and most of it by its company; then nothing was done.",
        "Wait for the seconds in `retry-after`; spread what is not urgent.", "yes, after `retry-after` seconds",
    ),
    Kind.UNAVAILABLE: Status(
        "The database, or a network that has to be asked, is away, or more is asked than can be done. Nothing is known to"
        " have been done, which is not the same as: nothing was done.",
        "Wait for the seconds in `retry-after`. Send a create under the `idempotency-key` it had: then it happens once.",
        "yes, after `retry-after` seconds, under the same `idempotency-key`",
    ),
}  # fmt: skip
UNEXPECTED = Status(
    "Something failed here. It is our fault, and it is in our log under the answer's `x-request-id`.",
    "Tell whoever runs this lastro the `x-request-id` and the time. What was asked may have been done: read the object, or"
    " send the request again under its `idempotency-key`.",
    "yes, under the same `idempotency-key`",
)

ISSUES: dict[str, Issue] = {
    "REQUIRED": Issue(
        "Something that must be there is not.", "The field is missing, or `null`, which counts as missing.", "Send it.",
        Problem("order.description", "REQUIRED", "is required"),
    ),
    "INVALID": Issue(
        "It is there and cannot be understood.",
        "Wrong JSON type, wrong form, an unknown word, a check digit that does not fit, a control character, an empty text.",
        "Compare with the schema of the operation in `/docs`. Numbers are not sent as text nor text as numbers, except"
        " amounts, which may be either.",
        Problem("customer.document.number", "INVALID", "is not a valid CPF: digits without punctuation"),
    ),
    "TOO_LONG": Issue(
        "It is longer than it may be.", "More characters than the field takes; of a body, bytes; of headers, all together.",
        "Cut it before you send it. We never cut.",
        Problem("order.externalId", "TOO_LONG", "must have at most 64 characters"),
    ),
    "OUT_OF_RANGE": Issue(
        "It is well formed, and too small or too large.", "An amount of zero, a page of 0 rows, a moment that has not come.",
        "Stay between the bounds that the description names.", Problem("limit", "OUT_OF_RANGE", "must be from 1 to 5000"),
    ),
    "NOT_ALLOWED": Issue(
        "It is understood, and may not be here.",
        "A field that another method or kind has, a query parameter that the operation does not know, an account that is not"
        " active, a name this server does not go by.",
        "Leave it out, or use another one.", Problem("order.bank", "NOT_ALLOWED", "is for DEPOSIT alone"),
    ),
    "MUTUALLY_EXCLUSIVE": Issue(
        "Two things are there of which only one may be.", "Both of two fields that say the same in different ways.",
        "Send one of them.", Problem("fixedAmount", "MUTUALLY_EXCLUSIVE", "give either fixedAmount or maxAmountFloor"),
    ),
    "DUPLICATE": Issue(
        "It is there already.",
        "With 409: your code for the object is used by another one. With 400: a header or query parameter stands twice.",
        "With 409: read the object that has the code; it may be the one you are trying to make. With 400: send it once.",
        Problem("order.externalId", "DUPLICATE", "an order with this code is open or paid"),
    ),
    "CONFLICT": Issue(
        "The state of something does not allow it now.",
        "The object has moved on, a request under the same `idempotency-key` is still being worked on (then with"
        " `retry-after`), or the key belongs to another request.",
        "Read the object. Use a new key for a new request, and the old one only for the very same request.",
        Problem("status", "CONFLICT", "the order is PAID"),
    ),
    "MISMATCH": Issue(
        "Two things contradict each other.", "Each is good by itself, but they belong to different objects.",
        "Send one of them, or two that belong together.",
        Problem("order.pixKey", "MISMATCH", "belongs to another account than order.accountId"),
    ),
    "INSUFFICIENT_FUNDS": Issue(
        "The account has too little.", "What is held or blocked does not count as available.",
        "Read the balance; ask for less, or wait for money.",
        Problem("amount", "INSUFFICIENT_FUNDS", "the account's available balance is too low"),
    ),
    "LIMIT_EXCEEDED": Issue(
        "It is more than a limit allows.", "A limit of the account: for one transfer, for a day, for a night.",
        "The description says what is left. Ask for less, later, or for a higher limit.",
        Problem("amount", "LIMIT_EXCEEDED", "250.00 of the day's limit are left"),
    ),
    "EXPIRED": Issue(
        "Its time is over.", "A term has passed, or the request itself took too long to arrive.",
        "Begin anew; send a request at once and whole.",
        Problem("body", "EXPIRED", "must arrive within 15 s, and 100 KiB a second"),
    ),
    "NOT_SUPPORTED": Issue(
        "The interface knows it, this lastro cannot do it.",
        "No partner for the payment method is configured, the currency or content type is not one that is taken,"
        " the answer is not had as what is accepted, or it needs an institution's network where there is none.",
        "Use another one, or have it configured.",
        Problem("order.paymentMethod", "NOT_SUPPORTED", "no partner for this method is configured"),
    ),
}  # fmt: skip


def page(routes: Iterable[Route]) -> str:
    """Returns the whole page, with a section for each of the routes."""
    operations = [line for route in routes for line in _operation(route)]
    lines = [_BEGINNING, *_statuses(), "", _ISSUES, *_issues(), _BEFORE, *_before(), "", _OPERATIONS, *operations, _OTHERS]
    return "\n".join(lines)


def _statuses() -> list[str]:
    rows = [(STATUS[kind], refusal(Refused(kind)), said) for kind, said in STATUSES.items()]
    rows.append((500, unexpected(), UNEXPECTED))
    lines = ["| status | `error` | means | do | send again? |", "|---|---|---|---|---|"]
    for status, response, said in sorted(rows, key=lambda row: row[0]):
        lines.append(f"| {status} | `{_body(response)['error']}` | {said.meaning} | {said.cure} | {said.again} |")
    return lines


def _issues() -> list[str]:
    lines: list[str] = []
    for name, issue in ISSUES.items():
        e = issue.example
        told = msgspec.json.encode({"field": e.field, "issue": e.issue, "description": e.description}).decode()
        lines += [f"### {name}", "", issue.meaning, "", f"**Why.** {issue.cause}", "", f"**What to do.** {issue.cure}", "",
                  "```json", told, "```", ""]  # fmt: skip
    return lines


def _before() -> list[str]:
    return _table((*_EVERYWHERE, *_ON_THE_LINE))


def _operation(route: Route) -> list[str]:
    declared = route.doc.refusals
    told = _table(declared) if declared else []
    by_type: dict[str, list[Refusal]] = {}
    for r in of_route(route):
        if r not in (*declared, *_EVERYWHERE):
            by_type.setdefault(r.issue, []).append(r)
    if by_type:
        told += ["", "By the types of its fields, with 400:", ""]
        told += [f"- `{issue}`: {', '.join(f'`{r.field}`' for r in of_issue)}" for issue, of_issue in by_type.items()]
    told = told or ["Nothing but what every operation can be refused for."]
    permission = f"Needs the permission `{route.permission}`.{_KEYS[route.key]}"
    return [f"### {route.doc.summary}", "", f"`{route.method} {route.path}`", "", permission, "", *told, ""]


def _table(refusals: Iterable[Refusal]) -> list[str]:
    lines = ["| status | field | issue | why | what to do |", "|---|---|---|---|---|"]
    for r in refusals:
        field, issue = (f"`{text}`" if text else "" for text in (r.field, r.issue))
        lines.append(f"| {STATUS[r.kind]} | {field} | {issue} | {r.cause} | {r.cure} |")
    return lines


def _body(response: Response) -> dict[str, str]:
    found: dict[str, str] = msgspec.json.decode(response.body)
    return found


_BEGINNING = """# Errors

Every way lastro says no, why, and what to do.

## In a hurry

1. Look at the status. **4xx**: the request, or what it is about, is at fault; to send it again as it is helps only
   with 401 (new token) and 429 (later). **5xx**: the fault is here; send it again under the same `idempotency-key`,
   after `retry-after` seconds.
2. Read `details`: each entry names a field and an [issue](#issues). `issue` is for your program and stays;
   `description` is for your eyes and may change.
3. Note the header `x-request-id`. Whoever runs this lastro finds the request in the log by it. Send one of your own
   (up to 128 printable characters) and it comes back, also on errors.
4. A create that may or may not have happened (time-out, 5xx, broken line): send it again **under the same
   `idempotency-key`**. The first answer comes back, with `idempotent-replayed: true`; nothing happens twice.

## The body

```json
{
  "error": "INVALID_REQUEST",
  "message": "Request is not valid",
  "details": [
    {"field": "order.amount.value", "issue": "OUT_OF_RANGE", "description": "must be from 0.01 to 9999999999.99"},
    {"field": "customer.email", "issue": "INVALID", "description": "must be an e-mail address"}
  ]
}
```

- `field` is the JSON path in the body, or the name of a header or query parameter. `body` is the whole of it.
- All problems that can be known without looking anything up come at once, one a field: those of the query, then of
  headers, then of the body in the order of the schema. What needs a look-up (does the account exist, is the code
  free) is told once they are gone.
- With 401, 403, 404, 429, 500 and 503 `details` is empty.
- What was sent is never repeated, beyond the name of a field.
- The content type is always `application/json`, also where the answer would have had another. The exceptions stand
  [at the end](#other-shapes).

## Statuses
"""
_ISSUES = """## Issues
"""
_BEFORE = """## Of any operation

What is refused before an operation is asked. `<header>` and `<query>` stand for the name of one.
"""
_OPERATIONS = """
## By operation

What each can be refused for beyond that.
"""
_OTHERS = """## Other shapes

- `POST /oauth2/token` answers as RFC 6749 §5.2 has it: 401 and `{"error": "invalid_client"}` for a wrong client or
  secret; 400 with `invalid_request`, `unsupported_grant_type` or `invalid_scope`; 429 with `temporarily_unavailable`.
  What is refused before it is asked (host, size, a slow body) has the body above. `POST /auth/v1/token` always has
  it.
- `GET /qr/v2/{token}`, which payers' banks read, answers a bare 404 for what never was and a bare 410 for a charge
  that cannot be paid any more.
- `GET /checkout/{token}`, which people read, answers 404 with a page for what never was.
- A proxy in front answers itself what it does not pass on: [nginx as shipped](proxy/nginx.conf) sends its 413 and 502
  as HTML, without `retry-after`.
- The answer to a `HEAD` has the headers of the `GET` and no body, also where it is an error.
"""
