"""Listing a company's orders."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.accounts import Account, accounts_of
from lastro.api_kit.paging import Part
from lastro.api_kit.routes import render
from lastro.core.runner import Act, Done, RequestContext
from lastro.orders import store
from lastro.orders.rendering import Orders, listed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.orders.model import Installation, Order, OrderFilter

# A page of 5,000 takes as long to render as a hundred requests; from this many rows on it is rendered in a thread.
_MANY = 200


@dataclass(frozen=True, slots=True)
class OrdersOfPage:
    """A page of orders, with their accounts. body: the answer, if rendered already."""

    part: Part[Order]
    accounts: Mapping[UUID, Account]
    body: bytes = b""


@dataclass(frozen=True)
class ListOrders(Act[OrdersOfPage]):
    """GET /order/v2/transparent. wanted None: nothing can be found, since what is named is no id."""

    wanted: OrderFilter | None
    page: Page
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> OrdersOfPage:
        """Reads the page's orders. It stops where an older one could still come."""
        wanted = self.wanted
        if wanted is None:
            return OrdersOfPage(Part((), None), {})
        part = await self.page.listed(
            lambda page: store.orders_in(session, context.company_id, wanted, page),
            lambda order: order.created_at,
            context.now,
        )
        accounts = await accounts_of(session, context.company_id, {order.account_id for order in part.rows})
        return OrdersOfPage(part, {account.id: account for account in accounts})

    async def call_out(self, known: OrdersOfPage, context: RequestContext) -> OrdersOfPage:
        """Renders a large page in a thread."""
        if len(known.part.rows) < _MANY:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: OrdersOfPage, context: RequestContext) -> Done:
        """Answers with the page."""
        return Done(None, known.body or self._render(known))

    def _render(self, known: OrdersOfPage) -> bytes:
        def shown(order: Order) -> object:
            account = known.accounts[order.account_id]
            return listed(order, account.holder.full_name, account.city, self.place)

        return render(self.page.answer(Orders, known.part, shown))
