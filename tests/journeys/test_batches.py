"""A payout above the limit goes in parts: its events, its answers and the network's own record say the same of each."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.in_one import in_one_test

from .play import Play
from .stage import until
from .test_feed import FEED, last_number
from .test_payouts import PATH, place, shown
from .test_payouts import create as create_pix
from .test_teds import create as create_ted
from .test_teds import in_session, operator

LIMIT, ABOVE, PARTS = "10.00", "25.00", ["10.00", "10.00", "5.00"]
METHODS = ("PIX", "TED")
ENDED = ("PAID", "PARTIALLY_PAID", "ERROR")


@pytest.fixture
async def narrow(play: Play) -> AsyncIterator[Play]:
    """Ana's account may send little at once, by either method."""
    for method in METHODS:
        await operator(play, "account", "limits", play.account["id"], "--method", method, "--transaction", LIMIT)
    try:
        yield play
    finally:
        for method in METHODS:
            await operator(play, "account", "limits", play.account["id"], "--method", method, "--transaction", "15000.00")


async def split(play: Play, method: str) -> dict[str, Any]:
    if method == "TED":
        await in_session(play)
    batch = await (create_pix(play, ABOVE, **place()) if method == "PIX" else create_ted(play, ABOVE))
    assert [part["amount"] for part in batch["batch"]["transactions"]] == PARTS
    return batch


async def told_at_its_end(play: Play, batch: dict[str, Any], after: int) -> dict[str, Any]:
    """The one event of a batch, as the feed has it."""

    async def look() -> list[dict[str, Any]]:
        data = (await play.call("GET", f"{FEED}?after={after}&limit=5000")).json["data"]
        return [event for event in data if event["referenceId"] == batch["id"]]

    (event,) = await until(look, "what is told of the batch")
    assert event["event"] == event["payload"]["event"]
    payload: dict[str, Any] = event["payload"]
    return payload


async def at_the_network(play: Play, method: str, batch: dict[str, Any], read: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Number, amount and status of each transfer, as the network has it, in the order of the batch."""
    transfers = read["batch"]["transactions"]
    if method == "PIX":
        records = [await play.statement(one["endToEndId"]) for one in transfers]
        return [(one["endToEndId"], one["amount"], one["status"]) for one in records]
    sql = "SELECT control_number FROM payouts WHERE batch_id = $1::text::uuid ORDER BY sequence"
    found = []
    for row in await play.books.fetch(sql, batch["id"]):
        (ted,) = (await play.act(f"/teds?numCtrlIf={row['control_number']}", method="GET"))["data"]
        found.append((ted["numCtrlStr"], ted["amount"], ted["status"]))
    return found


def number_in(method: str, one: dict[str, Any]) -> str | None:
    """The number of a transfer or of an event, where it has one; it has none of the other method's."""
    own, other = ("endToEndId", "controlNumber") if method == "PIX" else ("controlNumber", "endToEndId")
    assert other not in one
    found: str | None = one.get(own)
    assert found != ""
    return found


def number_answered(method: str, one: dict[str, Any]) -> str:
    """The number of a batch as an answer has it, which always has an endToEndId: an empty one of a TED (contract.md §4)."""
    assert method == "PIX" or one["endToEndId"] == ""
    found: str = one["endToEndId" if method == "PIX" else "controlNumber"]
    return found


@in_one_test("method", METHODS)
async def test_all_of_it_is_paid(narrow: Play, method: str) -> None:
    play, after = narrow, await last_number(narrow)
    batch = await split(play, method)
    if method == "TED":
        assert [number_in(method, part) for part in batch["batch"]["transactions"]] == [None] * 3, "the STR gives it later"
    told = await told_at_its_end(play, batch, after)
    read = await shown(play, batch)
    assert (told["event"], told["message"], read["status"]) == ("ORDER-PAYOUT.PAID", "Payout paid", "PAID")
    assert told["batch"] == read["batch"]
    sums = ("transactionsCount", "paidCount", "failedCount", "pendingCount", "paidAmount", "pendingAmount")
    assert [told["batch"][name] for name in sums] == [3, 3, 0, 0, ABOVE, "0.00"]
    numbers = [number_in(method, one) for one in told["batch"]["transactions"]]
    assert await at_the_network(play, method, batch, read) == [
        (number, amount, "SETTLED") for number, amount in zip(numbers, PARTS, strict=True)
    ]
    (row,) = [one for one in (await play.call("GET", f"{PATH}?limit=20")).json["data"] if one["id"] == batch["id"]]
    assert number_in(method, told) == number_answered(method, read) == number_answered(method, row) == numbers[0]
    if method == "PIX":
        assert batch["endToEndId"] == numbers[0], "as its create answered"


@in_one_test("method", METHODS)
async def test_a_part_of_it_is_refused(narrow: Play, method: str) -> None:
    play, after = narrow, await last_number(narrow)
    code = {"PIX": "AB09", "TED": "22"}[method]
    await play.fault({"PIX": "payout", "TED": "ted"}[method], "reject", code=code, match={"amount": PARTS[2]})
    batch = await split(play, method)
    told = await told_at_its_end(play, batch, after)
    read = await shown(play, batch)
    assert (told["event"], told["message"]) == ("ORDER-PAYOUT.PARTIALLY_PAID", "Payout partly paid")
    assert (read["status"], told["batch"]) == ("PARTIALLY_PAID", read["batch"])
    assert [told["batch"][name] for name in ("paidCount", "failedCount", "pendingCount", "paidAmount")] == [2, 1, 0, "20.00"]
    ends = [(one["amount"], one["status"], one.get("errorCode")) for one in told["batch"]["transactions"]]
    assert ends == [(PARTS[0], "PAID", None), (PARTS[1], "PAID", None), (PARTS[2], "ERROR", code)]
    numbers = [number_in(method, one) for one in told["batch"]["transactions"]]
    record = await at_the_network(play, method, batch, read)
    assert [(number, amount) for number, amount, _ in record[:2]] == list(zip(numbers[:2], PARTS, strict=False))
    assert [status for _, _, status in record] == ["SETTLED", "SETTLED", "REJECTED"]
    assert number_in(method, told) == number_answered(method, read) == numbers[0]
