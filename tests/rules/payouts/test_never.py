"""When "never heard of it" is true of now as well: states.md 5 as a table."""

import pytest

from lastro.payouts.rules import is_proof


@pytest.mark.parametrize(
    ("asked_at", "now", "is_in_hand", "proves"),
    [
        (0, 0, False, True),  # nobody has ever tried
        (3, 3, False, True),  # tried before the question, and lost
        (0, 1, False, False),  # sent since
        (1, 2, False, False),
        (2, 1, False, False),  # put off meanwhile, which somebody has to have taken it for
        (1, 1, True, False),
        (0, 1, True, False),  # being sent
        (None, 0, False, False),  # in hand when it was asked
        (None, 1, True, False),
        (0, None, False, False),  # no message any more
        (None, None, False, False),
    ],
)
def test_what_was_not_sent_since_the_question(asked_at: int | None, now: int | None, is_in_hand: bool, proves: bool) -> None:
    assert is_proof(asked_at, now, is_in_hand=is_in_hand) is proves
