"""Sends events again under the same ids: one, or a filter's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import NOT_FOUND, render, stamp
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Touch, TouchMany, Write
from lastro.webhooks import store
from lastro.webhooks.model import ResendBatch
from lastro.webhooks.problems import EVENT_ID_EXPIRED
from lastro.webhooks.rendering import Resending, Resent
from lastro.webhooks.rules import EventStatus, Trigger
from lastro.webhooks.states import DELIVERIES, after

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.webhooks.model import DeliveryFilter, Resendable, Unsent

MOST = 10_000  # of one call: they are one statement
_FORGOTTEN = EVENT_ID_EXPIRED.refused()


@dataclass(frozen=True)
class Resend(Act["Resendable | None"]):
    """Sends an event's bytes again, under its id, by a new plan. An event that is about to be sent stays as it is."""

    event_id: UUID

    async def read(self, session: Session, context: RequestContext) -> Resendable | None:
        """Reads the event; None: it is unknown here or has no URL."""
        return await store.resendable(session, context.company_id, self.event_id)

    def decide(self, known: Resendable | None, context: RequestContext) -> Done | Refused:
        """Moves the delivery back to PENDING, due now.

        An attempt on its way keeps its lease, so that nothing is sent twice at once.
        """
        if known is None:
            return NOT_FOUND
        if known.is_forgotten:
            return _FORGOTTEN
        body = render(Resent(id=str(known.id), status="PENDING"))
        if known.unsent is not None:
            return Done(
                Write(context.company_id, rows=(_delivery(known, known.unsent, context.now),)), body, object_id=known.id
            )
        if known.status is None or not DELIVERIES.allows(known.status.value, Trigger.RESEND.value):
            return Done(None, body)
        sets = {**_new_plan(known.status, context.now), "due_at": context.now, "version": known.version + 1}
        if known.now_url is not None:
            sets["url"] = known.now_url
        touch = Touch(DELIVERIES.name, known.id, known.version, sets)
        return Done(Write(context.company_id, touches=(touch,)), body, object_id=known.id)


@dataclass(frozen=True, slots=True)
class ResendPreview:
    """The deliveries that a resend would send. urls: how many go to each; has_more: one call does not take all."""

    urls: Mapping[str, int]
    has_more: bool


async def preview(session: Session, company_id: UUID, wanted: DeliveryFilter | None) -> ResendPreview:
    """Reads what ResendMany would send now, and where to. wanted None: nothing."""
    if wanted is None:
        return ResendPreview({}, has_more=False)
    found = await store.found(session, company_id, wanted, MOST)
    present = await store.present_urls(session, company_id, [event.id for event in found.events])
    urls = Counter(present.get(event.id, event.now_url or "") for event in found.events)
    return ResendPreview(urls, found.goes_on is not None)


@dataclass(frozen=True)
class ResendMany(Act[ResendBatch]):
    """Sends all wanted events again, oldest first, so many a minute.

    wanted None: the filter names an object by a text that is no id, and finds nothing. dry_run: counts alone.
    """

    wanted: DeliveryFilter | None
    dry_run: bool
    per_minute: int

    async def read(self, session: Session, context: RequestContext) -> ResendBatch:
        """Reads the matching events, as far as one call goes."""
        if self.wanted is None:
            return ResendBatch((), None)
        found = await store.found(session, context.company_id, self.wanted, MOST)
        if self.dry_run:
            return found
        present = await store.present_urls(session, context.company_id, [event.id for event in found.events])
        return replace(found, events=tuple(replace(e, now_url=present.get(e.id, e.now_url)) for e in found.events))

    def decide(self, known: ResendBatch, context: RequestContext) -> Done:
        """Gives each a new plan. A delivery whose attempt ends at this very moment keeps that attempt's result."""
        goes_on = None if known.goes_on is None else stamp(known.goes_on + timedelta(microseconds=1))
        body = render(Resending(count=len(known.events), has_more=goes_on is not None, next_from=goes_on))
        if self.dry_run:
            return Done(None, body, status=200)
        if not known.events:
            return Done(None, body)
        some = known.events
        plans = [_new_plan(event.status, context.now) for event in some if event.status is not None]
        sets: dict[str, list[Any]] = {column: [plan[column] for plan in plans] for column in plans[0]}
        sets["url"] = [event.now_url for event in some]
        sets["due_at"] = [context.now + timedelta(minutes=1) * place / self.per_minute for place in range(len(some))]
        many = TouchMany(DELIVERIES.name, tuple(e.id for e in some), tuple(e.version for e in some), sets)
        return Done(Write(context.company_id, many=(many,)), body, object_id=context.company_id)


def _delivery(known: Resendable, unsent: Unsent, now: datetime) -> Row:
    """Returns the delivery of an unsent event, to its company's present URL."""
    values = {
        "id": known.id, "sequence": unsent.sequence, "reference_id": unsent.reference_id, "url": known.now_url,
        "type": unsent.type, "status": EventStatus.PENDING.value, "due_at": now, "created_at": unsent.created_at,
    }  # fmt: skip
    return Row(DELIVERIES.name, values)


def _new_plan(status: EventStatus, now: datetime) -> dict[str, Any]:
    """Returns the changes of a delivery by a resend, except its time."""
    return {"status": after(status, Trigger.RESEND).value, "waits": False, "plan_attempts": 0, "updated_at": now}
