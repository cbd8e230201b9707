"""When a partner is known to be away, and when to be back."""

import pytest

from lastro.rails.health import FAILURES, FOR_SECONDS, Streak

VAIN = "not_sent"


@pytest.mark.parametrize(
    ("outcomes", "every", "says"),
    [
        ([], 0.0, "up"),
        ([VAIN] * (FAILURES - 1), FOR_SECONDS, None),
        ([VAIN] * FAILURES, FOR_SECONDS / FAILURES, None),  # from the first to the last it is not long enough
        ([VAIN] * FAILURES, FOR_SECONDS / (FAILURES - 1), "down"),
        ([VAIN] * FAILURES * 4, 0.1, None),  # many at once are one outage of seconds
        ([VAIN] * FAILURES + ["sent"], FOR_SECONDS, "up"),
        ([VAIN] * FAILURES + ["refused"], FOR_SECONDS, "up"),  # who refuses is there
        ([VAIN] * FAILURES + ["held_back"], FOR_SECONDS, "down"),  # that was not sent
        ([VAIN] * (FAILURES - 1) + ["sent", VAIN], FOR_SECONDS, None),
    ],
)
def test_what_a_row_of_sendings_says(outcomes: list[str], every: float, says: str | None) -> None:
    streak, at = Streak(), 0.0
    for place, outcome in enumerate(outcomes):
        at = place * every
        streak = streak.after(outcome, at)
    assert streak.says(at) == says
