import os
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import calendar

EVERY_YEAR = ((1, 1), (4, 21), (5, 1), (9, 7), (10, 12), (11, 2), (11, 15), (12, 25))
TEN = time(22)
instants = st.integers(1_041_400_000, 4_099_000_000).map(
    lambda seconds: datetime.fromtimestamp(seconds, UTC)
)  # 2003 to 2099
days = st.dates(date(2003, 1, 1), date(2099, 12, 1))


def utc(text: str) -> datetime:
    """`2026-11-20 03:00` as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@in_one_test(
    ("year", "others"),
    [
        (2020, [(2, 24), (2, 25), (4, 10), (6, 11)]),
        (2023, [(2, 20), (2, 21), (4, 7), (6, 8)]),  # 20 November is no holiday yet
        (2024, [(2, 12), (2, 13), (3, 29), (5, 30), (11, 20)]),
        (2025, [(3, 3), (3, 4), (4, 18), (6, 19), (11, 20)]),
        (2026, [(2, 16), (2, 17), (4, 3), (6, 4), (11, 20)]),
        (2027, [(2, 8), (2, 9), (3, 26), (5, 27), (11, 20)]),
        (2028, [(2, 28), (2, 29), (4, 14), (6, 15), (11, 20)]),
    ],
)
def test_the_holidays_of_a_year(year: int, others: list[tuple[int, int]]) -> None:
    assert calendar.holidays(year) == {date(year, month, day) for month, day in (*EVERY_YEAR, *others)}


@in_one_test(
    ("year", "sunday"),
    # The earliest and the latest that Easter can be, a year of a leap February, and the two exceptions of the lunar table.
    [(1818, "1818-03-22"), (2038, "2038-04-25"), (2024, "2024-03-31"), (1954, "1954-04-18"), (1981, "1981-04-19")],
)
def test_easter(year: int, sunday: str) -> None:
    assert calendar.easter(year) == date.fromisoformat(sunday)


@in_one_test(
    ("day", "business", "following", "why"),
    [
        ("2026-11-19", True, "2026-11-19", "a Thursday"),
        ("2026-11-20", False, "2026-11-23", "a Friday, national holiday since 2024"),
        ("2023-11-20", True, "2023-11-20", "the same date before"),
        ("2026-11-21", False, "2026-11-23", "a Saturday"),
        ("2026-11-22", False, "2026-11-23", "a Sunday"),
        ("2026-02-16", False, "2026-02-18", "Carnival Monday"),
        ("2026-02-17", False, "2026-02-18", "Carnival Tuesday"),
        ("2026-02-18", True, "2026-02-18", "Ash Wednesday: from noon at counters, and money settles"),
        ("2026-04-02", True, "2026-04-02", "Maundy Thursday"),
        ("2026-04-03", False, "2026-04-06", "Good Friday"),
        ("2026-06-04", False, "2026-06-05", "Corpus Christi"),
        ("2026-12-24", True, "2026-12-24", "Christmas Eve"),
        ("2026-12-31", True, "2026-12-31", "no counter, and money settles"),
        ("2027-01-01", False, "2027-01-04", "New Year, over the year's end"),
        ("2026-01-25", False, "2026-01-26", "a Sunday that is also the town's day of Sao Paulo"),
        ("2027-01-25", True, "2027-01-25", "a town's day alone"),
    ],
)
def test_business_days(day: str, business: bool, following: str, why: str) -> None:
    assert calendar.is_business_day(date.fromisoformat(day)) is business, why
    assert calendar.next_business_day(date.fromisoformat(day)) == date.fromisoformat(following), why


@in_one_test(
    ("day", "count", "reached"),
    [
        ("2026-11-18", 0, "2026-11-18"), ("2026-11-18", 1, "2026-11-19"), ("2026-11-18", 2, "2026-11-23"),
        ("2026-11-18", 3, "2026-11-24"), ("2026-11-20", 0, "2026-11-23"), ("2026-11-20", 1, "2026-11-23"),
        ("2026-11-21", 2, "2026-11-24"), ("2026-12-30", 2, "2027-01-04"), ("2026-02-13", 1, "2026-02-18"),
    ],
)  # fmt: skip
def test_counting_business_days(day: str, count: int, reached: str) -> None:
    assert calendar.add_business_days(date.fromisoformat(day), count) == date.fromisoformat(reached)


def test_business_days_are_not_counted_backward() -> None:
    with pytest.raises(ValueError, match="forward"):
        calendar.add_business_days(date(2026, 11, 18), -1)


@given(days, st.integers(1, 40))
def test_so_many_business_days_lie_between(day: date, count: int) -> None:
    reached = calendar.add_business_days(day, count)
    between = (day + timedelta(days=step) for step in range(1, (reached - day).days + 1))
    assert sum(map(calendar.is_business_day, between)) == count
    assert calendar.is_business_day(reached)


@in_one_test(
    ("at", "day"),
    [
        ("2026-11-20 02:59:59.999999", "2026-11-19"),
        ("2026-11-20 03:00", "2026-11-20"),
        ("2027-01-01 02:00", "2026-12-31"),
        ("2018-12-02 01:59:59", "2018-12-01"),  # summer time, two hours behind UTC
        ("2018-12-02 02:00", "2018-12-02"),
        ("2019-12-02 02:00", "2019-12-01"),  # the first summer without it
    ],
)
def test_the_day_in_brasilia(at: str, day: str) -> None:
    assert calendar.brasilia_day(utc(at)) == date.fromisoformat(day)


def test_another_zone_means_the_same_instant() -> None:
    tokyo = datetime(2026, 11, 20, 11, 59, tzinfo=timezone(timedelta(hours=9)))
    assert calendar.brasilia_day(tokyo) == date(2026, 11, 19)


@in_one_test(
    ("day", "first", "after"),
    [
        ("2026-11-20", "2026-11-20 03:00", "2026-11-21 03:00"),
        ("2018-12-01", "2018-12-01 02:00", "2018-12-02 02:00"),
        ("2018-11-04", "2018-11-04 03:00", "2018-11-05 02:00"),  # 23 hours: its first one was left out
        ("2019-02-16", "2019-02-16 02:00", "2019-02-17 03:00"),  # 25 hours: its last one came twice
    ],
)
def test_the_bounds_of_a_day(day: str, first: str, after: str) -> None:
    assert calendar.day_bounds(date.fromisoformat(day)) == (utc(first), utc(after))


@given(instants)
def test_every_instant_is_within_the_bounds_of_its_day(at: datetime) -> None:
    first, after = calendar.day_bounds(calendar.brasilia_day(at))
    assert first <= at < after
    assert first.tzinfo is after.tzinfo is UTC


@in_one_test(
    ("at", "begins", "night"),
    [
        ("2026-11-20 22:59:59.999999", calendar.NIGHT_BEGINS, None),
        ("2026-11-20 23:00", calendar.NIGHT_BEGINS, ("2026-11-20 23:00", "2026-11-21 09:00")),
        ("2026-11-21 02:30", calendar.NIGHT_BEGINS, ("2026-11-20 23:00", "2026-11-21 09:00")),
        ("2026-11-21 03:30", calendar.NIGHT_BEGINS, ("2026-11-20 23:00", "2026-11-21 09:00")),
        ("2026-11-21 08:59:59.999999", calendar.NIGHT_BEGINS, ("2026-11-20 23:00", "2026-11-21 09:00")),
        ("2026-11-21 09:00", calendar.NIGHT_BEGINS, None),
        ("2026-11-21 00:59:59", time(22), None),
        ("2026-11-21 01:00", time(22), ("2026-11-21 01:00", "2026-11-21 09:00")),
        ("2026-11-21 09:00", time(22), None),
        ("2018-12-01 22:00", calendar.NIGHT_BEGINS, ("2018-12-01 22:00", "2018-12-02 08:00")),
    ],
)
def test_the_night(at: str, begins: time, night: tuple[str, str] | None) -> None:
    bounds = (utc(night[0]), utc(night[1])) if night else None
    assert calendar.night_bounds(utc(at), begins) == bounds
    assert calendar.is_night(utc(at), begins) is (night is not None)


def test_the_night_begins_at_eight_unless_chosen_otherwise() -> None:
    half_past_eight = utc("2026-11-20 23:30")
    assert calendar.is_night(half_past_eight)
    assert not calendar.is_night(half_past_eight, TEN)


@in_one_test(
    ("now", "opens", "why"),
    [
        ("2026-11-19 09:29:59.999999", "2026-11-19 09:30", "before the opening of a Thursday"),
        ("2026-11-19 09:30", "2026-11-19 09:30", "at the opening"),
        ("2026-11-19 15:00:00.000001", "2026-11-19 15:00:00.000001", "at noon it is now"),
        ("2026-11-19 19:59:59.999999", "2026-11-19 19:59:59.999999", "the last instant"),
        ("2026-11-19 20:00", "2026-11-23 09:30", "closed, and over a holiday and a weekend"),
        ("2026-11-19 02:00", "2026-11-19 09:30", "still Wednesday's evening in Brasilia"),
        ("2026-11-20 15:00", "2026-11-23 09:30", "a holiday"),
        ("2026-11-21 05:00", "2026-11-23 09:30", "a Saturday's night"),
        ("2026-02-18 12:00", "2026-02-18 12:00", "Ash Wednesday's morning"),
        ("2026-12-31 12:00", "2026-12-31 12:00", "31 December"),
        ("2026-12-31 20:00", "2027-01-04 09:30", "over the year's end"),
        ("2018-12-03 08:30", "2018-12-03 08:30", "half past six in summer time"),
        ("2018-12-03 19:00", "2018-12-04 08:30", "five in summer time"),
    ],
)
def test_when_a_ted_may_leave(now: str, opens: str, why: str) -> None:
    assert calendar.ted_opens_at(utc(now)) == utc(opens), why


@given(instants)
def test_a_ted_leaves_in_the_window_and_not_in_the_past(now: datetime) -> None:
    opens = calendar.ted_opens_at(now)
    local = opens.astimezone(calendar.BRASILIA)
    assert opens >= now
    assert calendar.is_business_day(local.date())
    assert calendar.TED_OPENS <= local.time() < calendar.TED_CLOSES
    assert calendar.ted_opens_at(opens) == opens


@in_one_test(
    "asked",
    [calendar.brasilia_day, calendar.night_bounds, calendar.is_night, calendar.ted_opens_at],
    ids=lambda f: f.__name__,
)
def test_a_naive_instant_is_refused(asked: object) -> None:
    assert callable(asked)
    with pytest.raises(ValueError, match="naive"):
        asked(datetime(2026, 11, 20))  # noqa: DTZ001


def test_the_zone_is_known_where_the_system_knows_none() -> None:
    """A small container has no tz database of its own: the one of the package tzdata serves."""
    asks = "from lastro.standards import calendar; print(calendar.BRASILIA)"
    done = subprocess.run(
        [sys.executable, "-c", asks], env={**os.environ, "PYTHONTZPATH": ""}, capture_output=True, text=True, check=False
    )
    assert done.stdout == "America/Sao_Paulo\n", done.stderr
