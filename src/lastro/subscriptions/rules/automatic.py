"""What autoSchedule makes next: each cycle's charge, due on the cycle's first day, made nine days before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.standards.calendar import day_bounds
from lastro.subscriptions.model import TIMING, Cycle, Plan
from lastro.subscriptions.rules.cycles import cycles_from, is_in_time, plan

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import date, datetime

    from lastro.subscriptions.model import Subscription, Terms, Timing


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
    """The next charge to be made by itself; None where there is none: not ACCEPTED, not automatic, or endDate is near.

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
    """When the service makes a charge: at the beginning of the ninth day before its due date; UTC."""
    return day_bounds(days.due_on - timedelta(days=timing.send_days))[0]


def first_charge_at(terms: Terms, timing: Timing = TIMING) -> datetime | None:
    """When the service looks for the first charge of a subscription, once it is ACCEPTED; None: it makes none. UTC."""
    days = plan(terms, terms.starts_on) if terms.is_automatic else None
    return None if days is None else makes_at(days, timing)
