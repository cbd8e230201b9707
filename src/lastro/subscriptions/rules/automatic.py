"""The charges that autoSchedule makes. Each is due on its cycle's first day, and made when its bank is to be told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.standards.calendar import brasilia_day, day_bounds
from lastro.subscriptions.model import TIMING, Cycle, Plan
from lastro.subscriptions.rules.cycles import cycles_from, is_in_time, plan

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import date, datetime

    from lastro.subscriptions.model import Subscription, SubscriptionTerms, Timing


@dataclass(frozen=True, slots=True)
class Upcoming:
    """The next charge that the service makes by itself. make_at: when, UTC; in the past: at once.

    passed_over: cycles before it that get no charge, because it would have been settled too soon.
    """

    plan: Plan
    make_at: datetime
    passed_over: tuple[Cycle, ...]

    @property
    def external_id(self) -> str:
        """The code of the payment: the first day of its cycle, of which a subscription has one payment of ours."""
        return f"auto-{self.plan.due_on.isoformat()}"


def upcoming(subscription: Subscription, taken: Container[int], today: date, timing: Timing = TIMING) -> Upcoming | None:
    """Returns the service's next charge; None: not ACCEPTED, not automatic, or endDate near.

    taken: the numbers of the cycles that have a payment, whoever made it. Looks from the cycle after the last covered one,
    so that a charge that was made and canceled is not made again.
    """
    terms = subscription.terms
    if subscription.state != "ACCEPTED" or not terms.is_automatic:
        return None
    passed_over: list[Cycle] = []
    for cycle in cycles_from(terms, subscription.covered + 1):
        if cycle.number in taken:
            continue
        days = plan(terms, cycle.starts_on)
        if days is None:
            return None
        if is_in_time(days.settles_on, today, timing):
            return Upcoming(days, makes_at(days, timing), tuple(passed_over))
        passed_over.append(cycle)
    return None


def makes_at(days: Plan, timing: Timing = TIMING) -> datetime:
    """Returns when the service makes a charge; UTC. It is the beginning of the ninth day before its due date.

    If the payer's bank is told later than that, the charge is made later, too, but still in time (is_in_time).
    """
    return day_bounds(days.due_on - timedelta(days=max(timing.send_days, timing.least_days)))[0]


def made_before(days: Plan, timing: Timing = TIMING) -> datetime:
    """The first instant at which a charge cannot be made any more; UTC."""
    return day_bounds(days.settles_on - timedelta(days=timing.least_days))[1]


def looked_at_again(now: datetime) -> datetime:
    """Returns when the service retries a charge into an inactive account: tomorrow; UTC.

    A charge that was not made in time is passed over; the account may be ACTIVE before that.
    """
    return day_bounds(brasilia_day(now))[1]


def first_charge_at(terms: SubscriptionTerms, timing: Timing = TIMING) -> datetime | None:
    """Returns when to look for an ACCEPTED subscription's first charge; UTC. None: it makes none."""
    days = plan(terms, terms.starts_on) if terms.is_automatic else None
    return None if days is None else makes_at(days, timing)
