"""Cycles of a recurrence, as the payer's bank counts them.

They count from its first day, each day cut to the end of its month.
"""

from calendar import monthrange
from datetime import date, timedelta

MONTHS = {"MONTHLY": 1, "QUARTERLY": 3, "SEMIANNUAL": 6, "ANNUAL": 12}
WEEK = timedelta(days=7)


def begins(starts_on: date, frequency: str, number: int) -> date:
    """Returns the first day of cycle `number`, 0 being the first."""
    if frequency == "WEEKLY":
        return starts_on + number * WEEK
    year, month = divmod(starts_on.year * 12 + starts_on.month - 1 + number * MONTHS[frequency], 12)
    return date(year, month + 1, min(starts_on.day, monthrange(year, month + 1)[1]))


def of(starts_on: date, frequency: str, day: date) -> int | None:
    """Returns the number of a day's cycle; None before the first."""
    if day < starts_on:
        return None
    if frequency == "WEEKLY":
        return (day - starts_on) // WEEK
    months = (day.year - starts_on.year) * 12 + day.month - starts_on.month
    number = months // MONTHS[frequency]
    return number - (begins(starts_on, frequency, number) > day)
