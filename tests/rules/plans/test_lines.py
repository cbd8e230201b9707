"""What a line asks for, which are like one another, what is signed with them, and how a plan ends."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.errors import Kind, Problem
from lastro.core.money import Money
from lastro.payouts import Likeness, Unasked
from lastro.payouts.model import Destination
from lastro.payouts.rules import likeness
from lastro.plans import rules
from lastro.plans.model import LONGEST_SILENCE, STATUSES, Counts, Plan, PlannedPayout, ReadLine, Sheet
from lastro.plans.states import PLANS
from lastro.plans.unresponsive_hosts import Silences
from lastro.rails.port import Receiver

ACCOUNT = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
BANK = {"ispb": "99999030", "branchNumber": "0001", "accountNumber": "300003", "accountType": "CHECKING_ACCOUNT"}
FABIO = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
AT = datetime(2026, 1, 31, 12, tzinfo=UTC)


def payout(external_id: str = "a", value: str = "10.50", **other: Any) -> dict[str, Any]:
    body = {
        "externalId": external_id, "accountId": ACCOUNT, "paymentMethod": "PIX", "description": "Salary",
        "amount": {"currency": "BRL", "value": value}, "paymentData": {"pixKey": "fabio@fora.example"},
    }  # fmt: skip
    return {k: v for k, v in {**body, **other}.items() if v is not None}


def read(*payouts: Any) -> list[ReadLine]:
    sheets = [
        Sheet(n, n + 1, one if isinstance(one, bytes) else msgspec.json.encode(one)) for n, one in enumerate(payouts, 1)
    ]
    return rules.read_lines("JSON", sheets)


def said(one: ReadLine) -> list[tuple[str, str]]:
    return [(p.field, p.issue) for p in one.problems]


# ── what a line asks for ──


@pytest.mark.parametrize(
    ("one", "problems"),
    [
        (payout(), []),
        (b"null", [("", "INVALID")]), (b"[]", [("", "INVALID")]), (b'"x"', [("", "INVALID")]),
        (b'{"a":1,"a":2}', [("", "INVALID")]), (b'{"a":"\xff"}', [("", "INVALID")]), (b'{"a":"\\ud800"}', [("", "INVALID")]),
        (b'{"a":' + b"[" * 40 + b"]" * 40 + b"}", [("", "INVALID")]),
        ({}, [("externalId", "REQUIRED"), ("accountId", "REQUIRED"), ("paymentMethod", "REQUIRED"),
              ("paymentData", "REQUIRED"), ("amount", "REQUIRED"), ("description", "REQUIRED")]),
        (payout(amount=None, description=""), [("amount", "REQUIRED"), ("description", "INVALID")]),
        (payout(value="0"), [("amount.value", "OUT_OF_RANGE")]),
        (payout(paymentMethod="TED"), [("paymentData.pixKey", "NOT_ALLOWED"), ("receiver", "REQUIRED")]),
    ],
)  # fmt: skip
def test_all_that_is_wrong_with_a_line_is_said_at_once(one: Any, problems: list[tuple[str, str]]) -> None:
    (found,) = read(one)
    assert set(said(found)) == set(problems)
    assert (found.wish is None) == bool(problems)


def test_what_the_sheet_had_is_what_the_line_has() -> None:
    problem = Problem("", "INVALID", "has 9 cells under 5 columns")
    (found,) = rules.read_lines("CSV", [Sheet(1, 2, b"", (problem,))])
    assert (found.wish, found.problems) == (None, (problem,))


@pytest.mark.parametrize(
    ("field", "column"),
    [
        ("amount.value", "amount"), ("amount.currency", "currency"), ("paymentData.pixKey", "pixKey"),
        ("paymentData.bankAccount.ispb", "ispb"), ("receiver.document.number", "receiverDocument"),
        ("receiver.name", "receiverName"), ("externalId", "externalId"), ("paymentData", "paymentData"), ("", ""),
    ],
)  # fmt: skip
def test_a_csv_is_answered_by_its_columns(field: str, column: str) -> None:
    assert [p.field for p in rules.in_columns([Problem(field, "INVALID", "x")])] == [column]


def test_the_problems_of_a_csvs_line_name_its_columns() -> None:
    sheets = [Sheet(1, 2, msgspec.json.encode(payout(value="0")))]
    assert [p.field for p in rules.read_lines("CSV", sheets)[0].problems] == ["amount"]
    assert [p.field for p in rules.read_lines("JSON", sheets)[0].problems] == ["amount.value"]


# ── alike ──


def test_a_code_stands_for_one_line() -> None:
    found = read(payout("a", "1"), payout("b", "2"), payout("a", "3"), payout("a", "4"), payout("A", "5"))
    assert [said(one) for one in found] == [[], [], [("externalId", "DUPLICATE")], [("externalId", "DUPLICATE")], []]
    assert found[3].problems[0].description == "is that of line 2"
    assert [one.wish is None for one in found] == [False, False, True, True, False]


CODES = ({"qrcodeData": "000201X"}, {"qrcodeData": "000201Y"})


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        (payout("a", paymentData=CODES[0]), payout("b", paymentData=CODES[0]), True),
        (payout("a", paymentData=CODES[0]), payout("b", "10.5", paymentData=CODES[0], description="Rent"), True),
        (payout("a", paymentData=CODES[0]), payout("b", "10.51", paymentData=CODES[0]), False),
        (payout("a", paymentData=CODES[0]), payout("b", paymentData=CODES[1]), False),
        (payout("a"), payout("b"), False),  # by a key: the directory says who receives
    ],
)
def test_lines_that_pay_one_code_twice(first: Any, second: Any, is_same: bool) -> None:
    one, other = read(first, second)
    assert (one.same_code, other.same_code) == (None, 2 if is_same else None)


TO = Receiver("Fabio", "CPF", "24681357928", "99999030", "0001", "300003", "CHECKING_ACCOUNT")


def _to(**other: str) -> Receiver:
    return msgspec.structs.replace(TO, **other)


def like(to: Receiver = TO, cents: int = 1050, method: str = "PIX", *, is_charge: bool = False) -> Likeness:
    return likeness(UUID(ACCOUNT), method, Money(cents, "BRL"), to, is_charge=is_charge)


@pytest.mark.parametrize(
    ("one", "is_alike"),
    [
        (like(), True), (like(_to(account="000300003")), True), (like(_to(branch="0002")), True),
        (like(_to(name="F. de Fora", account_type="SAVINGS_ACCOUNT")), True), (like(is_charge=True), True),
        (like(cents=1051), False), (like(method="TED"), False), (like(_to(account="300004")), False),
        (like(_to(ispb="99999020")), False), (like(_to(document_number="52998224725")), False),
        (replace(like(), account_id=UUID(int=1)), False),
    ],
)  # fmt: skip
def test_lines_that_pay_the_same_twice(one: Likeness, is_alike: bool) -> None:
    earlier = rules.Earlier()
    for line in (3, 2):
        earlier.add(like().number, line, is_charge=False)
    assert earlier.like(one) == (2 if is_alike else None)


def test_two_charges_are_two_things_to_pay() -> None:
    earlier, charge = rules.Earlier(), like(is_charge=True)
    earlier.add(charge.number, 1, is_charge=True)
    assert (earlier.like(charge), earlier.like(like())) == (None, 1)


# ── who could not be asked ──


HOUR = LONGEST_SILENCE
PLAN = UUID(int=7)
LOCATION = "banco.example/qr/v2/x"
ADDRESS = Unasked(Kind.UNAVAILABLE, location=LOCATION)


@pytest.mark.parametrize(
    ("unasked", "silent_for", "is_final"),
    [
        (ADDRESS, HOUR, True), (ADDRESS, HOUR - timedelta(seconds=1), False),
        (Unasked(Kind.UNAVAILABLE), 9 * HOUR, False), (Unasked(Kind.TOO_MANY), 9 * HOUR, False),
        (Unasked(Kind.TOO_MANY, location=LOCATION), 9 * HOUR, False),
    ],
)  # fmt: skip
def test_a_silent_address_holds_a_plan_up_for_an_hour(unasked: Unasked, silent_for: timedelta, is_final: bool) -> None:
    silences = Silences()
    assert silences.judge(unasked, PLAN, AT) is None
    final = silences.judge(unasked, PLAN, AT + silent_for)
    assert (final is not None) == is_final
    assert final is None or [(p.field, p.issue) for p in final.problems] == [("paymentData.qrcodeData", "INVALID")]


def test_the_hour_is_that_of_one_plan_and_begins_with_its_silence() -> None:
    silences = Silences()
    assert silences.judge(ADDRESS, PLAN, AT) is None
    assert silences.judge(ADDRESS, UUID(int=8), AT + HOUR) is None, "another plan"
    silences.answered(PLAN, LOCATION)
    assert silences.judge("found", PLAN, AT + HOUR) == "found"
    assert silences.judge(ADDRESS, PLAN, AT + HOUR) is None, "it had spoken"
    assert silences.judge(ADDRESS, PLAN, AT + 2 * HOUR) is not None


# ── what is signed ──

_TO = Destination(
    Receiver("Fabio", "CPF", "24681357928", "99999030", "0001", "300003", "CACC"), "KEY", "a@b.c", "EMAIL", "TX"
)
_LINE = (b'{"a":1}', "{}", 5, 2, None)
_OTHERS = (b'{"a":2}', '{"b":1}', 6, 3, "[]")


@pytest.mark.parametrize("place", range(5))
def test_whatever_changes_of_a_line_changes_its_digest(place: int) -> None:
    changed = tuple(_OTHERS[n] if n == place else value for n, value in enumerate(_LINE))
    assert rules.digest(*changed) != rules.digest(*_LINE)  # type: ignore[arg-type]
    nothing = tuple(None if n == place and n else value for n, value in enumerate(_LINE))
    assert place in (0, 4) or rules.digest(*nothing) != rules.digest(*_LINE)  # type: ignore[arg-type]


@given(st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=8), st.data())
def test_whatever_changes_of_one_line_changes_the_hash(digests: list[bytes], data: st.DataObject) -> None:
    whole, place = rules.hash_of(digests), data.draw(st.integers(0, len(digests) - 1))
    other = data.draw(st.binary(min_size=32, max_size=32).filter(lambda one: one != digests[place]))
    assert len(whole) == 64
    assert rules.hash_of([*digests[:place], other, *digests[place + 1 :]]) != whole
    assert rules.hash_of([*digests, other]) != whole
    assert rules.hash_of(digests[:-1]) != whole
    swapped = [digests[-1], *digests[1:-1], digests[0]]
    assert swapped == digests or rules.hash_of(swapped) != whole


def test_equal_places_are_equal_texts_and_others_are_not() -> None:
    text = rules.destination_text(_TO)
    assert text == rules.destination_text(replace(_TO))
    assert msgspec.json.decode(text)["receiver"]["account"] == "300003"
    assert rules.destination_text(replace(_TO, receiver=msgspec.structs.replace(_TO.receiver, account="300004"))) != text
    for change in ({"initiation": "STATIC_QR"}, {"key": "x@b.c"}, {"txid": None}):
        assert rules.destination_text(replace(_TO, **change)) != text


# ── how a plan ends ──


def plan(state: str = "READY", needs: int = 1, expires_at: datetime | None = AT) -> Plan:
    return Plan(UUID(int=7), state, 3, "JSON", 3, "0f" * 32, needs, "lc_x", expires_at, AT, AT)


@pytest.mark.parametrize(
    ("needs", "unfit", "trigger"), [(0, 0, "pass unsigned"), (1, 0, "pass"), (3, 0, "pass"), (0, 1, "fail"), (1, 3, "fail")]
)
def test_what_becomes_of_a_plan_that_is_checked(needs: int, unfit: int, trigger: str) -> None:
    assert rules.checked(plan("VALIDATING", needs), Counts(3, unfit, 0)) == trigger
    assert PLANS.allows("VALIDATING", trigger)


@pytest.mark.parametrize(
    ("unfit", "made", "state"),
    [(0, 3, "APPLIED"), (1, 2, "PARTIALLY_APPLIED"), (2, 1, "PARTIALLY_APPLIED"), (3, 0, "FAILED")],
)
def test_what_becomes_of_a_plan_of_which_nothing_is_left(unfit: int, made: int, state: str) -> None:
    assert PLANS.moves["APPLYING", rules.finished(Counts(3, unfit, made))] == state


def test_a_plan_that_has_ended_moves_no_more() -> None:
    ended = {"INVALID", "APPLIED", "PARTIALLY_APPLIED", "FAILED", "CANCELED", "EXPIRED"}
    triggers = {trigger for _, trigger in PLANS.moves}
    assert {s for s in STATUSES if not any(PLANS.allows(s, t) for t in triggers)} == ended
    assert {s for s, t in product(STATUSES, ["cancel"]) if PLANS.allows(s, t)} == set(STATUSES) - ended


def line(**values: Any) -> PlannedPayout:
    nothing = dict.fromkeys(
        (
            "external_id", "account_id", "method", "amount", "fee", "transfers", "destination", "duplicate_of",
            "issues", "payout_id",
        )
    )  # fmt: skip
    return PlannedPayout(UUID(int=1), 1, UUID(int=7), 1, 2, b"{}", **{**nothing, **values})


@pytest.mark.parametrize(
    ("expires_at", "values", "status"),
    [
        (None, {}, "VALID"), (AT, {}, "VALID"), (None, {"issues": "[]"}, "INVALID"), (AT, {"issues": "[]"}, "REFUSED"),
        (AT, {"payout_id": UUID(int=9)}, "CREATED"),
    ],
)  # fmt: skip
def test_what_a_line_is(expires_at: datetime | None, values: Any, status: str) -> None:
    assert plan(expires_at=expires_at).status_of(line(**values)) == status


def test_a_payouts_key_is_that_of_its_line() -> None:
    assert rules.payout_key(plan(), 3) == rules.payout_key(plan("APPLYING"), 3) != rules.payout_key(plan(), 4)
    assert len(rules.payout_key(plan(), 10_000)) <= 255
