from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.orders.values import NOW, brl, order

from lastro.base.money import MOST_MINOR
from lastro.companies import FeePlan
from lastro.orders.rules import is_over, split

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
