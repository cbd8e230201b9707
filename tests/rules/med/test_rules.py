"""What a dispute allows, as tables."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs
from tests.in_one import in_one_test

from lastro.core.money import Money
from lastro.med import rules
from lastro.med.forms import ContestForm
from lastro.med.model import TERMS, ContestWish, MedObject
from lastro.med.states import MED_OBJECTS, STATUSES, way_between, way_to
from lastro.rails.port import MedHop, MedNews

NOW, ACCOUNT = datetime(2026, 11, 22, 12, tzinfo=UTC), UUID(int=7)
NONE, TEN = Money(0, "BRL"), Money(1000, "BRL")


def known(object_type: str, status: str, role: str = "RECEIVER") -> MedObject:
    return MedObject(
        UUID(int=1), status, 1, object_type, role, ACCOUNT, "E", None, None, None, TEN, NONE, NONE, None, None, (), None,
        NOW, None, NOW, NOW, NOW,
    )  # fmt: skip


def news(object_type: Any, status: str, result: str | None = None) -> MedNews:
    return MedNews(
        object_type=object_type, reference_id=UUID(int=1), status=status, role="RECEIVER", end_to_end_id="E", root_id="E",
        at=NOW, result=result,
    )  # fmt: skip


@in_one_test(
    ("object_type", "state", "to", "result", "way"),
    [
        ("RECOVERY_VALUE", "CREATED", "TRACED", None, "trace"),
        ("RECOVERY_VALUE", "CREATED", "ANALYSED", "AGREED", "notify analyse"),
        ("RECOVERY_VALUE", "TRACED", "WAITING_REFUND", None, "notify analyse order"),
        ("RECOVERY_VALUE", "CREATED", "COMPLETED", "AGREED", "notify analyse order complete"),
        ("RECOVERY_VALUE", "CREATED", "COMPLETED", "DISAGREED", "notify dismiss"),
        ("RECOVERY_VALUE", "WAITING_ANALYSIS", "COMPLETED", None, "dismiss"),
        ("RECOVERY_VALUE", "WAITING_REFUND", "COMPLETED", None, "complete"),
        ("RECOVERY_VALUE", "ANALYSED", "CANCELLED", None, "cancel"),
        ("RECOVERY_VALUE", "CREATED", "CANCELLED", None, "cancel"),
        ("RECOVERY_VALUE", "WAITING_REFUND", "CANCELLED", None, "cancel"),
        ("RECOVERY_VALUE", "ANALYSED", "TRACED", None, ""),
        ("RECOVERY_VALUE", "TRACED", "TRACED", None, ""),
        ("RECOVERY_VALUE", "COMPLETED", "CANCELLED", None, ""),
        ("INFRINGEMENT_NOTIFICATION", "OPEN", "RECEIVED", None, "acknowledge"),
        ("INFRINGEMENT_NOTIFICATION", "OPEN", "ANALYSED", "AGREED", "acknowledge decide"),
        ("INFRINGEMENT_NOTIFICATION", "ANALYSED", "CANCELLED", None, "cancel"),
        ("REFUND_REQUEST", "OPEN", "ANALYSED", "REJECTED", "reject"),
        ("REFUND_REQUEST", "OPEN", "ANALYSED", "PARTIALLY_ACCEPTED", "accept"),
        ("REFUND_REQUEST", "OPEN", "CANCELLED", None, "cancel"),
        ("REFUND_REQUEST", "ANALYSED", "CANCELLED", None, ""),
    ],
)
def test_each_object_has_its_own_ways(object_type: str, state: str, to: str, result: str | None, way: str) -> None:
    """The fewest moves of its own table, and no way that the table lacks."""
    found = way_between(object_type, state, to, result)
    assert [trigger.split()[1] for trigger in found] == way.split()


@pytest.mark.parametrize("state", ["", "CREATED"])
@pytest.mark.parametrize(
    ("has_path", "status", "way"),
    [(True, "WAITING_ANALYSIS", "trace notify"), (False, "WAITING_ANALYSIS", "notify"), (True, "TRACED", "trace"),
     (True, "CANCELLED", "trace cancel"), (False, "CANCELLED", "cancel"), (True, "ANALYSED", "trace notify analyse")],
)  # fmt: skip
def test_nothing_is_traced_without_a_path(state: str, has_path: bool, status: str, way: str) -> None:
    """TRACKED may be skipped (DICT 2.12.1, FundsRecovery), and history shows only what happened."""
    path = (MedHop("E", 1, TEN, "99999010", "99999030"),) if has_path else ()
    found = rules.way_of("RECOVERY_VALUE", state, structs.replace(news("RECOVERY_VALUE", status), path=path))
    assert [trigger.split()[1] for trigger in found if trigger != "recovery contest"] == way.split()


@pytest.mark.parametrize(("object_type", "status"), [(t, s) for t, line in STATUSES.items() for s in line])
def test_every_status_is_reached_from_birth(object_type: str, status: str) -> None:
    state = ""
    for trigger in way_to(object_type, status):
        state = MED_OBJECTS.moves[state, trigger]
    assert state == status


@pytest.mark.parametrize(
    ("role", "object_type", "state", "status", "result", "way", "is_old"),
    [
        ("PAYER", "RECOVERY_VALUE", "TRACED", "CREATED", None, 0, True),
        ("PAYER", "RECOVERY_VALUE", "TRACED", "TRACED", None, 0, True),
        ("PAYER", "RECOVERY_VALUE", "TRACED", "ANALYSED", None, 2, None),
        ("PAYER", "RECOVERY_VALUE", "CREATED", "COMPLETED", "AGREED", 4, None),
        ("PAYER", "RECOVERY_VALUE", "CANCELLED", "COMPLETED", None, 0, False),
        ("PAYER", "INFRINGEMENT_NOTIFICATION", "OPEN", "ANALYSED", "AGREED", 2, None),
        ("PAYER", "REFUND_REQUEST", "OPEN", "ANALYSED", "REJECTED", 1, None),
        ("RECEIVER", "INFRINGEMENT_NOTIFICATION", "ANALYSED", "RECEIVED", None, 0, True),
        ("RECEIVER", "INFRINGEMENT_NOTIFICATION", "ANALYSED", "CANCELLED", None, 1, None),
        ("PAYER", "INFRINGEMENT_NOTIFICATION", "ANALYSED", "CANCELLED", None, 1, None),
        ("PAYER", "INFRINGEMENT_NOTIFICATION", "CANCELLED", "ANALYSED", None, 0, True),
        ("RECEIVER", "INFRINGEMENT_NOTIFICATION", "OPEN", "ANALYSED", "AGREED", 0, False),
        ("RECEIVER", "INFRINGEMENT_NOTIFICATION", "RECEIVED", "ANALYSED", "AGREED", 1, None),
        ("RECEIVER", "REFUND_REQUEST", "OPEN", "ANALYSED", "TOTALLY_ACCEPTED", 1, None),
        ("RECEIVER", "REFUND_REQUEST", "ANALYSED", "ANALYSED", "REJECTED", 0, True),
    ],
)
def test_what_the_directorys_word_does(
    role: str, object_type: str, state: str, status: str, result: str | None, way: int, is_old: bool | None
) -> None:
    """Who has paid follows it through every status; who was paid takes his own steps."""
    own, word = known(object_type, state, role), news(object_type, status, result)
    assert len(rules.moved_by(own, word)) == way
    if not way:
        assert rules.is_old(own, word) is is_old


@pytest.mark.parametrize(
    ("state", "way"),
    [
        ("CREATED", "notify analyse order credit"), ("ANALYSED", "order credit"), ("WAITING_REFUND", "credit"),
        ("COMPLETED", "credit"), ("CANCELLED", "credit"),
    ],
)  # fmt: skip
def test_money_that_came_back_is_a_recoverys_however_little_was_told(state: str, way: str) -> None:
    found = rules.way_to_its_money(known("RECOVERY_VALUE", state, "PAYER"))
    assert [trigger.split()[1] for trigger in found] == way.split()


def sent(**values: Any) -> Any:
    return SimpleNamespace(
        **{"account_id": ACCOUNT, "state": "PAID", "rail": "pix", "at": NOW, "closed_flaw": False, **values}
    )


@pytest.mark.parametrize(
    ("payout", "issue"),
    [
        (sent(), None),
        (sent(state="PARTIAL_REFUNDED"), None),
        (sent(at=NOW - timedelta(days=80)), None),
        (sent(at=NOW - timedelta(days=80, seconds=1)), "EXPIRED"),
        (sent(state="PENDING", at=None), "NOT_ALLOWED"),
        (sent(state="REFUNDED"), "NOT_ALLOWED"),
        (sent(closed_flaw=True), "NOT_ALLOWED"),
        (sent(rail="book"), None),
        (sent(rail="ted"), "NOT_SUPPORTED"),
        (sent(rail="efi1"), "NOT_SUPPORTED"),
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
        ("UNKNOWN", None, []),
        ("WHAT", None, [("situationType", "INVALID")]),
    ],
)
@pytest.mark.parametrize("name", ["E", "D", None])
def test_what_has_to_be_said(name: Any, situation: str, details: str | None, issues: list[Any]) -> None:
    """Of what was given back (D…), too."""
    form = ContestForm(end_to_end_id=name, situation_type=situation, details=details)
    assert [(p.field, p.issue) for p in rules.contest_problems(form)] == issues


def test_unknown_is_told_as_others_with_details() -> None:
    """The directory takes OTHERS with details alone, and has UNKNOWN for old data."""
    assert rules.situation_of(ContestForm(end_to_end_id="E", situation_type="UNKNOWN")) == (
        "OTHERS",
        "Sem relato do cliente",
    )
    assert rules.situation_of(ContestForm(end_to_end_id="E", situation_type="UNKNOWN", details="x")) == ("OTHERS", "x")
    assert rules.situation_of(ContestForm(end_to_end_id="E", situation_type="SCAM")) == ("SCAM", None)


@pytest.mark.parametrize(
    ("asked", "has", "already", "left", "elsewhere", "more"),
    [
        (1000, 5000, 0, 1000, 0, 1000), (1000, 300, 0, 1000, 0, 300), (1000, 300, 900, 1000, 0, 100), (1000, 0, 0, 1000, 0, 0),
        (100, 9, 200, 1000, 0, 0), (3000, 5000, 0, 500, 0, 500), (1000, 5000, 0, 1000, 800, 200), (1000, 5000, 0, 0, 0, 0),
        (1000, 5000, 300, 1000, 500, 200), (1000, 5000, 0, 500, 800, 0),
    ],
)  # fmt: skip
def test_no_more_is_blocked_than_is_asked_there_and_can_be_given_back(
    asked: int, has: int, already: int, left: int, elsewhere: int, more: int
) -> None:
    wanted, had, blocked = (Money(minor, "BRL") for minor in (asked, has, already))
    free = rules.free_of(Money(left, "BRL"), Money(elsewhere, "BRL"), wanted, wanted)
    assert rules.to_block(wanted, had, blocked, free) == Money(more, "BRL")


@pytest.mark.parametrize(
    ("asked", "paid", "left", "elsewhere", "free"),
    [
        (3000, 1000, 1000, 0, 3000), (3000, 1000, 400, 0, 2400), (1000, 3000, 500, 0, 500), (3000, 1000, 1000, 1000, 2000),
        (3000, 1000, 0, 0, 2000), (1000, 1000, 1000, 0, 1000),
    ],
)  # fmt: skip
def test_a_notice_may_ask_for_more_than_its_payment(asked: int, paid: int, left: int, elsewhere: int, free: int) -> None:
    """InfractionAmount: "sempre menor ou igual à soma dos valores das transações de entrada no período"."""
    given = (Money(minor, "BRL") for minor in (left, elsewhere, asked, paid))
    assert rules.free_of(*given) == Money(free, "BRL")


@pytest.mark.parametrize(("returned", "result"), [(0, "REJECTED"), (1, "PARTIALLY_ACCEPTED"), (1000, "TOTALLY_ACCEPTED")])
def test_how_a_request_ends(returned: int, result: str) -> None:
    assert rules.answer_of(TEN, Money(returned, "BRL")) == result


@pytest.mark.parametrize(("reason", "code"), [("FRAUD", "FR01"), ("OPERATIONAL_FLAW", "BE08")])
def test_why_the_money_goes_back(reason: str, code: str) -> None:
    assert rules.return_reason(reason) == code


WISH = ContestWish(ACCOUNT, "E1", "SCAM", None, "key")


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ({}, True), ({"key": "other"}, False), ({"key": None}, False), ({"details": "more"}, False),
        ({"situation": "OTHERS"}, False), ({"account_id": UUID(int=8)}, False), ({"end_to_end_id": "E2"}, False),
    ],
)  # fmt: skip
def test_one_wish_is_asked_for_by_one_id_for_ever(other: dict[str, Any], is_same: bool) -> None:
    assert (rules.request_id_of(WISH) == rules.request_id_of(replace(WISH, **other))) is is_same


def test_without_a_key_a_transaction_has_one_id() -> None:
    bare = replace(WISH, key=None)
    assert rules.request_id_of(bare) == rules.request_id_of(replace(bare, details="more"))


@pytest.mark.parametrize(
    ("verdict", "fraud", "details", "problem"),
    [
        ("AGREED", None, None, ("fraud", "REQUIRED")),
        ("AGREED", "MULE_ACCOUNT", None, None),
        ("AGREED", "OTHER", None, ("details", "REQUIRED")),
        ("AGREED", "OTHER", "é" * 2000, None),
        ("AGREED", "OTHER", "é" * 2001, ("details", "INVALID")),
        ("AGREED", "OTHER", " ", ("details", "INVALID")),
        ("AGREED", "OTHER", "a\nb", ("details", "INVALID")),
        ("DISAGREED", None, None, None),
        ("DISAGREED", "OTHER", None, ("fraud", "NOT_ALLOWED")),
        ("DISAGREED", None, "a", ("details", "NOT_ALLOWED")),
        ("x", None, None, ("verdict", "INVALID")),
        ("", None, None, ("verdict", "INVALID")),
        ("agreed", None, None, ("verdict", "INVALID")),
        ("AGREED", "x", None, ("fraud", "INVALID")),
        ("AGREED", "UNKNOWN", None, ("fraud", "INVALID")),
    ],
)
def test_which_words_a_verdict_takes(verdict: str, fraud: Any, details: Any, problem: Any) -> None:
    found = rules.verdict_words_problem(verdict, fraud, details)
    assert (found and (found.field, found.issue)) == problem


@pytest.mark.parametrize(
    ("minutes", "lacks", "left", "after"),
    [(0, True, 600, 600), (60, True, 600, 60), (60, True, 30, 30), (60, False, 600, 600)],
)
def test_when_a_notice_is_looked_at(minutes: int, lacks: bool, left: int, after: int) -> None:
    """At its deadline, or before it where it takes later credits and something is lacking."""
    terms = replace(TERMS, top_up=timedelta(minutes=minutes))
    own = replace(known("INFRINGEMENT_NOTIFICATION", "OPEN"), deadline=NOW + timedelta(minutes=left))
    assert rules.next_look(own, lacks, NOW, terms) == NOW + timedelta(minutes=after)


@pytest.mark.parametrize(
    ("changes", "lead", "after"),
    [
        ({}, 24, 48),
        ({}, 1, 71),
        ({}, 0, None),  # nobody is reminded
        ({}, 72, None),  # the notice itself has just said so
        ({"defended_at": NOW, "defense": "Delivered"}, 24, None),
        ({"reminded_at": NOW}, 24, None),
        ({"state": "ANALYSED"}, 24, None),
        ({"state": "CANCELLED"}, 24, None),
        ({"defense_due_at": None}, 24, None),
    ],
)
def test_when_a_holder_is_reminded(changes: Any, lead: int, after: int | None) -> None:
    """Hours after a notice whose defense has three days; a second before nothing is due, and after its time neither."""
    due, terms = NOW + timedelta(days=3), replace(TERMS, reminder=timedelta(hours=lead))
    own = replace(known("INFRINGEMENT_NOTIFICATION", "RECEIVED"), defense_due_at=due, deadline=NOW + timedelta(days=7))
    own = replace(own, **changes)
    at = None if after is None else NOW + timedelta(hours=after)
    assert rules.reminder_at(own, terms) == at
    assert rules.next_look(own, lacks=False, now=NOW, terms=terms) == (at or own.deadline)
    if at is not None:
        second = timedelta(seconds=1)
        moments = (at - second, at, due, due + second)
        assert [rules.is_to_remind(own, now, terms) for now in moments] == [False, True, True, False]


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
