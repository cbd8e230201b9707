"""The time-driven transitions of a subscription and a payment: which trigger, and at which instant it falls due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lastro.standards.calendar import day_bounds, instant
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.rules.authorizing import window_ends
from lastro.subscriptions.rules.retrying import retry_window_ends, sends_at

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.subscriptions.model import Attempt, Payment, Subscription, Timing

# Triggers of the tables, and `ask`: the network is asked what became of an attempt, nothing is guessed.
Trigger = Literal["lapse", "end", "send", "begin", "expire", "ask"]


@dataclass(frozen=True, slots=True)
class Due:
    """A trigger and the instant from which it applies; UTC. One in the past applies at once."""

    trigger: Trigger
    at: datetime

    def fires(self, now: datetime) -> bool:
        """Tells whether it is due at `now`."""
        return self.at <= now


def subscription_due(subscription: Subscription, *, has_unfinished: bool = False) -> Due | None:
    """Returns the next time-driven transition of a subscription (states.md 1); None: none.

    has_unfinished: a payment of it is SCHEDULED or PENDING; the end of endDate then waits for that payment's. The window of
    journey 3 is its order's; both end together.
    """
    if subscription.state == "PENDING_AUTHORIZATION":
        ends_at = window_ends(subscription)
        return None if ends_at is None else Due("lapse", ends_at)
    last_day = subscription.terms.ends_on
    if subscription.state != "ACCEPTED" or last_day is None or has_unfinished:
        return None
    return Due("end", day_bounds(last_day)[1])


def payment_due(payment: Payment, timing: Timing = TIMING) -> Due | None:
    """Returns the next time-driven transition of a payment (states.md 3); None: it has ended."""
    days, attempt = payment.plan, payment.open_attempt
    if payment.state == "SCHEDULED":
        if attempt is None:
            return Due("send", max(payment.created_at, sends_at(days, timing)))
        return Due("begin" if attempt.state == "SCHEDULED" else "ask", day_bounds(days.settles_on)[0])
    if payment.state != "PENDING":
        return None
    if attempt is not None:
        # Its day is over at 21:00, but only the network knows how it ended.
        return Due("ask", instant(attempt.day, timing.day_ends_at))
    return Due("expire", day_bounds(max(days.settles_on, retry_window_ends(days, timing)))[1])


def due_at(payment: Payment, timing: Timing = TIMING) -> datetime | None:
    """Returns when time sends, begins or ends a payment; None: it awaits an answer.

    While the payer's bank has not answered the cancellation of a charge, its day does not begin: the answer decides.
    """
    due = payment_due(payment, timing)
    return None if due is None or due.trigger == "ask" or payment.cancel_asked_at is not None else due.at


def asks_at(attempt: Attempt, timing: Timing = TIMING) -> datetime:
    """Returns when to ask the network about a scheduled attempt: its day is over then; UTC."""
    return instant(attempt.day, timing.day_ends_at) + timing.told_within
