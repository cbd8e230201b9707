"""Cycles and days: which cycle a date is in, when a charge of it is settled, when it may be made.

Cycle k is [startDate + k periods, startDate + (k+1) periods), always counted from startDate with the day cut to the month's
end: 31 January, 28 February, 31 March (contract.md §10).
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from lastro.standards.calendar import next_business_day
from lastro.subscriptions.model import TIMING, Cycle, Plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lastro.standards.recurrence_payload import Frequency
    from lastro.subscriptions.model import SubscriptionTerms, Timing

_MONTHS: Final[dict[Frequency, int]] = {"MONTHLY": 1, "QUARTERLY": 3, "SEMIANNUAL": 6, "ANNUAL": 12}
_WEEK: Final = 7


def cycle_start(starts_on: date, frequency: Frequency, number: int) -> date:
    """Returns the first day of cycle `number`, 0 being the first. A day beyond the year 9999 becomes its last day.

    ValueError for a negative number.
    """
    if number < 0:
        raise ValueError("no cycle is before the first")
    if frequency == "WEEKLY":
        days = number * _WEEK
        return starts_on + timedelta(days=days) if days <= (date.max - starts_on).days else date.max
    year, month = divmod(starts_on.year * 12 + starts_on.month - 1 + number * _MONTHS[frequency], 12)
    if year > date.max.year:
        return date.max
    return date(year, month + 1, min(starts_on.day, monthrange(year, month + 1)[1]))


def cycle(starts_on: date, frequency: Frequency, number: int) -> Cycle:
    """Cycle `number`, 0 being the first. ValueError for a negative number."""
    first = cycle_start(starts_on, frequency, number)
    return Cycle(number, first, cycle_start(starts_on, frequency, number + 1))


def cycle_of(starts_on: date, frequency: Frequency, day: date) -> Cycle | None:
    """The one cycle that a day is in; None before the first."""
    if day < starts_on:
        return None
    if frequency == "WEEKLY":
        return cycle(starts_on, frequency, (day - starts_on).days // _WEEK)
    months = (day.year - starts_on.year) * 12 + day.month - starts_on.month
    number = months // _MONTHS[frequency]
    # In the month in which a cycle begins, the days before its first one belong to the cycle before.
    if cycle_start(starts_on, frequency, number) > day:
        number -= 1
    return cycle(starts_on, frequency, number)


def adjusted(due_on: date, *, adjusts: bool) -> date:
    """The day on which a charge is settled: the due date, or the next business day where it is none and may move.

    Weekends and the national holidays of banks move it (API Pix 2.9.0, `ajusteDiaUtil`); those of the payer's municipality
    do not: no list of them is kept here (contract.md §3).
    """
    return next_business_day(due_on) if adjusts else due_on


def plan(terms: SubscriptionTerms, due_on: date) -> Plan | None:
    """The days of a charge; None where the due date is in no cycle, or after endDate."""
    found = cycle_of(terms.starts_on, terms.frequency, due_on)
    if found is None or (terms.ends_on is not None and due_on > terms.ends_on):
        return None
    return Plan(due_on, adjusted(due_on, adjusts=terms.adjusts), found)


def is_in_time(settles_on: date, today: date, timing: Timing = TIMING) -> bool:
    """Tells whether a charge settled on that day is in time. The limit is three days (states.md 3)."""
    return settles_on >= today + timedelta(days=timing.least_days)


def days_to_choose(
    terms: SubscriptionTerms, wanted: Cycle, today: date, timing: Timing = TIMING
) -> tuple[date, date] | None:
    """Returns the first and last due date possible for a cycle's charge. It is made today; None where there is none."""
    last = min(wanted.next_starts_on - timedelta(days=1), today + timedelta(days=timing.farthest_days))
    if terms.ends_on is not None:
        last = min(last, terms.ends_on)
    # An adjusted day is a few days after the due date at most, so the search is over within a few steps.
    first = max(wanted.starts_on, today)
    while first <= last and not is_in_time(adjusted(first, adjusts=terms.adjusts), today, timing):
        first += timedelta(days=1)
    return (first, last) if first <= last else None


def cycles_from(terms: SubscriptionTerms, number: int) -> Iterator[Cycle]:
    """Yields the cycles from `number` on that begin before endDate is over."""
    while True:
        found = cycle(terms.starts_on, terms.frequency, number)
        if found.starts_on == found.next_starts_on or (terms.ends_on is not None and found.starts_on > terms.ends_on):
            return
        yield found
        number += 1
