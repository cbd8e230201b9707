"""Reads one payout, by its id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.payouts import store
from lastro.payouts.rendering import in_full

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import Query, RequestContext
    from lastro.payouts.model import Payout


@dataclass(frozen=True)
class ReadPayout(Act["list[Payout]"]):
    """GET /order/v1/banking/order-payouts/{id}. A batch's child is shown with its batch, not by itself."""

    payout_id: UUID | None

    def query(self) -> Query[list[Payout]] | None:
        """Queries the payout and its children, in one round trip."""
        return None if self.payout_id is None else store.whole_query(self.payout_id)

    async def read(self, session: Session, context: RequestContext) -> list[Payout]:
        """Returns no payout: the text is no id."""
        return []

    def decide(self, known: list[Payout], context: RequestContext) -> Done | Refused:
        """Shows it."""
        if not known:
            return Refused(Kind.NOT_FOUND)
        return Done(None, render(in_full(known[0], known[1:])))
