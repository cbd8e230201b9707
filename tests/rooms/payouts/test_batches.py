"""A batch: exact parts with lives of their own; what fails frees its part alone; the batch is what its parts are."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.cast import Cast

from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.payouts import CHILD_MOVED, ReadPayout
from lastro.rails import port
from lastro.rails.handling import LANE
from lastro.rails.port import Charge

from .office import DEAF, KEY, Office, giving_back
from .test_create import dynamic_qr, static_qr


async def batch_of(office: Office, cents: int = 2500) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Above a limit of 10.00, and its transfers."""
    await office.limit(transaction=1000)
    made = await office.make(cents)
    return made, made["batch"]["transactions"]


async def shown(office: Office, batch: dict[str, Any]) -> dict[str, Any]:
    reply = await office.cast.run(
        office.ana.client, ReadPayout(office.id_of(batch)), operation="read_payout", permission="payouts:read"
    )
    assert isinstance(reply, Reply)
    found: dict[str, Any] = msgspec.json.decode(reply.body)
    return found


async def counted(office: Office, batch: dict[str, Any]) -> tuple[Any, ...]:
    found = await shown(office, batch)
    b = found["batch"]
    assert b["paidCount"] + b["failedCount"] + b["pendingCount"] == b["transactionsCount"] == len(b["transactions"])
    return found["status"], b["paidCount"], b["failedCount"], b["pendingCount"], b["paidAmount"], b["pendingAmount"]


async def test_it_is_split_to_the_cent(office: Office) -> None:
    await office.fee(50)
    batch, parts = await batch_of(office)
    assert [(p["amount"], p["status"], p["sequence"]) for p in parts] == [
        ("10.00", "PENDING", 1), ("10.00", "PENDING", 2), ("5.00", "PENDING", 3),
    ]  # fmt: skip
    key = parts[0]["idempotencyKey"]
    assert [p["idempotencyKey"] for p in parts] == [key, f"{key}-2", f"{key}-3"]
    assert batch["endToEndId"] == parts[0]["endToEndId"]
    assert len({p["endToEndId"] for p in parts}) == len({p["id"] for p in parts}) == 3
    assert await office.money() == (10_000_000 - 2550, 2550)
    messages = {m["network_id"]: msgspec.json.decode(m["body"])["amount"]["minor"] for m in await office.claim_messages()}
    assert messages == {p["endToEndId"]: int(p["amount"].replace(".", "")) for p in parts}
    assert (await office.used())["PIX.day"] == 2500
    assert await counted(office, batch) == ("PENDING", 0, 0, 3, "0.00", "25.00")


@pytest.mark.parametrize(
    ("qr", "parts"),
    [
        (dynamic_qr("banco.example/qr/v2/dear"), None), (dynamic_qr("banco.example/qr/v2/open"), None),
        (dynamic_qr("banco.example/qr/v2/any"), None), (static_qr(amount="25.00"), None), (static_qr(), 3),
    ],
)  # fmt: skip
async def test_a_charge_is_paid_by_one_transfer_or_not_at_all(office: Office, qr: str, parts: int | None) -> None:
    office.outside.charges |= {
        "banco.example/qr/v2/dear": Charge(KEY, Money(2500, "BRL"), "T" * 26),
        "banco.example/qr/v2/open": Charge(KEY, None, "T" * 26),
        "banco.example/qr/v2/any": Charge(KEY, Money(2000, "BRL"), "T" * 26, may_change=True),
    }
    await office.limit(transaction=1000)
    if parts is not None:
        assert (await office.make(2500, qr=qr))["batch"]["transactionsCount"] == parts
        return
    problem = await office.refused(office.wish(2500, qr=qr))
    assert (problem.field, problem.issue) == ("amount", "LIMIT_EXCEEDED")
    assert "10.00" in problem.description
    for table in ("payouts", "outbox", "quotas", "answers", "transfers WHERE kind = 'held'"):
        assert await office.column(f"SELECT count(*) FROM {table}") == [0], table


async def test_all_or_nothing_is_held(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 2499)
    await office.limit(transaction=1000)
    problem = await office.refused(office.wish(2500))
    assert problem.issue == "INSUFFICIENT_FUNDS"
    assert await office.money() == (2499, 0)
    assert await office.column("SELECT count(*) FROM payouts") == [0]


async def test_paid_one_after_the_other(office: Office) -> None:
    await office.fee(50)
    batch, parts = await batch_of(office)
    await office.settle(parts[1])
    assert await office.money() == (10_000_000 - 2550, 1500), "the fee goes with the first that is paid"
    assert await counted(office, batch) == ("PENDING", 1, 0, 2, "10.00", "15.00")
    assert await office.events(batch["id"]) == []
    await office.settle(parts[0])
    await office.settle(parts[2])
    assert await counted(office, batch) == ("PAID", 3, 0, 0, "25.00", "0.00")
    assert await office.money() == (10_000_000 - 2550, 0)
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.PAID"]
    for part in parts:
        assert await office.events(part["id"]) == [], "of a child nobody is told"


