"""No account has more keys than it may, however many are asked for at once."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from tests.cast import Cast, Seller

from lastro.core.errors import Refused
from lastro.core.runner import Reply
from lastro.keys.rules import MOST_KEYS
from lastro.rails import port
from lastro.rails.port import ClaimNews, ClaimWish

from .claiming import Claims, told
from .registry import Registry
from .test_claims import Desk as ClaimDesk
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


@dataclass
class Slow(Claims):
    """What happens while it opens a claim: another key is created, or its own word on it is quicker."""

    meanwhile: Any = None

    async def open_claim(self, wish: ClaimWish) -> ClaimNews:
        made = await super().open_claim(wish)
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            await act(made)
        return made


@pytest.mark.parametrize("is_told_first", [True, False])
async def test_a_claim_and_a_key_at_once_do_not_exceed_the_limit(desk: Desk, ana: Seller, is_told_first: bool) -> None:
    """The key takes the last room while the directory opens the claim: the claim is given up there."""
    most = MOST_KEYS["ORGANIZATION"]
    claiming = ClaimDesk(desk.cast, ana)
    claiming.claims = claims = Slow()
    ((has,),) = await desk.rows("SELECT count(*) FROM pix_keys WHERE status = 'ACTIVE'")
    for number in range(most - 1 - has):
        said(await desk.create("RANDOM", None, f"first {number}"))

    async def meanwhile(news: ClaimNews) -> None:
        said(await desk.create("RANDOM", None, "meanwhile"))
        if is_told_first:
            assert await told(desk.cast, ana, news) == "handled"

    proof = said(await claiming.open("PORTABILITY"))["validationId"]
    claims.meanwhile = meanwhile
    refused = await claiming.confirm(proof, await claiming.token(proof))
    assert isinstance(refused, Refused)
    assert no(refused) == ("INVALID", ("key", "LIMIT_EXCEEDED"))
    (news,) = claims.made.values()
    assert await told(desk.cast, ana, news) == ("known" if is_told_first else "handled")
    assert [act for act, _ in await claiming.orders(news)] == [port.CLAIM_CANCEL]
    assert await told(desk.cast, ana, msgspec.structs.replace(news, status="CANCELLED")) == "handled"
    ((active,),) = await desk.rows("SELECT count(*) FROM pix_keys WHERE status = 'ACTIVE'")
    assert active == most
