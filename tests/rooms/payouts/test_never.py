"""The network never heard of a payout, and while it said so the payout was sent: nothing ends that may arrive."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import pytest

from lastro.core import work_queue
from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.payouts import WAITING
from lastro.rails import port
from lastro.rails.inbox import Inbox
from lastro.rails.port import Pending, Unknown
from lastro.rails.status_poller import StatusPoller

from .office import HERE, Office

_OUTBOX = work_queue.Queue("outbox", only="rail = 'pix'")


async def _nothing() -> None:
    """What mostly happens while a network answers."""


@dataclass
class Network:
    """A network that answers by what it had when it was asked. meanwhile: happens while its answer is on its way."""

    has: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    meanwhile: Callable[[], Awaitable[Any]] = _nothing

    async def send(self, _kind: str, network_id: str, _body: bytes, _company_id: UUID) -> None:
        self.has.append(network_id)

    async def status_of(self, _kind: str, network_id: str) -> Pending | Unknown:
        self.asked.append(network_id)
        answer = Pending() if network_id in self.has else Unknown()
        meanwhile, self.meanwhile = self.meanwhile, _nothing
        await meanwhile()
        return answer

    async def listen(self, *_: object) -> None:
        """It says nothing by itself."""

    async def close(self) -> None:
        """It has no connections."""


@dataclass
class Post:
    """What a worker does with the payouts of an office: sends them, and asks about them."""

    office: Office
    network: Network
    status_poller: StatusPoller

    async def sends(self) -> None:
        """A worker takes what is to be sent in hand, sends it and settles it."""
        for row in await self.office.claim_messages():
            await self.network.send(row["kind"], row["network_id"], bytes(row["body"]), row["company_id"])
            await self.settles(row)

    async def settles(self, row: Any) -> None:
        await work_queue.finish(
            self.office.cast.database, _OUTBOX, row["company_id"], [row["id"]], row["lease_token"], "sent"
        )

    async def over(self) -> None:
        """Their time is over, and they are to be asked about."""
        await self.office.column(
            "UPDATE payouts SET send_until = business_now(), ask_at = business_now() WHERE company_id = tenant() RETURNING 1"
        )

    async def asked(self) -> None:
        """The network is asked about what is due, and what it says is handled."""
        assert await self.status_poller.round()
        await self.office.work()

    async def so(self) -> tuple[str, str | None, int]:
        """The payout's status, what its message was settled with, and how often that was taken in hand."""
        ((status, outcome, sends),) = await self.office.rows(
            "SELECT p.status, o.outcome, o.sends FROM payouts p JOIN outbox o ON o.company_id = p.company_id AND o.id = p.message_id"
        )
        return status, outcome, sends

    async def asks_again(self) -> bool:
        (soon,) = await self.office.column("SELECT ask_at <= business_now() + interval '1 second' FROM payouts")
        return bool(soon)


@pytest.fixture
async def post(office: Office, database: Any) -> AsyncIterator[Post]:
    network, work, chance = Network(), Database(database.work, size=2), Chance(os.urandom)
    inbox = Inbox(office.cast.database, work, chance, HERE.ispb)
    (waiting,) = WAITING[port.PIX]  # those of this office: other tests have left theirs in the same database
    waiting = replace(waiting, only=f"{waiting.only} AND company_id = '{office.ana.company_id}'")
    yield Post(office, network, StatusPoller(office.cast.database, work, inbox, port.PIX, network, (waiting,)))
    await work.close()


async def test_what_is_sent_while_the_network_answers_does_not_end(post: Post) -> None:
    payout = await post.office.make(1000)
    await post.over()
    post.network.meanwhile = post.sends
    await post.asked()
    assert (post.network.has, await post.so()) == ([payout["endToEndId"]], ("PENDING", "sent", 1))
    assert await post.asks_again(), "at once, since its time is over"
    assert await post.office.money() == (10_000_000 - 1000, 1000)


async def test_what_is_in_hand_when_the_network_is_asked_does_not_end(post: Post) -> None:
    """It is on its way there, and has arrived and is settled by us before what was said to the question is handled."""
    payout = await post.office.make(1000)
    await post.over()
    ((row),) = await post.office.claim_messages()

    async def arrives() -> None:
        post.network.has.append(payout["endToEndId"])
        await post.settles(row)

    post.network.meanwhile = arrives
    await post.asked()
    assert await post.so() == ("PENDING", "sent", 1)
    assert await post.asks_again()


async def test_what_was_sent_and_lost_ends_and_is_sent_no_more(post: Post) -> None:
    """A question from before its time was over may be answered when it has ended; it is not sent again by that either."""
    await post.office.make(1000)
    await post.sends()
    post.network.has.clear()  # it said yes and lost it

    async def ends() -> None:
        await post.over()
        await post.asked()
        assert await post.so() == ("EXPIRED", "withdrawn", 1)

    await post.office.column("UPDATE payouts SET ask_at = business_now() WHERE company_id = tenant() RETURNING 1")
    post.network.meanwhile = ends
    assert await post.status_poller.round()
    assert len(post.network.asked) == 2
    assert await post.so() == ("EXPIRED", "withdrawn", 1)
    await post.sends()
    assert post.network.has == []
    assert await post.office.money() == (10_000_000, 0)


async def test_what_is_sent_again_after_the_answer_does_not_end(post: Post) -> None:
    """The answer waits to be handled, and meanwhile a worker takes the message in hand."""
    await post.office.make(1000)
    await post.over()
    assert await post.status_poller.round()
    await post.office.claim_messages()
    await post.office.work()
    assert (await post.so())[0] == "PENDING"
    assert await post.asks_again()


async def test_what_nobody_has_sent_ends(post: Post) -> None:
    await post.office.make(1000)
    await post.over()
    await post.asked()
    assert await post.so() == ("EXPIRED", "withdrawn", 0)
    assert await post.office.money() == (10_000_000, 0)


async def test_a_message_of_before_sends_were_told_proves_nothing(post: Post) -> None:
    payout = await post.office.make(1000)
    await post.over()
    assert await post.office.told(port.PAYMENT_NEVER, port.PaymentNever(payout["endToEndId"])) == "known"
    assert (await post.so())[0] == "PENDING"
    assert await post.asks_again()
