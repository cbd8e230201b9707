import itertools

import pytest
from tests.in_one import in_one_test

from lastro.core.machine import NOT_THERE
from lastro.webhooks.circuit import Circuit, Turn, turned
from lastro.webhooks.rules import EventStatus, Trigger
from lastro.webhooks.states import CIRCUITS, DELIVERIES, TOLD, after

ALLOWED = {
    ("", "told"): "PENDING", ("PENDING", "deliver"): "DELIVERED", ("PENDING", "retry"): "RETRYING",
    ("PENDING", "give up"): "FAILED", ("RETRYING", "deliver"): "DELIVERED", ("RETRYING", "retry"): "RETRYING",
    ("RETRYING", "give up"): "FAILED", ("RETRYING", "resend"): "PENDING", ("FAILED", "resend"): "PENDING",
    ("DELIVERED", "resend"): "PENDING",
}  # fmt: skip
PAIRS = list(itertools.product([NOT_THERE, *(s.value for s in EventStatus)], [TOLD, *(t.value for t in Trigger)]))


@in_one_test(("state", "trigger"), PAIRS)
def test_each_pair_of_state_and_trigger(state: str, trigger: str) -> None:
    assert DELIVERIES.allows(state, trigger) == ((state, trigger) in ALLOWED)
    assert DELIVERIES.moves.get((state, trigger)) == ALLOWED.get((state, trigger))


def test_the_state_after_a_trigger_is_the_tables() -> None:
    assert after(EventStatus.FAILED, Trigger.RESEND) is EventStatus.PENDING
    with pytest.raises(KeyError):
        after(EventStatus.DELIVERED, Trigger.RETRY)


def test_the_table_knows_the_columns_it_speaks_of() -> None:
    assert (DELIVERIES.name, DELIVERIES.state_column) == ("deliveries", "status")
    assert set(DELIVERIES.states()) == {status.value for status in EventStatus}


CIRCUITS_ALLOWED = {
    ("", "trip"): "OPEN", ("CLOSED", "trip"): "OPEN", ("OPEN", "probe"): "HALF_OPEN", ("OPEN", "answer"): "CLOSED",
    ("HALF_OPEN", "answer"): "CLOSED", ("HALF_OPEN", "silence"): "OPEN", ("HALF_OPEN", "nothing to send"): "OPEN",
    ("HALF_OPEN", "probe"): "HALF_OPEN",
}  # fmt: skip


@in_one_test(("state", "turn"), list(itertools.product([NOT_THERE, *(c.value for c in Circuit)], [t.value for t in Turn])))
def test_each_pair_of_circuit_and_turn(state: str, turn: str) -> None:
    assert CIRCUITS.moves.get((state, turn)) == CIRCUITS_ALLOWED.get((state, turn))
    if state and (state, turn) in CIRCUITS_ALLOWED:
        assert turned(Circuit(state), Turn(turn)) is Circuit(CIRCUITS_ALLOWED[state, turn])
