"""Lists a company's payouts."""

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

_MANY = 200  # rows; a page of as many or more is rendered in a thread


@dataclass(frozen=True, slots=True)
class PayoutsOfPage:
    """The payouts of a page, and its answer if rendered already."""

    part: Part[Payout]
    body: bytes = b""


@dataclass(frozen=True)
class ListPayouts(Act[PayoutsOfPage]):
    """GET /order/v1/banking/order-payouts. wanted None: the account named is no id, so the list is empty."""

    wanted: PayoutFilter | None
    page: Page

    async def read(self, session: Session, context: RequestContext) -> PayoutsOfPage:
        """Returns the page's payouts, up to where no older one can come."""
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
        """Renders a large page in a thread."""
        if len(known.part.rows) < _MANY:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: PayoutsOfPage, context: RequestContext) -> Done:
        """Shows the page."""
        return Done(None, known.body or self._render(known))

    def _render(self, known: PayoutsOfPage) -> bytes:
        return render(self.page.answer(Payouts, known.part, lambda payout: in_full(payout, [])))
