"""Gives the receipt of a payout whose money has left."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.media import PDF, saved_as
from lastro.core.runner import Act, Done
from lastro.payouts import store
from lastro.payouts.problems import STATUS_CONFLICT
from lastro.payouts.receipts import HAS_LEFT, Receipt, ReceivedReturn, shown

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout


@dataclass(frozen=True, slots=True)
class ReceiptContext:
    """A payout, its transfers and returns, and its PDF once drawn. payouts empty: unknown."""

    payouts: tuple[Payout, ...]
    returns: tuple[ReceivedReturn, ...] = ()
    drawn: bytes | None = None


@dataclass(frozen=True)
class GiveReceipt(Act[ReceiptContext]):
    """GET /order/v1/banking/order-payouts/{id}/receipt. media: of the answer. institution: that gives it."""

    payout_id: UUID | None
    media: str
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> ReceiptContext:
        """Reads the payout with its transfers and returns."""
        if self.payout_id is None:
            return ReceiptContext(())
        found = await store.whole(session, context.company_id, self.payout_id)
        return ReceiptContext(tuple(found), await store.returns_of(session, context.company_id, [p.id for p in found]))

    async def call_out(self, known: ReceiptContext, context: RequestContext) -> ReceiptContext:
        """Draws a PDF in a thread: it takes too long for the loop."""
        if self.media != PDF or self._refused(known) is not None:
            return known
        return replace(known, drawn=await asyncio.to_thread(_drawn, self._receipt(known)))

    def decide(self, known: ReceiptContext, context: RequestContext) -> Done | Refused:
        """Shows it."""
        refused = self._refused(known)
        if refused is not None:
            return refused
        if known.drawn is None:
            return Done(None, render(shown(self._receipt(known))))
        return Done(None, known.drawn, headers=(saved_as(f"comprovante-{known.payouts[0].id}.pdf"),), media=PDF)

    def _receipt(self, known: ReceiptContext) -> Receipt:
        return Receipt(known.payouts[0], known.payouts[1:], known.returns, self.institution)

    def _refused(self, known: ReceiptContext) -> Refused | None:
        """Returns the refusal of a receipt, or None."""
        if not known.payouts:
            return NOT_FOUND
        state = known.payouts[0].state
        if state in HAS_LEFT:
            return None
        return STATUS_CONFLICT.refused(why=f"the payout is {state}: no money of it has left")


def _drawn(receipt: Receipt) -> bytes:
    from lastro.payouts.receipts.drawing import draw  # noqa: PLC0415 see the package

    return draw(receipt)
