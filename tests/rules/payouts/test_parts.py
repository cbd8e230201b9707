"""How a payout is split, and what its transfers make of the batch: every combination of their states, as states.md 6 has it."""

from itertools import combinations_with_replacement, permutations
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.money import Money
from lastro.payouts.model import MOST_CHILDREN, STATUSES
from lastro.payouts.rules import child_key, counted, is_reviewed, split, summed
from lastro.payouts.states import PAYOUTS

OF_A_CHILD = [s for s in STATUSES if s != "PARTIALLY_PAID"]
UNDER_WAY = {"INITIAL", "PENDING", "ANALYSIS"}


@given(st.integers(1, 99_999_999_999), st.integers(1, 10**9))
def test_the_parts_are_the_amount(minor: int, limit: int) -> None:
    if minor > limit * MOST_CHILDREN:
        limit = -(-minor // MOST_CHILDREN)
    parts = [part.minor for part in split(Money(minor, "BRL"), limit)]
    assert sum(parts) == minor
    assert all(part == limit for part in parts[:-1])
    assert 0 < parts[-1] <= limit
    assert len(parts) == -(-minor // limit) <= MOST_CHILDREN


@pytest.mark.parametrize(
    ("minor", "parts"),
    [
        (1, [1]), (1_500_000, [1_500_000]), (1_500_001, [1_500_000, 1]), (3_000_000, [1_500_000] * 2),
        (3_100_001, [1_500_000, 1_500_000, 100_001]),
    ],
)  # fmt: skip
def test_full_limits_and_the_remainder_last(minor: int, parts: list[int]) -> None:
    assert split(Money(minor, "BRL"), 1_500_000) == [Money(part, "BRL") for part in parts]


def test_the_keys_of_children() -> None:
    assert [child_key("key", n) for n in (1, 2, 100)] == ["key", "key-2", "key-100"]


def becomes(states: tuple[str, ...]) -> str:
    """The table of states.md 6, line by line: the first that fits."""
    some = set(states)
    if some & UNDER_WAY:
        return "ANALYSIS" if some == {"ANALYSIS"} else "PENDING"
    if some & {"REFUNDED", "PARTIAL_REFUNDED"}:
        return "REFUNDED" if some == {"REFUNDED"} else "PARTIAL_REFUNDED"
    if some == {"PAID"}:
        return "PAID"
    if "PAID" in some:
        return "PARTIALLY_PAID"
    return states[0] if some in ({"CANCELED"}, {"EXPIRED"}) else "ERROR"


@pytest.mark.parametrize("number", [2, 3, 4])
def test_every_combination(number: int) -> None:
    seen = set()
    for states in combinations_with_replacement(OF_A_CHILD, number):
        trigger = summed(states)
        # One that is under way stays what it is: in review it is by an act on all of it at once, as it is out again.
        stays = "ANALYSIS" if set(states) == {"ANALYSIS"} else "PENDING"
        to = stays if trigger is None else PAYOUTS.moves["PENDING", trigger]
        assert to == becomes(states), states
        seen.add(to)
    assert seen == set(STATUSES) - {"INITIAL"}


@pytest.mark.parametrize(
    ("states", "trigger"),
    [
        (["ANALYSIS", "ANALYSIS"], None), (["ANALYSIS", "PENDING"], None), (["ANALYSIS", "CANCELED"], None),
        (["ANALYSIS", "PAID"], None), (["CANCELED", "CANCELED"], "all canceled"),
    ],
)  # fmt: skip
def test_in_review_a_batch_follows_nobody(states: list[str], trigger: str | None) -> None:
    assert summed(states) == trigger


@pytest.mark.parametrize(
    ("minor", "above", "is_so"),
    [(1, None, False), (10**12, None, False), (5000, 5000, False), (5001, 5000, True), (4999, 5000, False), (1, 1, False), (2, 1, True)],
)  # fmt: skip
def test_above_the_line_and_not_at_it_is_reviewed(minor: int, above: int | None, is_so: bool) -> None:
    assert is_reviewed(Money(minor, "BRL"), None if above is None else Money(above, "BRL")) is is_so


def test_their_order_is_no_matter() -> None:
    for states in combinations_with_replacement(OF_A_CHILD, 3):
        assert len({summed(order) for order in permutations(states)}) == 1, states


def test_wherever_children_may_go_their_batch_may_follow() -> None:
    """From what a batch is by its children to what it is once one of them has moved."""
    child_moves = {
        (a, b) for (a, trigger), b in PAYOUTS.moves.items()
        if a in OF_A_CHILD and b in OF_A_CHILD and trigger in (
            "settle", "refuse", "expire", "cancel", "prove", "return part", "return rest",
        )
    }  # fmt: skip
    for states in combinations_with_replacement(OF_A_CHILD, 3):
        for place, before in enumerate(states):
            for _, after in (move for move in child_moves if move[0] == before):
                moved = (*states[:place], after, *states[place + 1 :])
                trigger = summed(moved)
                if trigger is not None and becomes(moved) != becomes(states):
                    assert PAYOUTS.allows(becomes(states), trigger), (states, moved)


def child(status: str, minor: int) -> Any:
    return SimpleNamespace(state=status, amount=Money(minor, "BRL"))


def test_the_counters_add_up() -> None:
    children = [child(status, 10**n) for n, status in enumerate(OF_A_CHILD)]
    found = counted(children, "BRL")
    paid = {"PAID", "REFUNDED", "PARTIAL_REFUNDED"}
    failed = {"ERROR", "EXPIRED", "CANCELED"}
    assert (found.paid, found.failed, found.pending) == (3, 3, len(OF_A_CHILD) - 6)
    assert found.paid_amount.minor == sum(c.amount.minor for c in children if c.state in paid), "gross, whatever came back"
    assert found.pending_amount.minor == sum(c.amount.minor for c in children if c.state not in paid | failed)
