"""On a cluster a key is written in two parts: on every server that it leads to an account, and in the shard the key."""

import pytest
from tests.cast import Cast
from tests.rooms.keys.test_keys import Desk

from lastro.core.runner import Reply


async def test_a_key_whose_making_was_cut_off_is_made_after_all(cast: Cast) -> None:
    """Of what is on every server first, nothing else is there yet."""
    desk = Desk(cast, await cast.ana())
    if not await desk.cast.database.is_spread():
        pytest.skip("on one server a Write is whole, or nothing")
    validation_id = await desk.begin()
    async with desk.cast.database.session() as session:
        left = "INSERT INTO own_keys (key, company_id, account_id) VALUES ($1, $2, $3)"
        await session.fetch(left, desk.mail, desk.ana.company_id, desk.ana.account_id)
    assert isinstance(await desk.confirm(validation_id, await desk.token(validation_id)), Reply)
