"""The feed: every event of the company, in the order of their numbers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render, stamp
from lastro.core.concurrency_slot import without_slot
from lastro.core.errors import Refused, Wait
from lastro.core.runner import Act, Done
from lastro.webhooks import store
from lastro.webhooks.actions.list import MANY
from lastro.webhooks.model import FeedPart
from lastro.webhooks.problems import AFTER_EXPIRED
from lastro.webhooks.rendering import Feed, fed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.webhooks.arrivals import Arrivals


@dataclass
class ReadFeed(Act[FeedPart]):
    """Reads the events after a number. after None: from the first that is kept.

    wait_seconds: of real time; so long it waits for the first event where there is none. gone: ends when the caller hangs
    up, and then there is nothing to wait for.
    """

    after: int | None
    limit: int
    wait_seconds: int
    arrivals: Arrivals
    gone: Callable[[], Awaitable[None]] | None = None
    _until: float | None = field(init=False, default=None)

    async def read(self, session: Session, context: RequestContext) -> FeedPart:
        """Reads the events, and one more if there is. Wait: there is none yet."""
        found = await store.feed_after(session, context.company_id, self.after or 0, self.limit + 1)
        if not found.events and self._problem(found) is None and self._seconds_left() > 0:
            raise Wait(lambda: self._pause(context.company_id, max(self.after or 0, found.begins - 1, found.last)))
        return found

    async def call_out(self, known: FeedPart, context: RequestContext) -> FeedPart:
        """Renders a large part in a thread."""
        if len(known.events) < MANY or self._problem(known) is not None:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: FeedPart, context: RequestContext) -> Done | Refused:
        """Returns the events as they are told. It refuses a number whose followers are no longer kept, or were lost."""
        problem = self._problem(known)
        if problem is not None:
            return AFTER_EXPIRED.refused(why=problem)
        return Done(None, known.body or self._render(known))

    def _problem(self, known: FeedPart) -> str | None:
        if self.after is None:
            return None
        if self.after + 1 < known.begins:
            return f"what follows it is no longer kept; the feed begins after {known.begins - 1}"
        lost = known.lost_behind(self.after)
        if lost is None:
            return None
        return f"no event up to {known.last} has this number: a restore may have lost what was told behind {lost}"

    def _render(self, known: FeedPart) -> bytes:
        shown = [fed(event, known.before(event.sequence)) for event in known.events[: self.limit]]
        return render(
            Feed(
                limit=self.limit, has_next=len(known.events) > self.limit, data=shown, last_sequence=known.last,
                era=None if known.era is None else stamp(known.era),
            )
        )  # fmt: skip

    def _seconds_left(self) -> float:
        """Returns the rest of the waiting time, begun at the first look."""
        now = asyncio.get_running_loop().time()
        if self._until is None:
            self._until = now + self.wait_seconds
        return self._until - now

    async def _pause(self, company_id: UUID, after: int) -> None:
        """Waits until there may be an event, or the time is over. It ends also when the caller has hung up."""
        ends = [asyncio.ensure_future(self.arrivals.later_than(company_id, after, self._seconds_left()))]
        if self.gone is not None:
            ends.append(asyncio.ensure_future(self.gone()))
        try:
            async with without_slot():  # by the request's own task: those that it waits for are ended at any moment
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self.arrivals.has_ended or any(end.done() for end in ends[1:]):
                self._until = 0.0
        finally:
            for end in ends:
                end.cancel()
