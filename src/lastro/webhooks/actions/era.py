"""Tells a company that an era began: a backup was put back, and events may be lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import stamp
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.webhooks import store
from lastro.webhooks.catalogue import ERA_BEGAN
from lastro.webhooks.emit import event_of
from lastro.webhooks.rendering import EraData, EraNotification

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.webhooks.model import BegunEra


@dataclass(frozen=True)
class TellEra(Act["BegunEra | None"]):
    """Tells of one era. The event is in the feed, and goes to the company's URL for its type."""

    id: UUID

    async def read(self, session: Session, context: RequestContext) -> BegunEra | None:
        """Reads the numbers that the era left out; None: it is told."""
        return await store.untold_era(session, context.company_id, self.id)

    def decide(self, known: BegunEra | None, context: RequestContext) -> Done | Refused:
        """Returns the event, once."""
        if known is None:
            return Done(None, b"")
        data = EraData(
            lost_from=stamp(known.lost_from), last_sequence=known.last_before, first_sequence=known.first_sequence
        )
        body = EraNotification(event="FEED.ERA_BEGAN", era=stamp(known.era), occurred_at=stamp(context.now), data=data)
        touch = Touch("event_eras", self.id, known.version, {"told_at": context.now, "version": known.version + 1})
        return Done(
            Write(context.company_id, touches=(touch,), events=(event_of(context, ERA_BEGAN, self.id, None, body),)), b""
        )
