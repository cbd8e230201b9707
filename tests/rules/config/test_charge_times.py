"""When charges are sent and are over, as the environment says it."""

from dataclasses import replace
from datetime import time
from typing import Any
from unittest.mock import Mock

from tests.cast import PLACE
from tests.in_one import in_one_test

from lastro.app.inbox_handlers import inbox_verbs
from lastro.config.given import Given
from lastro.config.terms import charge_times
from lastro.rails import port
from lastro.subscriptions import TIMING, SubscriptionOrders


def test_nothing_said_is_what_is_known() -> None:
    given = Given({})
    assert (charge_times(given), given.problems) == (TIMING, [])


def test_what_is_said_counts() -> None:
    given = Given({
        "LASTRO_CHARGE_SEND_DAYS": "8", "LASTRO_CHARGE_LAST_SEND_DAYS": "3", "LASTRO_CHARGE_CANCEL_UNTIL": "20:30",
        "LASTRO_CHARGE_DAY_ENDS": " 22:00 ",
    })  # fmt: skip
    found = charge_times(given)
    assert (found.send_days, found.last_send_days) == (8, 3)
    assert (found.receiver_cancels_until, found.day_ends_at) == (time(20, 30), time(22))
    assert given.problems == []


@in_one_test(
    ("name", "text"),
    [
        ("LASTRO_CHARGE_SEND_DAYS", "11"), ("LASTRO_CHARGE_SEND_DAYS", "x"), ("LASTRO_CHARGE_LAST_SEND_DAYS", "0"),
        ("LASTRO_CHARGE_LAST_SEND_DAYS", "10"), ("LASTRO_CHARGE_CANCEL_UNTIL", "24:00"),
        ("LASTRO_CHARGE_DAY_ENDS", "9"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(name: str, text: str) -> None:
    given = Given({name: text})
    charge_times(given)
    (problem,) = given.problems
    assert problem.startswith(name)


def test_the_money_of_a_charge_is_let_in_by_the_same_times() -> None:
    """Who asks until 22:00 takes what is paid until then."""
    late = replace(TIMING, day_ends_at=time(22))
    verb: Any = inbox_verbs(PLACE, late)[port.PIX_FINAL](Mock(body=port.encode(port.PixFinal("E1", settled=True))))
    assert verb.tie == SubscriptionOrders(late)
