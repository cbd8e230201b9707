"""When a scheduled payout is tried again: a table of the hours of its day, a second before and after each."""

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from lastro.payouts.rules import tried_again_at
from lastro.standards.calendar import instant

from .test_receipts import payout

DAY, SECOND = date(2026, 12, 10), timedelta(seconds=1)


def at(hour: str, days: int = 0) -> datetime:
    return instant(DAY + timedelta(days=days), time.fromisoformat(hour))


@pytest.mark.parametrize(
    ("now", "again"),
    [
        # First try 00:00-08:00, a second one 18:00-21:00 of the same day where money is short, nothing after it.
        (at("00:00"), at("18:00")), (at("08:00") - SECOND, at("18:00")), (at("08:00"), at("18:00")),
        (at("18:00") - SECOND, at("18:00")), (at("18:00"), at("18:30")), (at("18:30") - SECOND, at("18:30")),
        (at("18:30"), at("19:00")), (at("20:30") - SECOND, at("20:30")), (at("20:30"), at("20:59")),
        (at("20:59") - SECOND, at("20:59")), (at("20:59"), None), (at("21:00") - SECOND, None), (at("21:00"), None), (at("23:59"), None), (at("00:00", 1), None),
        (at("18:00", 1), None),
    ],
)  # fmt: skip
def test_a_pix_is_tried_in_the_morning_and_in_the_evening_of_its_day(now: datetime, again: datetime | None) -> None:
    assert tried_again_at(payout(scheduled_on=DAY), now) == again


@pytest.mark.parametrize("what", [{"method": "TED"}, {"scheduled_on": None}])
def test_a_ted_and_what_is_for_no_day_are_not_tried_again(what: dict[str, Any]) -> None:
    assert tried_again_at(payout(**({"scheduled_on": DAY} | what)), at("00:00")) is None
