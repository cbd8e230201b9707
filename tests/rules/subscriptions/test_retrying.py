"""What follows an unpaid attempt: as tables, and as a property that plays a payment to its end."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.core.errors import Kind
from lastro.standards.calendar import brasilia_day, day_bounds, instant
from lastro.standards.recurrence_payload import Frequency
from lastro.subscriptions.model import Attempt, Payment, Subscription, SubscriptionTerms, Timing
from lastro.subscriptions.reasons import KILLING
from lastro.subscriptions.rules.retrying import (
    RetryStep,
    after_unpaid,
    asked_retry,
    cause,
    first_attempt,
    last_retry_day,
    retries_left,
    retry_days,
    retry_refused,
    sends_at,
)
from lastro.subscriptions.states import PAYMENT_MOVES

from .values import SUBSCRIPTION, TERMS, attempt, payment, planned, subscription

D = date(2026, 12, 15)
# domain.md §3.7: what a second sending cannot heal.
FOR_GOOD = ("AM02", "UDEI", "AG12", "CRNC", "IRNT", "NIPA")
FAILURES = ("AB03", "AB09", "AB10", "AB11", "ED05")
# API Pix 2.9.0, CobRTentativas: those that "causam a rejeição da cobrança recorrente correspondente".
KILLS = ("AC05", "AM09", "DENC", "DS27", "DTED", "MIDI", "MSUC", "NITX", "RC09")
MAY_PASS = ("AC06", "EXPR", "FBRD", "GRER", "NIEC", "ZZ99")


def on(day: int, hour: int = 12) -> datetime:
    """An hour in Brasilia, so many days after D."""
    return instant(D + timedelta(days=day), time(hour))


def test_nine_codes_reject_the_whole_charge() -> None:
    assert set(KILLS) == KILLING


def said(step: RetryStep) -> tuple[str, int | None]:
    """The trigger, and how many days after D the next attempt is."""
    return step.trigger, None if step.attempt is None else (step.attempt.day - D).days


def test_a_payment_is_sent_nine_days_before_or_at_once() -> None:
    waiting = payment(D, state="SCHEDULED")
    assert sends_at(waiting.plan) == datetime(2026, 12, 6, 3, tzinfo=UTC)
    assert first_attempt(waiting, on(-20)).send_at == sends_at(waiting.plan)
    late = first_attempt(waiting, on(-5))
    assert (late.send_at, late.day, late.number, late.kind) == (on(-5), D, 1, "AGND")


SENT = payment(D, attempt(1, D, "REQUESTED"), state="SCHEDULED")


@in_one_test(
    ("code", "now", "step"),
    [
        ("AC06", on(-9), ("send again", 0)),
        ("AC06", on(-2, 22), ("send again", 0)),
        ("AC06", on(-2, 23), ("refuse", None)),
        ("AC06", on(-1, 0), ("refuse", None)),
        ("AC06", on(0), ("refuse", None)),
        (None, on(0, 21), ("refuse", None)),
        ("FCD2", on(-2, 12), ("refuse", None)),
        *((code, on(-9), ("refuse", None)) for code in (*KILLS, *FOR_GOOD)),
        *((code, on(-9), ("send again", 0)) for code in (*MAY_PASS, *FAILURES)),
        *((code, on(-1), ("refuse", None)) for code in FAILURES),
    ],
)
def test_before_its_day(code: str | None, now: datetime, step: tuple[str, int | None]) -> None:
    assert said(after_unpaid(SENT, SUBSCRIPTION, code, now)) == step


@pytest.mark.parametrize(
    ("before", "code", "why"),
    [
        ((), "AB10", "AB10"), ((), "FCD2", "FCD2"), ((), None, None), (("AB10",), "FCD2", "AB10"),
        (("AB10", "AM02"), "FCD2", "AM02"), (("AM02",), "AB10", "AB10"), (("EXPR",), None, "EXPR"),
        (("EXPR",), "QUNT", "EXPR"), (("EXPR", "DTNT"), "IRNT", "EXPR"), (("QUNT",), None, "QUNT"),
        (("EXPR",), "AC05", "AC05"),
    ],
)  # fmt: skip
def test_why_no_money_came_is_what_the_network_said_of_collecting(
    before: tuple[str, ...], code: str | None, why: str | None
) -> None:
    ended = [attempt(n, D, "REJECTED", code=one) for n, one in enumerate(before, 1)]
    assert cause(payment(D, *ended), code) == why
    assert cause(payment(D, *ended, attempt(len(before) + 1, D)), code) == why


@pytest.mark.parametrize("code", ["AM02", "AB10", "AC05", None])
def test_nothing_is_sent_again_once_its_subscription_has_ended(code: str | None) -> None:
    assert said(after_unpaid(SENT, replace(SUBSCRIPTION, state="CANCELED"), code, on(-5))) == ("subscription ends", None)


@pytest.mark.parametrize(
    ("tries", "now", "pause"),
    [
        (1, on(-9), timedelta(hours=1)),
        (2, on(-9), timedelta(hours=2)),
        (3, on(-9), timedelta(hours=4)),
        (5, on(-9), timedelta(hours=16)),
        (6, on(-9), timedelta(hours=24)),
        (40, on(-9), timedelta(hours=24)),
        (6, on(-2, 12), timedelta(hours=9, minutes=59)),
        (6, on(-2, 22), timedelta(minutes=10)),
        (60, on(-2, 22) + timedelta(minutes=55), timedelta(minutes=4)),
        (60, on(-2, 22) + timedelta(minutes=58, seconds=59), timedelta(seconds=1)),
    ],
)
def test_a_failed_instruction_waits_longer_each_time_and_never_follows_at_once(
    tries: int, now: datetime, pause: timedelta
) -> None:
    failed = [attempt(n, D, "REJECTED", "RIFL") for n in range(1, tries)]
    what = replace(SENT, attempts=(*failed, attempt(tries, D, "REQUESTED", "RIFL")))
    step = after_unpaid(what, SUBSCRIPTION, "AB10", now, Timing(resends=100))
    assert step.attempt is not None
    assert (step.attempt.send_at - now, step.attempt.number) == (pause, tries + 1)


@pytest.mark.parametrize(("code", "kind"), [("AB10", "RIFL"), ("AC06", "AGND"), (None, "AGND")])
def test_what_failed_is_sent_again_as_what_failed(code: str | None, kind: str) -> None:
    step = after_unpaid(SENT, SUBSCRIPTION, code, on(-5))
    assert step.attempt is not None
    assert step.attempt.kind == kind


FIRST = attempt(1, D)
RETRIED = [
    attempt(1, D, "REJECTED"),
    attempt(2, D + timedelta(days=1), "REJECTED"),
    attempt(3, D + timedelta(days=3), "REJECTED"),
]
LAST_RETRY = attempt(4, D + timedelta(days=5))
MORE, LESS = subscription(), subscription(charges_after_due=False)


@in_one_test(
    ("what", "ours", "code", "now", "step"),
    [
        (payment(D, FIRST), MORE, "AC06", on(0, 1), ("retry", 1)),
        (payment(D, FIRST), MORE, None, on(0, 21), ("retry", 1)),
        (payment(D, FIRST), MORE, None, on(1, 0), ("retry", 3)),  # known too late for the day after
        (payment(D, FIRST), MORE, None, on(4), ("retry", 5)),
        (payment(D, FIRST), MORE, None, on(5), ("expire", None)),
        (payment(D, FIRST), LESS, None, on(0, 21), ("expire", None)),
        (payment(D, *RETRIED[:1], replace(RETRIED[1], state="SCHEDULED")), MORE, "EXPR", on(1, 21), ("retry", 3)),
        (payment(D, *RETRIED[:2], replace(RETRIED[2], state="SCHEDULED")), MORE, "EXPR", on(3, 21), ("retry", 5)),
        (payment(D, *RETRIED, LAST_RETRY), MORE, "EXPR", on(5, 21), ("expire", None)),
        (payment(D, FIRST), replace(MORE, state="CANCELED"), "EXPR", on(0, 21), ("subscription ends", None)),
        (payment(D, FIRST), replace(MORE, state="CANCELED"), "AC05", on(0, 21), ("subscription ends", None)),
        (payment(D, FIRST, retries_alone=False), MORE, None, on(0, 21), ("leave to client", None)),
        (payment(D, FIRST, retries_alone=False), LESS, None, on(0, 21), ("expire", None)),
        (payment(D, FIRST, retries_alone=False), MORE, None, on(6, 21), ("leave to client", None)),
        (payment(D, FIRST, retries_alone=False), MORE, None, on(7, 21), ("expire", None)),
        (payment(D, *RETRIED, LAST_RETRY, retries_alone=False), MORE, None, on(5, 21), ("expire", None)),
        *((payment(D, FIRST), MORE, code, on(0), ("refuse", None)) for code in KILLS),
        *((payment(D, FIRST), MORE, code, on(0), ("retry", 1)) for code in (*MAY_PASS, "FCD2")),
        *((payment(D, FIRST), MORE, code, on(0), ("expire", None)) for code in (*FOR_GOOD, "DTNT", "QUNT")),
        *((payment(D, FIRST), MORE, code, on(0), ("send again", 0)) for code in FAILURES),
        *((payment(D, FIRST), MORE, code, on(0, 21), ("retry", 1)) for code in FAILURES),
        *((payment(D, FIRST, retries_alone=False), MORE, code, on(0), ("leave to client", None)) for code in FOR_GOOD),
    ],
)
def test_on_its_day_and_after(
    what: Payment, ours: Subscription, code: str | None, now: datetime, step: tuple[str, int | None]
) -> None:
    found = after_unpaid(what, ours, code, now)
    assert said(found) == step
    assert (what.state, found.trigger) in PAYMENT_MOVES
    if found.trigger == "retry":  # it is told the day before its own, so that one bad evening costs one try
        assert found.attempt is not None
        eve = day_bounds(found.attempt.day - timedelta(days=1))[0]
        assert (found.attempt.kind, found.attempt.send_at) == ("NTAG", max(now, eve))


@pytest.mark.parametrize("state", ["PAID", "CANCELED", "EXPIRED", "ERROR"])
def test_what_has_ended_has_no_attempt_to_end(state: str) -> None:
    with pytest.raises(ValueError, match=state):
        after_unpaid(payment(D, FIRST, state=state), MORE, None, on(0, 21))
    assert retries_left(payment(D, FIRST, state=state), TERMS, D) == 0


WEEKLY = replace(TERMS, frequency="WEEKLY")  # cycles begin on Thursdays


@pytest.mark.parametrize(
    ("terms", "due_on", "last", "counts"),
    [
        (TERMS, "2026-12-15", "2026-12-22", [1, 3, 5]),
        (TERMS, "2027-01-05", "2027-01-09", [1, 3]),
        (TERMS, "2027-01-09", "2027-01-09", []),
        (WEEKLY, "2026-12-10", "2026-12-16", [1, 3, 5]),
        (WEEKLY, "2026-12-12", "2026-12-16", [1, 3]),
        (WEEKLY, "2026-12-16", "2026-12-16", []),
        (replace(TERMS, adjusts=True), "2027-01-09", "2027-01-09", []),  # settled on the 11th, in the next cycle already
        # D is the due date, also where it is settled later: what the adjusted day has reached is left out.
        (replace(TERMS, adjusts=True), "2026-12-12", "2026-12-19", [3, 5]),  # a Saturday, settled on Monday, D+2
        (replace(TERMS, adjusts=True), "2026-12-25", "2027-01-01", [5]),  # Christmas, a Friday, settled on Monday, D+3
        (replace(TERMS, adjusts=True, starts_on=date(2027, 1, 20)), "2027-02-06", "2027-02-13", [5]),  # Carnival: D+4
    ],
)
def test_retries_stay_before_the_next_cycle(terms: SubscriptionTerms, due_on: str, last: str, counts: list[int]) -> None:
    what = payment(date.fromisoformat(due_on), state="SCHEDULED", terms=terms)
    settles_on = what.plan.settles_on
    assert last_retry_day(what.plan) == date.fromisoformat(last)
    assert [(day - what.plan.due_on).days for day in retry_days(what, terms, D - timedelta(days=9))] == counts
    assert retries_left(what, terms, D - timedelta(days=9)) == len(counts)
    assert retries_left(replace(what, retries_alone=False), terms, D - timedelta(days=9)) == min(
        3, max(0, (date.fromisoformat(last) - settles_on).days)
    )


def test_the_days_of_retries_are_values() -> None:
    timing = Timing(retries=2, retry_days=(2, 4, 6))
    assert [(day - D).days for day in retry_days(payment(D, FIRST), TERMS, D, timing)] == [2, 4]
    tried = payment(D, attempt(1, D, "REJECTED"), attempt(2, D + timedelta(days=2)))
    assert [(day - D).days for day in retry_days(tried, TERMS, D, timing)] == [4]
    assert retries_left(payment(D, FIRST), replace(TERMS, charges_after_due=False), D) == 0
    assert retries_left(payment(D, FIRST, retries_alone=False), replace(TERMS, charges_after_due=False), D) == 0


def taken(one: Attempt) -> Attempt:
    """It had a day at the payer's bank."""
    return replace(one, end_to_end_id=f"E{one.number}")


