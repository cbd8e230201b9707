"""What nobody has carried to an account here within a day ends, and is carried no more; what was carried never ends so."""

import asyncio
from datetime import timedelta

import pytest

from lastro.rails.sending import HELD_BACK_FOR

from .here import Here

DAY = timedelta(hours=24)
ASKED = timedelta(minutes=1)  # behind it


async def never(here: Here) -> int:
    """How often it was said that nobody had carried it."""
    return len(await here.office.column("SELECT id FROM inbox WHERE kind = 'payment.never'"))


@pytest.mark.parametrize("method", ["PIX", "TED"])
async def test_a_blocked_accounts_payout_ends_after_a_day(here: Here, method: str) -> None:
    office, dora = here.office, here.dora
    await office.cast.set_fees(office.ana.company_id, 50, direction="OUT", method=method)
    payout = await office.make(1000, method=method, **here.place(dora))
    assert await office.column("SELECT rail FROM payouts") == ["book"]
    await office.account_becomes("INACTIVE")
    await here.carry()
    await here.later(DAY - ASKED)
    await here.carry()
    assert (here.outcomes, await here.poll()) == (["held_back"] * 2, False)
    assert (await office.state(payout["id"]), await office.money()) == ("PENDING", (10_000_000 - 1050, 1050))
    await here.later(2 * ASKED)
    assert await here.poll()
    assert (await office.state(payout["id"]), await here.message()) == ("EXPIRED", ("withdrawn", False, 0))
    assert (await office.money(), set((await office.used()).values())) == ((10_000_000, 0), {0})
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.EXPIRED"]
    await office.account_becomes("ACTIVE")
    await here.later(timedelta(days=30))
    await here.carry()
    assert (here.outcomes, await here.poll(), await office.money(dora)) == (["held_back"] * 2, False, (0, 0))


async def test_a_block_that_is_lifted_in_time_lets_it_go(here: Here) -> None:
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    await here.carry()
    await here.later(DAY - 2 * HELD_BACK_FOR)
    await here.office.account_becomes("ACTIVE")
    await here.carry()
    await here.later(DAY)
    assert (await here.office.state(payout["id"]), await here.poll()) == ("PAID", False)
    assert await here.office.money(here.dora) == (1000, 0)


async def test_one_that_is_lifted_too_late_does_not(here: Here) -> None:
    """Its time is over, though nobody has said so yet: else it might be carried in the moment in which it ends."""
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    await here.later(DAY)
    await here.office.account_becomes("ACTIVE")
    await here.carry()
    assert (here.outcomes, await here.poll()) == (["held_back"], False)
    await here.later(ASKED)
    assert await here.poll()
    assert (await here.office.state(payout["id"]), await here.office.money()) == ("EXPIRED", (10_000_000, 0))


async def test_a_batch_ends_with_its_transfers(here: Here) -> None:
    office = here.office
    await office.limit(transaction=1000)
    await office.fee(50)
    batch = await office.make(2500, **here.place(here.dora))
    await office.account_becomes("INACTIVE")
    await here.later(DAY + ASKED)
    assert await here.poll()
    assert (await office.state(batch["id"]), await office.children(batch["id"])) == ("EXPIRED", ["EXPIRED"] * 3)
    assert (await office.money(), await office.events(batch["id"])) == ((10_000_000, 0), ["ORDER-PAYOUT.EXPIRED"])


async def test_what_was_in_hand_and_never_carried_ends_too(here: Here) -> None:
    """A worker died with it in hand; then its account was blocked."""
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.puts_down((await here.takes())[0])
    await here.office.account_becomes("INACTIVE")
    await here.later(DAY + ASKED)
    await here.carry()
    assert await here.poll()
    assert (await here.office.state(payout["id"]), await here.message()) == ("EXPIRED", ("withdrawn", False, 1))
    assert await here.office.money() == (10_000_000, 0)


# ── carried, or over: one of the two ──


async def test_what_is_in_hand_when_it_is_asked_about_is_carried(here: Here) -> None:
    """The carrier comes first: it is asked about again until that has ended."""
    payout = await here.office.make(1000, **here.place(here.dora))
    (row,) = await here.takes()
    await here.later(DAY + ASKED)
    assert await here.poll()
    assert (await here.office.state(payout["id"]), await never(here)) == ("PENDING", 1)
    await here.brings(row)
    await here.settles(row)
    await here.later(ASKED)
    assert await here.poll()
    await here.carry()
    assert (await here.office.state(payout["id"]), await never(here)) == ("PAID", 1)
    assert (await here.office.money(), await here.office.money(here.dora)) == ((9_999_000, 0), (1000, 0))


async def test_what_is_carried_while_the_answer_waits_is_paid(here: Here) -> None:
    """Nobody had carried it when that was asked; by the time the answer is handled, somebody has."""
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.later(DAY + ASKED)
    assert await here.poller.round()
    (row,) = await here.takes()
    await here.brings(row)
    await here.settles(row)
    await here.carry()
    assert (await never(here), await here.office.state(payout["id"])) == (1, "PAID")
    assert (await here.office.money(), await here.office.money(here.dora)) == ((9_999_000, 0), (1000, 0))


async def test_what_was_carried_and_not_settled_is_paid(here: Here) -> None:
    """A worker died behind it, and its account was blocked: the receiver was asked, and has his money."""
    payout = await here.office.make(1000, **here.place(here.dora))
    (row,) = await here.takes()
    await here.brings(row)
    await here.puts_down(row)
    await here.office.account_becomes("INACTIVE")
    await here.later(DAY + ASKED)
    assert await here.poller.round()
    assert await never(here) == 0
    await here.carry()
    assert (await here.office.state(payout["id"]), await here.office.money(here.dora)) == ("PAID", (1000, 0))
    await here.later(HELD_BACK_FOR)
    await here.carry()
    assert await here.message() == ("sent", False, 2)


async def test_who_comes_behind_its_end_finds_nothing_to_carry(here: Here) -> None:
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.later(DAY + ASKED)
    assert await here.poll()
    assert (await here.takes(), await here.office.state(payout["id"])) == ([], "EXPIRED")


async def test_either_or(here: Here) -> None:
    """At the same time, of workers that know of no time: each is carried or has ended, and none is both."""
    office = here.office
    for n in range(12):
        await office.make(1000 + n, **here.place(here.dora))
    await here.later(DAY + ASKED)
    assert await here.poller.round()

    async def carries() -> list[str]:
        rows = await here.takes(1)
        for row in rows:
            await here.brings(row)
            await here.settles(row)
        return [row["network_id"] for row in rows]

    taking = asyncio.gather(*(carries() for _ in range(6)))
    await here.handle()
    carried = {name for names in await taking for name in names}
    await here.carry()
    ends = await office.rows("SELECT end_to_end_id AS name, status, amount_minor FROM payouts")
    assert {(row["name"], row["status"]) for row in ends} == {
        (row["name"], "PAID" if row["name"] in carried else "EXPIRED") for row in ends
    }
    went = sum(row["amount_minor"] for row in ends if row["name"] in carried)
    assert (await office.money(), await office.money(here.dora)) == ((10_000_000 - went, 0), (went, 0))
