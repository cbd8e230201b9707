"""Listing a company's subscriptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.listing import ListRows
from lastro.subscriptions import store
from lastro.subscriptions.rendering import Subscriptions, listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.subscriptions.model import SubscriptionFilter, SubscriptionShown


@dataclass(frozen=True)
class ListSubscriptions(ListRows):
    """GET /order/v1/banking/subscriptions. wanted None: nothing can be found, since the account named is no id."""

    wanted: SubscriptionFilter | None
    page: Page
    answer = Subscriptions

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[SubscriptionShown]:
        """Reads the subscriptions of a page."""
        return [] if self.wanted is None else await store.subscriptions_in(session, company_id, self.wanted, page)

    def created_at(self, row: SubscriptionShown) -> datetime:
        """Returns the subscription's."""
        return row.subscription.created_at

    def shown(self, row: SubscriptionShown, context: RequestContext) -> object:
        """Returns the subscription as lists show it."""
        return listed(row)
