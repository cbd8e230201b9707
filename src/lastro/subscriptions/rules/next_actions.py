"""The next steps of a subscription: the actor, the action, and until or from when. The answer of a read by id has them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from lastro.standards.calendar import brasilia_day, day_bounds, instant
from lastro.subscriptions.model import CYCLE_IS_FREE, TIMING
from lastro.subscriptions.rules.authorizing import window_ends
from lastro.subscriptions.rules.automatic import made_before, upcoming
from lastro.subscriptions.rules.cycles import cycle_of, cycles_from, days_to_choose, plan
from lastro.subscriptions.rules.moments import payment_due
from lastro.subscriptions.rules.retrying import last_retry_day, retry_refused

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime
    from uuid import UUID

    from lastro.subscriptions.model import Payment, Subscription, Timing

Actor = Literal["PAYER", "RECEIVER", "SERVICE"]
Action = Literal[
    "AUTHORIZE",  # the payer, until the window closes
    # The receiver: a due date from `first_due` to `last_due`, or from `at` on one from `first_due` on; the service: at `at`,
    # for `first_due`.
    "SCHEDULE_PAYMENT",
    "SKIP_CYCLE",  # the service: the cycle that begins on `first_due` gets no charge by itself, being too near
    "AWAIT_ACCOUNT",  # no charge before the account is ACTIVE: the one of `first_due` only if it is so until `until`
    "SEND_CHARGE",  # the service tells the payer's bank of a charge
    "COLLECT",  # the payer's bank settles an attempt
    "RETRY_PAYMENT",  # the receiver may ask for another try, until the end of `last_due`
    "END",  # the subscription ends by its endDate
]


@dataclass(frozen=True, slots=True)
class NextAction:
    """A next action. at: when it happens, until: when it is too late; UTC. due dates: as the action says."""

    action: Action
    by: Actor
    at: datetime | None = None
    until: datetime | None = None
    first_due: date | None = None
    last_due: date | None = None
    payment_id: UUID | None = None


def next_actions(
    subscription: Subscription, payments: Sequence[Payment], now: datetime, timing: Timing = TIMING, *,
    account_is_active: bool = True, code_leads_here: bool = True,
) -> list[NextAction]:  # fmt: skip
    """Returns the next action of each kind; none once the subscription has ended.

    payments: all that are not in a past cycle, and all that are unfinished. account_is_active: the account that is paid is
    ACTIVE; otherwise no charge is made. code_leads_here: False where the key of its first charge has left: the payer's code
    is dead, so nothing comes next.
    """
    if subscription.state == "PENDING_AUTHORIZATION" and not code_leads_here:
        return []
    if subscription.state == "PENDING_AUTHORIZATION":
        return [NextAction("AUTHORIZE", "PAYER", until=window_ends(subscription))]
    if subscription.state != "ACCEPTED":
        return []
    found = [one for payment in payments if (one := _of_payment(payment, subscription, now, timing)) is not None]
    taken = {p.plan.cycle.number for p in payments if p.state not in CYCLE_IS_FREE}
    charges = _charges(subscription, taken, brasilia_day(now), timing)
    found += charges if account_is_active else [_awaited(one, subscription, timing) for one in charges]
    last_day = subscription.terms.ends_on
    if last_day is not None:
        found.append(NextAction("END", "SERVICE", at=day_bounds(last_day)[1]))
    return found


def after_refusal(payment: Payment, subscription: Subscription, now: datetime, timing: Timing = TIMING) -> list[NextAction]:
    """Returns the next actions after an unpaid attempt.

    It is the next attempt, or another charge of the cycle that its end leaves free. payment: as it is afterwards.
    """
    coming = _of_payment(payment, subscription, now, timing)
    if coming is not None:
        return [coming]
    if payment.state not in CYCLE_IS_FREE or subscription.state != "ACCEPTED":
        return []
    days = days_to_choose(subscription.terms, payment.plan.cycle, brasilia_day(now), timing)
    return [] if days is None else [NextAction("SCHEDULE_PAYMENT", "RECEIVER", first_due=days[0], last_due=days[1])]


def _charges(subscription: Subscription, taken: set[int], today: date, timing: Timing) -> list[NextAction]:
    terms, found = subscription.terms, []
    if terms.is_automatic:
        coming = upcoming(subscription, taken, today, timing)
        if coming is None:
            return []
        found += [NextAction("SKIP_CYCLE", "SERVICE", first_due=cycle.starts_on) for cycle in coming.passed_over]
        return [*found, NextAction("SCHEDULE_PAYMENT", "SERVICE", at=coming.make_at, first_due=coming.plan.due_on)]
    current = cycle_of(terms.starts_on, terms.frequency, today)
    for cycle in cycles_from(terms, 0 if current is None else current.number):
        if cycle.number in taken:
            continue
        opens = cycle.starts_on - timedelta(days=timing.farthest_days)
        if opens > today:
            return [NextAction("SCHEDULE_PAYMENT", "RECEIVER", at=day_bounds(opens)[0], first_due=cycle.starts_on)]
        days = days_to_choose(terms, cycle, today, timing)
        if days is not None:
            return [NextAction("SCHEDULE_PAYMENT", "RECEIVER", first_due=days[0], last_due=days[1])]
    return []


def _awaited(one: NextAction, subscription: Subscription, timing: Timing) -> NextAction:
    """Turns an action of _charges into AWAIT_ACCOUNT while the account is inactive."""
    days = None if one.first_due is None else plan(subscription.terms, one.first_due)
    if one.action != "SCHEDULE_PAYMENT" or days is None:
        return one
    until = made_before(days, timing) if one.by == "SERVICE" else None
    return NextAction("AWAIT_ACCOUNT", "SERVICE", at=one.at, until=until, first_due=one.first_due, last_due=one.last_due)


def _of_payment(payment: Payment, subscription: Subscription, now: datetime, timing: Timing) -> NextAction | None:
    due, attempt = payment_due(payment, timing), payment.open_attempt
    if due is None:
        return None
    if attempt is not None:
        begins, ends = day_bounds(attempt.day)[0], instant(attempt.day, timing.day_ends_at)
        return NextAction("COLLECT", "PAYER", at=begins, until=ends, payment_id=payment.id)
    if due.trigger == "send":
        return NextAction("SEND_CHARGE", "SERVICE", at=due.at, payment_id=payment.id)
    last = last_retry_day(payment.plan, timing)
    if retry_refused(payment, subscription, last, now, timing) is not None:
        return None
    return NextAction("RETRY_PAYMENT", "RECEIVER", until=day_bounds(last)[0], last_due=last, payment_id=payment.id)
