"""A charge of a cycle: whether it may be made, and how it may be called off before its day."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from lastro.core.errors import Kind, Problem, Refused
from lastro.standards.calendar import brasilia_day, day_bounds, instant
from lastro.subscriptions.model import TIMING, Plan
from lastro.subscriptions.payments import problems as refusals
from lastro.subscriptions.rules.cycles import is_in_time, plan

if TYPE_CHECKING:
    from datetime import date, datetime

    from lastro.companies import FeePlan
    from lastro.core.money import Money
    from lastro.subscriptions.forms import SchedulePayment
    from lastro.subscriptions.model import Attempt, Payment, Subscription, SubscriptionTerms, Timing

CYCLE_TAKEN: Final = refusals.DUE_DATE_CONFLICT.refused()


def form_problems(form: SchedulePayment) -> list[Problem]:
    """Returns the problems of a payment that need no look-up. The form of single fields is not checked here."""
    code = form.external_id
    if code is not None and (not code.isprintable() or code != code.strip()):
        return [refusals.EXTERNAL_ID_INVALID.problem()]
    return []


def planned(
    subscription: Subscription, due_on: date, amount: Money | None, today: date, timing: Timing = TIMING
) -> tuple[Plan, Money] | Refused:
    """Returns the days and the amount of a charge, or its refusal.

    The caller has to know that the cycle has no other payment, except CANCELED or ERROR: CYCLE_TAKEN.
    """
    if subscription.state != "ACCEPTED":
        return refusals.NOT_CHARGEABLE.refused(why="the subscription is not ACCEPTED")
    problems = [*due_problems(subscription.terms, due_on, today, timing), *amount_problems(subscription.terms, amount)]
    days = plan(subscription.terms, due_on)
    asked = amount or subscription.terms.fixed
    if problems or days is None or asked is None:
        return Refused(Kind.INVALID, tuple(problems))
    return days, asked


def due_problems(terms: SubscriptionTerms, due_on: date, today: date, timing: Timing = TIMING) -> list[Problem]:
    """Returns the problems of a due date (states.md 3, contract.md §10)."""
    days = plan(terms, due_on)
    if due_on < terms.starts_on:
        text = "is before the first cycle"
    elif days is None:
        text = "is after the subscription's endDate"
    elif not is_in_time(days.settles_on, today, timing):
        text = f"would be settled in less than {timing.least_days} days"
    elif due_on > today + timedelta(days=timing.farthest_days):
        text = f"is more than {timing.farthest_days} days ahead"
    else:
        return []
    return [refusals.DUE_DATE_OUT_OF_RANGE.problem(why=text)]


def amount_problems(terms: SubscriptionTerms, amount: Money | None) -> list[Problem]:
    """Returns the problems of an amount: it is the fixed one, or else one is required.

    It may be below the floor, which bounds the payer's maximum alone, and above that maximum, where its attempt fails
    (contract.md §3).
    """
    if terms.fixed is None and amount is None:
        return [refusals.AMOUNT_REQUIRED.problem()]
    if terms.fixed is not None and amount not in (None, terms.fixed):
        return [refusals.AMOUNT_MISMATCH.problem(fixed=terms.fixed)]
    return []


def fee_problem(amount: Money, fees: FeePlan) -> Problem | None:
    """Returns a problem if the fees exceed the charge's amount. Its account bears the fees."""
    total = fees.total(amount)
    return refusals.AMOUNT_VALUE_OUT_OF_RANGE.problem(total=total) if total > amount else None


def cancel_refused(payment: Payment, now: datetime, timing: Timing = TIMING) -> Refused | None:
    """Returns the refusal of a receiver's cancellation of a payment; None: he can cancel (states.md 3)."""
    if payment.state != "SCHEDULED":
        return refusals.NOT_CANCELABLE.refused(why="only a SCHEDULED payment can be canceled")
    if payment.cancel_asked_at is not None:
        return refusals.NOT_CANCELABLE.refused(why="its cancellation was asked for already")
    if now >= receiver_cancels_before(payment.plan, timing):
        return refusals.NOT_CANCELABLE.refused(
            why=f"it could be canceled until {timing.receiver_cancels_until:%H:%M} of the day before it is settled"
        )
    return None


def cancel_is_asked(payment: Payment, *, is_unsent: bool = False) -> bool:
    """Tells whether the payer's bank has to confirm a cancellation. It does where it may have been told of the charge.

    is_unsent: the instruction of its open attempt waits here, and nobody has tried to send it.
    """
    return payment.open_attempt is not None and not is_unsent


def receiver_cancels_before(days: Plan, timing: Timing = TIMING) -> datetime:
    """Returns the first instant too late for the receiver's cancellation; UTC."""
    return instant(days.settles_on - timedelta(days=1), timing.receiver_cancels_until)


def ends_with_subscription(payment: Payment, now: datetime) -> bool:
    """Tells whether a payment is CANCELED at once with its subscription.

    One whose attempt is being settled is CANCELED later, when that attempt ends unpaid. A retry that waits for its day, or
    that nobody has asked for yet, is CANCELED at once.
    """
    attempt = payment.open_attempt
    if payment.state == "SCHEDULED" and (attempt is None or attempt.state != "SCHEDULED"):
        return True
    # A day that has come is being settled, whether or not the sweep has said so yet.
    return payment.state in ("SCHEDULED", "PENDING") and (attempt is None or attempt.day > brasilia_day(now))


def is_settled_by(payment: Payment, attempt: Attempt, amount: Money, at: datetime, timing: Timing = TIMING) -> bool:
    """Tells whether money for an attempt pays its payment. The payment is open, and all of the money came, on its day.

    A payment that the payer's bank never confirmed (SCHEDULED) is paid by it, too. at: when the network took the money from
    the payer.
    """
    on_its_day = day_bounds(attempt.day)[0] <= at < instant(attempt.day, timing.day_ends_at)
    return payment.state in ("SCHEDULED", "PENDING") and attempt.is_open and amount == payment.amount and on_its_day
