"""What is told of a batch: by the numbers that its create answered, and how much of it was sent, to what end."""

import os
from typing import Any

import msgspec

from lastro.api_kit.paging import Page
from lastro.core.runner import Done, Reply
from lastro.payouts import Refuse
from lastro.payouts.actions.list import ListPayouts
from lastro.payouts.model import PayoutFilter
from lastro.rails import port

from .office import HERE, Office
from .test_batches import shown


async def last_event(office: Office, payout: dict[str, Any]) -> dict[str, Any]:
    bodies = await office.column(
        "SELECT body FROM events WHERE reference_id = $1::text::uuid ORDER BY created_at DESC, id DESC LIMIT 1", payout["id"]
    )
    told: dict[str, Any] = msgspec.json.decode(bytes(bodies[0]))
    return told


async def listed(office: Office) -> list[dict[str, Any]]:
    verb = ListPayouts(PayoutFilter(), Page())
    reply = await office.cast.run(office.ana.client, verb, operation="list_payouts", permission="payouts:read")
    assert isinstance(reply, Reply)
    rows: list[dict[str, Any]] = msgspec.json.decode(reply.body)["data"]
    return rows


async def split(office: Office, method: str = "PIX") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    await office.limit(transaction=1000, method=method)
    batch = await office.make(2500, method=method)
    return batch, batch["batch"]["transactions"]


async def settle_ted(office: Office, sequence: int, number: str | None) -> None:
    (name,) = await office.column("SELECT control_number FROM payouts WHERE sequence = $1", sequence)
    (at,) = await office.column("SELECT business_now()")
    final = port.PaymentFinal(
        name, number is not None, "2" if number is None else None, None if number is None else at, number
    )
    assert await office.told(port.PAYMENT_FINAL, final) == "handled"


async def test_paid_it_is_called_as_it_was_answered(office: Office) -> None:
    batch, parts = await split(office)
    for part in parts:
        await office.settle(part)
    told = await last_event(office, batch)
    assert (told["event"], told["message"]) == ("ORDER-PAYOUT.PAID", "Payout paid")
    assert told["endToEndId"] == batch["endToEndId"] == parts[0]["endToEndId"]
    assert told["batch"] == (await shown(office, batch))["batch"]
    assert (told["batch"]["paidCount"], told["batch"]["paidAmount"]) == (3, "25.00")
    assert [row["endToEndId"] for row in await listed(office)] == [batch["endToEndId"]], "without its transfers, too"


async def test_partly_paid_says_how_much(office: Office) -> None:
    batch, parts = await split(office)
    await office.refuse(parts[0])
    for part in parts[1:]:
        await office.settle(part)
    told = await last_event(office, batch)
    assert (told["event"], told["message"]) == ("ORDER-PAYOUT.PARTIALLY_PAID", "Payout partly paid")
    assert told["endToEndId"] == batch["endToEndId"]
    assert (told["batch"]["paidCount"], told["batch"]["failedCount"], told["batch"]["paidAmount"]) == (2, 1, "15.00")
    assert [(t["status"], t.get("errorCode")) for t in told["batch"]["transactions"]] == [
        ("ERROR", "AC07"), ("PAID", None), ("PAID", None),
    ]  # fmt: skip
    await office.give_back(parts[1], 400)
    told = await last_event(office, batch)
    assert (told["event"], told["message"]) == ("ORDER-PAYOUT.PARTIAL_REFUNDED", "Payout partly refunded")
    assert (told["batch"]["paidAmount"], told["returnedAmount"]["value"]) == ("15.00", "4.00")


async def test_a_split_ted_shows_the_numbers_of_the_str(office: Office) -> None:
    batch, parts = await split(office, "TED")
    assert batch["endToEndId"] == ""
    assert not any({"endToEndId", "controlNumber"} & part.keys() for part in parts), "it has neither yet"
    numbers = [f"STR20261127{os.urandom(4)[0]:03d}{n:06d}" for n in range(3)]
    for n, number in enumerate(numbers, start=1):
        await settle_ted(office, n, number)
    told, read = await last_event(office, batch), await shown(office, batch)
    assert told["controlNumber"] == read["controlNumber"] == numbers[0]
    assert "endToEndId" not in told
    for transactions in (told["batch"]["transactions"], read["batch"]["transactions"]):
        assert [t["controlNumber"] for t in transactions] == numbers
        assert not any("endToEndId" in t for t in transactions)
    assert [row["controlNumber"] for row in await listed(office)] == [numbers[0]]


async def test_of_several_ends_no_reason_is_made_up(office: Office) -> None:
    batch, parts = await split(office)
    over = "UPDATE payouts SET send_until = business_now() - interval '1 second' WHERE id = $1 RETURNING 1"
    await office.column(over, office.id_of(parts[0]))
    assert await office.told(port.PAYMENT_NEVER, port.PaymentNever(parts[0]["endToEndId"], 0)) == "handled"
    assert isinstance(await office.cancel(batch["id"]), Reply)
    await office.work()
    told = await last_event(office, batch)
    assert (told["event"], told["message"]) == ("ORDER-PAYOUT.ERROR", "Payout failed")
    assert (told["batch"]["failedCount"], told["batch"]["paidAmount"]) == (3, "0.00")


async def test_one_that_ends_as_a_whole(office: Office) -> None:
    """What ends with all its transfers in one write is told as it is after that."""
    sql = "UPDATE companies SET review_above_minor = 1000, version = version + 1 RETURNING 1"
    await office.column(sql)
    batch, _ = await split(office)
    assert batch["status"] == "ANALYSIS"
    refuse = Refuse(office.id_of(batch), "bia", "looks like a mule", HERE)
    assert isinstance(await office.cast.runner.act(office.ana.company_id, refuse), Done)
    told = await last_event(office, batch)
    assert (told["event"], told["endToEndId"]) == ("ORDER-PAYOUT.CANCELED", batch["endToEndId"])
    assert [t["status"] for t in told["batch"]["transactions"]] == ["CANCELED"] * 3
    assert {t["errorCode"] for t in told["batch"]["transactions"]} == {"REVIEW_REFUSED"}