ASKING = payment(D, attempt(1, D, "REJECTED"), retries_alone=False)
MOVED = planned(date(2026, 12, 12), replace(TERMS, adjusts=True))
NO, BAD = (Kind.CONFLICT, "status"), (Kind.INVALID, "date")


@pytest.mark.parametrize(
    ("what", "ours", "day", "now", "refused"),
    [
        (ASKING, MORE, 1, on(0, 22), None),
        (ASKING, MORE, 7, on(0, 22), None),
        (ASKING, MORE, 8, on(0, 22), BAD),
        (ASKING, MORE, 0, on(0, 22), BAD),
        (ASKING, MORE, 2, on(2), BAD),
        (ASKING, MORE, 3, on(2), None),
        (ASKING, LESS, 1, on(0, 22), BAD),
        (
            replace(ASKING, attempts=(*ASKING.attempts, taken(attempt(2, D + timedelta(days=4), "EXPIRED")))),
            MORE,
            4,
            on(1),
            BAD,
        ),
        (replace(ASKING, attempts=(*ASKING.attempts, attempt(2, D + timedelta(days=7), "REJECTED"))), MORE, 2, on(1), None),
        (
            replace(ASKING, attempts=tuple(replace(a, state="REJECTED") for a in (*RETRIED, LAST_RETRY))),
            MORE,
            7,
            on(5, 22),
            NO,
        ),
        (replace(ASKING, attempts=(FIRST,)), MORE, 1, on(0), NO),
        (replace(ASKING, retries_alone=True), MORE, 1, on(0, 22), NO),
        (replace(ASKING, state="SCHEDULED"), MORE, 1, on(0, 22), NO),
        (replace(ASKING, state="EXPIRED"), MORE, 1, on(0, 22), NO),
        (ASKING, replace(MORE, state="CANCELED"), 1, on(0, 22), NO),
        (replace(ASKING, plan=planned(date(2027, 1, 9))), MORE, 30, on(0, 22), BAD),
        # Due on Saturday the 12th, settled on the 14th: D+7 is the 19th, four days after D here.
        (replace(ASKING, plan=MOVED), MORE, 4, on(0, 22), None),
        (replace(ASKING, plan=MOVED), MORE, 5, on(0, 22), BAD),
    ],
)
def test_when_a_client_may_ask_for_a_retry(
    what: Payment, ours: Subscription, day: int, now: datetime, refused: tuple[Kind, str] | None
) -> None:
    found = retry_refused(what, ours, D + timedelta(days=day), now)
    assert (None if found is None else (found.kind, found.problems[0].field)) == refused
    if found is None:
        asked = asked_retry(what, D + timedelta(days=day), now)
        number = len(what.attempts) + 1
        assert (asked.number, asked.kind, asked.day, asked.send_at) == (number, "NTAG", D + timedelta(days=day), now)


