"""What an order makes of a payment of any amount, and which accounts move when it is paid in parts."""

import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.runner import RequestContext
from lastro.orders import postings
from lastro.orders.rules import MOST_PARTS, Use, use_of

CHANCE = Chance(os.urandom)
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
DOOR = RequestContext(CHANCE.uuid(NOW), NOW, CHANCE)
CENTS = st.integers(1, 20_000)


def pesos(cents: int) -> Money:
    return Money(cents, "MXN")


def part() -> Use:
    return Use(pays=False, excess=pesos(0))


def pays(excess: int = 0) -> Use:
    return Use(pays=True, excess=pesos(excess))


@pytest.mark.parametrize(
    ("came", "waits", "takes_parts", "use"),
    [
        (10000, [], True, pays()),
        (9999, [], True, part()),
        (10001, [], True, pays(1)),
        (1, [9999], True, pays()),
        (2, [5000, 4999], True, pays(1)),
        (1, [5000], True, part()),
        (1, [1] * (MOST_PARTS - 1), True, part()),
        (1, [1] * MOST_PARTS, True, None),
        (10000, [1] * MOST_PARTS, True, pays(MOST_PARTS)),
        (10000, [], False, pays()),
        (9999, [], False, None),
        (10001, [], False, None),
    ],
)
def test_what_becomes_of_a_payment(came: int, waits: list[int], takes_parts: bool, use: Use | None) -> None:
    assert use_of(pesos(came), pesos(10000), [pesos(one) for one in waits], takes_parts=takes_parts) == use


@given(st.lists(CENTS, max_size=30), CENTS)
def test_all_that_came_is_waiting_or_paid_or_too_much_or_goes_back(coming: list[int], asked: int) -> None:
    waits: list[Money] = []
    for cents in coming:
        use = use_of(pesos(cents), pesos(asked), waits, takes_parts=True)
        if use is None:
            assert len(waits) == MOST_PARTS
        elif use.pays:
            assert sum(one.minor for one in waits) + cents - use.excess.minor == asked
            assert 0 <= use.excess.minor < cents
            return
        else:
            waits.append(pesos(cents))
            assert sum(one.minor for one in waits) < asked
    assert len(waits) <= MOST_PARTS


@given(st.integers(0, 20_000), st.integers(0, 5_000), st.data())
def test_what_waited_is_booked_first_and_each_cent_once(credit: int, fee: int, data: st.DataObject) -> None:
    waited = data.draw(st.integers(0, max(credit + fee - 1, 0)))
    account, order = CHANCE.uuid(NOW), CHANCE.uuid(NOW)
    moved = postings.paid(DOOR, account, order, pesos(credit), pesos(fee), "spei", pesos(waited))
    sums = dict.fromkeys(("PART_IN", "PART_FEE", "SPEI_IN", "SPEI_FEE"), 0)
    for one in moved:
        assert one.amount.minor > 0
        sums[one.type] += one.amount.minor
    assert sums["PART_IN"] + sums["SPEI_IN"] == credit
    assert sums["PART_FEE"] + sums["SPEI_FEE"] == fee
    assert sums["PART_IN"] + sums["PART_FEE"] == waited
    assert len(moved) == len({one.type for one in moved})
