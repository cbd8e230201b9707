"""Reading scheduled payments: one, or a subscription's in pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from lastro.api_kit.paging import Part
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions import store
from lastro.subscriptions.model import TIMING, WantedPayments
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.payments.rendering import SubscriptionPayments, payment_shown

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.subscriptions.model import Payment, SubscriptionTerms, Timing


@dataclass(frozen=True, slots=True)
class PaymentsOfPage:
    """A subscription's terms, and payments of it."""

    terms: SubscriptionTerms
    part: Part[Payment]


@dataclass(frozen=True)
class ReadPayment(Act["PaymentsOfPage | None"]):
    """GET /public/v1/banking/subscriptions/{id}/payments/{paymentId}."""

    subscription_id: UUID | None
    payment_id: UUID | None
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> PaymentsOfPage | None:
        """The payment, where it is one of this subscription."""
        if self.subscription_id is None or self.payment_id is None:
            return None
        payment = await payments_store.payment_by_id(session, context.company_id, self.payment_id)
        if payment is None or payment.subscription_id != self.subscription_id:
            return None
        shown = await store.shown_by_id(session, context.company_id, self.subscription_id)
        return None if shown is None else PaymentsOfPage(shown.subscription.terms, Part((payment,), None))

    def decide(self, known: PaymentsOfPage | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        if known is None:
            return NOT_FOUND
        (payment,) = known.part.rows
        return Done(None, render(payment_shown(payment, known.terms, brasilia_day(context.now), self.timing)))


@dataclass(frozen=True)
class ListPayments(Act["PaymentsOfPage | None"]):
    """GET /public/v1/banking/subscriptions/{id}/payments. status, external_id: which; None: all."""

    subscription_id: UUID | None
    status: str | None
    external_id: str | None
    page: Page
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> PaymentsOfPage | None:
        """Reads the page's settled payments. No older one can still appear among them."""
        if self.subscription_id is None:
            return None
        shown = await store.shown_by_id(session, context.company_id, self.subscription_id)
        if shown is None:
            return None
        wanted = WantedPayments(self.subscription_id, self.status, self.external_id)
        part = await self.page.listed(
            lambda page: payments_store.payments_in(session, context.company_id, wanted, page),
            lambda payment: payment.created_at,
            context.now,
        )
        return PaymentsOfPage(shown.subscription.terms, part)

    async def call_out(self, known: PaymentsOfPage | None, context: RequestContext) -> PaymentsOfPage | None:
        """A large page is rendered in a thread."""
        if known is None:
            return None
        return replace(known, part=await known.part.rendered(partial(self._render, known.terms, context)))

    def decide(self, known: PaymentsOfPage | None, context: RequestContext) -> Done | Refused:
        """The page as it is shown."""
        return NOT_FOUND if known is None else Done(None, known.part.body or self._render(known.terms, context, known.part))

    def _render(self, terms: SubscriptionTerms, context: RequestContext, part: Part[Payment]) -> bytes:
        shown = partial(payment_shown, terms=terms, today=brasilia_day(context.now), timing=self.timing)
        return render(self.page.answer(SubscriptionPayments, part, shown))
