"""The receiver gives back: part, the rest, too much, twice the same, or before the network has told that it was paid."""

import asyncio

import pytest

from lastro.rails import port

from .office import Office, giving_back


async def test_part_and_then_the_rest(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(1000)
    await office.settle(payout)
    assert await office.give_back(payout, 400) == "handled"
    assert (await office.state(payout["id"]), await office.money()) == ("PARTIAL_REFUNDED", (10_000_000 - 650, 0))
    assert await office.give_back(payout, 1) == "handled"
    assert await office.state(payout["id"]) == "PARTIAL_REFUNDED"
    assert await office.give_back(payout, 599) == "handled"
    assert (await office.state(payout["id"]), await office.money()) == ("REFUNDED", (10_000_000 - 50, 0)), "the fee stays"
    told = await office.events(payout["id"])
    assert told == ["ORDER-PAYOUT.PAID", *["ORDER-PAYOUT.PARTIAL_REFUNDED"] * 2, "ORDER-PAYOUT.REFUNDED"]
    bodies = await office.column(
        "SELECT convert_from(body, 'UTF8')::jsonb #>> '{returnedAmount,value}' FROM events WHERE reference_id = $1::text::uuid"
        " ORDER BY created_at",
        payout["id"],
    )
    assert bodies == [None, "4.00", "4.01", "10.00"]


@pytest.mark.parametrize("first", [None, 400, 1000])
async def test_too_much_lies_in_suspense(office: Office, first: int | None) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    if first is not None:
        await office.give_back(payout, first)
    before = await office.state(payout["id"]), await office.money(), await office.events(payout["id"])
    assert await office.give_back(payout, 1001) == port.ALARMED
    assert (await office.state(payout["id"]), await office.money(), await office.events(payout["id"])) == before
    assert await office.column("SELECT amount_minor FROM transfers WHERE type = 'PIX_RETURN_UNFIT'") == [1001]
    assert await office.give_back(payout, 1000 - (first or 0) or 1) == ("handled" if first != 1000 else port.ALARMED)


async def test_twice_the_same_is_one(office: Office) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    assert await office.give_back(payout, 400, "D999990302026013112000000000001a") == "handled"
    assert await office.give_back(payout, 400, "D999990302026013112000000000001a") == "known"
    assert await office.money() == (9_999_400, 0)


async def test_many_at_once_add_up(office: Office) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    for n in range(10):
        await office.store(port.PAYMENT_RETURNED, giving_back(payout, 100, f"D99999030202601311200000000000{n:02}"))
    await asyncio.gather(*(office.work() for _ in range(4)))
    assert (await office.state(payout["id"]), await office.money()) == ("REFUNDED", (10_000_000, 0))


@pytest.mark.parametrize("end", ["refuse", "cancel"])
async def test_of_what_was_never_paid(office: Office, end: str) -> None:
    payout = await office.make(1000)
    await (office.cancel(payout["id"]) if end == "cancel" else office.refuse(payout))
    assert await office.give_back(payout, 1000) == port.ALARMED
    assert await office.money() == (10_000_000, 0)


async def test_before_the_end_was_told(office: Office) -> None:
    """The network told nobody that it was paid; asked, it says so, and what came back waits for that."""
    payout = await office.make(1000)
    row_id = await office.store(port.PAYMENT_RETURNED, giving_back(payout, 400))
    with pytest.raises(AssertionError, match="no end"):
        await office.work(rounds=3)
    assert await office.column("SELECT outcome FROM inbox WHERE id = $1", row_id) == [None]
    assert await office.state(payout["id"]) == "PENDING"
    await office.store(port.PAYMENT_FINAL, port.PaymentFinal(payout["endToEndId"], True, settled_at=await office.now()))
    await office.work()
    assert (await office.state(payout["id"]), await office.money()) == ("PARTIAL_REFUNDED", (9_999_400, 0))
