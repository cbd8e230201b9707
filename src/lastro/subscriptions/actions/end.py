"""A subscription ends before anybody authorized it: its client cancels it, or its window is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import orders
from lastro.base.api import NOT_FOUND, render
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Act, Done, Door
from lastro.base.write import Write
from lastro.orders import EXPIRY_GRACE
from lastro.subscriptions import store
from lastro.subscriptions.model import Cancellation, Passed, Person
from lastro.subscriptions.notifications import turned
from lastro.subscriptions.rendering import cancellation
from lastro.subscriptions.rules.moments import subscription_due
from lastro.subscriptions.states import CANCELLATIONS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.orders import Ending, Place
    from lastro.subscriptions.model import CancelReason, Shown

_AT_ONCE = ("ask", "confirm")


@dataclass(frozen=True, slots=True)
class Known:
    """A subscription, and its first charge where it has one."""

    shown: Shown
    charge: Ending | None = None


async def known_of(session: Session, company_id: UUID, subscription_id: UUID) -> Known | None:
    """The subscription and its first charge; None where there is no such subscription."""
    shown = await store.shown_by_id(session, company_id, subscription_id)
    if shown is None or shown.first_charge is None:
        return None if shown is None else Known(shown)
    charge = await orders.ending(session, company_id, shown.first_charge.order_id)
    if charge is not None and charge.order.state != "INITIAL":
        # The two move in one commit, which may have come between the two readings.
        shown = await store.shown_by_id(session, company_id, subscription_id) or shown
    return Known(shown, charge)


@dataclass(frozen=True)
class Cancel(Act["Known | None"]):
    """POST /order/v1/banking/subscriptions/{id}/cancellations. key: the idempotency key, None where none was sent."""

    subscription_id: UUID | None
    reason: CancelReason
    key: str | None
    place: Place

    async def read(self, session: Session, door: Door) -> Known | None:
        """The subscription and its first charge."""
        return None if self.subscription_id is None else await known_of(session, door.company_id, self.subscription_id)

    def decide(self, known: Known | None, door: Door) -> Done | Refused:
        """CANCELED at once: nobody has authorized it, so that nobody has to be asked."""
        if known is None:
            return NOT_FOUND
        subscription = known.shown.subscription
        if subscription.state != "PENDING_AUTHORIZATION":
            return _conflict(f"the subscription is {subscription.state}")
        charge = _charge_ended(known, "cancel", door, self.place)
        if charge is None:
            return _conflict("a payment for the first charge is under way")
        record, write = _canceled(known.shown, "cancel", self.reason, self.key, door)
        passed = tuple(Passed(status, door.now) for status in ("PENDING", "ACCEPTED"))
        return Done(write + charge, render(cancellation(record, passed)), record.id, keep="month")


@dataclass(frozen=True)
class Lapse(Act["Known | None"]):
    """The sweep found a subscription that can no longer be authorized."""

    subscription_id: UUID
    place: Place

    async def read(self, session: Session, door: Door) -> Known | None:
        """The subscription and its first charge."""
        return await known_of(session, door.company_id, self.subscription_id)

    def decide(self, known: Known | None, door: Door) -> Done | Refused:
        """CANCELED with AUTHORIZATION_EXPIRED, unless something came in between. A late message is given its minute."""
        due = None if known is None else subscription_due(known.shown.subscription)
        if known is None or due is None or due.trigger != "lapse" or not due.fires(door.now - EXPIRY_GRACE):
            return Done(None, b"")
        charge = _charge_ended(known, "expire", door, self.place)
        if charge is None:
            return Done(None, b"")
        _, write = _canceled(known.shown, "lapse", "AUTHORIZATION_EXPIRED", None, door)
        return Done(write + charge, b"")


def _charge_ended(known: Known, trigger: str, door: Door, place: Place) -> Write | None:
    """What becomes of the first charge: nothing where there is none; None while a payment for it is under way."""
    if known.charge is None:
        return Write(door.company_id)
    return orders.with_subscription(known.charge, trigger, door, place)


def _canceled(shown: Shown, trigger: str, reason: CancelReason, key: str | None, door: Door) -> tuple[Cancellation, Write]:
    """The end of a subscription that the holder of its account, or time, wants; its record, and its notification."""
    subscription, holder = shown.subscription, shown.account.holder
    record_id = door.chance.uuid(door.now)
    record = Cancellation(
        record_id, "ACCEPTED", len(_AT_ONCE), subscription.id, key or str(record_id), reason, None,
        Person(holder.full_name, holder.document_type, holder.document_number), door.now, door.now,
    )  # fmt: skip
    values = {
        "id": record.id, "subscription_id": record.subscription_id, "idempotency_key": record.idempotency_key,
        "reason": reason, "created_at": door.now, "updated_at": door.now,
    }  # fmt: skip
    move = SUBSCRIPTIONS.move(subscription, trigger, door.now, reason=reason)
    rows = CANCELLATIONS.born(values, door.now, _AT_ONCE, reason=reason)
    return record, Write(door.company_id, rows=rows, moves=(move,), facts=(turned(door, shown, "CANCELED", reason=reason),))


def _conflict(text: str) -> Refused:
    return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", text),))
