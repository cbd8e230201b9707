import itertools

import pytest

from lastro.base.machine import NOT_THERE
from lastro.webhooks.rules import EventStatus, Trigger
from lastro.webhooks.states import DELIVERIES, TOLD, after

ALLOWED = {
    ("", "told"): "PENDING",
    ("PENDING", "deliver"): "DELIVERED",
    ("PENDING", "retry"): "RETRYING",
    ("PENDING", "give up"): "FAILED",
    ("RETRYING", "deliver"): "DELIVERED",
    ("RETRYING", "retry"): "RETRYING",
    ("RETRYING", "give up"): "FAILED",
    ("RETRYING", "resend"): "PENDING",
    ("FAILED", "resend"): "PENDING",
    ("DELIVERED", "resend"): "PENDING",
}
PAIRS = list(itertools.product([NOT_THERE, *(s.value for s in EventStatus)], [TOLD, *(t.value for t in Trigger)]))


@pytest.mark.parametrize(("state", "trigger"), PAIRS)
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
