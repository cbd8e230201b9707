"""An object's whole story in time order: what every room knows of it, put together. Nothing else reads across rooms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from lastro import ledger, orders, payouts, webhooks
from lastro.base import money, story
from lastro.base.api import NOT_FOUND, Answer, Doc, Refusal, Route, render, stamp
from lastro.base.errors import Kind
from lastro.base.run import Act, Done
from lastro.base.wire import Id, Money, Timestamp
from lastro.rails.story import messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from uuid import UUID

    from asyncpg import Record

    from lastro.base.api import Incoming
    from lastro.base.db import Session
    from lastro.base.errors import Refused
    from lastro.base.run import Door

Thing = Literal["order", "payment", "refund", "payout"]
_THINGS: dict[str, Thing] = {"orders": "order", "pix_payments": "payment", "refunds": "refund", "payouts": "payout"}
# What one decision wrote has one time: a payment moves before the order it pays, money follows, then come messages and news.
_RANKS = {"payment": 0, "order": 1, "payout": 1, "refund": 2}
_TRANSFER, _MESSAGE, _EVENT, _ATTEMPT = 3, 4, 5, 6
_MOVEMENTS = ("moved", "held", "posted", "voided")


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
    reason: Annotated[str | None, msgspec.Meta(description="A network's code, or the payment it was reserved by.")] = None
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
    """How far an event is on its way to you."""

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


class Story(Answer, frozen=True, kw_only=True):
    """Everything that happened to an object, oldest first."""

    id: Id
    object: Thing
    entries: list[Entry]
    is_whole: Annotated[
        bool, msgspec.Meta(description=f"False where there is more: at most {story.MOST} entries of a kind are told.")
    ]


@dataclass(frozen=True, slots=True)
class Root:
    """Where a story begins: an order, a payment that has none, a payout, or a batch of payouts, by the id of any of it."""

    order_id: UUID | None = None
    payment_id: UUID | None = None
    payout_id: UUID | None = None

    @property
    def id(self) -> UUID | None:
        """Of the object."""
        return self.order_id or self.payment_id or self.payout_id


async def tell(session: Session, company_id: UUID, root: Root) -> Story | None:
    """The story of an object of the company that the session is set to; None: there is no such object."""
    if root.payout_id is not None:
        found = await payouts.related(session, company_id, root.payout_id)
        first = found[0] if found else None
    else:
        found = await orders.related(session, company_id, root.order_id, root.payment_id)
        first = next((r for r in found if r["id"] == root.id), None)
    if first is None:
        return None
    places: dict[UUID, int] = {r["id"]: r.get("place", 0) for r in found}
    ids, names = [r["id"] for r in found], [r["network_id"] for r in found if r["network_id"] is not None]
    events = await webhooks.events_of(session, company_id, ids)
    sources: list[tuple[list[Record], Any]] = [
        (await story.moves(session, company_id, ids), partial(_state, places=places)),
        (await ledger.transfers(session, company_id, ids), _transfer),
        (await messages(session, company_id, ids, names), _message),
        (events, _event),
        (await webhooks.attempts_of(session, company_id, [e["id"] for e in events]), _attempt),
    ]
    is_whole = all(len(rows) < story.MOST for rows, _ in sources)
    told = [made(row) for rows, made in sources for row in rows]
    return Story(id=str(first["id"]), object=first["kind"], entries=in_order(told), is_whole=is_whole)


Placed = tuple[datetime, int, Any, Entry]


def in_order(told: Iterable[Placed]) -> list[Entry]:
    """By time; what has one time in the order in which one thing leads to the other."""
    return [entry for *_, entry in sorted(told, key=lambda placed: placed[:3])]


def _state(r: Record, places: Mapping[UUID, int]) -> Placed:
    """places: of the transfers of a batch, which stand behind it in their order."""
    thing = _THINGS[r["machine"]]
    entry = StateEntry(
        at=stamp(r["at"]), object=thing, id=str(r["reference_id"]), from_state=r["from_state"] or None, to=r["to_state"],
        trigger=r["trigger"], reason=r["reason"], request_id=r["request_id"],
    )  # fmt: skip
    return r["at"], _RANKS[thing], f"{places.get(r['reference_id'], 0):05d} {r['reference_id']} {r['version']:09d}", entry


def _transfer(r: Record) -> Placed:
    entry = TransferEntry(
        at=stamp(r["at"]), id=str(r["id"]), reference_id=str(r["reference_id"]), entry=r["type"], movement=r["kind"],
        debit=r["debit"], credit=r["credit"], amount=Money.of(money.Money(r["amount_minor"], r["currency"])),
    )  # fmt: skip
    return r["at"], _TRANSFER, f"{_MOVEMENTS.index(r['kind'])} {entry.id}", entry


def _message(r: Record) -> Placed:
    entry = MessageEntry(
        at=stamp(r["at"]), id=str(r["id"]), direction=r["direction"], network=r["rail"], message=r["kind"],
        network_id=r["network_id"], reference_id=None if r["reference_id"] is None else str(r["reference_id"]),
        subject=r["subject"], sends=r["sends"], outcome=r["outcome"],
        done_at=None if r["done_at"] is None else stamp(r["done_at"]),
    )  # fmt: skip
    # What came in is what everything of the same time follows from.
    return r["at"], _MESSAGE if r["direction"] == "out" else -1, entry.id, entry


def _event(r: Record) -> Placed:
    delivery = None
    if r["status"] is not None:
        due = None if r["due_at"] is None else stamp(r["due_at"])
        delivery = EventDelivery(status=r["status"], attempts=r["attempts"], next_attempt_at=due)
    entry = EventEntry(
        at=stamp(r["at"]), id=str(r["id"]), reference_id=str(r["reference_id"]), type=r["type"], sequence=r["sequence"],
        delivery=delivery,
    )  # fmt: skip
    return r["at"], _EVENT, entry.id, entry


def _attempt(r: Record) -> Placed:
    entry = AttemptEntry(
        at=stamp(r["at"]), event_id=str(r["event_id"]), number=r["number"], status_code=r["status_code"],
        message=r["message"], duration_ms=r["duration_ms"],
    )  # fmt: skip
    return r["at"], _ATTEMPT, f"{entry.event_id} {entry.number:09d}", entry


@dataclass(frozen=True)
class ReadStory(Act["Story | None"]):
    """GET /order/v2/transparent/{id}/story, and of a payout. root: whose; None: of nothing that could be there."""

    root: Root | None

    async def read(self, session: Session, door: Door) -> Story | None:
        """Everything, from every room, in six short reads."""
        return None if self.root is None else await tell(session, door.company_id, self.root)

    def decide(self, known: Story | None, door: Door) -> Done | Refused:
        """The story as clients are told it."""
        return NOT_FOUND if known is None else Done(None, render(_for_clients(known)))


def _for_clients(told: Story) -> Story:
    """Without who decided on a payout in review, and why: that is for the institution, which reads it by `lastro story`."""
    return msgspec.structs.replace(told, entries=[_without_names(entry) for entry in told.entries])


def _without_names(entry: Entry) -> Entry:
    if isinstance(entry, StateEntry) and entry.object == "payout" and entry.trigger in payouts.DECISIONS:
        return msgspec.structs.replace(entry, reason=None)
    return entry


def routes() -> tuple[Route, ...]:
    """The stories of an order and of a payout."""
    return (
        Route("GET", "/order/v2/transparent/{id}/story", "read_order_story", "orders:read", _of_order, DOC),
        Route(
            "GET", "/order/v1/banking/order-payouts/{id}/story", "read_payout_story", "payouts:read", _of_payout, PAYOUT_DOC
        ),
    )


def _of_order(incoming: Incoming) -> ReadStory:
    order_id = incoming.id("id")
    return ReadStory(None if order_id is None else Root(order_id))


def _of_payout(incoming: Incoming) -> ReadStory:
    payout_id = incoming.id("id")
    return ReadStory(None if payout_id is None else Root(payout_id=payout_id))


_ID, _PAYMENT = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "0196a4f3-1a52-7c04-9a51-0c9b1f3f7e10"
_E2E = "E9999902020260131120300000E058eP"
DOC = Doc(
    "Read an order's story",
    "Everything that happened to an order and to what was paid for it, oldest first: the states, with your `x-request-id`,"
    " the bookings, the network's messages both ways, the events and every attempt to deliver them. It is for finding out"
    " why something is as it is; programs should follow events.\n\n"
    "Payments that named the order's charge and were refused or given back are told of too.",
    None, Story,
    (
        Refusal(
            Kind.NOT_FOUND, "", "", "No order of your company has this id.",
            "Take the `id` that the create answered, from a client of the same company.",
        ),
    ),
    None,
    {
        "id": _ID, "object": "order", "isWhole": True,
        "entries": [
            {"kind": "state", "at": "2026-01-31T12:00:00.120945Z", "object": "order", "id": _ID, "to": "INITIAL",
             "trigger": "create", "requestId": "3f9c1d0e5a7b4c2d8e6f0a1b2c3d4e5f"},
            {"kind": "message", "at": "2026-01-31T12:03:10.201551Z", "id": "0196a4f3-1a3c-7b1e-8d0f-6a5b4c3d2e1f",
             "direction": "in", "network": "pix", "message": "pix.ask", "networkId": "M9999902000000000000000000000001",
             "subject": _E2E, "sends": 1, "outcome": "answered", "doneAt": "2026-01-31T12:03:10.230117Z"},
            {"kind": "state", "at": "2026-01-31T12:03:10.230117Z", "object": "payment", "id": _PAYMENT, "to": "ACCEPTED",
             "trigger": "accept"},
            {"kind": "state", "at": "2026-01-31T12:03:10.230117Z", "object": "order", "id": _ID, "from": "INITIAL",
             "to": "INITIAL", "trigger": "reserve", "reason": _E2E},
        ],
    },
)  # fmt: skip

_PAYOUT = "0196a4f9-0b7d-7c52-9e33-5d1a4c2b7f60"
_OUT = "E9999901020260131120800001aBcDeF"
_AT, _END = "2026-01-31T12:08:00.310412Z", "2026-01-31T12:08:01.112904Z"
PAYOUT_DOC = Doc(
    "Read a payout's story",
    "Everything that happened to a payout, oldest first: the states, with your `x-request-id`, the bookings, the network's"
    " messages both ways, what came back, the events and every attempt to deliver them. It is for finding out why something"
    " is as it is; programs should follow events.\n\n"
    "Of a batch it is the story of the batch and of all its transfers, whichever of them is asked for.",
    None, Story,
    (
        Refusal(
            Kind.NOT_FOUND, "", "", "No payout of your company, and no transfer of one, has this id.",
            "Take the `id` that the create answered, from a client of the same company.",
        ),
    ),
    None,
    {
        "id": _PAYOUT, "object": "payout", "isWhole": True,
        "entries": [
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
    },
)  # fmt: skip
