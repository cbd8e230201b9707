"""The moves are those of states.md 1, 2 and 3 and no others: each state with each trigger."""

import pytest

from lastro.core.machine import NOT_THERE, Machine
from lastro.subscriptions.model import (
    ATTEMPT_STATUSES,
    CANCELLATION_STATUSES,
    FINAL_STATUSES,
    OPEN_ATTEMPT,
    PAYMENT_STATUSES,
    STATUSES,
)
from lastro.subscriptions.states import ATTEMPT_MOVES, CANCELLATION_MOVES, PAYMENT_MOVES, SUBSCRIPTION_MOVES, Moves

# states.md 1, line by line.
SUBSCRIPTION = """
 > create > INITIAL
INITIAL > register > PENDING_AUTHORIZATION
INITIAL > fail > ERROR
PENDING_AUTHORIZATION > authorize > ACCEPTED
PENDING_AUTHORIZATION > pay > ACCEPTED
PENDING_AUTHORIZATION > agree > PENDING_AUTHORIZATION
PENDING_AUTHORIZATION > decline > REJECTED
PENDING_AUTHORIZATION > cancel > CANCELED
PENDING_AUTHORIZATION > lapse > CANCELED
PENDING_AUTHORIZATION > fail > ERROR
ACCEPTED > ask to cancel > ACCEPTED
ACCEPTED > charge > ACCEPTED
ACCEPTED > pass over > ACCEPTED
ACCEPTED > cancel > CANCELED
ACCEPTED > end > CANCELED
INITIAL > close account > CANCELED
PENDING_AUTHORIZATION > close account > CANCELED
ACCEPTED > close account > CANCELED
"""
# states.md 2.
CANCELLATION = """
 > ask > PENDING
PENDING > confirm > ACCEPTED
PENDING > refuse > REJECTED
PENDING > fail > ERROR
"""
# states.md 3, the payment.
PAYMENT = """
 > schedule > SCHEDULED
SCHEDULED > send > SCHEDULED
SCHEDULED > send again > SCHEDULED
SCHEDULED > refuse > ERROR
SCHEDULED > ask to cancel > SCHEDULED
SCHEDULED > keep > SCHEDULED
SCHEDULED > cancel > CANCELED
SCHEDULED > payer cancels > CANCELED
SCHEDULED > subscription ends > CANCELED
SCHEDULED > begin > PENDING
SCHEDULED > settle > PAID
PENDING > settle > PAID
PENDING > refuse > ERROR
PENDING > send again > PENDING
PENDING > retry > PENDING
PENDING > expire > EXPIRED
PENDING > leave to client > PENDING
PENDING > subscription ends > CANCELED
PENDING > payer cancels > CANCELED
"""
# states.md 3, the attempt.
ATTEMPT = """
 > request > REQUESTED
REQUESTED > schedule > SCHEDULED
REQUESTED > settle > PAID
REQUESTED > reject > REJECTED
REQUESTED > expire > EXPIRED
REQUESTED > cancel > CANCELED
SCHEDULED > settle > PAID
SCHEDULED > reject > REJECTED
SCHEDULED > expire > EXPIRED
SCHEDULED > cancel > CANCELED
"""
TABLES = {
    "subscription": (SUBSCRIPTION, SUBSCRIPTION_MOVES, STATUSES, FINAL_STATUSES),
    "cancellation": (CANCELLATION, CANCELLATION_MOVES, CANCELLATION_STATUSES, CANCELLATION_STATUSES[1:]),
    "payment": (PAYMENT, PAYMENT_MOVES, PAYMENT_STATUSES, ("PAID", "CANCELED", "EXPIRED", "ERROR")),
    "attempt": (ATTEMPT, ATTEMPT_MOVES, ATTEMPT_STATUSES, ("PAID", "REJECTED", "CANCELED", "EXPIRED")),
}


def read(table: str) -> Moves:
    lines = [tuple(part.strip() for part in line.split(">")) for line in table.strip("\n").splitlines()]
    return {(before, trigger): after for before, trigger, after in lines}


@pytest.mark.parametrize("name", TABLES)
def test_every_state_with_every_trigger(name: str) -> None:
    table, moves, statuses, _ = TABLES[name]
    written, machine = read(table), Machine(name, "status", moves)
    for trigger in {trigger for _, trigger in moves} | {trigger for _, trigger in written}:
        for state in (NOT_THERE, *statuses):
            assert machine.allows(state, trigger) == ((state, trigger) in written), (state, trigger)
            assert moves.get((state, trigger)) == written.get((state, trigger))


@pytest.mark.parametrize("name", TABLES)
def test_the_words_are_those_of_the_interface(name: str) -> None:
    _, moves, statuses, final = TABLES[name]
    assert set(Machine(name, "status", moves).states()) == set(statuses)
    assert {state for state in statuses if not any(before == state for before, _ in moves)} == set(final)


def test_open_attempts_are_those_that_may_still_be_paid() -> None:
    assert {before for (before, trigger) in ATTEMPT_MOVES if trigger == "settle"} == set(OPEN_ATTEMPT)
