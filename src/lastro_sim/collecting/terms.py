"""When partners bring the money that they took: at once, after a while, or on the next business day in the morning.

One to three business days are what Woovi, Stripe and Ebanx publish; the hour is ours.
"""

from collections.abc import Callable
from datetime import time

from lastro.standards import calendar
from lastro_sim.clock import counted, moment

SETTLES_AT = time(8)


def after(microseconds: int) -> Callable[[int, int], int]:
    """So long after it was taken; zero is at once."""

    def settles_at(taken_at: int, delay: int) -> int:
        return taken_at + microseconds + delay

    return settles_at


def next_morning(taken_at: int, delay: int) -> int:
    """The morning of the business day after the one that it counts for; one that is taken longer ends on a business day."""
    taken_on = calendar.next_business_day(calendar.brasilia_day(moment(taken_at)))
    usual = counted(calendar.instant(calendar.add_business_days(taken_on, 1), SETTLES_AT))
    if delay == 0:
        return usual
    later = moment(usual + delay)
    day = calendar.brasilia_day(later)
    settles_on = calendar.next_business_day(day)
    return counted(later) if day == settles_on else counted(calendar.instant(settles_on, SETTLES_AT))
