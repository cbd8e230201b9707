"""Cycles and days: month ends and leap days as a table, the partition of time as a property."""

from datetime import date, timedelta
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lastro.standards.calendar import is_business_day
from lastro.standards.recurrence_payload import Frequency
from lastro.subscriptions.model import FREQUENCIES, SubscriptionTerms
from lastro.subscriptions.rules.cycles import (
    adjusted,
    cycle,
    cycle_of,
    cycle_start,
    cycles_from,
    days_to_choose,
    is_in_time,
    plan,
)

frequencies = st.sampled_from(get_args(Frequency))
days = st.dates(date(2020, 1, 1), date(2100, 12, 31))
spans = st.integers(0, 5000).map(timedelta)


def d(text: str) -> date:
    return date.fromisoformat(text)


def test_the_frequencies_are_those_of_the_interface() -> None:
    assert get_args(Frequency) == FREQUENCIES


STARTS: list[tuple[Frequency, str, list[str]]] = [
    ("WEEKLY", "2026-12-28", ["2026-12-28", "2027-01-04", "2027-01-11"]),
    ("MONTHLY", "2026-12-10", ["2026-12-10", "2027-01-10", "2027-02-10"]),
    ("MONTHLY", "2027-01-31", ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]),
    ("MONTHLY", "2027-12-30", ["2027-12-30", "2028-01-30", "2028-02-29", "2028-03-30"]),
    ("QUARTERLY", "2026-11-30", ["2026-11-30", "2027-02-28", "2027-05-30", "2027-08-30", "2027-11-30", "2028-02-29"]),
    ("SEMIANNUAL", "2026-08-31", ["2026-08-31", "2027-02-28", "2027-08-31", "2028-02-29"]),
    ("ANNUAL", "2028-02-29", ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
    ("ANNUAL", "9998-06-01", ["9998-06-01", "9999-06-01", "9999-12-31", "9999-12-31"]),
    ("MONTHLY", "9999-12-31", ["9999-12-31", "9999-12-31"]),
    ("WEEKLY", "9999-12-30", ["9999-12-30", "9999-12-31"]),
]


@pytest.mark.parametrize(("frequency", "starts_on", "starts"), STARTS)
def test_where_cycles_begin(frequency: Frequency, starts_on: str, starts: list[str]) -> None:
    found = [cycle_start(d(starts_on), frequency, number).isoformat() for number in range(len(starts))]
    assert found == starts


def test_no_cycle_is_before_the_first() -> None:
    with pytest.raises(ValueError, match="before the first"):
        cycle(d("2026-12-10"), "MONTHLY", -1)


@pytest.mark.parametrize(
    ("frequency", "starts_on", "day", "number"),
    [
        ("MONTHLY", "2026-12-10", "2026-12-09", None),
        ("MONTHLY", "2026-12-10", "2026-12-10", 0),
        ("MONTHLY", "2026-12-10", "2027-01-09", 0),
        ("MONTHLY", "2026-12-10", "2027-01-10", 1),
        ("MONTHLY", "2027-01-31", "2027-02-27", 0),
        ("MONTHLY", "2027-01-31", "2027-02-28", 1),
        ("MONTHLY", "2027-01-31", "2027-03-30", 1),
        ("MONTHLY", "2027-01-31", "2027-03-31", 2),
        ("WEEKLY", "2026-12-28", "2027-01-03", 0),
        ("WEEKLY", "2026-12-28", "2027-01-04", 1),
        ("ANNUAL", "2028-02-29", "2029-02-27", 0),
        ("ANNUAL", "2028-02-29", "2029-02-28", 1),
        ("ANNUAL", "2028-02-29", "2032-02-28", 3),
        ("ANNUAL", "2028-02-29", "2032-02-29", 4),
        ("QUARTERLY", "2026-11-30", "2027-02-27", 0),
        ("QUARTERLY", "2026-11-30", "2027-02-28", 1),
    ],
)
def test_whose_day_it_is(frequency: Frequency, starts_on: str, day: str, number: int | None) -> None:
    found = cycle_of(d(starts_on), frequency, d(day))
    assert (None if found is None else found.number) == number


@given(days, frequencies, st.integers(0, 400))
def test_cycles_follow_each_other_without_gap_and_overlap(starts_on: date, frequency: Frequency, number: int) -> None:
    one, next_one = cycle(starts_on, frequency, number), cycle(starts_on, frequency, number + 1)
    assert cycle(starts_on, frequency, 0).starts_on == starts_on
    assert one.starts_on < one.next_starts_on == next_one.starts_on


@given(days, frequencies, spans)
def test_every_day_from_the_first_is_in_exactly_one_cycle(starts_on: date, frequency: Frequency, after: timedelta) -> None:
    day = starts_on + after
    found = cycle_of(starts_on, frequency, day)
    assert found is not None
    assert found == cycle(starts_on, frequency, found.number)
    # No other one has it, since they follow each other.
    assert found.starts_on <= day < found.next_starts_on


@given(days, frequencies, st.integers(1, 5000).map(timedelta))
def test_no_day_before_the_first_is_in_a_cycle(starts_on: date, frequency: Frequency, before: timedelta) -> None:
    assert cycle_of(starts_on, frequency, starts_on - before) is None


@given(days, frequencies, st.integers(0, 400))
def test_a_cycle_begins_on_its_day_of_the_month_or_at_its_end(starts_on: date, frequency: Frequency, number: int) -> None:
    found = cycle_start(starts_on, frequency, number)
    if frequency == "WEEKLY":
        assert found.weekday() == starts_on.weekday()
    else:
        assert found.day == starts_on.day or (found.day < starts_on.day and (found + timedelta(days=1)).day == 1)


