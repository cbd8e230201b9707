"""Who may claim what, what the directory is told and when, as tables; and a claim under any sequence of words on it."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.accounts import Account, Holder
from lastro.core.ids import Chance
from lastro.core.runner import RequestContext
from lastro.core.write import Event, Write
from lastro.keys.claims import CLAIMS, rules
from lastro.keys.claims.actions.directory_messages import ClaimNewsContext, Noted
from lastro.keys.claims.actions.writing import DepartingKey, born
from lastro.keys.claims.model import ClaimRoom, KeyClaim
from lastro.keys.claims.states import STATUSES
from lastro.keys.model import Key
from lastro.rails.pace import Pace
from lastro.rails.port import CLAIM_ACKNOWLEDGE, CLAIM_CANCEL, CLAIM_COMPLETE, CLAIM_CONFIRM, Claimed, ClaimNews, Permanent

NOW, ID = datetime(2026, 1, 31, 12, tzinfo=UTC), UUID(int=7)
WEEK, MINUTE = timedelta(days=7), timedelta(minutes=1)
PHONE = "+5511987654321"
ALL = frozenset({"EMAIL", "PHONE"})
ANA = Account(ID, "ACTIVE", 1, "000000019", "0001", "SP", Holder("INDIVIDUAL", "Ana", "CPF", "52998224725", "ana@x.com", "1"), NOW)  # fmt: skip


def claim(role: str, kind: str, state: str, key_type: str = "PHONE", *, is_ordered: bool = False) -> KeyClaim:
    return KeyClaim(
        ID, state, 1, ID, role, kind, key_type, PHONE, None, "99999030", None, NOW + WEEK, None, None, NOW, NOW, is_ordered
    )


@pytest.mark.parametrize(
    ("claim_type", "kind", "key", "problems"),
    [
        ("PORTABILITY", "CPF", "52998224725", []),
        ("PORTABILITY", "CNPJ", "11222333000181", []),
        ("PORTABILITY", "EMAIL", "ana@example.com", []),
        ("PORTABILITY", "PHONE", PHONE, []),
        ("CLAIM_OWNERSHIP", "PHONE", PHONE, []),
        ("CLAIM_OWNERSHIP", "CPF", "52998224725", [("claimType", "NOT_ALLOWED")]),
        ("CLAIM_OWNERSHIP", "EMAIL", "ana@example.com", [("claimType", "NOT_ALLOWED")]),
        ("PORTABILITY", "RANDOM", None, [("type", "NOT_ALLOWED")]),
        ("PORTABILITY", "PHONE", None, [("key", "REQUIRED")]),
        ("PORTABILITY", "PHONE", "11987654321", [("key", "INVALID")]),
        (None, "PHONE", PHONE, []),  # said to be missing by the form
    ],
)
def test_what_can_be_claimed(claim_type: str, kind: str, key: str, problems: list[tuple[str, str]]) -> None:
    found = rules.wish_problems(claim_type, kind, key, None, ALL)
    assert [(one.field, one.issue) for one in found] == problems


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, None),
        ({"is_ours": True}, ("CONFLICT", "key", "DUPLICATE")),
        ({"active": 5}, ("INVALID", "key", "LIMIT_EXCEEDED")),
        ({"active": 5, "open": claim("CLAIMER", "PORTABILITY", "OPEN")}, None),  # the same claim takes no more room
        ({"open": claim("CLAIMER", "CLAIM_OWNERSHIP", "OPEN")}, ("CONFLICT", "key", "CONFLICT")),
        ({"open": claim("DONOR", "PORTABILITY", "OPEN")}, ("CONFLICT", "key", "CONFLICT")),
        (
            {"open": replace(claim("CLAIMER", "PORTABILITY", "OPEN"), account_id=UUID(int=8))},
            ("CONFLICT", "key", "CONFLICT"),
        ),
    ],
)
def test_who_can_claim_it(changes: Any, problem: tuple[str, ...] | None) -> None:
    room = replace(ClaimRoom(0, 0, False, None), **changes)
    said = rules.claim_problem(ANA, "PHONE", PHONE, "PORTABILITY", room)
    assert problem == (None if said is None else (said.kind.value, said.problems[0].field, said.problems[0].issue))


def test_an_account_that_is_not_active_claims_nothing_nor_anybody_elses_document() -> None:
    room = ClaimRoom(0, 0, False, None)
    blocked = rules.claim_problem(replace(ANA, status="INACTIVE"), "PHONE", PHONE, "PORTABILITY", room)
    assert blocked is not None
    assert [(p.field, p.issue) for p in blocked.problems] == [("accountId", "NOT_ALLOWED")]
    other = rules.claim_problem(ANA, "CPF", "11144477735", "PORTABILITY", room)
    assert other is not None
    assert [(p.field, p.issue) for p in other.problems] == [("key", "MISMATCH")]


@pytest.mark.parametrize(
    ("role", "kind", "decision", "told"),
    [
        ("DONOR", "PORTABILITY", "CONFIRM", (CLAIM_CONFIRM, "USER_REQUESTED")),
        ("DONOR", "PORTABILITY", "CANCEL", (CLAIM_CANCEL, "USER_REQUESTED")),
        ("DONOR", "CLAIM_OWNERSHIP", "CONFIRM", (CLAIM_CONFIRM, "USER_REQUESTED")),
        ("DONOR", "CLAIM_OWNERSHIP", "CANCEL", (CLAIM_CANCEL, "FRAUD")),
        ("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRM", (CLAIM_COMPLETE, None)),
        ("CLAIMER", "CLAIM_OWNERSHIP", "CANCEL", (CLAIM_CANCEL, "USER_REQUESTED")),
    ],
)
def test_what_a_decision_tells_the_directory(role: str, kind: str, decision: str, told: tuple[str, str | None]) -> None:
    assert rules.answer(claim(role, kind, "CONFIRMED"), decision) == told


@pytest.mark.parametrize(
    ("role", "kind", "told"),
    [
        ("DONOR", "CLAIM_OWNERSHIP", (CLAIM_CONFIRM, "DEFAULT_OPERATION")),
        ("DONOR", "PORTABILITY", (CLAIM_CANCEL, "DEFAULT_OPERATION")),
        ("CLAIMER", "CLAIM_OWNERSHIP", (CLAIM_CANCEL, "DEFAULT_OPERATION")),
    ],
)
def test_what_silence_tells_the_directory(role: str, kind: str, told: tuple[str, str]) -> None:
    assert rules.default_of(claim(role, kind, "WAITING_RESOLUTION")) == told


# Which (role, type, status) we let time decide, and when; of all others nothing is due by us. Claims are opened NOW.
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
DUES = {
    ("DONOR", "PORTABILITY", "WAITING_RESOLUTION"): NOW + WEEK + MINUTE,
    ("DONOR", "CLAIM_OWNERSHIP", "WAITING_RESOLUTION"): NOW + WEEK + MINUTE,
    ("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRMED"): NOW + 30 * DAY + MINUTE,
}
# Tables of confirmClaim and cancelClaim: a claimer's bank cancels a CONFIRMED portability for FRAUD and the like alone.
CLOSINGS = {
    ("CLAIMER", "PORTABILITY", "OPEN"): (CLAIM_CANCEL, "ACCOUNT_CLOSURE"),
    ("CLAIMER", "PORTABILITY", "WAITING_RESOLUTION"): (CLAIM_CANCEL, "ACCOUNT_CLOSURE"),
    ("CLAIMER", "CLAIM_OWNERSHIP", "OPEN"): (CLAIM_CANCEL, "ACCOUNT_CLOSURE"),
    ("CLAIMER", "CLAIM_OWNERSHIP", "WAITING_RESOLUTION"): (CLAIM_CANCEL, "ACCOUNT_CLOSURE"),
    ("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRMED"): (CLAIM_CANCEL, "ACCOUNT_CLOSURE"),
    ("DONOR", "PORTABILITY", "WAITING_RESOLUTION"): (CLAIM_CONFIRM, "ACCOUNT_CLOSURE"),
}
# (role, type, status) that its claimer may cancel by the operation without a code.
CANCELABLE = {
    ("CLAIMER", "PORTABILITY", "OPEN"), ("CLAIMER", "PORTABILITY", "WAITING_RESOLUTION"),
    ("CLAIMER", "CLAIM_OWNERSHIP", "OPEN"), ("CLAIMER", "CLAIM_OWNERSHIP", "WAITING_RESOLUTION"),
    ("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRMED"),
}  # fmt: skip
ALL_STATUSES = ("OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED", "CANCELLED")
# From each status (none: not heard of), and the directory's word: by which triggers the claim goes there. What is not
# here is late, or comes twice, and changes nothing.
WAYS: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "OPEN"): ("open",),
    ("", "WAITING_RESOLUTION"): ("open", "acknowledge"),
    ("", "CONFIRMED"): ("open", "acknowledge", "confirm"),
    ("", "COMPLETED"): ("open", "acknowledge", "confirm", "complete"),
    ("", "CANCELLED"): ("open", "cancel"),
    ("OPEN", "WAITING_RESOLUTION"): ("acknowledge",),
    ("OPEN", "CONFIRMED"): ("acknowledge", "confirm"),
    ("OPEN", "COMPLETED"): ("acknowledge", "confirm", "complete"),
    ("OPEN", "CANCELLED"): ("cancel",),
    ("WAITING_RESOLUTION", "CONFIRMED"): ("confirm",),
    ("WAITING_RESOLUTION", "COMPLETED"): ("confirm", "complete"),
    ("WAITING_RESOLUTION", "CANCELLED"): ("cancel",),
    ("CONFIRMED", "COMPLETED"): ("complete",),
    ("CONFIRMED", "CANCELLED"): ("cancel",),
}
LEADS = {
    "open": "OPEN", "acknowledge": "WAITING_RESOLUTION", "confirm": "CONFIRMED", "complete": "COMPLETED",
    "cancel": "CANCELLED",
}  # fmt: skip


@in_one_test("state", ALL_STATUSES)
@in_one_test("kind", ["PORTABILITY", "CLAIM_OWNERSHIP"])
@in_one_test("role", ["CLAIMER", "DONOR"])
def test_what_time_and_closing_do(role: str, kind: str, state: str) -> None:
    one = claim(role, kind, state)
    assert rules.due_of(one) == DUES.get((role, kind, state))
    assert rules.at_closing(one) == CLOSINGS.get((role, kind, state))
    told, refused = replace(one, is_ordered=True, is_told=True), replace(one, is_told=True)
    late = NOW + 29 * DAY
    assert (rules.due_of(told), rules.at_closing(told), rules.awaits_us(told, late)) == (None, None, False)
    assert (rules.due_of(refused), rules.at_closing(refused)) == (None, None)
    assert rules.awaits_us(refused, late) is rules.awaits_us(one, late)
    assert (rules.cancel_problem(one) is None) is ((role, kind, state) in CANCELABLE)


# (role, type, status, decision): from when until when the holder of the account may decide so, in days from the opening.
DECIDED: dict[tuple[str, str, str, str], tuple[int, int | None]] = {
    **{("DONOR", kind, "WAITING_RESOLUTION", said): (0, 7) for kind in ("PORTABILITY", "CLAIM_OWNERSHIP") for said in ("CONFIRM", "CANCEL")},
    ("DONOR", "CLAIM_OWNERSHIP", "CONFIRMED", "CANCEL"): (0, None),  # FRAUD, until the end
    ("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRMED", "CONFIRM"): (14, 30),
    ("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRMED", "CANCEL"): (14, 30),  # before, by the operation that needs no code
}  # fmt: skip


@in_one_test("decision", ["CONFIRM", "CANCEL"])
@in_one_test("state", ALL_STATUSES)
@in_one_test("kind", ["PORTABILITY", "CLAIM_OWNERSHIP"])
@in_one_test("role", ["CLAIMER", "DONOR"])
def test_who_decides_when(role: str, kind: str, state: str, decision: str) -> None:
    """A second before and at each end: the directory's periods end at the hour, not at the day."""
    one = claim(role, kind, state)
    one = replace(one, due_at=rules.due_of(one))
    begins, ends = DECIDED.get((role, kind, state, decision), (None, None))
    may = [(day, shift) for day in (7, 14, 30) for shift in (-SECOND, timedelta(0))]
    allowed = [rules.answer_problem(one, NOW + day * DAY + shift, decision) is None for day, shift in may]
    if decision == "CANCEL":  # every claim that may be decided at all may be called off
        assert [rules.awaits_us(one, NOW + day * DAY + shift) for day, shift in may] == allowed
    assert allowed == [
        begins is not None and day * DAY + shift >= begins * DAY and (ends is None or day * DAY + shift < ends * DAY)
        for day, shift in may
    ]


