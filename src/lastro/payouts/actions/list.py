"""Listing a company's payouts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.paging import Part
from lastro.api_kit.routes import render
from lastro.core.runner import Act, Done
from lastro.payouts import store
from lastro.payouts.rendering import Payouts, in_full

if TYPE_CHECKING:
    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout, PayoutFilter

_MANY = 200  # from so many rows on a page is rendered in a thread


@dataclass(frozen=True, slots=True)
class PayoutsOfPage:
    """The payouts of a page, and the answer where it is rendered already."""

    part: Part[Payout]
    body: bytes = b""


@dataclass(frozen=True)
class ListPayouts(Act[PayoutsOfPage]):
    """GET /order/v1/banking/order-payouts. wanted None: nothing can be found, since the account named is no id."""

    wanted: PayoutFilter | None
    page: Page

    async def read(self, session: Session, context: RequestContext) -> PayoutsOfPage:
        """The payouts of the page, as far as no older one can still come."""
        wanted = self.wanted
        if wanted is None:
            return PayoutsOfPage(Part((), None))
        part = await self.page.listed(
            lambda page: store.payouts_in(session, context.company_id, wanted, page),
            lambda payout: payout.created_at,
            context.now,
        )
        return PayoutsOfPage(part)

    async def call_out(self, known: PayoutsOfPage, context: RequestContext) -> PayoutsOfPage:
        """A large page is rendered in a thread."""
        if len(known.part.rows) < _MANY:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: PayoutsOfPage, context: RequestContext) -> Done:
        """The page as it is shown."""
        return Done(None, known.body or self._render(known))

    def _render(self, known: PayoutsOfPage) -> bytes:
        return render(self.page.answer(Payouts, known.part, lambda payout: in_full(payout, [])))
