"""What the service schedules by itself."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards.calendar import brasilia_day, day_bounds
from lastro.standards.recurrence_payload import Frequency
from lastro.subscriptions.model import Subscription, SubscriptionTerms, Timing
from lastro.subscriptions.rules.automatic import first_charge_at, looked_at_again, made_before, upcoming
from lastro.subscriptions.rules.cycles import cycle_of, is_in_time

from .values import SUBSCRIPTION, brl, subscription


def automatic(**terms: Any) -> Subscription:
    return subscription(fixed=brl("10"), is_automatic=True, **terms)


def d(text: str) -> date:
    return date.fromisoformat(text)


WEEKLY = automatic(frequency="WEEKLY", starts_on=d("2026-12-10"))


@in_one_test(
    ("ours", "covered", "taken", "today", "due_on", "passed_over"),
    [
        (automatic(), -1, (), "2026-11-23", "2026-12-10", []),
        (automatic(), -1, (), "2026-12-07", "2026-12-10", []),
        (automatic(), -1, (), "2026-12-08", "2027-01-10", [0]),
        (automatic(), 0, (), "2026-12-08", "2027-01-10", []),
        (automatic(), 0, (), "2027-01-08", "2027-02-10", [1]),
        (automatic(), -1, (0,), "2026-11-23", "2027-01-10", []),
        (automatic(), -1, (0, 1), "2026-12-08", "2027-02-10", []),
        (automatic(starts_on=d("2027-01-31")), 0, (), "2027-02-01", "2027-02-28", []),
        (automatic(starts_on=d("2027-01-31")), 1, (), "2027-03-01", "2027-03-31", []),
        (automatic(starts_on=d("2028-02-29"), frequency="ANNUAL"), 0, (), "2028-03-01", "2029-02-28", []),
        (automatic(ends_on=d("2027-01-10")), 0, (), "2026-12-11", "2027-01-10", []),
        (automatic(ends_on=d("2027-01-09")), 0, (), "2026-12-11", None, []),
        (automatic(ends_on=d("2027-01-10")), 0, (), "2027-01-08", None, []),
        (WEEKLY, -1, (), "2026-12-22", "2026-12-31", [0, 1, 2]),
        (WEEKLY, 0, (1,), "2026-12-22", "2026-12-31", [2]),
        # A Saturday that becomes a Monday is four days away, and in time.
        (automatic(starts_on=d("2026-12-12"), adjusts=True), -1, (), "2026-12-10", "2026-12-12", []),
        (automatic(starts_on=d("2026-12-12")), -1, (), "2026-12-10", "2027-01-12", [0]),
        (subscription(), -1, (), "2026-11-23", None, []),
        *((replace(automatic(), state=s), -1, (), "2026-11-23", None, []) for s in ("PENDING_AUTHORIZATION", "CANCELED")),
    ],
)
def test_what_is_made_next(
    ours: Subscription, covered: int, taken: tuple[int, ...], today: str, due_on: str | None, passed_over: list[int]
) -> None:
    found = upcoming(replace(ours, covered=covered), taken, d(today))
    assert (None if found is None else found.plan.due_on.isoformat()) == due_on
    assert [c.number for c in (() if found is None else found.passed_over)] == passed_over


def test_it_is_made_nine_days_before_its_due_date() -> None:
    found = upcoming(automatic(starts_on=d("2026-12-12"), adjusts=True), (), d("2026-11-23"))
    assert found is not None
    assert found.make_at == datetime(2026, 12, 3, 3, tzinfo=UTC)
    assert (found.plan.settles_on, found.external_id) == (d("2026-12-14"), "auto-2026-12-12")


terms_of = st.builds(
    SubscriptionTerms, frequency=st.sampled_from(get_args(Frequency)), starts_on=st.dates(date(2026, 12, 1), date(2028, 3, 31)),
    ends_on=st.none() | st.dates(date(2028, 4, 1), date(2030, 1, 1)), adjusts=st.booleans(), is_automatic=st.just(True),
)  # fmt: skip


@given(terms_of, st.lists(st.integers(0, 90), min_size=1, max_size=40))
def test_however_time_passes_each_cycle_is_made_at_most_once_and_in_time(terms: SubscriptionTerms, steps: list[int]) -> None:
    """A worker that looks now and then, and covers what it made or passed over."""
    ours, today = replace(SUBSCRIPTION, terms=terms), terms.starts_on - timedelta(days=30)
    made: list[int] = []
    for step in steps:
        today += timedelta(days=step)
        at = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
        while (found := upcoming(ours, made, today)) is not None and found.make_at <= at:
            assert is_in_time(found.plan.settles_on, today)
            assert found.plan.cycle == cycle_of(terms.starts_on, terms.frequency, found.plan.due_on)
            assert terms.ends_on is None or found.plan.due_on <= terms.ends_on
            assert all(not is_in_time(c.starts_on, today) for c in found.passed_over)
            made.append(found.plan.cycle.number)
            ours = replace(ours, covered=found.plan.cycle.number)
    assert made == sorted(set(made))


@given(terms_of, st.integers(0, 700))
def test_who_looks_every_day_misses_no_cycle(terms: SubscriptionTerms, days: int) -> None:
    ours = replace(SUBSCRIPTION, terms=terms)
    made: list[int] = []
    for n in range(days):
        today = terms.starts_on - timedelta(days=9 - n)
        at = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
        while (found := upcoming(ours, made, today)) is not None and found.make_at <= at:
            assert found.passed_over == ()
            assert (found.plan.due_on - today).days == 9
            made.append(found.plan.cycle.number)
            ours = replace(ours, covered=found.plan.cycle.number)
    assert made == list(range(len(made)))


def test_the_service_looks_for_the_first_charge_nine_days_before_the_first_cycle() -> None:
    first = replace(SUBSCRIPTION.terms, is_automatic=True, fixed=brl("1"), starts_on=date(2027, 1, 31))
    assert first_charge_at(first) == datetime(2027, 1, 22, 3, tzinfo=UTC)
    assert first_charge_at(replace(first, is_automatic=False)) is None
    assert first_charge_at(first, Timing(send_days=5)) == datetime(2027, 1, 26, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("send_days", "made_on"), [(10, "2026-11-30"), (9, "2026-12-01"), (4, "2026-12-06"), (1, "2026-12-07")]
)
def test_it_is_made_when_the_bank_is_to_be_told_and_always_in_time(send_days: int, made_on: str) -> None:
    timing = Timing(send_days=send_days)
    found = upcoming(automatic(), (), d(made_on), timing)
    assert found is not None
    assert found.make_at == day_bounds(d(made_on))[0] == first_charge_at(automatic().terms, timing)
    assert (found.plan.cycle.number, found.passed_over) == (0, ())


def test_what_waits_for_its_account_is_looked_at_daily_while_it_is_in_time() -> None:
    found = upcoming(automatic(), (), d("2026-12-01"))
    assert found is not None
    at, looks = found.make_at, 0
    while (late := upcoming(automatic(), (), brasilia_day(at))) is not None and late.plan == found.plan:
        assert at < made_before(found.plan)
        at, looks = looked_at_again(at + timedelta(hours=1)), looks + 1
    assert (at, looks) == (made_before(found.plan), 7)