def test_the_donor_who_agrees_lets_the_claimer_complete_at_once() -> None:
    """The directory brings CompletionPeriodEnd forward to the confirmation (confirmClaim, USER_REQUESTED)."""
    one = replace(claim("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRMED"), completion_at=NOW + DAY)
    one = replace(one, due_at=rules.due_of(one))
    assert rules.due_of(one) == NOW + 30 * DAY + MINUTE
    before, after = (rules.answer_problem(one, NOW + DAY + shift, "CONFIRM") for shift in (-SECOND, timedelta(0)))
    assert (before is None, after) == (False, None)
    assert rules.awaits_us(one, NOW + DAY)


@pytest.mark.parametrize(
    ("kind", "state", "reason"),
    [
        ("PORTABILITY", "OPEN", "USER_REQUESTED"), ("PORTABILITY", "WAITING_RESOLUTION", "USER_REQUESTED"),
        ("PORTABILITY", "CONFIRMED", "RECONCILIATION"), ("CLAIM_OWNERSHIP", "CONFIRMED", "USER_REQUESTED"),
    ],
)  # fmt: skip
def test_for_what_a_claim_is_given_up_that_has_no_room(kind: str, state: str, reason: str) -> None:
    assert rules.for_want_of_room(claim("CLAIMER", kind, state)) == (CLAIM_CANCEL, reason)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("ClaimTypeInconsistent", ("INVALID", "claimType", "MISMATCH")),
        ("ClaimKeyNotFound", ("INVALID", "key", "NOT_ALLOWED")),
        ("ClaimAlreadyExistsForKey", ("CONFLICT", "key", "CONFLICT")),
        ("ClaimResultingEntryAlreadyExists", ("CONFLICT", "key", "DUPLICATE")),
        ("EntryLimitExceeded", ("INVALID", "key", "LIMIT_EXCEEDED")),
        ("TaxIdNumberBlocked", ("INVALID", "accountId", "NOT_ALLOWED")),
        ("Whatever", ("CONFLICT", "key", "CONFLICT")),
    ],
)
def test_what_the_directorys_no_means(code: str, problem: tuple[str, str, str]) -> None:
    said = rules.refused_by(Permanent(code, "no"))
    assert (said.kind.value, said.problems[0].field, said.problems[0].issue) == problem


