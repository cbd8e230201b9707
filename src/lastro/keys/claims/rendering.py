"""The JSON and notification of a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from lastro.api_kit.rendering import Id, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.keys.claims.model import MOST_NAMED
from lastro.keys.claims.rules import awaits_us
from lastro.keys.claims.states import ROLES, STATUSES, TYPES
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.keys.claims.model import Affected, KeyClaim

EVENT = "KEY-CLAIM.STATUS_CHANGED"
KEY_TYPES = ("CPF", "CNPJ", "EMAIL", "PHONE")


class ClaimFields(Answer, frozen=True, kw_only=True):
    """The fields of a claim that every answer has."""

    account_id: Annotated[Id, msgspec.Meta(description="The account that wants the key (CLAIMER) or has it (DONOR).")]
    role: Annotated[str, words(*ROLES)]
    claim_type: Annotated[str, words(*TYPES)]
    type: Annotated[str, words(*KEY_TYPES, description="Of the key.")]
    key: Annotated[str, msgspec.Meta(examples=["+5511987654321"], max_length=77)]
    key_id: Annotated[
        Id | None, msgspec.Meta(description="The key here: that is claimed, or that a completed claim has brought.")
    ] = None
    status: Annotated[str, words(*STATUSES)]
    other_bank: Annotated[str, msgspec.Meta(description="ISPB of the bank on the other side.", examples=["99999030"])]
    reason: Annotated[
        str | None, msgspec.Meta(description="Why it was confirmed or canceled.", examples=["USER_REQUESTED"])
    ] = None
    completion_from: Annotated[
        Timestamp | None,
        msgspec.Meta(description="From when on the claimer completes an ownership, by proving possession again."),
    ] = None
    completion_until: Annotated[
        Timestamp | None, msgspec.Meta(description="When an ownership that was not completed is canceled: day 30.")
    ] = None


_NEWEST: Final = msgspec.Meta(description=f"The newest of them, at most {MOST_NAMED}.", max_length=MOST_NAMED)


class AffectedObjects(Answer, frozen=True, kw_only=True):
    """Your objects that name a key that left. Orders cannot be paid; printed codes pay the next holder."""

    orders: Annotated[int, msgspec.Meta(description="Orders that wait for money: their locations answer 410.")]
    static_qrcodes: Annotated[int, msgspec.Meta(description="Codes that were printed: they lead to the key's next holder.")]
    subscriptions: Annotated[int, msgspec.Meta(description="Of the orders, those whose payment authorizes a subscription.")]
    order_ids: Annotated[
        list[Id],
        msgspec.Meta(
            description=f"The newest of them, at most {MOST_NAMED}, first charges among them.", max_length=MOST_NAMED
        ),
    ]
    static_qrcode_ids: Annotated[list[Id], _NEWEST]
    subscription_ids: Annotated[list[Id], _NEWEST]


class Claim(ClaimFields, frozen=True, kw_only=True):
    """A claim of a key."""

    id: Annotated[Id, msgspec.Meta(description="The directory's own.")]
    awaits_decision: Annotated[
        bool,
        msgspec.Meta(
            description="Whether `confirm-request` sends a code now: to the donor, who may still say that an ownership is a "
            "fraud after it was CONFIRMED, or to the claimer who proves possession again."
        ),
    ]
    resolution_until: Annotated[Timestamp, msgspec.Meta(description="Until when the donor may answer.")]
    affected: Annotated[
        AffectedObjects | None, msgspec.Meta(description="In the answer to a CONFIRM by which the key left: what names it.")
    ] = None
    created_at: Timestamp
    updated_at: Timestamp


class ClaimOrCode(Answer, frozen=True, kw_only=True):
    """The claim (201), or, where a code was sent, the validation (202)."""

    id: Id | None = None
    account_id: Id | None = None
    role: Annotated[str, words(*ROLES)] | None = None
    claim_type: Annotated[str, words(*TYPES)] | None = None
    type: Annotated[str, words(*KEY_TYPES)] | None = None
    key: str | None = None
    key_id: Id | None = None
    status: Annotated[str, words(*STATUSES)] | None = None
    other_bank: str | None = None
    reason: str | None = None
    awaits_decision: bool | None = None
    resolution_until: Timestamp | None = None
    completion_from: Timestamp | None = None
    completion_until: Timestamp | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    validation_id: Annotated[Id | None, msgspec.Meta(description="What the code is confirmed under.")] = None
    expires_at: Annotated[Timestamp | None, msgspec.Meta(description="Until when the code holds.")] = None


class ClaimList(Paged, frozen=True, kw_only=True):
    """A page of an account's claims."""

    data: list[Claim]


class ClaimNotification(ClaimFields, frozen=True, kw_only=True):
    """A claim is there, or has taken another status."""

    claim_id: Id
    event: Literal["KEY-CLAIM.STATUS_CHANGED"]
    previous_status: Annotated[
        str | None, words(*STATUSES, description="The status before; left out of the first notification.")
    ] = None
    occurred_at: Annotated[Timestamp, msgspec.Meta(description="When it was so at the directory.")]
    affected: Annotated[
        AffectedObjects | None, msgspec.Meta(description="With CONFIRMED, as DONOR: the key has left, and this names it.")
    ] = None


def shown(one: KeyClaim, now: datetime, left: Affected | None = None) -> Claim:
    """Returns the JSON of a claim. left: the objects that name a key that has left by the act that is answered."""
    return Claim(
        id=str(one.id), **_fields(one), awaits_decision=awaits_us(one, now), resolution_until=stamp(one.resolution_at),
        affected=_affected(left), created_at=stamp(one.created_at), updated_at=stamp(one.updated_at),
    )  # fmt: skip


def claim_event(
    context: RequestContext, one: KeyClaim, previous: str | None, at: datetime, left: Affected | None = None
) -> Event:
    """Returns the event KEY-CLAIM.STATUS_CHANGED of a status.

    at: when it was so at the directory. left: the objects that name a key that has left by this.
    """
    body = ClaimNotification(
        claim_id=str(one.id), event="KEY-CLAIM.STATUS_CHANGED", previous_status=previous, occurred_at=stamp(at),
        affected=_affected(left), **_fields(one),
    )  # fmt: skip
    return event_of(context, EVENT, one.id, None, body)


def _affected(left: Affected | None) -> AffectedObjects | None:
    if left is None:
        return None
    return AffectedObjects(
        orders=left.orders, static_qrcodes=left.static_qrcodes, subscriptions=left.subscriptions,
        order_ids=[str(one) for one in left.order_ids], static_qrcode_ids=[str(one) for one in left.static_qrcode_ids],
        subscription_ids=[str(one) for one in left.subscription_ids],
    )  # fmt: skip


def _fields(one: KeyClaim) -> dict[str, Any]:
    return {
        "account_id": str(one.account_id), "role": one.role, "claim_type": one.type, "type": one.key_type, "key": one.key,
        "key_id": None if one.key_id is None else str(one.key_id), "status": one.state, "other_bank": one.other_bank,
        "reason": one.reason, "completion_from": _stamped(one.completable_at if one.is_open else None),
        "completion_until": _stamped(one.completable_until if one.is_open else None),
    }  # fmt: skip


def _stamped(at: datetime | None) -> str | None:
    return None if at is None else stamp(at)
