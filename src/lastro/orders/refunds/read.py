"""Reading one refund by its id, and listing a company's refunds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.paging import Part
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.orders.refunds import store
from lastro.orders.refunds.rendering import Refunds, shown

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.runner import Query, RequestContext
    from lastro.orders.model import RefundAsked

_MANY = 200  # from so many rows on a page is rendered in a thread


@dataclass(frozen=True)
class ReadRefund(Act["RefundAsked | None"]):
    """GET /order/v1/banking/order-refunds/{id}."""

    refund_id: UUID | None

    def query(self) -> Query[RefundAsked | None] | None:
        """Returns the query of the refund."""
        return None if self.refund_id is None else store.by_id(self.refund_id)

    async def read(self, session: Session, context: RequestContext) -> RefundAsked | None:
        """Returns None: the text is not an id."""
        return None

    def decide(self, known: RefundAsked | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return Refused(Kind.NOT_FOUND) if known is None else Done(None, render(shown(known)))


@dataclass(frozen=True, slots=True)
class RefundsOfPage:
    """A page of refunds. body: the answer, if rendered already."""

    part: Part[RefundAsked]
    body: bytes = b""


@dataclass(frozen=True)
class ListRefunds(Act[RefundsOfPage]):
    """GET /order/v1/banking/order-refunds. wanted None: nothing can be found, since the order named is no id."""

    wanted: store.RefundFilter | None
    page: Page

    async def read(self, session: Session, context: RequestContext) -> RefundsOfPage:
        """Reads the page's refunds. It stops where an older one could still come."""
        wanted = self.wanted
        if wanted is None:
            return RefundsOfPage(Part((), None))
        part = await self.page.listed(
            lambda page: store.refunds_in(session, context.company_id, wanted, page),
            lambda asked: asked.created_at,
            context.now,
        )
        return RefundsOfPage(part)

    async def call_out(self, known: RefundsOfPage, context: RequestContext) -> RefundsOfPage:
        """Renders a large page in a thread."""
        if len(known.part.rows) < _MANY:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: RefundsOfPage, context: RequestContext) -> Done:
        """Answers with the page."""
        return Done(None, known.body or self._render(known))

    def _render(self, known: RefundsOfPage) -> bytes:
        return render(self.page.answer(Refunds, known.part, shown))
