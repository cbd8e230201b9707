"""Money at a merchant's own bank that may not be ours never moves, and goes back only where an order of ours asked for it."""

import os
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cast import PLACE

from lastro.companies import Fees
from lastro.core.ids import Chance
from lastro.core.runner import Done, RequestContext
from lastro.orders.actions.collect import CollectContext, CollectionSettled
from lastro.orders.foreign.model import KeptForeign
from lastro.orders.foreign.rules import claim_problems
from lastro.orders.model import CompanySetup, Instrument, Payment
from lastro.rails.port import (
    ALARMED,
    BEFORE_ORDER,
    OTHER_AMOUNT,
    RAILS,
    RESERVED,
    RETURN_SEND,
    Claimed,
    Collected,
    is_connection,
)

from .values import NOW, account, brl, order

CHANCE = Chance(os.urandom)
CONTEXT = RequestContext(CHANCE.uuid(NOW), NOW, CHANCE)
BANK = "efi1"
SETUP = CompanySetup(1, 1, 1, Fees("BRL"), None, None)
TXID = "00001" + "a" * 27


def settled(rail: str, cents: int = 1000, **known: Any) -> Done:
    news = Collected("E1", TXID, brl(cents), NOW, NOW)
    verb = CollectionSettled(news, Claimed(UUID(int=8), UUID(int=9)), PLACE, rail)
    values: dict[str, Any] = {"payment": None, "order": None, "account": account(), "reserved_by": None, "payer": None,
                              "setup": SETUP, "number": 1, **known}  # fmt: skip
    return verb.decide(CollectContext(**values), CONTEXT)


def outcome(done: Done) -> str:
    assert done.write is not None
    return done.write.finished[0].outcome


def moves_nothing(done: Done) -> bool:
    """Whether it writes nothing but a row of the list of foreign payments."""
    write = done.write
    assert write is not None
    return not (write.moves or write.transfers or write.messages or write.events) and {row.table for row in write.rows} <= {
        "foreign_payments", "history",
    }  # fmt: skip


def listed(done: Done) -> list[tuple[Any, ...]]:
    """Amount and reason of what it lists."""
    assert done.write is not None
    rows = [row.values for row in done.write.rows if row.table == "foreign_payments"]
    return [(row["amount_minor"], row["reason"], row["txid"], row["state"]) for row in rows]


def at_bank(**changes: Any) -> Any:
    return order(**{"instrument": Instrument(BANK, TXID), **changes})


@pytest.mark.parametrize("rail", sorted(RAILS))
def test_a_rail_of_ours_alone_gives_back_what_no_order_asked_for(rail: str) -> None:
    done = settled(rail)
    assert done.write is not None
    assert (outcome(done), [one.kind for one in done.write.messages]) == ("handled", [RETURN_SEND])


@given(st.from_regex(r"\A[a-z][a-z0-9]{1,15}\Z").filter(lambda rail: rail not in RESERVED), st.integers(1, 10_000))
def test_any_other_rail_is_connection_and_moves_nothing_that_no_order_asked_for(rail: str, cents: int) -> None:
    assert is_connection(rail)
    done = settled(rail, cents)
    assert outcome(done) == ALARMED
    assert moves_nothing(done)
    assert listed(done) == [(cents, None, TXID, "FOUND")]


@pytest.mark.parametrize("state", ["INITIAL", "PAID", "EXPIRED", "CANCELED"])
@pytest.mark.parametrize("cents", [1, 999, 1001])
def test_another_amount_than_the_orders_was_changed_at_the_bank_and_moves_nothing(state: str, cents: int) -> None:
    done = settled(BANK, cents, order=at_bank(state=state))
    assert outcome(done) == ALARMED
    assert moves_nothing(done)
    assert listed(done) == [(cents, OTHER_AMOUNT, TXID, "FOUND")]


def test_a_payment_older_than_its_order_is_listed_with_that_reason() -> None:
    done = settled(BANK, order=at_bank(created_at=NOW + timedelta(hours=3)))
    assert (outcome(done), moves_nothing(done), listed(done)) == (ALARMED, True, [(1000, BEFORE_ORDER, TXID, "FOUND")])
    assert listed(settled("boleto", order=order(created_at=NOW + timedelta(hours=3)))) == []


@pytest.mark.parametrize("cents", [1000, 999])
def test_what_our_books_have_already_is_not_listed(cents: int) -> None:
    known = Payment(UUID(int=5), "SETTLED", 1, "E1", order().id, account().id, brl(1000), None, None, NOW, None, None, BANK)
    done = settled(BANK, cents, order=at_bank(), payment=known)
    assert listed(done) == []


def test_what_is_listed_as_foreign_is_never_booked_by_itself() -> None:
    done = settled(BANK, order=at_bank(), is_foreign=True)
    assert outcome(done) == ALARMED
    assert moves_nothing(done)
    assert listed(done) == []


def test_what_an_order_asked_for_pays_it_and_a_second_payment_goes_back() -> None:
    first, second = settled(BANK, order=at_bank()), settled(BANK, order=at_bank(state="PAID", paid=brl(1000)))
    assert first.write is not None
    assert second.write is not None
    assert (outcome(first), [one.type for one in first.write.transfers]) == ("handled", ["PIX_IN"])
    assert (outcome(second), [one.kind for one in second.write.messages]) == ("handled", [RETURN_SEND])


FOUND = KeptForeign(
    UUID(int=5), "FOUND", 1, BANK, "E1", None, None, None, brl(1000), NOW - timedelta(hours=1), None, NOW, NOW
)  # fmt: skip


@pytest.mark.parametrize(
    ("foreign", "changed", "also", "fields"),
    [
        ({}, {}, {}, []),
        ({}, {"state": "PENDING"}, {}, []),
        ({"state": "CLOSED"}, {}, {}, []),
        ({"state": "CLAIMED"}, {}, {}, ["state"]),
        ({}, {}, {"is_known": True}, ["paymentId"]),
        ({}, {}, {"is_awaited": True}, ["orderId"]),
        ({}, {"state": "PAID"}, {}, ["orderId"]),
        ({}, {"state": "EXPIRED"}, {}, ["orderId"]),
        ({}, {"payment_method": "BOLETO"}, {}, ["orderId"]),
        ({}, {"instrument": None}, {}, ["orderId"]),
        ({}, {"instrument": Instrument("efi2", TXID)}, {}, ["orderId"]),
        ({}, {"subscription_id": UUID(int=7)}, {}, ["orderId"]),
        ({}, {"final_amount": brl(1001)}, {}, ["amount"]),
        ({}, {"final_amount": None, "amount": None}, {}, ["amount"]),
        ({"state": "CLAIMED"}, {"state": "PAID", "final_amount": brl(1)}, {"is_known": True},
         ["state"]),
    ],
)  # fmt: skip
def test_a_claim_is_refused_with_every_reason(
    foreign: dict[str, Any], changed: dict[str, Any], also: dict[str, bool], fields: list[str]
) -> None:
    asked = {"is_awaited": False, "is_known": False, **also}
    found = claim_problems(replace(FOUND, **foreign), at_bank(**changed), account(), **asked)
    assert [one.field for one in found] == fields


def test_an_account_that_is_blocked_is_not_paid_by_a_claim() -> None:
    found = claim_problems(FOUND, at_bank(), account(status="INACTIVE"), is_awaited=False, is_known=False)
    assert [one.description for one in found] == ["its account is not active"]