@pytest.mark.parametrize(
    ("due_on", "adjusts", "settles_on"),
    [
        ("2026-12-11", True, "2026-12-11"),  # Friday
        ("2026-12-12", True, "2026-12-14"),  # Saturday
        ("2026-12-13", True, "2026-12-14"),  # Sunday
        ("2026-12-12", False, "2026-12-12"),
        ("2026-12-25", True, "2026-12-28"),  # Christmas, a Friday
        ("2026-12-25", False, "2026-12-25"),
        ("2026-12-31", True, "2026-12-31"),  # no counter is open, and money settles
        ("2026-11-14", True, "2026-11-16"),
        ("2026-11-20", True, "2026-11-23"),  # a national holiday since 2024
        ("2027-02-06", True, "2027-02-10"),  # the Saturday of Carnival, to Ash Wednesday
        ("2027-03-26", True, "2027-03-29"),  # Good Friday
        ("2027-04-21", True, "2027-04-22"),  # Tiradentes, a Wednesday
    ],
)
def test_when_a_charge_is_settled(due_on: str, adjusts: bool, settles_on: str) -> None:
    assert adjusted(d(due_on), adjusts=adjusts) == d(settles_on)


@given(days)
def test_an_adjusted_day_is_the_first_business_day_from_the_due_date(due_on: date) -> None:
    settles_on = adjusted(due_on, adjusts=True)
    assert is_business_day(settles_on)
    assert not any(is_business_day(due_on + timedelta(days=n)) for n in range((settles_on - due_on).days))
    assert timedelta(0) <= settles_on - due_on <= timedelta(days=4)
    assert adjusted(settles_on, adjusts=True) == settles_on
    assert adjusted(due_on, adjusts=False) == due_on


MONTHLY = SubscriptionTerms(frequency="MONTHLY", starts_on=d("2026-12-10"), ends_on=d("2027-02-20"), adjusts=True)


@pytest.mark.parametrize(
    ("due_on", "number", "settles_on"),
    [
        ("2026-12-09", None, None),
        ("2026-12-10", 0, "2026-12-10"),
        ("2027-01-09", 0, "2027-01-11"),  # a Saturday: settled in the next cycle, and still a charge of its own
        ("2027-02-20", 2, "2027-02-22"),  # the last day, settled after it
        ("2027-02-21", None, None),
    ],
)
def test_the_plan_of_a_charge(due_on: str, number: int | None, settles_on: str | None) -> None:
    found = plan(MONTHLY, d(due_on))
    assert (None if found is None else (found.cycle.number, found.settles_on.isoformat())) == (
        None if number is None else (number, settles_on)
    )


@pytest.mark.parametrize(("settles_on", "fits"), [("2026-12-09", False), ("2026-12-10", True), ("2027-12-10", True)])
def test_how_near_a_settlement_may_be(settles_on: str, fits: bool) -> None:
    assert is_in_time(d(settles_on), d("2026-12-07")) == fits


@pytest.mark.parametrize(
    ("number", "today", "chosen"),
    [
        (0, "2026-11-23", ("2026-12-10", "2027-01-09")),
        (0, "2026-12-10", ("2026-12-12", "2027-01-09")),  # the 12th, a Saturday, becomes the 14th: four days away
        (0, "2026-12-11", ("2026-12-12", "2027-01-09")),  # today Friday: Saturday is settled on Monday, three days away
        (0, "2027-01-07", ("2027-01-09", "2027-01-09")),
        (0, "2027-01-09", None),
        (2, "2027-02-01", ("2027-02-10", "2027-02-20")),
        (2, "2027-02-18", ("2027-02-20", "2027-02-20")),
        (2, "2027-02-20", None),
    ],
)
def test_which_days_a_cycle_offers(number: int, today: str, chosen: tuple[str, str] | None) -> None:
    found = days_to_choose(MONTHLY, cycle(MONTHLY.starts_on, "MONTHLY", number), d(today))
    assert found == (None if chosen is None else (d(chosen[0]), d(chosen[1])))


@given(days, frequencies, st.integers(0, 60), spans, st.booleans())
def test_the_first_day_offered_is_the_first_that_fits(
    starts_on: date, frequency: Frequency, number: int, after: timedelta, adjusts: bool
) -> None:
    terms = SubscriptionTerms(frequency=frequency, starts_on=starts_on, adjusts=adjusts)
    today, wanted = starts_on + after, cycle(starts_on, frequency, number)
    last = min(wanted.next_starts_on - timedelta(days=1), today + timedelta(days=366))
    every = [wanted.starts_on + timedelta(days=n) for n in range((last - wanted.starts_on).days + 1)]
    fits = [day for day in every if is_in_time(adjusted(day, adjusts=adjusts), today)]
    assert days_to_choose(terms, wanted, today) == ((fits[0], fits[-1]) if fits else None)


def test_cycles_end_with_the_end_date() -> None:
    assert [c.number for c in cycles_from(MONTHLY, 0)] == [0, 1, 2]
    assert list(cycles_from(MONTHLY, 3)) == []
    last = SubscriptionTerms(frequency="ANNUAL", starts_on=d("9998-06-01"))
    assert [c.number for c in cycles_from(last, 0)] == [0, 1]


@given(days, frequencies, st.integers(0, 3000).map(timedelta), st.integers(0, 20))
def test_cycles_from_are_those_that_begin_before_the_end(
    starts_on: date, frequency: Frequency, lasts: timedelta, number: int
) -> None:
    terms = SubscriptionTerms(frequency=frequency, starts_on=starts_on, ends_on=starts_on + lasts)
    found = list(cycles_from(terms, number))
    assume(found)
    assert [c.number for c in found] == list(range(number, number + len(found)))
    assert found[-1].starts_on <= starts_on + lasts < found[-1].next_starts_on
