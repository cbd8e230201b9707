"""What time alone does, and what comes next."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import pytest

from lastro.standards.calendar import instant
from lastro.subscriptions.model import FINAL_STATUSES, TYPES, Payment, Subscription, Timing
from lastro.subscriptions.rules.moments import Due, asks_at, due_at, payment_due, subscription_due
from lastro.subscriptions.rules.next_actions import next_actions

from .values import CREATED, SUBSCRIPTION, attempt, brl, payment, subscription

D = date(2026, 12, 15)
ENDS = subscription(ends_on=date(2027, 1, 20))
END = datetime(2027, 1, 21, 3, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("ours", "has_unfinished", "due"),
    [
        (replace(SUBSCRIPTION, state="PENDING_AUTHORIZATION"), False, None),
        (replace(SUBSCRIPTION, state="PENDING_AUTHORIZATION", lapses_at=END), False, Due("lapse", END)),
        (
            replace(SUBSCRIPTION, state="PENDING_AUTHORIZATION", type=TYPES[1], order_expires_at=CREATED + HOUR),
            False,
            Due("lapse", CREATED + HOUR),
        ),
        (SUBSCRIPTION, False, None),
        (ENDS, False, Due("end", END)),
        (ENDS, True, None),
        (replace(ENDS, state="INITIAL"), False, None),
        *((replace(ENDS, state=s), False, None) for s in FINAL_STATUSES),
    ],
)
def test_what_time_does_to_a_subscription(ours: Subscription, has_unfinished: bool, due: Due | None) -> None:
    assert subscription_due(ours, has_unfinished=has_unfinished) == due


MOVED, ADJUSTS = date(2026, 12, 12), subscription(adjusts=True).terms
RETRIED = (attempt(1, D, "REJECTED"), attempt(2, D + timedelta(days=1)))


@pytest.mark.parametrize(
    ("what", "due"),
    [
        (payment(D, state="SCHEDULED"), Due("send", datetime(2026, 12, 6, 3, tzinfo=UTC))),
        (
            payment(D, state="SCHEDULED", created_at=datetime(2026, 12, 11, 15, tzinfo=UTC)),
            Due("send", datetime(2026, 12, 11, 15, tzinfo=UTC)),
        ),
        (payment(D, attempt(1, D), state="SCHEDULED"), Due("begin", datetime(2026, 12, 15, 3, tzinfo=UTC))),
        (payment(D, attempt(1, D, "REQUESTED"), state="SCHEDULED"), Due("ask", datetime(2026, 12, 15, 3, tzinfo=UTC))),
        (payment(D, attempt(1, D)), Due("ask", datetime(2026, 12, 16, 0, tzinfo=UTC))),
        (payment(D, *RETRIED), Due("ask", datetime(2026, 12, 17, 0, tzinfo=UTC))),
        (payment(D, RETRIED[0], retries_alone=False), Due("expire", datetime(2026, 12, 23, 3, tzinfo=UTC))),
        # Due on a Saturday and settled on Monday: its window ends with the seventh day after the Saturday.
        (
            payment(MOVED, attempt(1, date(2026, 12, 14), "REJECTED"), terms=ADJUSTS, retries_alone=False),
            Due("expire", datetime(2026, 12, 20, 3, tzinfo=UTC)),
        ),
        *((payment(D, state=s), None) for s in ("PAID", "CANCELED", "EXPIRED", "ERROR")),
    ],
)
def test_what_time_does_to_a_payment(what: Payment, due: Due | None) -> None:
    assert payment_due(what) == due


def test_a_trigger_fires_from_its_instant_on() -> None:
    due = Due("begin", CREATED)
    assert not due.fires(CREATED - timedelta(microseconds=1))
    assert due.fires(CREATED)
    assert due.fires(CREATED + timedelta(days=400))


def said(
    ours: Subscription, payments: list[Payment], now: datetime, *, account_is_active: bool = True
) -> list[tuple[Any, ...]]:
    return [
        (n.action, n.by, *(v.isoformat() for v in (n.at, n.until, n.first_due, n.last_due) if v is not None))
        for n in next_actions(ours, payments, now, account_is_active=account_is_active)
    ]


NOW = instant(date(2026, 11, 24), time(12))
AUTO = subscription(fixed=brl("10"), is_automatic=True)


@pytest.mark.parametrize(
    ("ours", "payments", "now", "actions"),
    [
        (
            replace(SUBSCRIPTION, state="PENDING_AUTHORIZATION", lapses_at=datetime(2026, 12, 23, 15, tzinfo=UTC)),
            [],
            NOW,
            [("AUTHORIZE", "PAYER", "2026-12-23T15:00:00+00:00")],
        ),
        *((replace(ENDS, state=s), [], NOW, []) for s in ("INITIAL", *FINAL_STATUSES)),
        (SUBSCRIPTION, [], NOW, [("SCHEDULE_PAYMENT", "RECEIVER", "2026-12-10", "2027-01-09")]),
        (
            ENDS,
            [],
            NOW,
            [("SCHEDULE_PAYMENT", "RECEIVER", "2026-12-10", "2027-01-09"), ("END", "SERVICE", END.isoformat())],
        ),
        (
            SUBSCRIPTION,
            [payment(D, state="SCHEDULED")],
            NOW,
            [
                ("SEND_CHARGE", "SERVICE", "2026-12-06T03:00:00+00:00"),
                ("SCHEDULE_PAYMENT", "RECEIVER", "2027-01-10", "2027-02-09"),
            ],
        ),
        (SUBSCRIPTION, [payment(D, state="CANCELED")], NOW, [("SCHEDULE_PAYMENT", "RECEIVER", "2026-12-10", "2027-01-09")]),
        (
            SUBSCRIPTION,
            [payment(D, attempt(1, D))],
            instant(D, time(7)),
            [
                ("COLLECT", "PAYER", "2026-12-15T03:00:00+00:00", "2026-12-16T00:00:00+00:00"),
                ("SCHEDULE_PAYMENT", "RECEIVER", "2027-01-10", "2027-02-09"),
            ],
        ),
        (
            SUBSCRIPTION,
            [payment(D, attempt(1, D, "REJECTED"), retries_alone=False)],
            instant(D, time(22)),
            [
                ("RETRY_PAYMENT", "RECEIVER", "2026-12-22T03:00:00+00:00", "2026-12-22"),
                ("SCHEDULE_PAYMENT", "RECEIVER", "2027-01-10", "2027-02-09"),
            ],
        ),
        (
            SUBSCRIPTION,
            [payment(D, attempt(1, D, "REJECTED"), retries_alone=False)],
            instant(D + timedelta(days=7), time(12)),
            [("SCHEDULE_PAYMENT", "RECEIVER", "2027-01-10", "2027-02-09")],
        ),
        (AUTO, [], NOW, [("SCHEDULE_PAYMENT", "SERVICE", "2026-12-01T03:00:00+00:00", "2026-12-10")]),
        (
            AUTO,
            [],
            instant(date(2026, 12, 8), time(12)),
            [
                ("SKIP_CYCLE", "SERVICE", "2026-12-10"),
                ("SCHEDULE_PAYMENT", "SERVICE", "2027-01-01T03:00:00+00:00", "2027-01-10"),
            ],
        ),
        (
            subscription(starts_on=date(2028, 6, 1)),
            [],
            NOW,
            [("SCHEDULE_PAYMENT", "RECEIVER", "2027-06-01T03:00:00+00:00", "2028-06-01")],  # nothing can be due there yet
        ),
        (
            subscription(starts_on=date(2028, 6, 1), ends_on=date(2028, 5, 1)),
            [],
            NOW,
            [("END", "SERVICE", "2028-05-02T03:00:00+00:00")],
        ),
        (
            subscription(starts_on=date(2028, 6, 1), fixed=brl("10"), is_automatic=True),
            [],
            NOW,
            [("SCHEDULE_PAYMENT", "SERVICE", "2028-05-23T03:00:00+00:00", "2028-06-01")],
        ),
        (
            subscription(ends_on=date(2026, 12, 20)),
            [payment(D, state="PAID")],
            NOW,
            [("END", "SERVICE", "2026-12-21T03:00:00+00:00")],
        ),
    ],
)
def test_what_comes_next(ours: Subscription, payments: list[Payment], now: datetime, actions: list[Any]) -> None:
    assert said(ours, payments, now) == actions


@pytest.mark.parametrize(
    ("ours", "now", "actions"),
    [
        (SUBSCRIPTION, NOW, [("AWAIT_ACCOUNT", "SERVICE", "2026-12-10", "2027-01-09")]),
        (
            AUTO,
            NOW,
            [("AWAIT_ACCOUNT", "SERVICE", "2026-12-01T03:00:00+00:00", "2026-12-08T03:00:00+00:00", "2026-12-10")],
        ),
        (
            AUTO,
            instant(date(2026, 12, 8), time(12)),
            [
                ("SKIP_CYCLE", "SERVICE", "2026-12-10"),
                ("AWAIT_ACCOUNT", "SERVICE", "2027-01-01T03:00:00+00:00", "2027-01-08T03:00:00+00:00", "2027-01-10"),
            ],
        ),
        (replace(ENDS, state="CANCELED"), NOW, []),
    ],
)
def test_nothing_is_charged_into_an_account_that_is_not_active(
    ours: Subscription, now: datetime, actions: list[Any]
) -> None:
    assert said(ours, [], now, account_is_active=False) == actions


def test_an_action_of_a_payment_names_it() -> None:
    found = next_actions(SUBSCRIPTION, [payment(D, state="SCHEDULED")], NOW)
    assert [n.payment_id for n in found] == [UUID(int=3), None]


def test_nobody_is_sent_to_a_code_whose_key_has_left() -> None:
    waiting = replace(SUBSCRIPTION, state="PENDING_AUTHORIZATION")
    assert [n.action for n in next_actions(waiting, [], NOW)] == ["AUTHORIZE"]
    assert next_actions(waiting, [], NOW, code_leads_here=False) == []


SCHEDULED_A1 = attempt(1, D)


@pytest.mark.parametrize(
    ("one", "at"),
    [
        (payment(D, state="SCHEDULED"), instant(date(2026, 12, 6), time())),
        (payment(D, attempt(1, D, "REQUESTED"), state="SCHEDULED"), None),
        (payment(D, SCHEDULED_A1, state="SCHEDULED"), instant(D, time())),
        (payment(D, SCHEDULED_A1, state="SCHEDULED", cancel_asked_at=CREATED), None),
        (payment(D, SCHEDULED_A1), None),
        (payment(D, attempt(1, D, "EXPIRED")), instant(date(2026, 12, 23), time())),
        (payment(D, state="PAID"), None),
    ],
)
def test_when_a_worker_finds_a_payment(one: Payment, at: datetime | None) -> None:
    assert due_at(one) == at


def test_an_attempt_is_asked_about_when_its_day_is_over() -> None:
    assert asks_at(SCHEDULED_A1) == instant(D, time(21, 15))
    assert asks_at(SCHEDULED_A1, Timing(day_ends_at=time(20))) == instant(D, time(20, 15))
