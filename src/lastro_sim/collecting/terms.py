"""Settlement terms of partners: at once, after a delay, next business morning.

One to three business days are what Woovi, Stripe and Ebanx publish; the hour is ours.
"""

from collections.abc import Callable
from datetime import time

from lastro.standards import calendar
from lastro_sim.clock import counted, moment

SETTLES_AT = time(8)


def after(microseconds: int) -> Callable[[int, int], int]:
    """Returns a settlement time with this delay; zero is at once."""

    def settles_at(taken_at: int, delay: int) -> int:
        return taken_at + microseconds + delay

    return settles_at


def next_morning(taken_at: int, delay: int) -> int:
    """Returns the morning after the payment's business day, or later by delay. A delayed one settles on a business day."""
    taken_on = calendar.next_business_day(calendar.brasilia_day(moment(taken_at)))
    usual = counted(calendar.instant(calendar.add_business_days(taken_on, 1), SETTLES_AT))
    if delay == 0:
        return usual
    later = moment(usual + delay)
    day = calendar.brasilia_day(later)
    settles_on = calendar.next_business_day(day)
    return counted(later) if day == settles_on else counted(calendar.instant(settles_on, SETTLES_AT))
