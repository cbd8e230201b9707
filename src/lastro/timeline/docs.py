"""The documentation of the timeline's operations."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal
from lastro.timeline.shapes import Timeline

_ID, _PAYMENT = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "0196a4f3-1a52-7c04-9a51-0c9b1f3f7e10"
_E2E = "E9999902020260131120300000E058eP"


def _doc(what: str, description: str, missing: str, cure: str, entries: list[dict[str, Any]]) -> Doc:
    """Returns the documentation of a timeline. entries: of its example, whose first is the object's birth."""
    born = entries[0]
    return Doc(
        f"Read {what} story", description, None, Timeline, (Refusal(Kind.NOT_FOUND, "", "", missing, cure),), None,
        {"id": born["id"], "object": born["object"], "isWhole": True, "entries": entries},
    )  # fmt: skip


_TAKE = "Take the `id` that the create answered, from a client of the same company."
DOC = _doc(
    "an order's",
    "Everything that happened to an order and to what was paid for it, oldest first: the states, with your `x-request-id`,"
    " the bookings, the network's messages both ways, the events and every attempt to deliver them. It is for finding out"
    " why something is as it is; programs should follow events.\n\n"
    "Payments that named the order's charge and were refused or given back are told of too.",
    "No order of your company has this id.", _TAKE,
    [
        {"kind": "state", "at": "2026-01-31T12:00:00.120945Z", "object": "order", "id": _ID, "to": "INITIAL",
         "trigger": "create", "requestId": "3f9c1d0e5a7b4c2d8e6f0a1b2c3d4e5f"},
        {"kind": "message", "at": "2026-01-31T12:03:10.201551Z", "id": "0196a4f3-1a3c-7b1e-8d0f-6a5b4c3d2e1f",
         "direction": "in", "network": "pix", "message": "pix.ask", "networkId": "M9999902000000000000000000000001",
         "subject": _E2E, "sends": 1, "outcome": "answered", "doneAt": "2026-01-31T12:03:10.230117Z"},
        {"kind": "state", "at": "2026-01-31T12:03:10.230117Z", "object": "payment", "id": _PAYMENT, "to": "ACCEPTED",
         "trigger": "accept", "txid": "00001jPPPljQLKI4tD7o5QMJXwbF5OgI"},
        {"kind": "state", "at": "2026-01-31T12:03:10.230117Z", "object": "order", "id": _ID, "from": "INITIAL",
         "to": "INITIAL", "trigger": "reserve", "reason": _E2E},
    ],
)  # fmt: skip

_PAYOUT = "0196a4f9-0b7d-7c52-9e33-5d1a4c2b7f60"
_OUT = "E9999901020260131120800001aBcDeF"
_AT, _END = "2026-01-31T12:08:00.310412Z", "2026-01-31T12:08:01.112904Z"
PAYOUT_DOC = _doc(
    "a payout's",
    "Everything that happened to a payout, oldest first: the states, with your `x-request-id`, the bookings, the network's"
    " messages both ways, what came back, the events and every attempt to deliver them. It is for finding out why something"
    " is as it is; programs should follow events.\n\n"
    "Of a batch it is the story of the batch and of all its transfers, whichever of them is asked for.",
    "No payout of your company, and no transfer of one, has this id.", _TAKE,
    [
        {"kind": "state", "at": _AT, "object": "payout", "id": _PAYOUT, "to": "INITIAL", "trigger": "create",
         "requestId": "3f9c1d0e5a7b4c2d8e6f0a1b2c3d4e5f"},
        {"kind": "state", "at": _AT, "object": "payout", "id": _PAYOUT, "from": "INITIAL", "to": "PENDING",
         "trigger": "accept", "requestId": "3f9c1d0e5a7b4c2d8e6f0a1b2c3d4e5f"},
        {"kind": "transfer", "at": _AT, "id": "0196a4f9-0b7e-7d11-8a20-4e5f6a7b8c9d", "referenceId": _PAYOUT,
         "entry": "PIX_OUT", "movement": "held", "debit": "CUST", "credit": "NET",
         "amount": {"currency": "BRL", "value": "10.50"}},
        {"kind": "message", "at": _AT, "id": "0196a4f9-0b7f-7a90-9c31-2b3c4d5e6f70", "direction": "out",
         "network": "pix", "message": "payment.send", "networkId": _OUT, "referenceId": _PAYOUT, "sends": 1,
         "outcome": "sent", "doneAt": "2026-01-31T12:08:00.402118Z"},
        {"kind": "message", "at": "2026-01-31T12:08:01.090011Z", "id": "0196a4f9-0e82-7b44-8f12-6a7b8c9d0e1f",
         "direction": "in", "network": "pix", "message": "payment.final",
         "networkId": "M9999902000000000000000000000002", "subject": _OUT, "sends": 1, "outcome": "handled",
         "doneAt": _END},
        {"kind": "state", "at": _END, "object": "payout", "id": _PAYOUT, "from": "PENDING", "to": "PAID",
         "trigger": "settle"},
        {"kind": "transfer", "at": _END, "id": "0196a4f9-0e98-7c05-9d41-7b8c9d0e1f2a", "referenceId": _PAYOUT,
         "entry": "PIX_OUT", "movement": "posted", "debit": "CUST", "credit": "NET",
         "amount": {"currency": "BRL", "value": "10.50"}},
    ],
)  # fmt: skip

