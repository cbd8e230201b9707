"""What the story of an account says of a change of its limits."""

from datetime import UTC, datetime

import pytest

from lastro.payouts.actions.limit import changes
from lastro.payouts.model import Limits, Raise

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
WAITS = Raise(200000, AT)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (Limits(100, None, 100000), Limits(100, None, 100000), None),
        (Limits(100, None, 100000), Limits(100, None, 50000), "PIX night 1000.00 to 500.00"),
        (Limits(100, None, None), Limits(200, 5, None), "PIX transaction 1.00 to 2.00; day none to 0.05"),
        (
            Limits(100, None, 100000), Limits(100, None, 100000, None, WAITS),
            "PIX night 1000.00 to 2000.00 from 2026-03-02T12:00:00.000000Z on",
        ),
        (Limits(100, None, 100000, None, WAITS), Limits(100, None, 100000, None, WAITS), None),
        (
            Limits(100, None, 100000, None, WAITS), Limits(100, None, 100000),
            "PIX night stays 1000.00: the raise to 2000.00 is taken back",
        ),
        (Limits(100, None, 100000, None, WAITS), Limits(100, None, 90000), "PIX night 1000.00 to 900.00"),
    ],
)  # fmt: skip
def test_a_change_is_told_by_what_became_of_each_limit(before: Limits, after: Limits, told: str | None) -> None:
    assert changes("PIX", before, after) == told
