import os
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.orders.values import NOW, brl, order

from lastro.companies import FeePlan, Fees
from lastro.core.ids import Chance
from lastro.core.money import MOST_MINOR
from lastro.core.runner import RequestContext
from lastro.orders.actions.create import pix_order
from lastro.orders.model import CompanySetup
from lastro.orders.rules import fee_problem, is_over, split

CUSTOMER, RECEIVER = "CUSTOMER", "RECEIVER"


@pytest.mark.parametrize(
    ("received", "asked", "fee", "payer", "credit", "kept"),
    [
        (1000, 1000, (0, 0, 0), RECEIVER, 1000, 0),
        (1000, 1000, (50, 0, 0), RECEIVER, 950, 50),
        (1000, 1000, (0, 100, 0), RECEIVER, 990, 10),
        (1000, 1000, (50, 100, 5), RECEIVER, 935, 65),
        (1050, 1000, (50, 0, 0), CUSTOMER, 1000, 50),
        (1000, None, (50, 0, 0), RECEIVER, 950, 50),
        (1000, None, (50, 0, 0), CUSTOMER, 950, 50),  # nobody was told of a sum with the fee in it
        (30, None, (50, 0, 0), RECEIVER, 0, 30),  # no more than there is
        (50, None, (50, 0, 0), RECEIVER, 0, 50),
        (150, 150, (0, 100, 0), RECEIVER, 148, 2),  # 1.5 is 2
        (250, 250, (0, 100, 0), RECEIVER, 248, 2),  # 2.5 is 2
        (1, 1, (0, 10_000, 0), RECEIVER, 0, 1),
    ],
)
def test_split(received: int, asked: int | None, fee: tuple[int, int, int], payer: str, credit: int, kept: int) -> None:
    plan = FeePlan(brl(fee[0]), fee[1], brl(fee[2]), payer)
    assert split(brl(received), None if asked is None else brl(asked), plan) == (brl(credit), brl(kept))


amounts = st.integers(1, MOST_MINOR)


@given(
    amounts,
    st.booleans(),
    st.integers(0, 10**6),
    st.integers(0, 10_000),
    st.integers(0, 10**6),
    st.sampled_from([CUSTOMER, RECEIVER]),
)
def test_the_parts_add_up_and_neither_is_negative(
    asked: int, is_open: bool, fixed: int, basis_points: int, additional: int, payer: str
) -> None:
    plan = FeePlan(brl(fixed), basis_points, brl(additional), payer)
    received = brl(asked)
    if payer == CUSTOMER and not is_open:
        received += plan.total(received)
    credit, kept = split(received, None if is_open else brl(asked), plan)
    assert credit + kept == received
    assert min(credit.minor, kept.minor) >= 0
    if payer == CUSTOMER and not is_open:
        assert credit == brl(asked)


@given(
    st.one_of(st.none(), amounts),
    st.integers(0, 10**12),
    st.integers(0, 10_000),
    st.integers(0, 10**12),
    st.sampled_from([CUSTOMER, RECEIVER]),
)
def test_what_is_asked_for_is_what_is_kept_and_credited(
    amount: int | None, fixed: int, basis_points: int, additional: int, payer: str
) -> None:
    """From the create to the credit: an order that can be made is paid to the cent, and one that cannot says why."""
    plan = FeePlan(brl(fixed), basis_points, brl(additional), payer)
    asked = None if amount is None else brl(amount)
    if asked is not None:
        fee = plan.total(asked)
        is_too_much = fee > asked if payer == RECEIVER else (asked + fee).minor > MOST_MINOR
        assert (fee_problem(asked, plan) is not None) == is_too_much
        if is_too_much:
            return
    setup = CompanySetup(1, 1, 1, Fees("BRL", RECEIVER, ((NOW, plan),)), None, None)
    made = pix_order(
        RequestContext(UUID(int=9), NOW, Chance(os.urandom)), setup, UUID(int=1), None, external_id="1", amount=asked,
        description="Flores", seconds=60, customer=None,
    )  # fmt: skip
    assert made.fees == plan
    if asked is None:
        assert made.final_amount is None
        return
    assert made.final_amount is not None
    credit, kept = split(made.final_amount, made.amount, made.fees)
    assert (credit + kept, kept) == (made.final_amount, plan.total(asked))
    assert made.final_amount == (asked + kept if payer == CUSTOMER else asked)
    assert credit == (asked if payer == CUSTOMER else asked - kept)


EXPIRES = NOW + timedelta(hours=1)


@pytest.mark.parametrize(
    ("now", "case", "ends"),
    [
        (EXPIRES + timedelta(seconds=60), {}, True),
        (EXPIRES + timedelta(days=1), {}, True),
        (EXPIRES + timedelta(seconds=60) - timedelta(microseconds=1), {}, False),
        (EXPIRES, {}, False),
        (NOW, {}, False),
        (EXPIRES + timedelta(days=1), {"expires_at": None}, False),
    ],
)
def test_an_order_is_over_a_minute_after_its_last_instant(now: Any, case: dict[str, Any], ends: bool) -> None:
    asked = order(expires_at=case.get("expires_at", EXPIRES))
    assert is_over(asked, now, timedelta(seconds=60)) is ends
