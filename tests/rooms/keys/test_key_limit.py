"""No account has more keys than it may, however many are asked for at once."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.cast import Cast, Seller

from lastro.base.errors import Refused
from lastro.base.run import Reply
from lastro.keys.rules import MOST_KEYS

from .registry import Registry
from .test_keys import Desk, no, said


@pytest.fixture
def desk(cast: Cast, ana: Seller) -> Desk:
    return Desk(cast, ana)


@dataclass
class Together(Registry):
    """It answers so many requests at once."""

    all_there: asyncio.Barrier = field(default_factory=lambda: asyncio.Barrier(4))

    async def register_key(self, **asked: Any) -> str:
        made = await super().register_key(**asked)
        await self.all_there.wait()
        return made


async def test_keys_that_are_created_at_once_do_not_exceed_the_limit(desk: Desk) -> None:
    """What the directory has registered for those who came too late is freed there."""
    most = MOST_KEYS["ORGANIZATION"]
    ((has,),) = await desk.rows("SELECT count(*) FROM pix_keys WHERE status = 'ACTIVE'")
    for number in range(most - 1 - has):
        said(await desk.create("RANDOM", None, f"first {number}"))
    desk.registry = Together()
    ends = await asyncio.gather(*(desk.create("RANDOM", None, f"at once {number}") for number in range(4)))
    assert sum(isinstance(one, Reply) for one in ends) == 1
    assert {no(one) for one in ends if isinstance(one, Refused)} == {("INVALID", ("key", "LIMIT_EXCEEDED"))}
    here = {key for (key,) in await desk.rows("SELECT key FROM pix_keys WHERE status = 'ACTIVE'")}
    assert (len(here), set(desk.registry.keys) - here, len(desk.registry.deleted)) == (most, set(), 3)
