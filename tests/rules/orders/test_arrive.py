"""What is decided when the network asks, tells, or tells something else than it told before."""

import os
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from lastro.accounts import Institution
from lastro.companies import Fees
from lastro.core.ids import Chance
from lastro.core.runner import Done, RequestContext
from lastro.core.write import Write
from lastro.orders import Ask, Final, Installation, ReturnEnded, Settled
from lastro.orders.actions.give_back import Given
from lastro.orders.model import CompanySetup, Payment, Refund
from lastro.orders.store.arrivals import ArrivalContext
from lastro.rails.port import ALARMED, Claimed, PixFinal, ReturnFinal

from .values import ACCOUNT_ID, NOW, account, arrival, brl, order

DOOR = RequestContext(UUID(int=9), NOW, Chance(os.urandom))
CLAIMED = Claimed(UUID(int=7), UUID(int=8))
PLACE = Installation(Institution("99999010", "LASTRO", "0001"), "http://127.0.0.1:8080", True)
SETUP = CompanySetup(1, 1, 0, Fees("BRL"), None, None)


def payment(state: str, **changes: Any) -> Payment:
    known = Payment(UUID(int=5), state, 1, "E1", order().id, ACCOUNT_ID, brl(1000), None, None, NOW, "key", None, "pix")
    return replace(known, **changes)


def known(before: Payment | None = None) -> ArrivalContext:
    return ArrivalContext(before, account(), order(), None, None, SETUP, 1)


def written(done: Done) -> Write:
    assert done.write is not None
    return done.write


def outcome(done: Done) -> str:
    (finished,) = written(done).finished
    return finished.outcome


def moves(done: Done) -> list[tuple[str, str]]:
    return [(m.table, m.trigger) for m in written(done).moves]


def settled(**changes: Any) -> Settled:
    return Settled(arrival(settled_at=NOW, **changes), CLAIMED, PLACE)


def test_what_is_let_in_relies_on_the_account_as_it_was_read() -> None:
    for done in (Ask(arrival(), CLAIMED, PLACE).decide(known(), DOOR), settled().decide(known(), DOOR)):
        assert [(r.kind, r.id, r.version) for r in written(done).relies] == [("accounts", ACCOUNT_ID, 1)]


def test_money_that_we_let_in_pays_the_order_it_was_let_in_for() -> None:
    done = settled(txid=None).decide(known(payment("ACCEPTED")), DOOR)
    assert moves(done) == [("pix_payments", "settle"), ("orders", "pay")]
    assert [m.id for m in written(done).moves] == [UUID(int=5), order().id]
    assert sum(t.amount.minor for t in written(done).transfers) == 1000


@pytest.mark.parametrize("names", [{"receiver_account": "999999999"}, {"receiver_branch": "0002"}, {"txid": "another"}])
def test_money_for_something_else_than_we_let_in_is_booked_nowhere(names: dict[str, str]) -> None:
    done = settled(**names).decide(known(payment("ACCEPTED", txid="txid")), DOOR)
    assert (outcome(done), moves(done), written(done).transfers) == (ALARMED, [], ())


@pytest.mark.parametrize("state", ["ACCEPTED", "REFUSED", "FAILED", "SETTLED", "RETURNING"])
def test_another_amount_than_we_know_is_booked_nowhere_and_looked_at(state: str) -> None:
    done = settled(amount=brl(999)).decide(known(payment(state)), DOOR)
    assert (outcome(done), moves(done), written(done).transfers) == (ALARMED, [], ())


@pytest.mark.parametrize("state", ["REFUSED", "FAILED"])
def test_money_that_comes_though_it_was_refused_goes_back(state: str) -> None:
    done = settled().decide(known(payment(state)), DOOR)
    assert moves(done) == [("pix_payments", "give_back")]
    assert [(t.kind, t.debit.code, t.credit.code) for t in written(done).transfers] == [
        ("moved", "NET", "SUSP"),
        ("held", "SUSP", "NET"),
    ]


@pytest.mark.parametrize(
    ("state", "is_settled", "expected"),
    [
        (None, True, ALARMED), (None, False, "ignored"),
        ("REFUSED", False, "known"), ("FAILED", False, "known"),
        ("SETTLED", True, "known"), ("SETTLED", False, ALARMED),
        ("RETURNING", True, "known"), ("RETURNING", False, ALARMED),
        ("RETURNED", True, "known"), ("RETURNED", False, ALARMED),
        ("STRANDED", True, "known"), ("STRANDED", False, ALARMED),
    ],
)  # fmt: skip
def test_a_second_end_is_known_or_for_people(state: str | None, is_settled: bool, expected: str) -> None:
    final = Final(PixFinal("E1", is_settled, None if is_settled else "AB03", NOW), CLAIMED, PLACE)
    done = final.decide(known(None if state is None else payment(state)), DOOR)
    assert (outcome(done), moves(done), written(done).transfers) == (expected, [], ())


@pytest.mark.parametrize(
    ("state", "is_settled", "expected"),
    [
        (None, True, ALARMED), (None, False, ALARMED), ("PAID", True, "known"), ("PAID", False, ALARMED),
        ("ERROR", False, "known"), ("ERROR", True, ALARMED), ("PENDING", True, "handled"), ("PENDING", False, "handled"),
    ],
)  # fmt: skip
def test_a_second_end_of_a_return_is_known_or_for_people(state: str | None, is_settled: bool, expected: str) -> None:
    before = None
    if state is not None:
        before = Refund(UUID(int=6), state, 1, payment("RETURNING"), "D1", brl(1000), brl(1000), UUID(int=4), NOW)
    given = None if before is None else Given(before)
    done = ReturnEnded(ReturnFinal("D1", "E1", is_settled, None, NOW), CLAIMED, PLACE).decide(given, DOOR)
    assert (outcome(done), bool(moves(done))) == (expected, expected == "handled")
