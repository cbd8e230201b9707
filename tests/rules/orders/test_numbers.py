"""Numbers that a process has taken: which one is next, until when, and who takes more."""

from collections import deque
from datetime import UTC, datetime, timedelta

from lastro.orders.numbers import FEW, GOOD_FOR, Numbers

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)


def test_one_create_takes_more_before_none_is_left() -> None:
    numbers = Numbers(deque((number, NOON) for number in range(FEW + 3)))
    good = NOON + GOOD_FOR
    found = [numbers.next() for _ in range(FEW + 4)]
    assert found[:4] == [(0, good), (1, good), None, (3, good)], "once, where few are left"
    assert found[-2:] == [(FEW + 2, good), None]


def test_each_is_as_old_as_its_block() -> None:
    numbers = Numbers(deque([(1, NOON), (2, NOON + timedelta(seconds=1))]))
    assert [numbers.next(), numbers.next()] == [(1, NOON + GOOD_FOR), (2, NOON + GOOD_FOR + timedelta(seconds=1))]
