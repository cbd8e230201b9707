"""An object's timeline: the entries of every domain, in order of time. Nothing else reads across domains."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from lastro import accounts, keys, ledger, med, orders, payouts, plans, subscriptions, webhooks
from lastro.api_kit.rendering import Money
from lastro.api_kit.routes import NOT_FOUND, Route, render, stamp
from lastro.core import money, timeline
from lastro.core.runner import Act, Done
from lastro.rails.timeline import messages
from lastro.timeline.docs import ACCOUNT_DOC, DOC, PAYOUT_DOC, SUBSCRIPTION_DOC
from lastro.timeline.for_clients import for_clients
from lastro.timeline.shapes import (
    AttemptEntry,
    Entry,
    EventDelivery,
    EventEntry,
    MessageEntry,
    StateEntry,
    Thing,
    Timeline,
    TransferEntry,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.routes import Incoming
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext

_THINGS: dict[str, Thing] = {
    "orders": "order", "pix_payments": "payment", "refunds": "refund", "payouts": "payout", "subscriptions": "subscription",
    "subscription_cancellations": "cancellation", "subscription_payments": "scheduledPayment",
    "payment_attempts": "chargeAttempt", "payout_plans": "plan", "account_requests": "accountRequest",
    "pix_keys": "key", "pix_key_validations": "keyValidation", "key_claims": "keyClaim",
    "med_objects": "dispute", "card_payments": "cardPayment", "accounts": "account",
}  # fmt: skip
# One decision's rows have one time: a payment moves before the order it pays, money follows, then come messages and events.
_RANKS = {
    "payment": 0, "chargeAttempt": 0, "cardPayment": 0, "order": 1, "payout": 1, "scheduledPayment": 1, "refund": 2,
    "cancellation": 2, "subscription": 2, "plan": 2, "key": 2, "keyValidation": 1, "keyClaim": 1, "accountRequest": 2,
    "dispute": 2, "account": 2,
}  # fmt: skip
_OF_A_NEW_ATTEMPT = 2  # it follows from what its payment does, which an old one leads to by its end
_ATTEMPTS = frozenset({"chargeAttempt", "cardPayment"})
_ENDED_UNPAID = frozenset({"REJECTED", "EXPIRED", "CANCELED"})
_TRANSFER, _MESSAGE, _EVENT, _ATTEMPT = 3, 4, 5, 6
_MOVEMENTS = ("moved", "held", "posted", "voided")


_RELATED: dict[Thing, Callable[[Session, UUID, UUID], Awaitable[list[Record]]]] = {
    "payout": payouts.related, "plan": plans.related, "accountRequest": accounts.opening.related,
    "account": accounts.related, "dispute": med.related, "key": keys.related,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Root:
    """The root of a timeline: an object, a payment only where it has no order. id: of a payout also any transfer's."""

    thing: Thing
    id: UUID


async def _related(session: Session, company_id: UUID, root: Root) -> list[Record]:
    """Reads the records of an object's timeline, as its rooms tell them."""
    if root.thing == "order":
        return await orders.related(session, company_id, root.id, None)
    if root.thing == "payment":
        return await orders.related(session, company_id, None, root.id)
    if root.thing != "subscription":
        return await _RELATED[root.thing](session, company_id, root.id)
    found = await subscriptions.related(session, company_id, root.id)
    told = [r for r in found if r["kind"] != "order"]
    for order in found:
        if order["kind"] == "order":
            told += await orders.related(session, company_id, order["id"], None)
    return told


