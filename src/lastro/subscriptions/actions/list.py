"""Listing a company's subscriptions."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.paging import Part
from lastro.api_kit.routes import render
from lastro.core.runner import Act, Done
from lastro.subscriptions import store
from lastro.subscriptions.rendering import Subscriptions, listed

if TYPE_CHECKING:
    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.subscriptions.model import SubscriptionFilter, SubscriptionShown

_MANY = 200  # from so many rows on a page is rendered in a thread


@dataclass(frozen=True, slots=True)
class SubscriptionsOfPage:
    """The subscriptions of a page, and the answer if already rendered."""

    part: Part[SubscriptionShown]
    body: bytes = b""


@dataclass(frozen=True)
class ListSubscriptions(Act[SubscriptionsOfPage]):
    """GET /order/v1/banking/subscriptions. wanted None: nothing can be found, since the account named is no id."""

    wanted: SubscriptionFilter | None
    page: Page

    async def read(self, session: Session, context: RequestContext) -> SubscriptionsOfPage:
        """Reads the page's settled subscriptions. No older one can still appear among them."""
        wanted = self.wanted
        if wanted is None:
            return SubscriptionsOfPage(Part((), None))
        part = await self.page.listed(
            lambda page: store.subscriptions_in(session, context.company_id, wanted, page),
            lambda shown: shown.subscription.created_at,
            context.now,
        )
        return SubscriptionsOfPage(part)

    async def call_out(self, known: SubscriptionsOfPage, context: RequestContext) -> SubscriptionsOfPage:
        """A large page is rendered in a thread."""
        if len(known.part.rows) < _MANY:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: SubscriptionsOfPage, context: RequestContext) -> Done:
        """The page as it is shown."""
        return Done(None, known.body or self._render(known))

    def _render(self, known: SubscriptionsOfPage) -> bytes:
        return render(self.page.answer(Subscriptions, known.part, listed))
