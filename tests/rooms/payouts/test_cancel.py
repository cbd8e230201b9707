"""A payout is taken back, or it is sent: whoever is first, the other one sees it."""

import asyncio
from datetime import timedelta

import pytest

from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply

from .office import Office


async def test_what_nobody_has_in_hand_is_taken_back(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(1000)
    before = await office.money()
    reply = await office.cancel(payout["id"])
    assert isinstance(reply, Reply)
    assert b'"status":"CANCELED"' in reply.body
    assert before == (10_000_000 - 1050, 1050)
    assert await office.money() == (10_000_000, 0)
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.CANCELED"]
    ((outcome, due_at),) = await office.rows("SELECT outcome, due_at FROM outbox")
    assert (outcome, due_at) == ("withdrawn", None)
    assert await office.claim_messages() == [], "nobody sends it any more"


async def test_what_is_in_hand_is_not(office: Office) -> None:
    payout = await office.make(1000)
    assert len(await office.claim_messages()) == 1
    refused = await office.cancel(payout["id"])
    assert isinstance(refused, Refused)
    assert (refused.kind, refused.problems[0].field, refused.problems[0].issue) == (Kind.CONFLICT, "status", "CONFLICT")
    assert await office.state(payout["id"]) == "PENDING"
    assert await office.money() == (9_999_000, 1000)


async def test_either_or(office: Office) -> None:
    """At the same time: of each payout just one of the two has happened."""
    made = [await office.make(1000 + n) for n in range(20)]

    async def claim() -> list[str]:
        return [r["network_id"] for r in await office.claim_messages(1)]

    outcomes = await asyncio.gather(*(call for p in made for call in (office.cancel(p["id"]), claim())))
    claimed = {name for names in outcomes[1::2] for name in names}  # type: ignore[union-attr]
    for payout, outcome in zip(made, outcomes[::2], strict=True):
        is_canceled = isinstance(outcome, Reply)
        assert is_canceled != (payout["endToEndId"] in claimed) or not is_canceled
        assert await office.state(payout["id"]) == ("CANCELED" if is_canceled else "PENDING")
    canceled = sum(isinstance(o, Reply) for o in outcomes[::2])
    left = {r["network_id"] for r in await office.claim_messages()}
    assert len(claimed | left) == 20 - canceled
    assert not claimed & left


@pytest.mark.parametrize("end", ["settle", "refuse", "cancel"])
async def test_what_has_ended_is_not(office: Office, end: str) -> None:
    payout = await office.make(1000)
    await (office.cancel(payout["id"]) if end == "cancel" else getattr(office, end)(payout))
    refused = await office.cancel(payout["id"])
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.CONFLICT


async def test_a_scheduled_one_holds_nothing_and_gives_nothing_back(office: Office) -> None:
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    assert isinstance(await office.cancel(payout["id"]), Reply)
    assert await office.money() == (10_000_000, 0)
    assert await office.used() == {}
    await office.work()
    assert await office.state(payout["id"]) == "CANCELED"


async def test_nobody_elses(office: Office) -> None:
    dora = await office.cast.dora()
    payout = await office.make(1000)
    office.ana = dora
    refused = await office.cancel(payout["id"])
    assert isinstance(refused, Refused)
    assert (refused.kind, refused.problems) == (Kind.NOT_FOUND, ())


async def test_of_a_batch_what_is_not_on_its_way(office: Office) -> None:
    await office.limit(transaction=1000)
    batch = await office.make(3000)
    (sent,) = await office.claim_messages(1)
    assert isinstance(await office.cancel(batch["id"]), Reply)
    await office.work()
    place = [c["endToEndId"] for c in batch["batch"]["transactions"]].index(sent["network_id"])
    expected = ["CANCELED"] * 3
    expected[place] = "PENDING"
    assert await office.children(batch["id"]) == expected
    assert (await office.state(batch["id"]), await office.money()) == ("PENDING", (9_999_000, 1000))
    await office.settle({"endToEndId": sent["network_id"]})
    assert await office.state(batch["id"]) == "PARTIALLY_PAID"


async def test_a_batch_whole(office: Office) -> None:
    await office.limit(transaction=1000)
    await office.fee(50)
    for scheduled in (None, office.tomorrow() + timedelta(days=1)):
        batch = await office.make(2500, scheduled_on=scheduled, allows_duplicate=True)
        assert isinstance(await office.cancel(batch["id"]), Reply)
        await office.work()
        assert (await office.state(batch["id"]), await office.children(batch["id"])) == ("CANCELED", ["CANCELED"] * 3)
        assert await office.money() == (10_000_000, 0)
        assert await office.events(batch["id"]) == ["ORDER-PAYOUT.CANCELED"]
