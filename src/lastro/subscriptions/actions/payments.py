"""Reading scheduled payments: one, or a subscription's in pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.api_kit.listing import ListRows
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions import store
from lastro.subscriptions.model import TIMING, WantedPayments
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.payments.rendering import SubscriptionPayments, payment_shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.subscriptions.model import Payment, SubscriptionTerms, Timing


@dataclass(frozen=True, slots=True)
class PaymentContext:
    """A payment, and its subscription's terms."""

    payment: Payment
    terms: SubscriptionTerms


@dataclass(frozen=True)
class ReadPayment(Act["PaymentContext | None"]):
    """GET /public/v1/banking/subscriptions/{id}/payments/{paymentId}."""

    subscription_id: UUID | None
    payment_id: UUID | None
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> PaymentContext | None:
        """The payment, where it is one of this subscription."""
        if self.subscription_id is None or self.payment_id is None:
            return None
        payment = await payments_store.payment_by_id(session, context.company_id, self.payment_id)
        if payment is None or payment.subscription_id != self.subscription_id:
            return None
        shown = await store.shown_by_id(session, context.company_id, self.subscription_id)
        return None if shown is None else PaymentContext(payment, shown.subscription.terms)

    def decide(self, known: PaymentContext | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        if known is None:
            return NOT_FOUND
        return Done(None, render(payment_shown(known.payment, known.terms, brasilia_day(context.now), self.timing)))


@dataclass(frozen=True)
class ListPayments(ListRows):
    """GET /public/v1/banking/subscriptions/{id}/payments. status, external_id: which; None: all."""

    subscription_id: UUID | None
    status: str | None
    external_id: str | None
    page: Page
    timing: Timing = TIMING
    answer = SubscriptionPayments

    async def read(self, session: Session, context: RequestContext) -> Part[Any] | None:
        """Reads the page's payments, each with the subscription's terms; None: there is no such subscription."""
        if self.subscription_id is None:
            return None
        found = await store.shown_by_id(session, context.company_id, self.subscription_id)
        part = None if found is None else await super().read(session, context)
        if found is None or part is None:
            return None
        return replace(part, rows=[(payment, found.subscription.terms) for payment in part.rows])

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[Payment]:
        """Reads the payments of a page."""
        assert self.subscription_id is not None
        wanted = WantedPayments(self.subscription_id, self.status, self.external_id)
        return await payments_store.payments_in(session, company_id, wanted, page)

    def shown(self, row: tuple[Payment, SubscriptionTerms], context: RequestContext) -> object:
        """Returns the payment as it stands today."""
        return payment_shown(*row, brasilia_day(context.now), self.timing)
