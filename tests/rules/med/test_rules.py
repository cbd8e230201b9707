"""What a dispute allows, as tables."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from lastro.base.money import Money
from lastro.med import rules
from lastro.med.forms import ContestForm
from lastro.med.model import TERMS, MedObject
from lastro.med.states import MED_OBJECTS, STATUSES, trigger_to, way_to
from lastro.rails.port import MedNews

NOW, ACCOUNT = datetime(2026, 11, 22, 12, tzinfo=UTC), UUID(int=7)
NONE, TEN = Money(0, "BRL"), Money(1000, "BRL")


def known(object_type: str, status: str, role: str = "RECEIVER") -> MedObject:
    return MedObject(
        UUID(int=1), status, 1, object_type, role, ACCOUNT, "E", None, None, None, TEN, NONE, NONE, None, None, (), None,
        NOW, None, NOW, NOW,
    )  # fmt: skip


def news(object_type: Any, status: str, result: str | None = None) -> MedNews:
    return MedNews(
        object_type=object_type, reference_id=UUID(int=1), status=status, role="RECEIVER", end_to_end_id="E", root_id="E",
        at=NOW, result=result,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("object_type", "state", "to", "trigger"),
    [
        ("RECOVERY_VALUE", "CREATED", "TRACED", "recovery trace"),
        ("RECOVERY_VALUE", "WAITING_ANALYSIS", "COMPLETED", "recovery dismiss"),
        ("RECOVERY_VALUE", "WAITING_REFUND", "COMPLETED", "recovery complete"),
        ("RECOVERY_VALUE", "ANALYSED", "CANCELLED", "recovery cancel"),
        ("RECOVERY_VALUE", "WAITING_REFUND", "CANCELLED", None),
        ("RECOVERY_VALUE", "CREATED", "ANALYSED", None),
        ("INFRINGEMENT_NOTIFICATION", "OPEN", "RECEIVED", "notice acknowledge"),
        ("INFRINGEMENT_NOTIFICATION", "RECEIVED", "ANALYSED", "notice decide"),
        ("INFRINGEMENT_NOTIFICATION", "OPEN", "ANALYSED", None),
        ("INFRINGEMENT_NOTIFICATION", "ANALYSED", "CANCELLED", None),
        ("REFUND_REQUEST", "OPEN", "CANCELLED", "request cancel"),
        ("REFUND_REQUEST", "ANALYSED", "CANCELLED", None),
    ],
)
def test_each_object_has_its_own_moves(object_type: str, state: str, to: str, trigger: str | None) -> None:
    assert trigger_to(object_type, state, to) == trigger


@pytest.mark.parametrize(("object_type", "status"), [(t, s) for t, line in STATUSES.items() for s in line])
def test_every_status_is_reached_from_birth(object_type: str, status: str) -> None:
    state = ""
    for trigger in way_to(object_type, status):
        state = MED_OBJECTS.moves[state, trigger]
    assert state == status


@pytest.mark.parametrize(
    ("object_type", "state", "status", "result", "trigger", "is_old"),
    [
        ("RECOVERY_VALUE", "TRACED", "CREATED", None, None, True),
        ("RECOVERY_VALUE", "TRACED", "TRACED", None, None, True),
        ("RECOVERY_VALUE", "TRACED", "ANALYSED", None, None, False),
        ("RECOVERY_VALUE", "CANCELLED", "COMPLETED", None, None, False),
        ("INFRINGEMENT_NOTIFICATION", "ANALYSED", "RECEIVED", None, None, True),
        ("INFRINGEMENT_NOTIFICATION", "OPEN", "ANALYSED", "AGREED", None, False),
        ("REFUND_REQUEST", "OPEN", "ANALYSED", "REJECTED", "request reject", None),
        ("REFUND_REQUEST", "OPEN", "ANALYSED", "TOTALLY_ACCEPTED", "request accept", None),
        ("REFUND_REQUEST", "ANALYSED", "ANALYSED", "REJECTED", None, True),
    ],
)
def test_what_the_directorys_word_does(
    object_type: str, state: str, status: str, result: str | None, trigger: str | None, is_old: bool | None
) -> None:
    own, word = known(object_type, state), news(object_type, status, result)
    assert rules.moved_by(own, word) == trigger
    if trigger is None:
        assert rules.is_old(own, word) is is_old


def sent(**values: Any) -> Any:
    return SimpleNamespace(**{"account_id": ACCOUNT, "state": "PAID", "rail": "pix", "paid_at": NOW, **values})


@pytest.mark.parametrize(
    ("payout", "issue"),
    [
        (sent(), None),
        (sent(state="PARTIAL_REFUNDED"), None),
        (sent(paid_at=NOW - timedelta(days=80)), None),
        (sent(paid_at=NOW - timedelta(days=80, seconds=1)), "EXPIRED"),
        (sent(state="PENDING", paid_at=None), "NOT_ALLOWED"),
        (sent(state="REFUNDED"), "NOT_ALLOWED"),
        (sent(rail="book"), "NOT_SUPPORTED"),
        (sent(account_id=UUID(int=8)), "INVALID"),
        (None, "INVALID"),
    ],
)
def test_what_can_be_contested(payout: Any, issue: str | None) -> None:
    found = rules.sent_problems(payout, ACCOUNT, NOW, TERMS)
    assert [(p.field, p.issue) for p in found] == ([] if issue is None else [("endToEndId", issue)])


@pytest.mark.parametrize(
    ("situation", "details", "issues"),
    [
        ("SCAM", None, []),
        ("OTHERS", "it was", []),
        ("OTHERS", None, [("details", "REQUIRED")]),
        ("UNKNOWN", None, [("situationType", "INVALID")]),
    ],
)
def test_what_has_to_be_said(situation: str, details: str | None, issues: list[Any]) -> None:
    form = ContestForm(end_to_end_id="E", situation_type=situation, details=details)
    assert [(p.field, p.issue) for p in rules.contest_problems(form)] == issues


@pytest.mark.parametrize(
    ("asked", "has", "already", "more"),
    [(1000, 5000, 0, 1000), (1000, 300, 0, 300), (1000, 300, 900, 100), (1000, 0, 0, 0), (100, 9, 200, 0)],
)
def test_no_more_is_blocked_than_is_asked_and_there(asked: int, has: int, already: int, more: int) -> None:
    assert rules.to_block(Money(asked, "BRL"), Money(has, "BRL"), Money(already, "BRL")) == Money(more, "BRL")


@pytest.mark.parametrize(("returned", "result"), [(0, "REJECTED"), (1, "PARTIALLY_ACCEPTED"), (1000, "TOTALLY_ACCEPTED")])
def test_how_a_request_ends(returned: int, result: str) -> None:
    assert rules.answer_of(TEN, Money(returned, "BRL")) == result


@pytest.mark.parametrize(("reason", "code"), [("FRAUD", "FR01"), ("OPERATIONAL_FLAW", "BE08"), ("PIX_AUTOMATICO", "BE08")])
def test_why_the_money_goes_back(reason: str, code: str) -> None:
    assert rules.return_reason(reason) == code


def test_a_transaction_is_asked_for_by_one_id_for_ever() -> None:
    assert rules.request_id_of("E1") == rules.request_id_of("E1") != rules.request_id_of("E2")


@pytest.mark.parametrize(
    ("object_type", "state", "role", "issue"),
    [
        ("INFRINGEMENT_NOTIFICATION", "RECEIVED", "RECEIVER", None),
        ("INFRINGEMENT_NOTIFICATION", "OPEN", "RECEIVER", "CONFLICT"),
        ("INFRINGEMENT_NOTIFICATION", "ANALYSED", "RECEIVER", "CONFLICT"),
        ("INFRINGEMENT_NOTIFICATION", "RECEIVED", "PAYER", "NOT_ALLOWED"),
        ("REFUND_REQUEST", "OPEN", "RECEIVER", "NOT_ALLOWED"),
    ],
)
def test_what_waits_for_a_verdict(object_type: str, state: str, role: str, issue: str | None) -> None:
    problem = rules.verdict_problem(known(object_type, state, role))
    assert (problem and problem.issue) == issue
