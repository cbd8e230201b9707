"""Whether a charge may be made, and how it may be called off: as tables."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import msgspec
import pytest

from lastro.api_kit import forms
from lastro.companies import FeePlan
from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.standards.calendar import instant
from lastro.subscriptions.forms import SchedulePayment
from lastro.subscriptions.model import PAYMENT_STATUSES, Payment
from lastro.subscriptions.rules.charging import (
    CYCLE_TAKEN,
    cancel_is_asked,
    cancel_refused,
    ends_with_subscription,
    fee_problem,
    form_problems,
    is_settled_by,
    planned,
)

from .values import SUBSCRIPTION, attempt, brl, payment, subscription
from .values import planned as days

TODAY = date(2026, 12, 1)
DUE = date(2026, 12, 15)


def problems(found: Any) -> list[tuple[str, str]]:
    return [(p.field, p.issue) for p in found.problems] if isinstance(found, Refused) else []


@pytest.mark.parametrize(
    ("terms", "due_on", "amount", "wrong"),
    [
        ({}, "2026-12-15", "10", []),
        ({}, "2026-12-10", "10", []),
        ({}, "2026-12-09", "10", [("dueDate", "OUT_OF_RANGE")]),
        ({"starts_on": date(2026, 11, 25)}, "2026-12-04", "10", []),
        ({"starts_on": date(2026, 11, 25)}, "2026-12-03", "10", [("dueDate", "OUT_OF_RANGE")]),
        ({"starts_on": date(2026, 11, 25)}, "2026-11-30", "10", [("dueDate", "OUT_OF_RANGE")]),
        ({}, "2027-12-02", "10", []),
        ({}, "2027-12-03", "10", [("dueDate", "OUT_OF_RANGE")]),
        ({"ends_on": date(2027, 1, 20)}, "2027-01-20", "10", []),
        ({"ends_on": date(2027, 1, 20)}, "2027-01-21", "10", [("dueDate", "OUT_OF_RANGE")]),
        ({}, "2026-12-15", None, [("amount", "REQUIRED")]),
        ({"fixed": brl("10")}, "2026-12-15", None, []),
        ({"fixed": brl("10")}, "2026-12-15", "10", []),
        ({"fixed": brl("10")}, "2026-12-15", "10.01", [("amount", "MISMATCH")]),
        ({"fixed": brl("10")}, "2026-12-09", "9.99", [("dueDate", "OUT_OF_RANGE"), ("amount", "MISMATCH")]),
        ({"floor": brl("10")}, "2026-12-15", "0.01", []),
    ],
)
def test_what_may_be_charged(terms: dict[str, Any], due_on: str, amount: str | None, wrong: list[tuple[str, str]]) -> None:
    found = planned(subscription(**terms), date.fromisoformat(due_on), None if amount is None else brl(amount), TODAY)
    assert problems(found) == wrong
    if isinstance(found, Refused):
        assert found.kind == Kind.INVALID
    else:
        assert found[0].due_on == date.fromisoformat(due_on)
        assert found[1] == brl(amount or "10")


def test_a_charge_above_the_payers_maximum_is_made() -> None:
    assert not isinstance(planned(replace(SUBSCRIPTION, maximum=brl("1")), DUE, brl("10"), TODAY), Refused)


def test_the_settlement_day_counts_not_the_due_date() -> None:
    """A Saturday in two days that becomes a Monday in four."""
    ours = subscription(starts_on=date(2026, 12, 1), adjusts=True)
    assert not isinstance(planned(ours, date(2026, 12, 5), brl("1"), date(2026, 12, 3)), Refused)
    assert isinstance(
        planned(subscription(starts_on=date(2026, 12, 1)), date(2026, 12, 5), brl("1"), date(2026, 12, 3)), Refused
    )


@pytest.mark.parametrize("state", ["INITIAL", "PENDING_AUTHORIZATION", "REJECTED", "CANCELED", "ERROR"])
def test_only_an_accepted_subscription_is_charged(state: str) -> None:
    found = planned(replace(SUBSCRIPTION, state=state), DUE, brl("10"), TODAY)
    assert isinstance(found, Refused)
    assert (found.kind, problems(found)) == (Kind.CONFLICT, [("status", "CONFLICT")])


def test_a_taken_cycle_is_a_conflict_of_the_due_date() -> None:
    assert (CYCLE_TAKEN.kind, problems(CYCLE_TAKEN)) == (Kind.CONFLICT, [("dueDate", "CONFLICT")])


@pytest.mark.parametrize(
    ("code", "wrong"),
    [("2026-12", []), ("a b", []), (" x", ["externalId"]), ("a\u2028", ["externalId"]), ("a\u3000", ["externalId"])],
)
def test_codes(code: str, wrong: list[str]) -> None:
    form, found = forms.read(msgspec.json.encode({"externalId": code, "dueDate": "2026-12-15"}), SchedulePayment)
    assert [p.field for p in forms.in_order([*found, *form_problems(form)], SchedulePayment)] == wrong


WAITING, SENT = payment(DUE, state="SCHEDULED"), payment(DUE, attempt(1, DUE, "REQUESTED"), state="SCHEDULED")
# 22:00 and 23:59 of the 14th in Brasilia.
TEN_PM, LAST_MINUTE = datetime(2026, 12, 15, 1, tzinfo=UTC), datetime(2026, 12, 15, 2, 59, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("what", "now", "refused", "is_asked"),
    [
        (WAITING, TEN_PM - MOMENT, False, False),
        (WAITING, TEN_PM, True, False),
        (SENT, TEN_PM - MOMENT, False, True),
        (SENT, TEN_PM, True, True),
        (replace(SENT, cancel_asked_at=TEN_PM - timedelta(days=1)), TEN_PM - MOMENT, True, True),
        *(
            (replace(WAITING, state=s), TEN_PM - timedelta(days=5), True, False)
            for s in PAYMENT_STATUSES
            if s != "SCHEDULED"
        ),
    ],
)
def test_when_the_receiver_may_cancel(what: Payment, now: datetime, refused: bool, is_asked: bool) -> None:
    found = cancel_refused(what, now)
    assert (found is not None) == refused
    assert found is None or (found.kind, problems(found)) == (Kind.CONFLICT, [("status", "CONFLICT")])
    assert cancel_is_asked(what) == is_asked
    assert not cancel_is_asked(what, is_unsent=True)


NOON = instant(DUE, time(12))


@pytest.mark.parametrize(
    ("what", "ends"),
    [
        (WAITING, True),
        (SENT, True),
        (payment(DUE, attempt(1, DUE)), False),
        (payment(DUE, attempt(1, DUE), state="SCHEDULED"), False),  # its day has come
        (payment(DUE, attempt(1, DUE, "REQUESTED"), state="SCHEDULED"), True),
        (payment(DUE, attempt(1, DUE, "REJECTED"), attempt(2, date(2026, 12, 16))), True),
        (payment(DUE, attempt(1, DUE, "REJECTED"), retries_alone=False), True),
        *((replace(WAITING, state=s), False) for s in PAYMENT_STATUSES if s not in ("SCHEDULED", "PENDING")),
    ],
)
def test_what_ends_with_its_subscription(what: Payment, ends: bool) -> None:
    assert ends_with_subscription(what, NOON) == ends


@pytest.mark.parametrize(
    ("state", "of_attempt", "amount", "at", "pays"),
    [
        ("PENDING", "SCHEDULED", "10", NOON, True),
        ("SCHEDULED", "SCHEDULED", "10", NOON, True),  # the sweep has not said yet that its day has come
        ("SCHEDULED", "REQUESTED", "10", NOON, True),
        ("PENDING", "SCHEDULED", "9.99", NOON, False),
        ("PENDING", "REJECTED", "10", NOON, False),
        ("CANCELED", "CANCELED", "10", NOON, False),
        ("PAID", "PAID", "10", NOON, False),
        ("PENDING", "SCHEDULED", "10", instant(DUE, time(0)), True),
        ("PENDING", "SCHEDULED", "10", instant(DUE, time(0)) - MOMENT, False),
        ("PENDING", "SCHEDULED", "10", instant(DUE, time(21)) - MOMENT, True),
        ("PENDING", "SCHEDULED", "10", instant(DUE, time(21)), False),
        ("PENDING", "SCHEDULED", "10", NOON + timedelta(days=1), False),
    ],
)
def test_which_money_pays(state: str, of_attempt: str, amount: str, at: datetime, pays: bool) -> None:
    assert is_settled_by(payment(DUE, state=state), attempt(1, DUE, of_attempt), brl(amount), at) == pays


def test_the_days_of_a_charge_are_the_plans() -> None:
    found = planned(SUBSCRIPTION, DUE, brl("10"), TODAY)
    assert not isinstance(found, Refused)
    assert found[0] == days(DUE)


@pytest.mark.parametrize(("fee", "wrong"), [("9.99", False), ("10", False), ("10.01", True)])
def test_a_charge_is_at_least_its_fee(fee: str, wrong: bool) -> None:
    found = fee_problem(brl("10"), FeePlan(brl(fee), 0, Money(0, "BRL")))
    assert (found is not None) == wrong
    assert found is None or (found.field, found.issue) == ("amount.value", "OUT_OF_RANGE")