async def tell(session: Session, company_id: UUID, root: Root) -> Timeline | None:
    """Returns an object's timeline; None: there is no such object. session: of the object's company."""
    found = await _related(session, company_id, root)
    batch = found[0] if found and root.thing == "payout" else None
    first = batch or next((r for r in found if r["id"] == root.id), None)
    if first is None:
        return None
    places: dict[UUID, int] = {r["id"]: r.get("place", 0) for r in found}
    txids: dict[UUID, str | None] = {r["id"]: r.get("txid") for r in found}
    tries: dict[UUID, Record] = {r["id"]: r for r in found if r.get("tried") is not None}
    ids, names = [r["id"] for r in found], [r["network_id"] for r in found if r["network_id"] is not None]
    events = await webhooks.events_of(session, company_id, ids)
    sources: list[tuple[list[Record], Any]] = [
        (await timeline.moves(session, company_id, ids), partial(_state, places=places, txids=txids, tries=tries)),
        (await ledger.transfers(session, company_id, ids), _transfer),
        (await messages(session, company_id, ids, names), _message),
        (events, _event),
        (await webhooks.attempts_of(session, company_id, [e["id"] for e in events]), _attempt),
    ]
    is_whole = all(len(rows) < timeline.MOST for rows, _ in sources)
    told = [made(row) for rows, made in sources for row in rows]
    return Timeline(id=str(first["id"]), object=first["kind"], entries=in_order(told), is_whole=is_whole)


Placed = tuple[datetime, int, Any, Entry]


def in_order(told: Iterable[Placed]) -> list[Entry]:
    """Sorts entries by time, then by cause."""
    return [entry for *_, entry in sorted(told, key=lambda placed: placed[:3])]


def _state(r: Record, places: Mapping[UUID, int], txids: Mapping[UUID, str | None], tries: Mapping[UUID, Record]) -> Placed:
    """Returns the entry of a move.

    places: of the transfers of a batch, which stand behind it in their order. txids: of payments, for their birth. tries:
    tries to collect a scheduled payment; their birth has kind and day, their end a cure.
    """
    thing = _THINGS[r["machine"]]
    tried = None if r["from_state"] else tries.get(r["reference_id"])
    has_cure = thing == "chargeAttempt" and r["reason"] is not None and r["to_state"] in _ENDED_UNPAID
    txid = None if r["from_state"] else txids.get(r["reference_id"])
    entry = StateEntry(
        at=stamp(r["at"]), object=thing, id=str(r["reference_id"]), from_state=r["from_state"] or None, to=r["to_state"],
        trigger=r["trigger"], txid=txid, reason=r["reason"],
        cure=subscriptions.cure_of_attempt(r["reason"], r["to_state"]) if has_cure else None,
        tried=None if tried is None else tried["tried"], day=None if tried is None else tried["day"].isoformat(),
        request_id=r["request_id"],
    )  # fmt: skip
    rank = _OF_A_NEW_ATTEMPT if thing in _ATTEMPTS and entry.from_state is None else _RANKS[thing]
    return r["at"], rank, f"{places.get(r['reference_id'], 0):05d} {r['reference_id']} {r['version']:09d}", entry


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
    # An inbound message comes first: everything of the same time follows from it.
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
class ReadStory(Act["Timeline | None"]):
    """GET /order/v2/transparent/{id}/story, of a payout, a subscription, an account. root: None: nothing can be there."""

    root: Root | None

    async def read(self, session: Session, context: RequestContext) -> Timeline | None:
        """Reads everything, from every domain, in six short reads."""
        return None if self.root is None else await tell(session, context.company_id, self.root)

    def decide(self, known: Timeline | None, context: RequestContext) -> Done | Refused:
        """Returns the timeline for clients."""
        return NOT_FOUND if known is None else Done(None, render(for_clients(known)))


def routes() -> tuple[Route, ...]:
    """Returns the timeline routes: of an order, payout, subscription and account."""
    return (
        Route("GET", "/order/v2/transparent/{id}/story", "read_order_story", "orders:read", _of("order"), DOC),
        Route(
            "GET", "/order/v1/banking/order-payouts/{id}/story", "read_payout_story", "payouts:read", _of("payout"),
            PAYOUT_DOC,
        ),
        Route(
            "GET", "/order/v1/banking/subscriptions/{id}/story", "read_subscription_story", "subscriptions:read",
            _of("subscription"), SUBSCRIPTION_DOC,
        ),
        Route(
            "GET", "/order/v1/banking/accounts/{id}/story", "read_account_story", "accounts:read", _of("account"),
            ACCOUNT_DOC,
        ),
    )  # fmt: skip


def _of(thing: Thing) -> Callable[[Incoming], ReadStory]:
    def parse(incoming: Incoming) -> ReadStory:
        own_id = incoming.id("id")
        return ReadStory(None if own_id is None else Root(thing, own_id))

    return parse
