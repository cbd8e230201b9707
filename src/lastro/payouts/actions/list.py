"""Lists a company's payouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.listing import ListRows
from lastro.payouts import store
from lastro.payouts.rendering import Payouts, in_full

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout, PayoutFilter


@dataclass(frozen=True)
class ListPayouts(ListRows):
    """GET /order/v1/banking/order-payouts. wanted None: the account named is no id, so the list is empty."""

    wanted: PayoutFilter | None
    page: Page
    answer = Payouts

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[Payout]:
        """Reads the payouts of a page."""
        return [] if self.wanted is None else await store.payouts_in(session, company_id, self.wanted, page)

    def shown(self, row: Payout, context: RequestContext) -> object:
        """Returns the payout as lists show it: without its children."""
        return in_full(row, [])
