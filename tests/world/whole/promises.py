"""Every write that was acknowledged is there: how each is read again, and what of its answer must be found then."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from tests.world.whole.crowd import OPERATIONS, Crowd, Request

Path = Callable[[Request, Any], dict[str, str]]
# What stays of an object, whatever becomes of it.
_IDENTITY = ("id", "externalId", "amount", "endToEndId", "orderId", "returnId", "type", "key")
# Who was told so finds it so ever after.
_ENDS = frozenset({"CANCELED", "CANCELLED", "COMPLETED"})
_APPLIED = frozenset({"APPLYING", "APPLIED", "PARTIALLY_APPLIED", "FAILED", "CANCELED"})
_REQUEST_OF_FORM = re.compile(rb'name="accountRequestId"\r\n\r\n([0-9a-f-]{36})\r\n')


# ── where it is read ──


def named(request: Request) -> dict[str, str]:
    """What the path of a request names."""
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(OPERATIONS[request.operation][1]))
    found = re.fullmatch(pattern, request.target)
    assert found is not None, request.target
    return found.groupdict()


def _by(name: str = "id", parameter: str = "id") -> Path:
    """Under the name that the answer gave it."""
    return lambda _, said: {parameter: said[name]}


def _of(*parameters: str) -> Path:
    """Under what the request has named."""
    return lambda request, _: {parameter: named(request)[parameter] for parameter in parameters}


def _payment(_: Request, said: Any) -> dict[str, str]:
    return {"id": said["subscriptionId"], "paymentId": said["id"]}


def _claim(request: Request, said: Any) -> dict[str, str]:
    return {"accountId": named(request)["accountId"], "claimId": said["id"]}


def _of_form(request: Request, _: Any) -> dict[str, str]:
    found = _REQUEST_OF_FORM.search(request.body or b"")
    assert found is not None
    return {"id": found[1].decode()}


# ── what must be found: each gives what is not so, in a sentence ──


def alike(_: Request, said: Any, shown: Any, *, may_change: tuple[str, ...] = ()) -> Iterator[str]:
    """It is the one that was told of; and an end stays one."""
    for name in _IDENTITY:
        if name in said and name in shown and said[name] != shown[name] and name not in may_change:
            yield f"{name} was {said[name]!r}, is {shown[name]!r}"
    if said.get("status") in _ENDS and shown["status"] != said["status"]:
        yield f"it was {said['status']}, and is {shown['status']}"


def signed(request: Request, said: Any, shown: Any) -> Iterator[str]:
    """Nobody who has signed a plan is forgotten."""
    yield from alike(request, said, shown)
    have = {one["clientId"] for one in shown["approvals"]}
    yield from (f"{one['clientId']} has signed it, and has not" for one in said["approvals"] if one["clientId"] not in have)


def applied(request: Request, said: Any, shown: Any) -> Iterator[str]:
    """A plan that is applied never goes back to waiting for that."""
    yield from alike(request, said, shown)
    if shown["status"] not in _APPLIED:
        yield f"it was {said['status']}, and is {shown['status']}"


def canceling(_: Request, said: Any, shown: Any) -> Iterator[str]:
    """The record of a cancellation stands at its subscription, which has ended where it was ACCEPTED."""
    record = next((one for one in shown["cancellations"] if one["id"] == said["id"]), None)
    if record is None:
        yield f"its cancellation {said['id']} is not there"
        return
    for name in ("idempotencyKey", "reason"):
        if record[name] != said[name]:
            yield f"{name} was {said[name]!r}, is {record[name]!r}"
    if said["status"] == "ACCEPTED" and (record["status"], shown["status"]) != ("ACCEPTED", "CANCELED"):
        yield f"it was ended, and is {shown['status']} with a cancellation that is {record['status']}"


def tried(request: Request, said: Any, shown: Any) -> Iterator[str]:
    """No try of a charge is forgotten."""
    yield from alike(request, said, shown)
    days = {one["date"] for one in shown["attempts"]}
    yield from (f"the try of {one['date']} is not there" for one in said["attempts"] if one["date"] not in days)


def gone(request: Request, _: Any, shown: Any) -> Iterator[str]:
    """A key that was deleted leads nowhere."""
    name = named(request)["keyId"]
    if any(one["id"] == name for one in shown["data"]):
        yield f"the key {name} was deleted, and leads there still"


def uploaded(_: Request, said: Any, shown: Any) -> Iterator[str]:
    """A document that came is not waited for, unless somebody has looked at it and wants another."""
    again = set(shown["missingRequiredDocuments"]) - set(said["missingRequiredDocuments"])
    if again and shown["status"] != "REPROVED":
        yield f"{sorted(again)} had come, and is waited for"


def attached(_: Request, said: Any, shown: Any) -> Iterator[str]:
    """A document of a defense stays with its case."""
    if said["documentId"] not in {one["documentId"] for one in shown.get("defenseDocuments", ())}:
        yield f"the document {said['documentId']} is not there"


def settled(request: Request, _: Any, shown: Any) -> Iterator[str]:
    """Events go where they were last said to go: everybody of a company in a storm says the same."""
    now = {one["event"]: (one.get("url"), one["active"]) for one in shown["events"]}
    for one in msgspec.json.decode(request.body or b"")["events"]:
        if now[one["event"]] != (one["url"], one["active"]):
            yield f"{one['event']} goes to {now[one['event']]}"


_BY_ID = _by()


@dataclass(frozen=True)
class Again:
    """How a write is read again: by which operation, where, and what is wrong with what is shown."""

    operation: str
    path: Path = _BY_ID
    wrong: Callable[[Request, Any, Any], Iterator[str]] = alike
    query: Mapping[str, str] | None = None


_PAYOUT = Again("read_payout", wrong=partial(alike, may_change=("endToEndId",)))
_CHARGE, _TRIED = (Again("read_subscription_payment", _payment, wrong) for wrong in (alike, tried))
_PLAN, _EVENT, _CLAIM = Again("read_payout_plan"), Again("read_webhook_event"), Again("read_key_claim", _claim)
_DISPUTE = Again("read_med", _by("referenceId", "referenceId"))
_UPLOAD = Again("read_account_request", _of_form, uploaded)
READ_AGAIN: Mapping[str, Again] = {
    "create_order": Again("read_order"), "create_order_elsewhere": Again("read_order"), "cancel_order": Again("read_order"),
    "cancel_order_elsewhere": Again("read_order"), "play_order": Again("read_order"),
    "create_order_payin": Again("read_order_payin"), "create_static_qrcode": Again("read_static_qrcode"),
    "create_refund": Again("read_refund"), "create_payout": _PAYOUT, "cancel_payout": _PAYOUT,
    "create_payout_plan": _PLAN, "cancel_payout_plan": _PLAN,
    "approve_payout_plan": Again("read_payout_plan", wrong=signed),
    "apply_payout_plan": Again("read_payout_plan", wrong=applied),
    "create_subscription": Again("read_subscription"),
    "cancel_subscription": Again("read_subscription", _of("id"), canceling),
    "create_subscription_payment": _CHARGE, "create_subscription_payment_elsewhere": _CHARGE,
    "cancel_subscription_payment": _CHARGE, "cancel_subscription_payment_elsewhere": _CHARGE,
    "retry_subscription_payment": _TRIED, "retry_subscription_payment_elsewhere": _TRIED,
    "contest_med": _DISPUTE, "cancel_med": _DISPUTE, "defend_med": _DISPUTE,
    "attach_med_document": Again("read_med", _of("referenceId"), attached),
    "open_account": Again("read_account_request", _by("accountRequestId")),
    "upload_account_document": _UPLOAD, "upload_account_document_elsewhere": _UPLOAD,
    "request_account_close": Again("read_account_close"),
    "delete_key": Again("list_keys", _of("accountId"), gone, {"limit": "100"}),
    "create_key_claim": _CLAIM, "confirm_key_claim": _CLAIM, "cancel_key_claim": _CLAIM, "answer_key_claim": _CLAIM,
    "set_webhook": Again("read_webhook", lambda *_: {}, settled),
    "resend_webhook_event": _EVENT, "test_webhook": _EVENT,
}  # fmt: skip
# What makes a key or asks for a code: a key may have been deleted since, a validation is shown by no operation. The row stays.
IN_BOOKS = frozenset({
    "create_key", "confirm_key", "resend_key_code", "resend_key_claim_code", "request_key_claim_code",
    "resend_key_claim_answer_code",
})  # fmt: skip
# What cannot be read again, each with its reason.
EXCUSED: Mapping[str, str] = {
    "resend_webhook_events": "it names no event; that each was delivered, or given up, is looked at of all of them",
    "rotate_webhook_secret": "a secret is shown in this answer alone, which comes again under its key, byte for byte",
    "create_token": "a token is kept nowhere",
    "create_oauth_token": "a token is kept nowhere",
    "list_account_closes": "it writes nothing",
    "ring_bank_webhook": "it is a bell: what it names is asked of the bank",
    "ring_bank_webhook_bare": "the same without /pix",
    **dict.fromkeys(("ring_bank_recurrences", "ring_bank_charges"), "a bell, too"),
    "create_card_token": "no operation shows it; an order that it pays is read again",
    "step_clock": "no storm asks for it: its clock jumps where it is kept",
}


async def unkept(crowd: Crowd) -> list[str]:
    """What is not there of all that was acknowledged."""
    found = []
    for request, first in crowd.kept:
        said = first.json if first.body else {}
        found += [f"{request.operation} {request.target}: {what}" for what in await _unkept(crowd, request, said)]
    return found


async def _unkept(crowd: Crowd, request: Request, said: Any) -> list[str]:
    if request.operation in EXCUSED:
        return []
    if request.operation in IN_BOOKS or "validationId" in said:
        return [] if await _is_in_books(crowd, said) else [f"{said} was acknowledged and is not there"]
    again = READ_AGAIN.get(request.operation)
    if again is None:
        return ["nobody has said in tests/world/whole/promises.py how it is read again"]
    path = again.path(request, said)
    shown = await crowd.read(again.operation, who=request.who or "ana", path=path, **(again.query or {}))
    if shown is None:
        return [f"{path} was acknowledged and is not there"]
    return list(again.wrong(request, said, shown))


async def _is_in_books(crowd: Crowd, said: Any) -> bool:
    table, name = ("pix_key_validations", said["validationId"]) if "validationId" in said else ("pix_keys", said["id"])
    return bool(await crowd.play.books.fetchval(f"SELECT true FROM {table} WHERE id = $1::text::uuid", name))
