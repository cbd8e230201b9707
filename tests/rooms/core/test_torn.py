"""What a verb reads in several statements may be of two moments: it is read again, as long as that may help."""

from dataclasses import dataclass
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import Tell, count

from lastro.core.errors import NoMove
from lastro.core.retry import TRIES
from lastro.core.runner import Done, Reply, RequestContext
from lastro.core.write import Write
from lastro.orders import ORDERS


@dataclass(frozen=True)
class Paid:
    """An order as a torn read has it."""

    id: UUID
    state: str = "PAID"
    version: int = 1


@pytest.mark.parametrize("torn", [1, TRIES - 1])
async def test_what_was_read_at_two_moments_is_read_again(cast: Cast, ana: Seller, torn: int) -> None:
    left = [torn, torn]

    def moved(context: RequestContext) -> Write:
        left[-1] -= 1
        if left[-1] >= 0:
            raise NoMove("orders", "PAID", "pay")
        left.pop()
        return Write(context.company_id)

    told = Tell(with_parts=moved)
    assert isinstance(await cast.run(ana.client, told), Reply)
    assert isinstance(await cast.runner.act(ana.company_id, told), Done)
    assert (told.reads, await count(cast, ana, "events")) == (2 * torn + 2, 2)


async def test_a_move_that_no_reading_allows_is_a_mistake_of_ours(cast: Cast, ana: Seller) -> None:
    def never(context: RequestContext) -> Write:
        ORDERS.move(Paid(context.company_id), "pay", context.now)
        raise AssertionError

    told = Tell(with_parts=never)
    with pytest.raises(NoMove):
        await cast.run(ana.client, told)
    with pytest.raises(NoMove):
        await cast.runner.act(ana.company_id, told)
    assert (told.reads, await count(cast, ana, "events")) == (2 * TRIES, 0)