_SUBSCRIPTION = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d22"
_RECURRENCE = "RR9999901020260131abcdefghijk"
SUBSCRIPTION_DOC = _doc(
    "a subscription's",
    "Everything that happened to a subscription, oldest first: the states, with your `x-request-id`, its cancellations, its"
    " first charge and what was paid for it, its scheduled payments with every attempt to collect them, whose orders have"
    " stories of their own, the bookings, the network's messages both ways, the events and every attempt to deliver"
    " them. It is for finding out why something is as it is; programs should follow events.",
    "No subscription of your company has this id.", _TAKE,
    [
        {"kind": "state", "at": _AT, "object": "subscription", "id": _SUBSCRIPTION, "to": "INITIAL", "trigger": "create",
         "requestId": "3f9c1d0e5a7b4c2d8e6f0a1b2c3d4e5f"},
        {"kind": "state", "at": _AT, "object": "subscription", "id": _SUBSCRIPTION, "from": "INITIAL",
         "to": "PENDING_AUTHORIZATION", "trigger": "register", "requestId": "3f9c1d0e5a7b4c2d8e6f0a1b2c3d4e5f"},
        {"kind": "message", "at": "2026-01-31T12:08:01.090011Z", "id": "0196a4f9-0e82-7b44-8f12-6a7b8c9d0e20",
         "direction": "in", "network": "pix", "message": "authorization.ask",
         "networkId": "M9999902000000000000000000000003", "subject": _RECURRENCE, "sends": 1, "outcome": "answered",
         "doneAt": _END},
        {"kind": "state", "at": _END, "object": "subscription", "id": _SUBSCRIPTION, "from": "PENDING_AUTHORIZATION",
         "to": "ACCEPTED", "trigger": "authorize"},
    ],
)  # fmt: skip

_ACCOUNT = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
ACCOUNT_DOC = _doc(
    "an account's",
    "What happened to an account itself, oldest first: its status, and each change of what it may send (`limit`), with the"
    " limit before it, the one after it and, of a raise that waits, the moment from which it holds; the events and every"
    " attempt to deliver them. What it receives and sends is on its statement.",
    "No account of your company has this id.", "Take an id of the account list.",
    [
        {"kind": "state", "at": "2026-01-30T12:00:00.000000Z", "object": "account", "id": _ACCOUNT, "to": "ACTIVE",
         "trigger": "open"},
        {"kind": "state", "at": _AT, "object": "account", "id": _ACCOUNT, "from": "ACTIVE", "to": "ACTIVE",
         "trigger": "limit", "reason": "PIX night 1000.00 to 2000.00 from 2026-02-01T12:08:00.310412Z on"},
    ],
)  # fmt: skip
