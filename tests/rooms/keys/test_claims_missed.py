"""Claims of which a word was missed, came before another one, or is ahead of what we know."""

from dataclasses import replace

import pytest
from tests.cast import ANA, Cast

from lastro.base.errors import NotYet
from lastro.rails import port

from .claiming import claim_news
from .test_claims import Desk
from .test_keys import company, said


@pytest.fixture
async def desk(cast: Cast) -> Desk:
    return Desk(cast, await cast.found("Ana", replace(ANA, document_number=company())))


@pytest.mark.parametrize("heard", [(), ("OPEN",), ("OPEN", "WAITING_RESOLUTION")])
async def test_a_key_that_went_by_words_that_were_missed_leads_here_no_longer(desk: Desk, heard: tuple[str, ...]) -> None:
    """Nobody here has confirmed it, so that people look at it; the directory has it elsewhere all the same."""
    await desk.key()
    news = claim_news(desk.phone, "PHONE")
    for status in heard:
        assert await desk.says(news, status=status) == "handled"
    assert await desk.says(news, status="COMPLETED") == "alarmed"
    assert (await desk.stands(news), await desk.keys()) == ("COMPLETED", [("DELETED", None)])
    assert await desk.rows(f"SELECT 1 FROM own_keys WHERE key = '{desk.phone}'") == []
    line = ["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED"]
    told_ = "SELECT convert_from(body, 'UTF8')::json ->> 'status' FROM events WHERE reference_id = '{}' ORDER BY id"
    assert [row[0] for row in await desk.rows(told_.format(news.claim_id))] == line
    assert [row[0] for row in await desk.orders(news)] == [port.CLAIM_ACKNOWLEDGE] * (heard != ())
    for status in line:
        assert await desk.says(news, status=status) == "known"


async def test_a_key_that_was_won_by_words_that_were_missed_leads_here(desk: Desk) -> None:
    news = await desk.opened("PORTABILITY")
    assert await desk.says(news, status="COMPLETED") == "alarmed"
    assert (await desk.stands(news), await desk.keys(), await desk.orders(news)) == ("COMPLETED", [("ACTIVE", None)], [])


async def test_a_claim_given_up_before_it_was_heard_of_claims_nothing(desk: Desk) -> None:
    await desk.key()
    news = claim_news(desk.phone, "PHONE")
    assert await desk.says(news, status="CANCELLED") == "handled"
    assert await desk.says(news, status="OPEN") == "known"
    assert (await desk.stands(news), await desk.keys(), await desk.orders(news)) == ("CANCELLED", [("ACTIVE", None)], [])


async def test_a_claim_waits_until_the_one_before_it_is_known_to_have_ended(desk: Desk) -> None:
    await desk.key()
    before = await desk.claimed("PORTABILITY")
    after = claim_news(desk.phone, "PHONE")
    with pytest.raises(NotYet):
        await desk.says(after)
    assert await desk.says(before, status="CANCELLED") == "handled"
    assert await desk.says(after) == "handled"
    assert await desk.keys() == [("ACTIVE", after.claim_id)]


async def test_a_donor_hears_that_the_claimer_has_gone_on_already(desk: Desk) -> None:
    """The directory answers a confirmation by where the claim stands then, which may be further."""
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    desk.claims.goes_on = True
    assert said(await desk.decide(news, "CONFIRM"))["status"] == "COMPLETED"
    assert await desk.keys() == [("DELETED", None)]
    for status in ("CONFIRMED", "COMPLETED"):
        assert await desk.says(news, status=status) == "known"
