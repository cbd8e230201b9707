"""The moves of a payout are those of states.md 5 and of a batch those of 6, and no others."""

import pytest

from lastro.payouts.model import STATUSES
from lastro.payouts.states import PAYOUTS

# states.md 5, line by line: a single payout, or a batch's child.
SINGLE = """
 > create > INITIAL
INITIAL > accept > PENDING
PENDING > begin > PENDING
PENDING > review > ANALYSIS
ANALYSIS > approve > PENDING
ANALYSIS > reject > CANCELED
PENDING > cancel > CANCELED
ANALYSIS > cancel > CANCELED
PENDING > settle > PAID
PENDING > refuse > ERROR
PENDING > doubt > PENDING
PENDING > expire > EXPIRED
PAID > return part > PARTIAL_REFUNDED
PARTIAL_REFUNDED > return part > PARTIAL_REFUNDED
PAID > return rest > REFUNDED
PARTIAL_REFUNDED > return rest > REFUNDED
PAID > return too much > PAID
PARTIAL_REFUNDED > return too much > PARTIAL_REFUNDED
REFUNDED > return too much > REFUNDED
ERROR > prove > PAID
"""
# states.md 6: what the children say, and where it leads from whichever state.
BATCH = {
    "all paid": "PAID", "some paid": "PARTIALLY_PAID", "none paid": "ERROR", "all canceled": "CANCELED",
    "all expired": "EXPIRED", "some returned": "PARTIAL_REFUNDED", "all returned": "REFUNDED", "charge": "PENDING",
}  # fmt: skip


def test_of_one_payout() -> None:
    moves = [tuple(part.strip() for part in line.split(">")) for line in SINGLE.strip("\n").splitlines()]
    assert {(a, t): b for a, t, b in moves} == {(a, t): b for (a, t), b in PAYOUTS.moves.items() if t not in BATCH}


@pytest.mark.parametrize("trigger", BATCH)
def test_of_a_batch(trigger: str) -> None:
    assert {to for (_, t), to in PAYOUTS.moves.items() if t == trigger} == {BATCH[trigger]}


def test_the_words_are_those_of_the_interface() -> None:
    assert set(PAYOUTS.states()) == set(STATUSES)


def test_no_end_begins_again() -> None:
    """What has ended is never under way, and what was not paid is paid by a proof alone."""
    for (before, trigger), after in PAYOUTS.moves.items():
        if before in ("PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED", "REFUNDED", "ERROR", "CANCELED", "EXPIRED"):
            assert after not in ("INITIAL", "PENDING", "ANALYSIS"), (before, trigger)
        if before in ("ERROR", "CANCELED", "EXPIRED") and trigger not in BATCH:
            assert trigger == "prove"
