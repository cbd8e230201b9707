"""A client charges a cycle of a subscription."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import orders
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Relied, Write
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions import store
from lastro.subscriptions.actions.charge import ChargeWish, charged
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.payments.problems import EXTERNAL_ID_DUPLICATE, NOT_CHARGEABLE
from lastro.subscriptions.payments.rendering import payment_shown
from lastro.subscriptions.rules.charging import CYCLE_TAKEN, fee_problem, planned
from lastro.subscriptions.states import SUBSCRIPTIONS

if TYPE_CHECKING:
    from typing import Any
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.orders import CompanySetup, Installation
    from lastro.subscriptions.forms import SchedulePayment
    from lastro.subscriptions.model import Payment, SubscriptionShown, Timing


@dataclass(frozen=True, slots=True)
class ScheduleContext:
    """The subscription, and the fees of a charge at the versions read."""

    shown: SubscriptionShown
    setup: CompanySetup


async def known_of(session: Session, company_id: UUID, subscription_id: UUID) -> ScheduleContext | None:
    """The subscription and the company's fees; None where there is no such subscription."""
    shown = await store.shown_by_id(session, company_id, subscription_id)
    if shown is None:
        return None
    setup, _, _ = await orders.destination(session, company_id, shown.subscription.account_id, None)
    return ScheduleContext(shown, setup)


def made(
    known: ScheduleContext, wish: ChargeWish, context: RequestContext, place: Installation, timing: Timing, **sets: Any
) -> tuple[Payment, Write]:
    """A charge, with the move by which its subscription knows of it. sets: columns that change with that."""
    payment, write = charged(known.shown, known.setup, wish, context, place, timing)
    move = SUBSCRIPTIONS.move(known.shown.subscription, "charge", context.now, reason=wish.external_id, **sets)
    relied = (
        Relied("companies", context.company_id, known.setup.version),
        Relied("company_fees", context.company_id, known.setup.fees_version),
        Relied("accounts", known.shown.account.id, known.shown.account.version),
    )
    return payment, write + Write(context.company_id, relies=relied, moves=(move,))


@dataclass(frozen=True)
class Schedule(Act["ScheduleContext | None"]):
    """PUT /public/v1/banking/subscriptions/{id}/payments. form: one whose fields are good by themselves."""

    subscription_id: UUID | None
    form: SchedulePayment
    amount: Money | None
    place: Installation
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> ScheduleContext | None:
        """The subscription and the company's fees."""
        return None if self.subscription_id is None else await known_of(session, context.company_id, self.subscription_id)

    def decide(self, known: ScheduleContext | None, context: RequestContext) -> Done | Refused:
        """Schedules the charge, or returns all its problems."""
        if known is None:
            return NOT_FOUND
        subscription, form, today = known.shown.subscription, self.form, brasilia_day(context.now)
        if subscription.state == "ACCEPTED" and not known.shown.account.is_active:
            return NOT_CHARGEABLE.refused(why="the account that is paid is not ACTIVE")
        found = planned(subscription, form.due_date, self.amount, today, self.timing)
        if isinstance(found, Refused):
            return found
        days, amount = found
        wrong = fee_problem(amount, known.setup.fees.at(context.now))
        if wrong is not None:
            return Refused(Kind.INVALID, (wrong,))
        wish = ChargeWish(form.external_id, amount, days, form.description, form.auto_retry is not False)
        payment, write = made(known, wish, context, self.place, self.timing)
        body = render(payment_shown(payment, subscription.terms, today, self.timing))
        return Done(write, body, payment.id, keep="month")

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """The code or the cycle is another payment's; a clash of random ids is decided again."""
        if constraint == "subscription_payments_external_id_key":
            text = "another payment of the subscription has this code"
            return EXTERNAL_ID_DUPLICATE.refused(why=text)
        return CYCLE_TAKEN if constraint == "subscription_payments_cycle_key" else None
