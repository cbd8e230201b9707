"""What clients do with the events told to them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lastro.base.api import NOT_FOUND, present, render, stamp
from lastro.base.run import Act, Done
from lastro.base.write import Touch, Write
from lastro.webhooks import store
from lastro.webhooks.model import Listed
from lastro.webhooks.rules import EventStatus, Trigger
from lastro.webhooks.states import DELIVERIES, after

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.base.errors import Refused
    from lastro.base.paging import Page
    from lastro.base.run import Door
    from lastro.webhooks.model import Resendable, Undelivered


# The rendering of a page of 5,000 takes the time of a hundred requests; from so many rows on, others go on meanwhile.
_MANY = 200


class ListUndelivered(Act[Listed]):
    """Shows a page of the events that failed to be delivered."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def read(self, session: Session, door: Door) -> Listed:
        """The rows of the page, and one more if there is."""
        return Listed(await store.undelivered(session, door.company_id, self._page))

    async def look_up(self, known: Listed, door: Door) -> Listed:
        """A large page is rendered in a thread."""
        if len(known.events) < _MANY:
            return known
        return Listed(known.events, await asyncio.to_thread(self._render, known.events))

    def decide(self, known: Listed, door: Door) -> Done:
        """The page as it is shown."""
        return Done(None, known.body or self._render(known.events))

    def _render(self, events: list[Undelivered]) -> bytes:
        return render(self._page.answer(events, lambda event: event.created_at, _shown))


class Resend(Act["Resendable | None"]):
    """Sends an event's bytes again, under its id, by a new plan. One that is about to be sent stays as it is."""

    def __init__(self, event_id: UUID) -> None:
        self._event_id = event_id

    async def read(self, session: Session, door: Door) -> Resendable | None:
        """The event, unless it is unknown here or has no URL."""
        return await store.resendable(session, door.company_id, self._event_id)

    def decide(self, known: Resendable | None, door: Door) -> Done | Refused:
        """Back to PENDING and due now. An attempt on its way keeps its lease, so that nothing is sent twice at once."""
        if known is None:
            return NOT_FOUND
        body = render({"id": str(known.id), "status": EventStatus.PENDING.value})
        if known.status is None or not DELIVERIES.allows(known.status.value, Trigger.RESEND.value):
            return Done(None, body)
        sets = {
            "status": after(known.status, Trigger.RESEND).value, "due_at": door.now, "waits": False, "plan_attempts": 0,
            "updated_at": door.now, "version": known.version + 1,
        }  # fmt: skip
        touch = Touch(DELIVERIES.name, known.id, known.version, sets)
        return Done(Write(door.company_id, touches=(touch,)), body, object_id=known.id)


def _shown(event: Undelivered) -> dict[str, Any]:
    return present(
        id=str(event.id),
        referenceId=str(event.reference_id),
        webhookUrl=event.url,
        status=event.status.value,
        createdAt=stamp(event.created_at),
        updatedAt=event.updated_at and stamp(event.updated_at),
        history=[
            {"message": a.message, "statusCode": a.status_code, "requestTime": stamp(a.requested_at)} for a in event.history
        ],
    )
