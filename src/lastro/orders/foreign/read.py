"""Reads foreign payments: one, or a list by pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.listing import ListRows
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.orders.foreign import store
from lastro.orders.foreign.rendering import ForeignPayments, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.orders.foreign.model import ForeignFilter, KeptForeign


@dataclass(frozen=True)
class ReadForeign(Act["KeptForeign | None"]):
    """GET /order/v1/banking/foreign-payments/{id}. foreign_id None: the text is no id."""

    foreign_id: UUID | None

    def query(self) -> Query[KeptForeign | None] | None:
        """Returns the query of the payment."""
        return None if self.foreign_id is None else store.foreign_by_id(self.foreign_id)

    async def read(self, session: Session, context: RequestContext) -> KeptForeign | None:
        """Returns None: the text is not an id."""
        return None

    def decide(self, known: KeptForeign | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return NOT_FOUND if known is None else Done(None, render(shown(known)))


@dataclass(frozen=True)
class ListForeign(ListRows):
    """GET /order/v1/banking/foreign-payments."""

    wanted: ForeignFilter
    page: Page
    answer = ForeignPayments

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[KeptForeign]:
        """Reads the payments of a page."""
        return await store.foreign_in(session, company_id, self.wanted, page)

    def shown(self, row: KeptForeign, context: RequestContext) -> object:
        """Returns the payment as lists show it."""
        return shown(row)
