"""A story as it is told: its entries, in the order of time."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lastro.api_kit.rendering import Day, Id, Money, Timestamp  # noqa: TC001 msgspec reads the annotations when it runs
from lastro.api_kit.routes import Answer
from lastro.core import timeline

Thing = Literal[
    "order", "payment", "refund", "payout", "subscription", "cancellation", "scheduledPayment", "chargeAttempt", "plan",
    "accountRequest", "dispute", "cardPayment", "key", "keyValidation", "keyClaim", "account",
]  # fmt: skip


class StateEntry(Answer, frozen=True, kw_only=True, tag_field="kind", tag="state"):
    """An object was born or moved."""

    at: Timestamp
    object: Thing
    id: Id
    from_state: Annotated[str | None, msgspec.Meta(description="Left out at its birth.")] = msgspec.field(
        default=None, name="from"
    )
    to: str
    trigger: Annotated[str, msgspec.Meta(description="What moved it.", examples=["create", "reserve", "pay"])]
    txid: Annotated[
        str | None,
        msgspec.Meta(
            description="At the birth of a payment: that it carried, of a charge or a static code.",
            examples=["00001jPPPljQLKI4tD7o5QMJX"],
        ),
    ] = None
    reason: Annotated[str | None, msgspec.Meta(description="A network's code, or the payment it was reserved by.")] = None
    cure: Annotated[str | None, msgspec.Meta(description="Of a try that collected nothing: what to do about it.")] = None
    tried: Annotated[str | None, msgspec.Meta(description="Of a try to collect: AGND, NTAG or RIFL.", examples=["AGND"])] = (
        None
    )
    day: Annotated[Day | None, msgspec.Meta(description="Of a try to collect: the day it is for.")] = None
    request_id: Annotated[str | None, msgspec.Meta(description="`x-request-id` of your call, where it was one.")] = None


class TransferEntry(Answer, frozen=True, kw_only=True, tag_field="kind", tag="transfer"):
    """Money was booked."""

    at: Timestamp
    id: Id
    reference_id: Annotated[Id, msgspec.Meta(description="The order, payment, refund or payout it was booked for.")]
    entry: Annotated[str, msgspec.Meta(description="The statement's word for it.", examples=["PIX_IN", "FEE"])]
    movement: Annotated[
        Literal["moved", "held", "posted", "voided"],
        msgspec.Meta(description="Moved at once; or held, and later posted (it moved) or voided (it did not)."),
    ]
    debit: Annotated[str, msgspec.Meta(description="Code of the ledger account it came from.", examples=["NET"])]
    credit: Annotated[str, msgspec.Meta(description="Code of the ledger account it went to.", examples=["CUST"])]
    amount: Money


class MessageEntry(Answer, frozen=True, kw_only=True, tag_field="kind", tag="message"):
    """The network was told something, or told us."""

    at: Timestamp
    id: Id
    direction: Literal["in", "out"]
    network: Annotated[str, msgspec.Meta(examples=["pix"])]
    message: Annotated[str, msgspec.Meta(examples=["pix.ask", "pix.answer", "pix.final"])]
    network_id: Annotated[str, msgspec.Meta(description="The message's id in the network.")]
    reference_id: Annotated[
        Id | None, msgspec.Meta(description="Of what went out: the payment, refund or payout it is about.")
    ] = None
    subject: Annotated[
        str | None, msgspec.Meta(description="Of what came in: the endToEndId, control number or return id.")
    ] = None
    sends: Annotated[int, msgspec.Meta(description="How often it was sent, or taken in hand.")]
    outcome: Annotated[str | None, msgspec.Meta(description="Left out while it is open.")] = None
    done_at: Timestamp | None = None


class EventDelivery(Answer, frozen=True, kw_only=True):
    """The state of an event's delivery to you."""

    status: Literal["PENDING", "RETRYING", "FAILED", "DELIVERED"]
    attempts: int
    next_attempt_at: Timestamp | None = None


class EventEntry(Answer, frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """You are told of it."""

    at: Timestamp
    id: Id
    reference_id: Id
    type: Annotated[str, msgspec.Meta(examples=["ORDER-PAYIN.PAID"])]
    sequence: Annotated[int | None, msgspec.Meta(description="Its number among your events, once it has one.")] = None
    delivery: Annotated[
        EventDelivery | None, msgspec.Meta(description="Left out where there is no URL, or no number yet.")
    ] = None


class AttemptEntry(Answer, frozen=True, kw_only=True, tag_field="kind", tag="attempt"):
    """An event was sent to your URL."""

    at: Timestamp
    event_id: Id
    number: int
    status_code: Annotated[int, msgspec.Meta(description="What your URL answered; 0: nothing.")]
    message: str
    duration_ms: int


Entry = StateEntry | TransferEntry | MessageEntry | EventEntry | AttemptEntry


class Timeline(Answer, frozen=True, kw_only=True):
    """Everything that happened to an object, oldest first."""

    id: Id
    object: Thing
    entries: list[Entry]
    is_whole: Annotated[
        bool, msgspec.Meta(description=f"False where there is more: at most {timeline.MOST} entries of a kind are told.")
    ]
