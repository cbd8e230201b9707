"""A Pix whose payer's bank forgot the txid of a dynamic code finds its order by the location, on real rows."""

import os
from typing import Any

import pytest
from tests.cast import Cast, Seller

from lastro.core.money import Money
from lastro.orders import Ask, Settled
from lastro.standards.pix_ids import base62, dynamic_txid, location_token

from .test_arrivals import AT, PLACE, arrives, claimed, order, states


async def placed(cast: Cast, ana: Seller) -> tuple[Any, str]:
    """An order of 10.00 and the token of its location."""
    order_id = await order(cast, ana, dynamic_txid(ana.number, os.urandom(24)))
    token = base62(ana.number, 5) + location_token(os.urandom(24))[:17]
    async with cast.database.session(ana.company_id) as session:
        await session.fetch("UPDATE orders SET location_token = $1 WHERE company_id = $2", token, ana.company_id)
    return order_id, token


@pytest.mark.parametrize("settled", [False, True], ids=["asked", "in already"])
async def test_the_location_says_which_order_it_is(cast: Cast, ana: Seller, settled: bool) -> None:
    order_id, token = await placed(cast, ana)
    came = await arrives(cast, ana, location_token=token, **({"settled_at": AT} if settled else {}))
    verb = Settled if settled else Ask
    await cast.runner.act(ana.company_id, verb(came, await claimed(cast, ana, came), PLACE))
    paid = ("PAID", 1000) if settled else ("INITIAL", None)
    assert await states(cast, ana) == ([(order_id, *paid)], [("SETTLED" if settled else "ACCEPTED", order_id)])


async def test_another_amount_is_refused_as_with_a_txid(cast: Cast, ana: Seller) -> None:
    order_id, token = await placed(cast, ana)
    came = await arrives(cast, ana, location_token=token, amount=Money(999, "BRL"))
    await cast.runner.act(ana.company_id, Ask(came, await claimed(cast, ana, came), PLACE))
    assert await states(cast, ana) == ([(order_id, "INITIAL", None)], [("REFUSED", None)])


async def test_a_location_of_nothing_makes_an_order_of_its_own(cast: Cast, ana: Seller) -> None:
    order_id, _ = await placed(cast, ana)
    came = await arrives(cast, ana, location_token="0" * 22, settled_at=AT)
    await cast.runner.act(ana.company_id, Settled(came, await claimed(cast, ana, came), PLACE))
    found, ((state, paid),) = await states(cast, ana)
    assert (state, paid != order_id, (order_id, "INITIAL", None) in found, len(found)) == ("SETTLED", True, True, 2)
