"""The moves of a payout are those of states.md 5 and of a batch those of 6, and no others."""

import pytest

from lastro.payouts.model import STATUSES
from lastro.payouts.rules import summed
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
PENDING > fall short > PENDING
PENDING > fall short again > PENDING
PENDING > renew > PENDING
PENDING > doubt > PENDING
PENDING > expire > EXPIRED
PAID > return part > PARTIAL_REFUNDED
PARTIAL_REFUNDED > return part > PARTIAL_REFUNDED
PAID > return rest > REFUNDED
PARTIAL_REFUNDED > return rest > REFUNDED
PAID > return too much > PAID
PARTIAL_REFUNDED > return too much > PARTIAL_REFUNDED
REFUNDED > return too much > REFUNDED
PAID > decide > PAID
PARTIAL_REFUNDED > decide > PARTIAL_REFUNDED
REFUNDED > decide > REFUNDED
ERROR > prove > PAID
EXPIRED > prove > PAID
PENDING > prove > PAID
PENDING > disprove > ERROR
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


def test_a_batch_follows_its_children_whenever_it_hears_of_them() -> None:
    """They move on while their batch has not heard of the last move yet: whatever it then is, it becomes what they are."""
    begun: tuple[str, tuple[str, ...]] = ("PENDING", ("PENDING",) * 3)
    found, left, used = {begun}, [begun], set()
    while left:
        batch, children = left.pop()
        trigger = summed(children)
        after = batch if trigger is None else PAYOUTS.moves.get((batch, trigger), batch)
        assert after == ("PENDING" if trigger is None else BATCH[trigger]), (batch, children)
        used |= {(batch, trigger)} if trigger is not None and (batch, trigger) in PAYOUTS.moves else set()
        steps = [(after, children)]
        for n, state in enumerate(children):
            moved = {to for (a, t), to in PAYOUTS.moves.items() if a == state and t not in BATCH}
            # Who has heard of them goes on from there; a review is of all of them at once, and ends before they begin.
            steps += [(batch, (*children[:n], to, *children[n + 1 :])) for to in moved - {"ANALYSIS"}]
        left += [step for step in steps if step not in found]
        found |= set(steps)
    assert used == {(a, t) for a, t in PAYOUTS.moves if t in BATCH and t != "charge"}, "no row that nothing leads to"


def test_the_words_are_those_of_the_interface() -> None:
    assert set(PAYOUTS.states()) == set(STATUSES)


def test_no_end_begins_again() -> None:
    """What has ended is never under way, and what was not paid is paid by a proof alone."""
    for (before, trigger), after in PAYOUTS.moves.items():
        if before in ("PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED", "REFUNDED", "ERROR", "CANCELED", "EXPIRED"):
            assert after not in ("INITIAL", "PENDING", "ANALYSIS"), (before, trigger)
        if before in ("ERROR", "CANCELED", "EXPIRED") and trigger not in BATCH:
            assert trigger == "prove"
