"""The catalogue of events, and the headers of every delivery. The documentation is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from lastro.api_kit.routes import Answer

# Every type of event. Those that interface.md names come first: a client of the interface counts on them.
INTERFACES = (
    "ORDER-PAYIN.PAID", "ORDER-PAYIN.EXPIRED", "ORDER-PAYIN.CANCELED", "ORDER-PAYIN.ERROR", "ORDER-PAYOUT.PAID",
    "SUBSCRIPTION.ACCEPTED", "ACCOUNT.STATUS_CHANGED", "ACCOUNT.REJECTED", "MED.CREATED", "MED.STATUS_CHANGED",
)  # fmt: skip
BEYOND = (
    "ORDER-PAYIN.REFUNDED", "ORDER-PAYIN.REFUND_ERROR", "ORDER-PAYOUT.ERROR", "ORDER-PAYOUT.CANCELED",
    "ORDER-PAYOUT.EXPIRED", "ORDER-PAYOUT.REFUNDED", "ORDER-PAYOUT.PARTIAL_REFUNDED", "ORDER-PAYOUT.PARTIALLY_PAID",
    "ORDER-PAYOUT.RETRY_SCHEDULED", "SUBSCRIPTION.REJECTED",
    "SUBSCRIPTION.CANCELED", "SUBSCRIPTION.ERROR", "SUBSCRIPTION-PAYMENT.SCHEDULED", "SUBSCRIPTION-PAYMENT.CANCELED",
    "SUBSCRIPTION-PAYMENT.EXPIRED", "SUBSCRIPTION-PAYMENT.ERROR", "SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED", "ACCOUNT.CREATED",
    "ACCOUNT.PENDING_DOCUMENTS", "ACCOUNT.SETTLED", "KEY-CLAIM.STATUS_CHANGED", "MED.DEFENSE_DUE",
    "PAYOUT-PLAN.INVALID", "PAYOUT-PLAN.READY", "PAYOUT-PLAN.APPROVED", "PAYOUT-PLAN.APPLIED",
    "PAYOUT-PLAN.PARTIALLY_APPLIED", "PAYOUT-PLAN.FAILED", "PAYOUT-PLAN.CANCELED", "PAYOUT-PLAN.EXPIRED", "FEED.ERA_BEGAN",
)  # fmt: skip
EVENTS = (*INTERFACES, *BEYOND)
ERA_BEGAN = "FEED.ERA_BEGAN"
Fixed = str | Mapping[str, Any]  # a field's constant, or those of an object's fields
TEST = "WEBHOOK.TEST"  # sent when a client asks for it; it has no URL of its own to set


@dataclass(frozen=True, slots=True)
class EventType:
    """A kind of event. name: as `x-event-type` says it. body: of its deliveries. always: fields whose value it fixes,
    of an object by a mapping of its own.

    description: Markdown. example: a body as JSON value.
    """

    name: str
    summary: str
    description: str
    body: type[Answer]
    always: Mapping[str, Fixed]
    example: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a delivery. schema: JSON Schema of its text. always: whether every delivery has it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    example: str
    always: bool = True


class Acknowledgement(Answer, frozen=True, kw_only=True):
    """The answer of your endpoint, with status 200; any other is a failed attempt."""

    return_code: Annotated[Literal["SUCCESS"], msgspec.Meta(description="Says that you have it.")]


_EVENT_ID = "0196a4f0-9b1c-7c55-8a01-5d1e8f3a7b20"
_HMAC = {"type": "string", "pattern": "^sha256=[0-9a-f]{64}$"}
_WHOLE = {"type": "string", "pattern": "^[1-9][0-9]*$"}
HEADERS = (
    Header("x-event-id", "The event's id, the same on every try and resend: handle each id once.",
           {"type": "string", "format": "uuid"}, _EVENT_ID),
    Header("x-event-type", "What happened.", {"type": "string"}, "ORDER-PAYIN.PAID"),
    Header("x-event-sequence", "Counts your company's events in the order of what they tell, without a gap but at an"
           " era's beginning.", _WHOLE, "42"),
    Header("x-delivery-attempt", "Counts the attempts at this event, resends included.", _WHOLE, "1"),
    Header("x-signature-sha256", "`sha256=` and the hex HMAC-SHA256 of the raw body. Its key is your webhook secret as"
           " printed, `whsec_` included.", _HMAC, "sha256=" + "5e" * 32),
    Header("x-signature-sha256-previous", "The same by the secret before, for 24 hours after a rotation.", _HMAC,
           "sha256=" + "a7" * 32, always=False),
    Header("webhook-id", "As `x-event-id`; for libraries of Standard Webhooks.",
           {"type": "string", "format": "uuid"}, _EVENT_ID),
    Header("webhook-timestamp", "When it was signed, in Unix seconds. Refuse what is more than five minutes off.",
           _WHOLE, "1769860800"),
    Header("webhook-signature", "`v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`, by the bytes that"
           " the base64 after `whsec_` stands for; after a rotation a second one, divided by a blank.",
           {"type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$"}, "v1," + "K5" * 21 + "o="),
    Header("x-lastro-environment", "On deliveries of a sandbox.", {"const": "sandbox"}, "sandbox", always=False),
)  # fmt: skip
