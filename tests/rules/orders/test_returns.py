"""When no copy of a return can be on its way any more."""

from uuid import UUID

import pytest

from lastro.orders.returns import Sending


@pytest.mark.parametrize(
    ("sends", "answered", "doubts", "is_nowhere"),
    [
        (0, 0, 0, True),
        (1, 1, 0, True),
        (1, 0, 1, True),
        (1, 0, 0, False),
        (2, 1, 1, True),
        # The network may have refused the same copy twice, while the other is on its way.
        (2, 0, 2, False),
    ],
)
def test_the_networks_refusals_account_for_one_copy(sends: int, answered: int, doubts: int, is_nowhere: bool) -> None:
    assert Sending(UUID(int=1), sends, is_in_hand=False, answered=answered, doubts=doubts).is_nowhere == is_nowhere
