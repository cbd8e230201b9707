"""Claims of which a word was missed, came before another one, or is ahead of what we know."""

from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.cast import ANA, Cast

from lastro.core.db import Database, Dsn
from lastro.core.errors import NotYet
from lastro.keys.claims import WAITING
from lastro.rails import port
from lastro.rails.inbox import Inbox
from lastro.rails.status_poller import StatusPoller

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


class Directory:
    """What it says when it is asked how a claim stands."""

    def __init__(self, *says: port.NetworkMessage | port.Unknown | port.Transient) -> None:
        self.says, self.asked = list(says), list[tuple[str, str]]()

    async def status_of(self, kind: str, network_id: str) -> port.NetworkMessage | port.Unknown:
        self.asked.append((kind, network_id))
        said_ = self.says.pop(0)
        if isinstance(said_, port.Transient):
            raise said_
        return said_


async def test_how_an_open_claim_stands_is_asked_until_it_has_ended(desk: Desk, work_dsn: Dsn) -> None:
    """Every six hours, whatever is answered; what the directory does not know is for people."""
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    name, work = str(news.claim_id), Database(work_dsn, size=1)
    ended = port.NetworkMessage(port.CLAIM_NEWS, "", name, b"how it stands", rail=port.CLAIMS)
    directory: Any = Directory(port.Transient("away"), port.Unknown(), ended)
    inbox = Inbox(desk.cast.database, work, desk.cast.chance, "99999010", port.CLAIMS)
    status_poller = StatusPoller(desk.cast.database, work, inbox, port.CLAIMS, directory, WAITING)
    for event in ("network.silent", "network.claim_unknown", None):
        await desk.rows("UPDATE key_claims SET ask_at = business_now()")
        with capture_logs() as logs:
            assert await status_poller.round()
            assert not await status_poller.round()
        assert [line["event"] for line in logs] == [event] * (event is not None)
        ((hours,),) = await desk.rows(
            "SELECT round(extract(epoch FROM ask_at - business_now()) / 3600)::integer FROM key_claims"
        )
        assert hours == 6
    assert directory.asked == [(port.CLAIM_NEWS, name)] * 3
    told_ = await desk.rows(
        f"SELECT network_id, convert_from(body, 'UTF8') FROM inbox WHERE subject = '{name}' AND body = 'how it stands'"
    )
    assert [tuple(row) for row in told_] == [(f"asked:{name}:3:{port.CLAIM_NEWS}", "how it stands")]
    await desk.rows("UPDATE inbox SET due_at = NULL, done_at = now(), outcome = 'known' WHERE body = 'how it stands'")
    assert await desk.says(news, status="CANCELLED") == "handled"
    await desk.rows("UPDATE key_claims SET ask_at = business_now()")
    assert not await status_poller.round()
    await work.close()


@pytest.mark.parametrize(
    "said_", [{"claim_type": "CLAIM_OWNERSHIP"}, {"other_bank": "99999020"}, {"role": "CLAIMER"}, {"key_type": "CPF"}]
)
async def test_a_word_on_another_claim_under_its_id_moves_nothing(desk: Desk, said_: dict[str, Any]) -> None:
    await desk.key()
    news = claim_news(desk.phone, "PHONE")
    assert await desk.says(news) == "handled"
    before = await desk.stands(news), await desk.keys(), await desk.orders(news)
    for status in ("WAITING_RESOLUTION", "CANCELLED", "COMPLETED"):
        assert await desk.says(news, status=status, **said_) == "alarmed"
        assert (await desk.stands(news), await desk.keys(), await desk.orders(news)) == before
    assert await desk.says(news, status="WAITING_RESOLUTION") == "handled"