def test_what_was_refused_at_once_leaves_the_days_before_it() -> None:
    """A retry of the last day that the payer's bank never took: two tries are left, and six days to have them on."""
    never = replace(ASKING, attempts=(*ASKING.attempts, attempt(2, D + timedelta(days=7), "REJECTED")))
    assert retries_left(never, TERMS, D + timedelta(days=1)) == 2
    asked = replace(ASKING, attempts=(*ASKING.attempts, attempt(2, D + timedelta(days=7), "REQUESTED")))
    assert after_unpaid(asked, MORE, "AC06", on(1)).trigger == "leave to client"
    scheduled = replace(ASKING, attempts=(*ASKING.attempts, taken(attempt(2, D + timedelta(days=7), "SCHEDULED"))))
    assert after_unpaid(scheduled, MORE, "AM04", on(7, 21)).trigger == "expire"


# After these a try of another day may collect.
RETRIED_CODES = ("AC06", "EXPR", "FBRD", "FCD1", "FCD2", "GRER", "NIEC", "admi.002", "ZZ99")
terms_of = st.builds(
    SubscriptionTerms, frequency=st.sampled_from(get_args(Frequency)), starts_on=st.dates(date(2026, 12, 1), date(2028, 3, 1)),
    charges_after_due=st.booleans(), adjusts=st.booleans(),
)  # fmt: skip


