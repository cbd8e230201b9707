"""What failed, and what was refused for a cause that may pass, is sent again: when, how often and until when."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from tests.house.tree import SCHEMA
from tests.in_one import in_one_test

from lastro.standards.calendar import BRASILIA, instant
from lastro.subscriptions.model import Payment, Timing
from lastro.subscriptions.reasons import OPERATIONAL
from lastro.subscriptions.rules.retrying import RetryStep, after_unpaid, failure_waits_until, retries_left

from .values import SUBSCRIPTION, TERMS, attempt, payment, subscription

D, DAY = date(2026, 12, 15), timedelta(days=1)
FAILURES = ("AB03", "AB09", "AB10", "AB11", "ED05")
SENT = payment(D, attempt(1, D, "REQUESTED"), state="SCHEDULED")
MORE = subscription()


def on(day: int, hour: int = 12) -> datetime:
    """An hour in Brasilia, so many days after D."""
    return instant(D + timedelta(days=day), time(hour))


def said(step: RetryStep) -> tuple[str, int | None]:
    """The trigger, and how many days after D the next attempt is."""
    return step.trigger, None if step.attempt is None else (step.attempt.day - D).days


def test_what_is_refused_before_its_day_is_sent_again_twice_whatever_the_causes() -> None:
    for codes, kinds in (("AC06 AB10 GRER", "AGND RIFL"), ("AB10 AC06 AB10", "RIFL AGND"), ("AB10 AB11 AB10", "RIFL RIFL")):
        tries = [attempt(1, D, "REQUESTED")]
        for code, wanted in zip(codes.split(), (*kinds.split(), None), strict=True):
            step = after_unpaid(replace(SENT, attempts=tuple(tries)), SUBSCRIPTION, code, on(-9))
            assert (None if step.attempt is None else step.attempt.kind) == wanted
            tries = [*(replace(one, state="REJECTED") for one in tries), attempt(len(tries) + 1, D, "REQUESTED", wanted)]
        assert step.trigger == "refuse"
    once = Timing(resends=1)
    refused = (attempt(1, D, "REJECTED"), attempt(2, D, "REQUESTED", "AGND"))
    for code in ("AC06", "AB10"):
        assert after_unpaid(replace(SENT, attempts=refused), SUBSCRIPTION, code, on(-9), once).trigger == "refuse"


def sent_again(what: Payment, now: datetime, trigger: str = "send again") -> list[str]:
    """When a charge is sent again whose bank fails at each try, at once: day from D and hour in Brasilia."""
    found: list[str] = []
    while (step := after_unpaid(what, MORE, "AB10", now)).trigger == trigger and step.attempt is not None:
        made = step.attempt
        now = made.send_at
        local = now.astimezone(BRASILIA)
        found.append(f"{(local.date() - D).days} {local:%H:%M}")
        tries = [replace(one, state="REJECTED") for one in what.attempts]
        what = replace(what, attempts=(*tries, attempt(made.number, made.day, "SCHEDULED", made.kind)))
    return found


def test_a_bank_that_is_down_for_days_gets_an_instruction_twice_more_the_last_time_in_its_last_hour() -> None:
    assert sent_again(SENT, on(-5)) == ["-5 13:00", "-2 21:59"]


def test_a_bank_that_is_down_all_day_gets_a_charge_six_times_more_the_last_time_before_the_last_window_closes() -> None:
    assert sent_again(payment(D, attempt(1, D)), on(0, 0)) == [
        "0 01:00", "0 03:00", "0 07:50", "0 18:00", "0 19:00", "0 20:50",
    ]  # fmt: skip


def moment(text: str) -> datetime:
    """An hour of D in Brasilia, to the second."""
    return datetime.fromisoformat(f"{D}T{text}-03:00").astimezone(UTC)


@in_one_test(
    ("failed", "again"),
    [
        ("00:00:00", "01:00:00"), ("00:30:00", "01:30:00"), ("01:00:00", "03:00:00"), ("02:10:00", "06:30:00"),
        ("07:00:00", "07:50:00"), ("07:45:00", "07:55:00"), ("07:49:59", "07:59:59"), ("07:50:00", "18:00:00"),
        ("07:59:59", "18:00:00"), ("08:00:00", "18:00:00"), ("12:00:00", "18:00:00"), ("17:59:59", "18:00:00"),
        ("18:00:00", "19:00:00"), ("19:00:00", "20:50:00"), ("20:00:01", "20:50:00"), ("20:49:59", "20:59:59"),
        ("20:50:00", None), ("20:59:59", None), ("21:00:00", None),
    ],
)  # fmt: skip
@in_one_test("code", FAILURES)
def test_what_fails_on_its_day_is_sent_again_inside_its_windows(code: str, failed: str, again: str | None) -> None:
    """IN BCB 614/2025 art. 5 §4: the same day, and no retry; windows of domain.md §3.7."""
    what, now = payment(D, attempt(1, D)), moment(failed)
    step = after_unpaid(what, MORE, code, now)
    if again is None:
        assert said(step) == ("retry", 1)
        closes = moment("21:00:00")
        assert failure_waits_until(what, code, now) == (None if now >= closes else closes)
        return
    assert step.attempt is not None
    assert (step.trigger, step.attempt.kind, step.attempt.day) == ("send again", "RIFL", D)
    assert step.attempt.send_at == moment(again)
    assert failure_waits_until(what, code, now) is None
    assert retries_left(what, TERMS, D) == 3, "it is no retry"


@pytest.mark.parametrize("code", ["EXPR", "AC06", "AC05"])
def test_what_somebody_said_no_to_waits_for_no_window(code: str) -> None:
    assert failure_waits_until(payment(D, attempt(1, D)), code, moment("20:59:59")) is None


# Of a retry of D+1 that fails on D: after 22:59 there is no sending before its day, whose first window opens at 00:00.
@pytest.mark.parametrize(
    ("failed", "again"),
    [
        ("12:00:00", f"{D}T13:00:00"), ("22:58:59", f"{D}T22:59:00"), ("22:59:00", f"{D + DAY}T00:00:00"),
        ("23:00:00", f"{D + DAY}T00:00:00"), ("23:59:59", f"{D + DAY}T00:00:00"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("code", FAILURES)
def test_a_retry_that_fails_before_its_day_is_sent_again_for_that_day(code: str, failed: str, again: str) -> None:
    what = payment(D, attempt(1, D, "REJECTED"), attempt(2, D + DAY, "REQUESTED", "NTAG"))
    found = after_unpaid(what, MORE, code, moment(failed))
    assert found.attempt is not None
    assert (said(found), found.attempt.kind) == (("send again", 1), "RIFL")
    assert found.attempt.send_at == datetime.fromisoformat(f"{again}-03:00")
    tried = replace(what, attempts=(*what.attempts, attempt(3, D + DAY, "REQUESTED", "RIFL")))
    assert tried.retries_used == 1, "it is no second retry"


def test_the_failures_are_those_of_the_central_bank_and_the_bank_that_drops_what_it_had() -> None:
    assert {*FAILURES, "FAIL"} == OPERATIONAL
    law = (
        SCHEMA.read_text().partition("CREATE VIEW law_no_failure_ends_a_charge_before_its_last_window")[2].partition(";")[0]
    )
    (named,) = re.findall(r"a\.code IN \((.*?)\)", law)
    assert {one.strip(" '") for one in named.split(",")} == OPERATIONAL
