"""Brasilia's clock and the calendar of its banks: days, nights, holidays, and when a TED may leave.

Sources: IANA tz database, `America/Sao_Paulo` (UTC-3; until February 2019 UTC-2 in summer, ended by Decreto 9.772/2019);
Res. CMN 4.880/2020 (what is no business day of banks); the laws named beside each holiday.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

BRASILIA = ZoneInfo("America/Sao_Paulo")

NIGHT_BEGINS = time(20)

NIGHT_ENDS = time(6)
TED_OPENS = time(6, 30)
TED_CLOSES = time(17)


class Holiday(NamedTuple):
    """A holiday of one date. since: the first year in which that date was one; source: what made it so."""

    month: int
    day: int
    since: int
    source: str


# The same date each year. 31 December is none: no counter is open, and money settles.
FIXED = (
    Holiday(1, 1, 1949, "Lei 662/1949"),
    Holiday(4, 21, 1951, "Lei 1.266/1950"),
    Holiday(5, 1, 1949, "Lei 662/1949"),
    Holiday(9, 7, 1949, "Lei 662/1949"),
    Holiday(10, 12, 1980, "Lei 6.802/1980"),
    Holiday(11, 2, 2003, "Lei 10.607/2002"),
    Holiday(11, 15, 1949, "Lei 662/1949"),
    Holiday(11, 20, 2024, "Lei 14.759/2023"),
    Holiday(12, 25, 1949, "Lei 662/1949"),
)
# Days from Easter Sunday: Carnival Monday and Tuesday, Good Friday, Corpus Christi (Res. CMN 4.880/2020). Ash Wednesday
# is none: counters open at noon, and money settles.
MOVABLE = (-48, -47, -2, 60)


def easter(year: int) -> date:
    """Returns Easter Sunday of a year from 1583 on. Gregorian computus of Meeus, Jones and Butcher."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leap_centuries, century_rest = divmod(century, 4)
    moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap_centuries - moon + 15) % 30
    leaps, leap_rest = divmod(rest, 4)
    to_sunday = (32 + 2 * century_rest + 2 * leaps - epact - leap_rest) % 7
    late = (golden + 11 * epact + 22 * to_sunday) // 451
    month, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


@cache
def holidays(year: int) -> frozenset[date]:
    """Returns Brazil's national bank holidays of a year from 2003 on.

    Saturdays and Sundays, and holidays of one state or town, are not among them.
    """
    sunday = easter(year)
    fixed = {date(year, one.month, one.day) for one in FIXED if year >= one.since}
    return frozenset(fixed | {sunday + timedelta(days=days) for days in MOVABLE})


def is_business_day(day: date) -> bool:
    """Tells whether banks settle on `day` (Res. CMN 4.880/2020). They do not on Saturdays, Sundays and national holidays."""
    return day.weekday() < 5 and day not in holidays(day.year)


def next_business_day(day: date) -> date:
    """Returns `day` if it is a business day, else the next one."""
    while not is_business_day(day):
        day += timedelta(days=1)
    return day


def add_business_days(day: date, count: int) -> date:
    """Returns the business day that is `count` business days after `day`.

    `day` need not be one. 0: as `next_business_day`. ValueError for a negative count.
    """
    if count < 0:
        raise ValueError("business days are counted forward alone")
    day = next_business_day(day) if count == 0 else day
    for _ in range(count):
        day = next_business_day(day + timedelta(days=1))
    return day


def brasilia_day(at_utc: datetime) -> date:
    """Returns the civil day in Brasilia at an instant. ValueError if it is naive."""
    return _in_brasilia(at_utc).date()


def instant(day: date, at: time) -> datetime:
    """Returns the instant at which Brasilia's clock shows `at` on `day`; UTC."""
    return datetime.combine(day, at, BRASILIA).astimezone(UTC)


def day_bounds(day: date) -> tuple[datetime, datetime]:
    """Returns the first instants of a Brasilia day and the next; UTC."""
    return instant(day, time.min), instant(day + timedelta(days=1), time.min)


def night_bounds(at_utc: datetime, begins: time = NIGHT_BEGINS) -> tuple[datetime, datetime] | None:
    """Returns the night in which an instant lies: its first instant and the first one after it, both UTC; None by day.

    begins: 20:00, or 22:00 where the customer chose so; either night ends at 06:00 (IN BCB of September 2024, art. 13).
    ValueError for a naive instant.
    """
    local = _in_brasilia(at_utc)
    if NIGHT_ENDS <= local.time() < begins:
        return None
    evening = local.date() if local.time() >= begins else local.date() - timedelta(days=1)
    return instant(evening, begins), instant(evening + timedelta(days=1), NIGHT_ENDS)


def is_night(at_utc: datetime, begins: time = NIGHT_BEGINS) -> bool:
    """Tells whether an instant lies in the night. Lower limits hold then; `begins` and errors as in `night_bounds`."""
    return night_bounds(at_utc, begins) is not None


def ted_opens_at(now_utc: datetime) -> datetime:
    """Returns the next instant, UTC, at which a TED may leave.

    It is `now_utc` itself within 06:30-17:00 of a business day, else the next opening. The STR itself is open longer, but
    banks must send what is for customers before 17:00. ValueError if naive.
    """
    local = _in_brasilia(now_utc)
    if is_business_day(local.date()) and TED_OPENS <= local.time() < TED_CLOSES:
        return now_utc
    passed = local.time() >= TED_OPENS
    return instant(next_business_day(local.date() + timedelta(days=int(passed))), TED_OPENS)


def _in_brasilia(at_utc: datetime) -> datetime:
    if at_utc.tzinfo is None:
        raise ValueError("a naive datetime does not say which instant it is")
    return at_utc.astimezone(BRASILIA)