@given(
    terms_of,
    st.integers(0, 400),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from([*RETRIED_CODES, None])), max_size=8),
)
def test_however_it_goes_at_most_three_retries_within_seven_days_of_their_own(
    terms: SubscriptionTerms, after: int, world: list[tuple[int, Any]]
) -> None:
    due_on = terms.starts_on + timedelta(days=after)
    what, ours = payment(due_on, terms=terms), replace(SUBSCRIPTION, terms=terms)
    what = replace(what, attempts=(attempt(1, what.plan.settles_on),))
    for hours, code in [*world, *((0, None) for _ in range(5))]:
        tried = what.open_attempt
        assert tried is not None
        now = instant(tried.day, time(1)) + timedelta(hours=hours)
        left = retries_left(what, terms, brasilia_day(now))
        step = after_unpaid(what, ours, code, now)
        assert (step.trigger == "retry") == (left > 0)
        if step.attempt is None:
            assert step.trigger == "expire"
            break
        made = step.attempt
        assert brasilia_day(now) < made.day
        ended = replace(tried, state="REJECTED")
        what = replace(
            what, attempts=(*what.attempts[:-1], ended, Attempt(tried.id, "SCHEDULED", 1, made.number, made.kind, made.day))
        )
    days = [one.day for one in what.attempts[1:]]
    assert len(days) == what.retries_used <= (3 if terms.charges_after_due else 0)
    assert days == sorted(set(days))
    assert all(what.plan.settles_on < day <= last_retry_day(what.plan) < what.plan.cycle.next_starts_on for day in days)
    assert [one.number for one in what.attempts] == list(range(1, len(what.attempts) + 1))
    assert all((day - what.plan.due_on).days in (1, 3, 5) for day in days)
