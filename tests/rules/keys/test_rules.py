"""What keys may be, whose, how many; how a code is guarded; and what the directory's words mean."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.accounts import Account, Holder
from lastro.core.secrets import KeyRing
from lastro.keys import Codes
from lastro.keys.model import Room, Validation
from lastro.keys.rules import account_problem, form_problems, refusal, request_id, resend_problem

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
ID, OTHER = UUID(int=7), UUID(int=8)
CPF = "52998224725"
DORA = Account(ID, "ACTIVE", 1, "000000019", "0001", "SAO PAULO", Holder("INDIVIDUAL", "Dora", "CPF", CPF, "d", "1"), NOW)
ALL = frozenset({"EMAIL", "PHONE"})
SENT = Validation(ID, "PENDING", 1, ID, "EMAIL", "d@example.com", ID, 1, 0, "k", NOW, NOW + timedelta(minutes=10))


@pytest.mark.parametrize(
    ("kind", "key", "channel", "problems"),
    [
        ("RANDOM", None, None, []), ("RANDOM", "x", None, [("key", "NOT_ALLOWED")]), ("RANDOM", None, "SMS", [("channel", "NOT_ALLOWED")]),
        ("CPF", CPF, None, []), ("CPF", "52998224726", None, [("key", "INVALID")]), ("CPF", "529.982.247-25", None, [("key", "INVALID")]),
        ("CPF", None, None, [("key", "REQUIRED")]), ("CNPJ", "11222333000181", None, []), ("CNPJ", CPF, None, [("key", "INVALID")]),
        ("EMAIL", "d@example.com", "EMAIL", []), ("EMAIL", "d@example.com", "SMS", [("channel", "NOT_ALLOWED")]),
        ("EMAIL", "=?utf-8?q?d?=@example.com", None, [("key", "INVALID")]), ("EMAIL", "d?=@example.com", None, []),
        ("EMAIL", "d%d@example.com", None, [("key", "INVALID")]), ("EMAIL", "d@", None, [("key", "INVALID")]),
        ("PHONE", "+5511987654321", "SMS", []), ("PHONE", "11987654321", None, [("key", "INVALID")]),
        (None, "x", None, []),
    ],
)  # fmt: skip
def test_a_key_as_it_is_asked_for(kind: str | None, key: str | None, channel: str | None, problems: list[object]) -> None:
    assert [(p.field, p.issue) for p in form_problems(kind, key, channel, ALL)] == problems


@pytest.mark.parametrize(("kind", "key"), [("EMAIL", "d@example.com"), ("PHONE", "+5511987654321")])
def test_a_key_that_no_code_can_be_sent_to(kind: str, key: str) -> None:
    assert [(p.field, p.issue) for p in form_problems(kind, key, None, ALL - {kind})] == [("type", "NOT_SUPPORTED")]
    assert not form_problems("CPF", CPF, None, frozenset())


@pytest.mark.parametrize(
    ("changes", "kind", "key", "room", "said"),
    [
        ({}, "CPF", CPF, Room(4, 0, False), None),
        ({}, "CPF", "11144477735", Room(0, 0, False), ("INVALID", "key", "MISMATCH")),
        ({}, "RANDOM", None, Room(5, 0, False), ("INVALID", "key", "LIMIT_EXCEEDED")),
        ({"type": "ORGANIZATION"}, "RANDOM", None, Room(19, 0, False), None),
        ({"type": "ORGANIZATION"}, "RANDOM", None, Room(20, 0, False), ("INVALID", "key", "LIMIT_EXCEEDED")),
        ({}, "EMAIL", "d@example.com", Room(0, 1, True), ("CONFLICT", "key", "DUPLICATE")),
        ({}, "EMAIL", "d@example.com", Room(0, 7, False), None),
    ],
)
def test_what_an_account_may_have(
    changes: dict[str, str], kind: str, key: str | None, room: Room, said: tuple[str, str, str] | None
) -> None:
    account = replace(DORA, holder=replace(DORA.holder, **changes))
    refused = account_problem(account, kind, key, room)
    assert (refused and (refused.kind.value, refused.problems[0].field, refused.problems[0].issue)) == said
    for status in ("INACTIVE", "CLOSED"):
        stopped = account_problem(replace(account, status=status), kind, key, room)
        assert stopped is not None
        assert (stopped.problems[0].field, stopped.problems[0].issue) == ("accountId", "NOT_ALLOWED")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("EntryAlreadyExists", ("CONFLICT", "key", "DUPLICATE")),
        ("EntryKeyInCustodyOfDifferentParticipant", ("INVALID", "key", "CONFLICT")),
        ("EntryKeyOwnedByDifferentPerson", ("INVALID", "key", "CONFLICT")), ("EntryLockedByClaim", ("CONFLICT", "key", "CONFLICT")),
        ("EntryLimitExceeded", ("INVALID", "key", "LIMIT_EXCEEDED")), ("TaxIdNumberBlocked", ("INVALID", "accountId", "NOT_ALLOWED")),
        ("UserOrAccountWithFraudRelatedRestriction", ("INVALID", "accountId", "NOT_ALLOWED")),
        ("EntryTaxIdNumberByDifferentOwner", ("INVALID", "key", "MISMATCH")), ("Else", ("CONFLICT", "key", "CONFLICT")),
    ],
)  # fmt: skip
def test_what_the_directory_says(code: str, said: tuple[str, str, str]) -> None:
    refused = refusal(code)
    assert (refused.kind.value, refused.problems[0].field, refused.problems[0].issue) == said


@pytest.mark.parametrize(
    ("number", "seconds", "state", "said"),
    [
        (1, 59, "PENDING", ("CONFLICT", 1)), (1, 60, "PENDING", None), (4, 60, "PENDING", None), (5, 60, "PENDING", ("INVALID", None)),
        (1, 599, "PENDING", None), (1, 600, "PENDING", ("INVALID", None)), (1, 60, "EXPIRED", ("INVALID", None)),
        (1, 60, "CONFIRMED", ("INVALID", None)), (1, 60, "CONFLICT", ("INVALID", None)),
    ],
)  # fmt: skip
def test_when_another_code_is_sent(number: int, seconds: int, state: str, said: tuple[str, int | None] | None) -> None:
    refused = resend_problem(replace(SENT, number=number, state=state), NOW + timedelta(seconds=seconds))
    assert (refused and (refused.kind.value, refused.retry_after_seconds)) == said


def test_what_the_directory_is_asked_under() -> None:
    same = request_id(ID, ID, "d@example.com", 0)
    assert (same, same.version) == (request_id(ID, ID, "d@example.com", 0), 4)
    others = {request_id(OTHER, ID, "d@example.com", 0), request_id(ID, OTHER, "d@example.com", 0),
              request_id(ID, ID, "e@example.com", 0), request_id(ID, ID, "d@example.com", 1)}  # fmt: skip
    assert len({same, *others}) == 5


@given(st.uuids(), st.integers(1, 5), st.integers(0, 999_999))
def test_a_code_is_known_again_and_no_other_is(validation_id: UUID, number: int, other: int) -> None:
    ring = KeyRing({"old": b"o" * 32, "new": b"n" * 32}, "new", lambda n: b"r" * n)
    codes = Codes(ring)
    code = codes.code(validation_id, number, "old")
    assert code is not None
    assert (len(code), code.isdecimal()) == (6, True)
    assert codes.is_right(code, validation_id, number, "old")
    assert codes.is_right(f"{other:06d}", validation_id, number, "old") == (f"{other:06d}" == code)
    for wrong in ("", code + "0", code[:5], "é" * 6):
        assert not codes.is_right(wrong, validation_id, number, "old")
    assert codes.code(validation_id, number, "gone") is None
    assert not codes.is_right(code, validation_id, number, "gone")


def test_codes_differ_by_all_they_are_made_of() -> None:
    ring = KeyRing({"old": b"o" * 32, "new": b"n" * 32}, "new", lambda n: b"r" * n)
    codes = Codes(ring)
    made = {codes.code(i, n, k) for i in (ID, OTHER) for n in (1, 2, 3) for k in ("old", "new")}
    assert len(made) == 12
    assert codes.sealed_by == "new"