async def test_what_fails_frees_its_part_and_no_more(office: Office) -> None:
    await office.fee(50)
    batch, parts = await batch_of(office)
    await office.refuse(parts[0])
    assert await office.money() == (10_000_000 - 1550, 1550)
    assert (await office.used())["PIX.day"] == 1500
    await office.settle(parts[1])
    await office.settle(parts[2])
    assert await counted(office, batch) == ("PARTIALLY_PAID", 2, 1, 0, "15.00", "0.00")
    assert await office.money() == (10_000_000 - 1550, 0)
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.PARTIALLY_PAID"]


async def test_all_fail(office: Office) -> None:
    await office.fee(50)
    batch, parts = await batch_of(office)
    for part in parts:
        await office.refuse(part, "AC06")
    found = await shown(office, batch)
    assert (found["status"], found["errorCode"]) == ("ERROR", "AC06")
    assert await office.money() == (10_000_000, 0), "no fee of what was never paid"
    assert (await office.used())["PIX.day"] == 0
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.ERROR"]


async def test_mixed_ends_without_a_paid_one(office: Office) -> None:
    batch, parts = await batch_of(office)
    await office.claim_messages(1)
    await office.cancel(batch["id"])
    await office.work()
    (open_one,) = [p for p, s in zip(parts, await office.children(batch["id"]), strict=True) if s == "PENDING"]
    await office.refuse(open_one)
    assert await office.state(batch["id"]) == "ERROR"


@pytest.mark.parametrize("failed", [False, True])
async def test_what_comes_back(office: Office, failed: bool) -> None:
    batch, parts = await batch_of(office)
    for place, part in enumerate(parts):
        await (office.refuse(part) if failed and place == 2 else office.settle(part))
    first = "ORDER-PAYOUT.PARTIALLY_PAID" if failed else "ORDER-PAYOUT.PAID"
    await office.give_back(parts[0], 400)
    assert await office.state(batch["id"]) == "PARTIAL_REFUNDED"
    await office.give_back(parts[0], 600)
    await office.give_back(parts[1], 1000)
    assert (await shown(office, batch))["returnedAmount"] == "20.00"
    assert await office.events(batch["id"]) == [first, *["ORDER-PAYOUT.PARTIAL_REFUNDED"] * 3]
    if not failed:
        await office.give_back(parts[2], 500)
    assert await office.state(batch["id"]) == ("PARTIAL_REFUNDED" if failed else "REFUNDED")
    assert await office.money() == (10_000_000, 0)


async def test_back_while_another_is_under_way(office: Office) -> None:
    """The batch says it once its last transfer has ended."""
    batch, parts = await batch_of(office)
    await office.settle(parts[0])
    await office.give_back(parts[0], 1000)
    assert (await office.state(batch["id"]), await office.events(batch["id"])) == ("PENDING", [])
    for part in parts[1:]:
        await office.settle(part)
    assert await office.state(batch["id"]) == "PARTIAL_REFUNDED"


async def test_an_end_and_a_return_that_are_heard_of_late_are_told_once(office: Office) -> None:
    """The last transfer has ended and come back before the batch hears of its end."""
    batch, parts = await batch_of(office)
    for part in parts[:2]:
        await office.settle(part)
    for kind, says in (office.final(parts[2]), (port.PAYMENT_RETURNED, giving_back(parts[2], 400))):
        await office.store(kind, says)
        await office.work(lane=DEAF)
    assert (await office.state(batch["id"]), await office.events(batch["id"])) == ("PENDING", [])
    await office.work()
    assert await office.state(batch["id"]) == "PARTIAL_REFUNDED"
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.PARTIAL_REFUNDED"]


async def test_a_return_is_told_once_though_the_ends_of_others_are_heard_of_late(office: Office) -> None:
    """The batch has ended by the first of its transfers; what it hears of the others comes with the first return."""
    batch, parts = await batch_of(office)
    for part in parts:
        kind, says = office.final(part)
        await office.store(kind, says)
        await office.work(lane=DEAF)
    first = await office.column("SELECT min(network_id) FROM inbox WHERE kind = $1 AND due_at IS NOT NULL", CHILD_MOVED)
    await office.work(lane=replace(LANE, only=f"network_id = '{first[0]}'"))
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.PAID"]
    await office.store(port.PAYMENT_RETURNED, giving_back(parts[0], 400))
    await office.work(lane=DEAF)
    await office.work()
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.PARTIAL_REFUNDED"]


async def test_a_child_is_not_read_nor_canceled_by_itself(office: Office) -> None:
    _, parts = await batch_of(office)
    reply = await office.cast.run(
        office.ana.client, ReadPayout(office.id_of(parts[0])), operation="read_payout", permission="payouts:read"
    )
    assert not isinstance(reply, Reply)
    assert not isinstance(await office.cancel(parts[0]["id"]), Reply)


async def test_a_hundred_at_once(office: Office) -> None:
    """Their words come in any order; the batch ends once."""
    await office.limit(transaction=100)
    batch = await office.make(9_999)
    for n, part in enumerate(batch["batch"]["transactions"]):
        await office.store(*office.final(part, None if n % 10 else "AC07"))
    await office.work()
    assert await counted(office, batch) == ("PARTIALLY_PAID", 90, 10, 0, "89.99", "0.00")
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.PARTIALLY_PAID"]
    assert await office.money() == (10_000_000 - 8_999, 0)
