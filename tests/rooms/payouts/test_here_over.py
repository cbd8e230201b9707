"""What nobody has carried to an account here within a day ends, and is carried no more; what was carried never ends so."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from lastro.app.outbox_lines import WAITING
from lastro.core import work_queue
from lastro.rails import port
from lastro.rails.inbox import Inbox
from lastro.rails.internal_transfer import Book
from lastro.rails.sending import HELD_BACK_FOR
from lastro.rails.status_poller import StatusPoller

from .office import HERE
from .test_here import Lanes
from .test_here import here as here  # noqa: PLC0414 a fixture

DAY = timedelta(hours=24)
ASKED = timedelta(minutes=1)  # behind it
SEND = work_queue.Queue("outbox", only="rail = 'book' AND kind = 'payment.send'")


@dataclass
class Over:
    """Beside the lanes: whoever asks what was carried, and another worker that carries by hand."""

    here: Lanes
    requester: StatusPoller
    book: Book

    async def asks(self) -> bool:
        """Asks about what is due, and handles the answers; whether there was anything to ask."""
        asked = await self.requester.round()
        await self.here.handler.queue.drain()
        return asked

    async def takes(self, limit: int = 9) -> list[Any]:
        """Takes payouts in hand that nobody holds back at the moment."""
        office = self.here.office
        return await work_queue.claim(office.cast.database, SEND, office.ana.company_id, office.cast.id(), limit)

    async def brings(self, row: Any) -> None:
        await self.book.send(row["kind"], row["network_id"], bytes(row["body"]), row["company_id"])

    async def settles(self, row: Any) -> None:
        database = self.here.office.cast.database
        await work_queue.finish(database, SEND, row["company_id"], [row["id"]], row["lease_token"], "sent")

    async def gives_back(self, row: Any) -> None:
        await work_queue.release(self.here.office.cast.database, SEND, row, timedelta(0))

    async def message(self) -> tuple[str | None, bool, int]:
        """What the one message was settled with, whether it is due at all, and how often it was taken in hand."""
        sql = "SELECT outcome, due_at IS NOT NULL, sends FROM outbox WHERE kind = 'payment.send'"
        ((outcome, is_due, sends),) = await self.here.office.rows(sql)
        return outcome, is_due, sends

    async def never(self) -> int:
        """How often it was said that nobody had carried it."""
        return len(await self.here.office.column("SELECT id FROM inbox WHERE kind = 'payment.never'"))


@pytest.fixture
def over(here: Lanes) -> Over:
    cast = here.office.cast
    inbox = Inbox(cast.database, here.work, cast.chance, HERE.ispb, port.BOOK)
    book = Book(here.work, inbox)
    return Over(here, StatusPoller(cast.database, here.work, inbox, port.BOOK, book, WAITING[port.BOOK]), book)


@pytest.mark.parametrize("method", ["PIX", "TED"])
async def test_a_blocked_accounts_payout_ends_after_a_day(here: Lanes, over: Over, method: str) -> None:
    office, dora = here.office, here.dora
    await office.cast.set_fees(office.ana.company_id, 50, direction="OUT", method=method)
    payout = await office.make(1000, method=method, **here.place(dora))
    assert await office.column("SELECT rail FROM payouts") == ["book"]
    await office.account_becomes("INACTIVE")
    await here.carry()
    await here.later(DAY - ASKED)
    await here.carry()
    assert (here.worked, await over.asks()) == (["held_back"] * 2, False)
    assert (await office.state(payout["id"]), await office.money()) == ("PENDING", (10_000_000 - 1050, 1050))
    await here.later(2 * ASKED)
    assert await over.asks()
    assert (await office.state(payout["id"]), await over.message()) == ("EXPIRED", ("withdrawn", False, 0))
    assert (await office.money(), set((await office.used()).values())) == ((10_000_000, 0), {0})
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.EXPIRED"]
    await office.account_becomes("ACTIVE")
    await here.later(timedelta(days=30))
    await here.carry()
    assert (here.worked, await over.asks(), await office.money(dora)) == (["held_back"] * 2, False, (0, 0))


async def test_a_block_that_is_lifted_in_time_lets_it_go(here: Lanes, over: Over) -> None:
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    await here.carry()
    await here.later(DAY - 2 * HELD_BACK_FOR)
    await here.office.account_becomes("ACTIVE")
    await here.carry()
    await here.later(DAY)
    assert (await here.office.state(payout["id"]), await over.asks()) == ("PAID", False)
    assert await here.office.money(here.dora) == (1000, 0)


async def test_one_that_is_lifted_too_late_does_not(here: Lanes, over: Over) -> None:
    """Its time is over, though nobody has said so yet: else it might be carried in the moment in which it ends."""
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    await here.later(DAY)
    await here.office.account_becomes("ACTIVE")
    await here.carry()
    assert (here.worked, await over.asks()) == (["held_back"], False)
    await here.later(ASKED)
    assert await over.asks()
    assert (await here.office.state(payout["id"]), await here.office.money()) == ("EXPIRED", (10_000_000, 0))


async def test_a_batch_ends_with_its_transfers(here: Lanes, over: Over) -> None:
    office = here.office
    await office.limit(transaction=1000)
    await office.fee(50)
    batch = await office.make(2500, **here.place(here.dora))
    await office.account_becomes("INACTIVE")
    await here.later(DAY + ASKED)
    assert await over.asks()
    assert (await office.state(batch["id"]), await office.children(batch["id"])) == ("EXPIRED", ["EXPIRED"] * 3)
    assert (await office.money(), await office.events(batch["id"])) == ((10_000_000, 0), ["ORDER-PAYOUT.EXPIRED"])


async def test_what_was_in_hand_and_never_carried_ends_too(here: Lanes, over: Over) -> None:
    """A worker died with it in hand; then its account was blocked."""
    payout = await here.office.make(1000, **here.place(here.dora))
    await over.gives_back((await over.takes())[0])
    await here.office.account_becomes("INACTIVE")
    await here.later(DAY + ASKED)
    await here.carry()
    assert await over.asks()
    assert (await here.office.state(payout["id"]), await over.message()) == ("EXPIRED", ("withdrawn", False, 1))
    assert await here.office.money() == (10_000_000, 0)


# ── carried, or over: one of the two ──


async def test_what_is_in_hand_when_it_is_asked_about_is_carried(here: Lanes, over: Over) -> None:
    """The carrier comes first: it is asked about again until that has ended."""
    payout = await here.office.make(1000, **here.place(here.dora))
    (row,) = await over.takes()
    await here.later(DAY + ASKED)
    assert await over.asks()
    assert (await here.office.state(payout["id"]), await over.never()) == ("PENDING", 1)
    await over.brings(row)
    await over.settles(row)
    await here.later(ASKED)
    assert await over.asks()
    await here.carry()
    assert (await here.office.state(payout["id"]), await over.never()) == ("PAID", 1)
    assert (await here.office.money(), await here.office.money(here.dora)) == ((9_999_000, 0), (1000, 0))


async def test_what_is_carried_while_the_answer_waits_is_paid(here: Lanes, over: Over) -> None:
    """Nobody had carried it when that was asked; by the time the answer is handled, somebody has."""
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.later(DAY + ASKED)
    assert await over.requester.round()
    (row,) = await over.takes()
    await over.brings(row)
    await over.settles(row)
    await here.carry()
    assert (await over.never(), await here.office.state(payout["id"])) == (1, "PAID")
    assert (await here.office.money(), await here.office.money(here.dora)) == ((9_999_000, 0), (1000, 0))


async def test_what_was_carried_and_not_settled_is_paid(here: Lanes, over: Over) -> None:
    """A worker died behind it, and its account was blocked: the receiver was asked, and has his money."""
    payout = await here.office.make(1000, **here.place(here.dora))
    (row,) = await over.takes()
    await over.brings(row)
    await over.gives_back(row)
    await here.office.account_becomes("INACTIVE")
    await here.later(DAY + ASKED)
    assert await over.requester.round()
    assert await over.never() == 0
    await here.carry()
    assert (await here.office.state(payout["id"]), await here.office.money(here.dora)) == ("PAID", (1000, 0))
    await here.later(HELD_BACK_FOR)
    await here.carry()
    assert await over.message() == ("sent", False, 2)


async def test_who_comes_behind_its_end_finds_nothing_to_carry(here: Lanes, over: Over) -> None:
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.later(DAY + ASKED)
    assert await over.asks()
    assert (await over.takes(), await here.office.state(payout["id"])) == ([], "EXPIRED")


async def test_either_or(here: Lanes, over: Over) -> None:
    """At the same time, of workers that know of no time: each is carried or has ended, and none is both."""
    office = here.office
    for n in range(12):
        await office.make(1000 + n, **here.place(here.dora))
    await here.later(DAY + ASKED)
    assert await over.requester.round()

    async def carries() -> list[str]:
        rows = await over.takes(1)
        for row in rows:
            await over.brings(row)
            await over.settles(row)
        return [row["network_id"] for row in rows]

    taking = asyncio.gather(*(carries() for _ in range(6)))
    await here.handler.queue.drain()
    carried = {name for names in await taking for name in names}
    await here.carry()
    ends = await office.rows("SELECT end_to_end_id AS name, status, amount_minor FROM payouts")
    assert {(row["name"], row["status"]) for row in ends} == {
        (row["name"], "PAID" if row["name"] in carried else "EXPIRED") for row in ends
    }
    went = sum(row["amount_minor"] for row in ends if row["name"] in carried)
    assert (await office.money(), await office.money(here.dora)) == ((10_000_000 - went, 0), (went, 0))
