"""A scheduled payout: nothing is held before its day; then it is held and sent, or ends for a reason of ours."""

from uuid import UUID

import pytest
from tests.cast import Cast

from lastro.base.run import Done
from lastro.payouts import HELD_BACK, Begin

from .office import HERE, Office


async def test_nothing_is_held_before_its_day(office: Office) -> None:
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    assert (payout["status"], payout["endToEndId"][:9]) == ("PENDING", f"E{HERE.ispb}")
    assert await office.money() == (10_000_000, 0)
    assert await office.column("SELECT count(*) FROM outbox") == [0]
    done = await office.cast.runner.act(office.ana.company_id, Begin(UUID(payout["id"]), office.ways))
    assert isinstance(done, Done)
    assert done.write is None, "its day has not come"


async def test_on_its_day_it_is_held_and_sent(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    await office.begin(payout["id"])
    assert await office.money() == (10_000_000 - 1050, 1050)
    (message,) = await office.claim_messages()
    assert message["network_id"] == payout["endToEndId"]
    assert (await office.used())["PIX.day"] == 1000
    await office.cast.runner.act(office.ana.company_id, Begin(UUID(payout["id"]), office.ways))
    assert await office.column("SELECT count(*) FROM outbox") == [1], "it begins once"
    await office.settle(payout)
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.PAID"]


async def test_a_blocked_accounts_payout_begins_and_waits(office: Office) -> None:
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    await office.account_becomes("INACTIVE")
    await office.begin(payout["id"])
    assert (await office.state(payout["id"]), await office.money()) == ("PENDING", (10_000_000 - 1000, 1000))
    assert await office.column(f"SELECT count(*) FROM outbox WHERE due_at IS NOT NULL AND {HELD_BACK}") == [1]


async def test_an_account_that_may_not_pay_any_more(office: Office) -> None:
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    await office.account_becomes("CLOSED")
    await office.begin(payout["id"])
    await ended(office, payout["id"], "AC07", "AC07: ")


async def test_too_little(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 1000)
    await office.fee(1)
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    await office.begin(payout["id"])
    await ended(office, payout["id"], "INSUFFICIENT_FUNDS", "INSUFFICIENT_FUNDS: the account had too little")
    assert await office.money() == (1000, 0)


async def test_a_limit_that_is_used_up(office: Office) -> None:
    await office.limit(day=1999)
    first, second = [await office.make(1000, scheduled_on=office.tomorrow()) for _ in range(2)]
    await office.make(1000)
    await office.begin(first["id"])
    await office.begin(second["id"])
    await ended(office, second["id"], "LIMIT_EXCEEDED", "LIMIT_EXCEEDED: the account's limit was used up")
    used = "SELECT used_minor FROM quotas WHERE kind = 'PIX.day' ORDER BY period"
    assert await office.column(used) == [1000, 1000], "that of today is another day's"


async def ended(office: Office, payout_id: str, code: str, says: str) -> None:
    (row,) = await office.rows("SELECT * FROM payouts WHERE id = $1::text::uuid", payout_id)
    assert (row["status"], row["error_code"], row["start_at"], row["message_id"]) == ("ERROR", code, None, None)
    assert row["error_message"].startswith(says)
    assert await office.events(payout_id) == ["ORDER-PAYOUT.ERROR"]


async def test_a_batch_begins_whole(office: Office) -> None:
    await office.limit(transaction=1000)
    await office.fee(50)
    batch = await office.make(2500, scheduled_on=office.tomorrow())
    await office.begin(batch["id"])
    assert await office.money() == (10_000_000 - 2550, 2550)
    names = {m["network_id"] for m in await office.claim_messages()}
    assert names == {c["endToEndId"] for c in batch["batch"]["transactions"]}


async def test_a_batch_that_cannot_begins_not_at_all(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 2499)
    await office.limit(transaction=1000)
    batch = await office.make(2500, scheduled_on=office.tomorrow())
    await office.begin(batch["id"])
    await office.work()
    assert (await office.state(batch["id"]), await office.children(batch["id"])) == ("ERROR", ["ERROR"] * 3)
    assert await office.money() == (2499, 0)
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.ERROR"]
    assert await office.column("SELECT count(*) FROM outbox") == [0]


@pytest.mark.parametrize(("cents", "owed"), [(10_000_000, 0), (400, 600)])
async def test_one_that_was_paid_in_a_lost_time_is_booked_without_having_begun(cast: Cast, cents: int, owed: int) -> None:
    office = await Office.open(cast, await cast.ana(), cents)
    await office.fee(50)
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    assert await office.settle(payout) == "handled"
    assert await office.state(payout["id"]) == "PAID"
    assert await office.money() == (max(0, cents - 1000), 0), "its money has left, and nothing of it is held"
    lacks = "SELECT coalesce(sum(amount_minor), 0)::bigint FROM transfers WHERE type = 'PIX_LACK'"
    assert await office.column(lacks) == [owed]
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.PAID"]
    await office.cast.runner.act(office.ana.company_id, Begin(UUID(payout["id"]), office.ways))
    assert await office.column("SELECT count(*) FROM outbox") == [0], "it is not sent once more"


async def test_so_is_a_batch_whose_rest_can_be_called_off(office: Office) -> None:
    await office.limit(transaction=1000)
    await office.fee(50)
    for paid in (3, 1):
        before, _ = await office.money()
        batch = await office.make(2500, scheduled_on=office.tomorrow())
        children = batch["batch"]["transactions"]
        for child in children[:paid]:
            assert await office.settle(child) == "handled"
        await office.work()
        if paid < len(children):
            await office.cancel(batch["id"])
            await office.work()
        assert await office.children(batch["id"]) == ["PAID"] * paid + ["CANCELED"] * (3 - paid)
        assert await office.state(batch["id"]) == ("PAID" if paid == 3 else "PARTIALLY_PAID")
        assert (await office.money())[1] == 0
        assert (await office.money())[0] < before