@pytest.mark.parametrize(
    ("key_type", "to"), [("PHONE", ("PHONE", PHONE)), ("EMAIL", ("EMAIL", PHONE)), ("CPF", ("EMAIL", "ana@x.com"))]
)
def test_where_the_code_goes(key_type: str, to: tuple[str, str]) -> None:
    assert rules.destination(claim("DONOR", "PORTABILITY", "WAITING_RESOLUTION", key_type), ANA) == to


def test_what_has_left_reaches_somebody_else() -> None:
    """A donor who calls a confirmed ownership a fraud is asked at his own address, not at the phone that he has lost."""
    assert rules.destination(claim("DONOR", "CLAIM_OWNERSHIP", "CONFIRMED"), ANA) == ("EMAIL", "ana@x.com")
    assert rules.destination(claim("CLAIMER", "CLAIM_OWNERSHIP", "CONFIRMED"), ANA) == ("PHONE", PHONE)


def test_an_act_is_asked_under_one_id() -> None:
    assert rules.act_id(ID, CLAIM_CONFIRM) == rules.act_id(ID, CLAIM_CONFIRM) != rules.act_id(ID, CLAIM_CANCEL)


def test_the_statuses_are_the_directorys() -> None:
    assert set(STATUSES) == set(ALL_STATUSES)


