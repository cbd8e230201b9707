"""Listing a company's orders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.accounts import accounts_of
from lastro.api_kit.listing import ListRows
from lastro.orders import store
from lastro.orders.rendering import Orders, listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders.model import Installation, Order, OrderFilter


@dataclass(frozen=True)
class ListOrders(ListRows):
    """GET /order/v2/transparent. wanted None: nothing can be found, since what is named is no id."""

    wanted: OrderFilter | None
    page: Page
    place: Installation
    answer = Orders

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[Order]:
        """Reads the orders of a page."""
        return [] if self.wanted is None else await store.orders_in(session, company_id, self.wanted, page)

    async def read(self, session: Session, context: RequestContext) -> Part[Any] | None:
        """Reads the page's orders, each with its account."""
        part = await super().read(session, context)
        assert part is not None
        found = await accounts_of(session, context.company_id, {order.account_id for order in part.rows})
        accounts = {account.id: account for account in found}
        return replace(part, rows=[(order, accounts[order.account_id]) for order in part.rows])

    def shown(self, row: tuple[Order, Account], context: RequestContext) -> object:
        """Returns the order as lists show it."""
        order, account = row
        return listed(order, account.holder.full_name, account.city, self.place)
