"""A scheduled payout: nothing is held before its day; then it is held and sent, or ends for a reason of ours."""

import itertools
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import Cast

from lastro.core.runner import Done
from lastro.payouts import HELD_BACK, Begin
from lastro.standards.calendar import brasilia_day, instant

from .office import HERE, Office

A_SECOND = timedelta(seconds=1)


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
    told = await waits(office, payout["id"], hour("00:00"), hour("18:00"), "INSUFFICIENT_FUNDS")
    assert told["message"] == (
        "Payout waits for funds: INSUFFICIENT_FUNDS: the account had too little when the payout was to begin"
    )
    tries = ["18:00", "18:30", "19:00", "19:30", "20:00", "20:30", "20:59"]
    for at, again in itertools.pairwise(tries):
        assert not await office.begin_at(payout["id"], hour(at) - A_SECOND)
        await waits(office, payout["id"], hour(at), hour(again), "INSUFFICIENT_FUNDS")
    assert not await office.begin_at(payout["id"], hour("20:59") - A_SECOND)
    assert await office.begin_at(payout["id"], hour("20:59"))
    await ended(office, payout["id"], "INSUFFICIENT_FUNDS", "INSUFFICIENT_FUNDS: the account had too little", was_told=True)
    assert await office.money() == (1000, 0)
    story = await office.rows(
        "SELECT trigger, reason FROM history WHERE reference_id = $1::text::uuid ORDER BY version", payout["id"]
    )
    assert [tuple(row) for row in story][2:] == [
        ("fall short", "INSUFFICIENT_FUNDS"), *[("fall short again", "INSUFFICIENT_FUNDS")] * 6, ("refuse", "INSUFFICIENT_FUNDS"),
    ]  # fmt: skip


@pytest.mark.parametrize("first", ["00:00", "07:59", "12:00", "18:00", "20:30", "20:58"])
async def test_money_that_comes_in_the_evening_is_in_time(cast: Cast, first: str) -> None:
    office = await Office.open(cast, await cast.ana(), 999)
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    assert await office.begin_at(payout["id"], hour(first))
    (again,) = await office.column("SELECT start_at FROM payouts WHERE id = $1::text::uuid", payout["id"])
    await office.cast.credit(office.ana, 1)
    assert not await office.begin_at(payout["id"], again - A_SECOND)
    assert await office.begin_at(payout["id"], again)
    assert await office.money() == (0, 1000)
    read = await office.read(payout["id"])
    assert (read["status"], read.get("waitsFor"), read.get("nextTryAt")) == ("PENDING", None, None)
    await office.settle(read)
    assert sorted(await office.events(payout["id"])) == ["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.RETRY_SCHEDULED"]


async def test_after_the_evening_nothing_is_tried_whatever_the_account_has(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 999)
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    await waits(office, payout["id"], hour("20:58"), hour("20:59"), "INSUFFICIENT_FUNDS")
    await office.cast.credit(office.ana, 1)
    assert await office.begin_at(payout["id"], hour("21:00"))
    await ended(office, payout["id"], "INSUFFICIENT_FUNDS", "INSUFFICIENT_FUNDS: the account had too little", was_told=True)
    assert await office.money() == (1000, 0)


async def test_one_that_waits_can_be_taken_back(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 999)
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    assert await office.begin_at(payout["id"], hour("00:00"))
    await office.cancel(payout["id"])
    assert (await office.state(payout["id"]), await office.money()) == ("CANCELED", (999, 0))


async def test_a_ted_is_tried_once(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 999)
    payout = await office.make(1000, scheduled_on=office.tomorrow(), method="TED")
    assert await office.begin_at(payout["id"], hour("00:00"))
    await ended(office, payout["id"], "INSUFFICIENT_FUNDS", "INSUFFICIENT_FUNDS: the account had too little")


async def test_a_limit_that_is_used_up(office: Office) -> None:
    await office.limit(day=1999)
    first, second = [await office.make(1000, scheduled_on=office.tomorrow()) for _ in range(2)]
    await office.make(1000)
    await office.begin(first["id"])
    await waits(office, second["id"], hour("00:00"), hour("18:00"), "LIMIT_EXCEEDED")
    await waits(office, second["id"], hour("20:30"), hour("20:59"), "LIMIT_EXCEEDED")
    assert await office.begin_at(second["id"], hour("20:59"))
    await ended(office, second["id"], "LIMIT_EXCEEDED", "LIMIT_EXCEEDED: the account's limit was used up", was_told=True)
    used = "SELECT used_minor FROM quotas WHERE kind = 'PIX.day' ORDER BY period"
    assert await office.column(used) == [1000, 1000], "that of today is another day's"


def hour(text: str) -> datetime:
    """An hour of tomorrow, by Brasilia's clock."""
    return instant(brasilia_day(datetime.now(UTC)) + timedelta(days=1), time.fromisoformat(text))


async def waits(office: Office, payout_id: str, at: datetime, again: datetime, code: str) -> dict[str, Any]:
    """It is tried at that time in vain, and waits for another; answers what its owner was told, which is once."""
    assert await office.begin_at(payout_id, at)
    read = await office.read(payout_id)
    assert (read["status"], read["waitsFor"], datetime.fromisoformat(read["nextTryAt"])) == ("PENDING", code, again)
    assert "errorCode" not in read
    assert await office.events(payout_id) == ["ORDER-PAYOUT.RETRY_SCHEDULED"]
    (body,) = await office.column("SELECT body FROM events WHERE reference_id = $1::text::uuid", payout_id)
    told: dict[str, Any] = msgspec.json.decode(body)
    assert (told["status"], told["errorCode"], told["paidAt"]) == ("PENDING", code, None)
    return told


async def ended(office: Office, payout_id: str, code: str, says: str, *, was_told: bool = False) -> None:
    (row,) = await office.rows("SELECT * FROM payouts WHERE id = $1::text::uuid", payout_id)
    assert (row["status"], row["error_code"], row["start_at"], row["message_id"]) == ("ERROR", code, None, None)
    assert row["error_message"].startswith(says)
    told = ["ORDER-PAYOUT.RETRY_SCHEDULED"] if was_told else []
    assert sorted(await office.events(payout_id)) == ["ORDER-PAYOUT.ERROR", *told]


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
    told = await waits(office, batch["id"], hour("00:00"), hour("18:00"), "INSUFFICIENT_FUNDS")
    assert [one["status"] for one in told["batch"]["transactions"]] == ["PENDING"] * 3
    await waits(office, batch["id"], hour("20:30"), hour("20:59"), "INSUFFICIENT_FUNDS")
    assert await office.begin_at(batch["id"], hour("21:00"))
    await office.work()
    assert (await office.state(batch["id"]), await office.children(batch["id"])) == ("ERROR", ["ERROR"] * 3)
    assert await office.money() == (2499, 0)
    assert sorted(await office.events(batch["id"])) == ["ORDER-PAYOUT.ERROR", "ORDER-PAYOUT.RETRY_SCHEDULED"]
    assert await office.column("SELECT count(*) FROM outbox") == [0]


async def test_a_batch_that_was_short_begins_whole_in_the_evening(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 2499)
    await office.limit(transaction=1000)
    batch = await office.make(2500, scheduled_on=office.tomorrow())
    await waits(office, batch["id"], hour("00:00"), hour("18:00"), "INSUFFICIENT_FUNDS")
    await office.cast.credit(office.ana, 1)
    assert await office.begin_at(batch["id"], hour("18:00"))
    assert await office.money() == (0, 2500)
    assert await office.column("SELECT count(*) FROM outbox") == [3]


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
