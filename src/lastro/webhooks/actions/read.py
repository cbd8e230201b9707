"""Reads one event, with its attempts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.webhooks import store
from lastro.webhooks.rendering import shown_whole

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import Query, RequestContext
    from lastro.webhooks.model import StoredEvent


@dataclass(frozen=True)
class ReadEvent(Act["StoredEvent | None"]):
    """The event as it is now. event_id None: no id at all, which is answered as an unknown one."""

    event_id: UUID | None

    def query(self) -> Query[StoredEvent | None] | None:
        """Returns the query of one event, in one statement."""
        return None if self.event_id is None else store.event_by_id(self.event_id)

    async def read(self, session: Session, context: RequestContext) -> StoredEvent | None:
        """Reads nothing: a text that is no id is nobody's."""
        return None

    def decide(self, known: StoredEvent | None, context: RequestContext) -> Done | Refused:
        """Returns the event; 404 when it is another company's too."""
        return NOT_FOUND if known is None else Done(None, render(shown_whole(known)))
