"""Reading one subscription, by its id or its location. The payer's bank fetches the location."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done, RequestContext
from lastro.standards.calendar import brasilia_day
from lastro.standards.recurrence_payload import Receiver, encode
from lastro.subscriptions import store
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.payments.rendering import payment_shown
from lastro.subscriptions.rendering import in_full
from lastro.subscriptions.rules.authorizing import payload_of
from lastro.subscriptions.rules.next_actions import next_actions

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.orders import Installation
    from lastro.subscriptions.model import Payment, SubscriptionShown, Timing
    from lastro.subscriptions.store import Past

MOST_PAYMENTS = 20  # shown with a subscription (contract.md §3)
_SERVED = ("PENDING_AUTHORIZATION", "ACCEPTED")


@dataclass(frozen=True, slots=True)
class ReadSubscriptionContext:
    """A subscription, its history, and the payments shown with it, newest first."""

    shown: SubscriptionShown
    past: Past
    payments: tuple[Payment, ...] = ()


@dataclass(frozen=True)
class ReadSubscription(Act["ReadSubscriptionContext | None"]):
    """GET /order/v1/banking/subscriptions/{id}."""

    subscription_id: UUID | None
    place: Installation
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> ReadSubscriptionContext | None:
        """The subscription, its history, its cancellations and its payments."""
        if self.subscription_id is None:
            return None
        shown = await store.shown_by_id(session, context.company_id, self.subscription_id)
        if shown is None:
            return None
        past = await store.past_of(session, context.company_id, self.subscription_id)
        today = brasilia_day(context.now)
        payments = await payments_store.latest_payments(
            session, context.company_id, self.subscription_id, MOST_PAYMENTS, today
        )
        return ReadSubscriptionContext(shown, past, tuple(payments))

    def decide(self, known: ReadSubscriptionContext | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        if known is None:
            return NOT_FOUND
        subscription, today = known.shown.subscription, brasilia_day(context.now)
        coming = next_actions(
            subscription, known.payments, context.now, self.timing, account_is_active=known.shown.account.is_active,
            code_leads_here=known.shown.code_leads_here,
        )  # fmt: skip
        last = [
            payment_shown(one, subscription.terms, today, self.timing) for one in reversed(known.payments[:MOST_PAYMENTS])
        ]
        return Done(None, render(in_full(known.shown, known.past, last, coming, self.place)))


async def by_location(session: Session, company_id: UUID, token: str) -> ReadSubscriptionContext | None:
    """The subscription behind a recurrence's location."""
    shown = await store.shown_by_location(session, company_id, token)
    return (
        None
        if shown is None
        else ReadSubscriptionContext(shown, await store.past_of(session, company_id, shown.subscription.id))
    )


def recurrence(known: ReadSubscriptionContext, ispb: str) -> bytes | None:
    """The JSON of a recurrence's location (API Pix 2.9.0 RecPayload); None once it has ended. ispb: our own."""
    subscription, holder = known.shown.subscription, known.shown.account.holder
    if subscription.state not in _SERVED:
        return None
    receiver = Receiver(name=holder.full_name, cnpj=holder.document_number, ispb=ispb)
    return encode(payload_of(subscription, receiver, ((one.status, one.at) for one in known.past.statuses)))
