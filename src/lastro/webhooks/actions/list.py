"""The list of events that are sent to a URL."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.paging import Part
from lastro.api_kit.routes import render, stamp
from lastro.core.runner import Act, Done
from lastro.webhooks import store
from lastro.webhooks.model import Listed
from lastro.webhooks.rendering import Events, shown

if TYPE_CHECKING:
    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.webhooks.model import DeliveryFilter, Undelivered


# The rendering of a page of 5,000 takes the time of a hundred requests; from so many rows on, others go on meanwhile.
MANY = 200


@dataclass(frozen=True)
class ListEvents(Act[Listed]):
    """Lists a page of matching events.

    wanted None: the filter names an object by a text that is no id, and finds nothing.
    """

    wanted: DeliveryFilter | None
    page: Page

    async def read(self, session: Session, context: RequestContext) -> Listed:
        """Reads the rows of the page, and one more if there is."""
        if self.wanted is None:
            return Listed([])
        return await store.events_in(session, context.company_id, self.wanted, self.page)

    async def call_out(self, known: Listed, context: RequestContext) -> Listed:
        """Renders a large page in a thread."""
        if len(known.events) < MANY:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: Listed, context: RequestContext) -> Done:
        """Returns the page as it is shown."""
        return Done(None, known.body or self._render(known))

    def _render(self, known: Listed) -> bytes:
        return render(self.page.answer(Events, self._part(known), shown))

    def _part(self, known: Listed) -> Part[Undelivered]:
        """Returns the page; one that hit the search limit has a next. This holds even where it found little."""
        part = self.page.part(known.events, lambda event: event.created_at)
        if part.has_next or known.walked_to is None:
            return part
        return Part(part.rows, stamp(known.walked_to))
