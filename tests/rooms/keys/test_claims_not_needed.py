"""What the directory was to be told of a claim is not told once the claim stands elsewhere by the directory's own word."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.cast import ANA, Cast
from tests.rooms.lanes import Lanes

from lastro.core.db import Database
from lastro.rails import port
from lastro.rails.port import Transient

from .claiming import claim_news
from .test_claims import Desk
from .test_keys import company


@pytest.fixture
async def desk(own_cast: Cast) -> Desk:
    return Desk(own_cast, await own_cast.found("Ana", replace(ANA, document_number=company())))


@pytest.fixture
def lane(own_cast: Cast, own_work: Database) -> Lanes:
    """To the directory's claims."""
    return Lanes(own_cast, own_work, port.CLAIMS)


@pytest.mark.parametrize("is_tried", [False, True])
@pytest.mark.parametrize("until", ["WAITING_RESOLUTION", "CANCELLED", "COMPLETED"])
async def test_a_claim_is_acknowledged_while_it_is_open(desk: Desk, lane: Lanes, until: str, is_tried: bool) -> None:
    await desk.key()
    news = claim_news(desk.phone, "PHONE")
    assert await desk.says(news) == "handled"
    lane.rail.says = [Transient("no answer")] * is_tried
    if is_tried:
        await lane.send()
    assert await desk.says(news, status=until) in ("handled", "alarmed")
    await lane.later(timedelta(hours=1))
    await lane.send()
    assert await desk.rows("SELECT outcome FROM outbox WHERE rail = 'claims'") == [("withdrawn",)]
    assert len(lane.rail.kinds) == is_tried


async def test_a_default_is_not_told_of_a_claim_that_was_given_up(desk: Desk, lane: Lanes) -> None:
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    await desk.rows("UPDATE key_claims SET due_at = now() RETURNING 1")
    assert await desk.fall(news)
    assert await desk.says(news, status="CANCELLED") == "handled"
    await lane.send()
    assert await desk.rows("SELECT kind, outcome FROM outbox WHERE rail = 'claims' ORDER BY id") == [
        (port.CLAIM_ACKNOWLEDGE, "withdrawn"), (port.CLAIM_CANCEL, "withdrawn"),
    ]  # fmt: skip
    assert lane.rail.kinds == []