@in_one_test("state", ["", *ALL_STATUSES])
@in_one_test("status", ALL_STATUSES)
def test_the_way_from_each_status_to_each(state: str, status: str) -> None:
    assert CLAIMS.way(state, status) == WAYS.get((state, status), ())


def test_a_pace_lets_so_many_begin_in_any_minute() -> None:
    pace, begun = Pace(2), []
    for now in (0.0, 1.0, 2.0, 61.0):
        left = pace.left(now)
        begun.append(left)
        if not left:
            pace._begun.append(now)
    assert begun == [0.0, 0.0, 58.0, 0.0]


def news(role: Any, kind: Any, status: Any) -> ClaimNews:
    return ClaimNews(
        claim_id=ID, claim_type=kind, key_type="PHONE", key=PHONE, status=status, role=role, other_bank="99999030", at=NOW,
        resolution_at=NOW + WEEK, account="000000019" if role == "CLAIMER" else None,
    )  # fmt: skip


@given(
    role=st.sampled_from(("CLAIMER", "DONOR")),
    kind=st.sampled_from(("PORTABILITY", "CLAIM_OWNERSHIP")),
    words=st.lists(st.sampled_from(ALL_STATUSES), max_size=8),
)
@settings(max_examples=150, deadline=None)
def test_whatever_the_directory_says_a_claim_goes_as_the_table_allows(role: str, kind: str, words: list[Any]) -> None:
    context = RequestContext(UUID(int=1), NOW, Chance(os.urandom))
    key = Key(UUID(int=9), "ACTIVE", 1, ID, "PHONE", PHONE, NOW, NOW) if role == "DONOR" else None
    own, _ = born(news(role, kind, "OPEN"), ID, context, DepartingKey(key))
    if key is not None:
        key = replace(key, version=2, claim_id=ID)
    for word in words:
        write = (
            Noted(news(role, kind, word), Claimed(ID, ID))
            .decide(ClaimNewsContext(own, DepartingKey(key), ID), context)
            .write
        )
        assert write is not None
        (settled,) = write.finished
        way = WAYS.get((own.state, word), ())
        gone = [LEADS[trigger] for trigger in way]
        is_unheard = word == "COMPLETED" and own.state != "CONFIRMED"
        assert settled.outcome == ("known" if not way else "alarmed" if is_unheard else "handled")
        assert [_said(event)["status"] for event in write.events] == gone
        (first, *_) = write.events or (None,)
        assert first is None or _said(first)["previousStatus"] == own.state
        if not way:
            assert write == Write(context.company_id, finished=write.finished)
            continue
        histories = [
            row.values["to_state"] for row in write.rows if row.table == "history" and row.values["machine"] == "key_claims"
        ]
        claims = [move for move in write.moves if move.table == "key_claims"]
        assert (len(claims), len(write.touches), histories) == ((1, 0, []) if len(way) == 1 else (0, 1, gone))
        own = replace(own, state=word, version=own.version + len(way))
        has_key = [row.table for row in write.rows if row.table == "own_keys"]
        assert bool(has_key) is (role == "CLAIMER" and word == "COMPLETED")
        ends = {"CONFIRMED": "lose", "COMPLETED": "lose", "CANCELLED": "keep"}.get(word) if key is not None else None
        assert [move.trigger for move in write.moves if move.table == "pix_keys"] == ([] if ends is None else [ends])
        assert bool(write.freed) is (ends == "lose")
        orders = [message.kind for message in write.messages]
        assert orders == ([CLAIM_COMPLETE] if (role, kind, word) == ("CLAIMER", "PORTABILITY", "CONFIRMED") else [])
        if ends is not None:
            key = None


