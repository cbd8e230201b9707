"""Reading one refund by its id, and listing a company's refunds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.listing import ListRows
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.orders.refunds import store
from lastro.orders.refunds.rendering import Refunds, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
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


@dataclass(frozen=True)
class ListRefunds(ListRows):
    """GET /order/v1/banking/order-refunds. wanted None: nothing can be found, since the order named is no id."""

    wanted: store.RefundFilter | None
    page: Page
    answer = Refunds

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[RefundAsked]:
        """Reads the refunds of a page."""
        return [] if self.wanted is None else await store.refunds_in(session, company_id, self.wanted, page)

    def shown(self, row: RefundAsked, context: RequestContext) -> object:
        """Returns the refund as a read shows it."""
        return shown(row)