@pytest.mark.parametrize("role", ["CLAIMER", "DONOR"])
@pytest.mark.parametrize("status", ALL_STATUSES)
def test_a_claim_whose_beginning_was_missed(role: str, status: Any) -> None:
    context = RequestContext(UUID(int=1), NOW, Chance(os.urandom))
    key = Key(UUID(int=9), "ACTIVE", 1, ID, "PHONE", PHONE, NOW, NOW) if role == "DONOR" else None
    write = (
        Noted(news(role, "PORTABILITY", status), Claimed(ID, ID))
        .decide(ClaimNewsContext(None, DepartingKey(key), ID), context)
        .write
    )
    assert write is not None
    assert [_said(event)["status"] for event in write.events] == [LEADS[trigger] for trigger in WAYS["", status]]
    assert write.finished[0].outcome == ("alarmed" if status == "COMPLETED" else "handled")
    moves = {"CONFIRMED": ["lose"], "COMPLETED": ["lose"], "CANCELLED": []}.get(status, ["claim"]) if role == "DONOR" else []
    assert [move.trigger for move in write.moves] == moves
    orders = [message.kind for message in write.messages]
    if role == "DONOR":
        # acknowledgeClaim of one that is CONFIRMED is refused: ClaimOperationInvalid.
        assert orders == ([CLAIM_ACKNOWLEDGE] if status == "OPEN" else [])
        assert [freed.table for freed in write.freed] == (["own_keys"] if status in {"CONFIRMED", "COMPLETED"} else [])
    else:
        assert orders == ([CLAIM_COMPLETE] if status == "CONFIRMED" else [])
        assert ("own_keys" in [row.table for row in write.rows]) is (status == "COMPLETED")


@pytest.mark.parametrize(
    ("role", "kind", "outcome"),
    [
        ("DONOR", "CLAIM_OWNERSHIP", "handled"),  # what we tell of it by ourselves is a yes
        ("DONOR", "PORTABILITY", "alarmed"),  # it was a no
        ("CLAIMER", "CLAIM_OWNERSHIP", "alarmed"),  # we had given it up
    ],
)
def test_an_end_that_we_have_said_ourselves_alarms_nobody(role: str, kind: str, outcome: str) -> None:
    own = replace(claim(role, kind, "WAITING_RESOLUTION", is_ordered=True), is_told=True)
    context = RequestContext(UUID(int=1), NOW, Chance(os.urandom))
    write = (
        Noted(news(role, kind, "COMPLETED"), Claimed(ID, ID))
        .decide(ClaimNewsContext(own, DepartingKey(), ID), context)
        .write
    )
    assert write is not None
    assert write.finished[0].outcome == outcome


def _said(event: Event) -> Any:
    return msgspec.json.decode(event.body)
