"""A TED in parts that had all been taken for failed: some left and came back before the batch hears of any of it."""

from typing import Any

import pytest

from lastro.rails import port

from .office import DEAF, Office
from .test_debts import back, prove


async def failed_batch(office: Office) -> tuple[dict[str, Any], list[str]]:
    """A TED in two parts of 10.00, both refused, so its batch is ERROR; their control numbers."""
    await office.limit(transaction=1000, day=None, method="TED")
    batch = await office.make(2000, method="TED")
    numbers = await office.column("SELECT control_number FROM payouts WHERE sequence IS NOT NULL ORDER BY sequence")
    for number in numbers:
        await office.told(port.PAYMENT_FINAL, port.PaymentFinal(number, settled=False, code="22"))
    assert await office.state(batch["id"]) == "ERROR"
    return batch, numbers


async def came_back(office: Office, number: str, cents: int = 1000) -> None:
    """It has left, and is back: it was set aside, taken up, and the batch has not heard yet."""
    await office.store(port.PAYMENT_RETURNED, back(number, cents, f"STR{number}"))
    await office.work(lane=DEAF)
    await prove(office, number)
    await office.work(lane=DEAF)


@pytest.mark.parametrize(
    ("parts", "cents", "ends", "state"),
    [
        (1, 1000, ["REFUNDED", "ERROR"], "PARTIAL_REFUNDED"),
        (1, 400, ["PARTIAL_REFUNDED", "ERROR"], "PARTIAL_REFUNDED"),
        (2, 1000, ["REFUNDED", "REFUNDED"], "REFUNDED"),
    ],
    ids=["one of two", "some of one", "all"],
)
async def test_a_batch_of_which_all_failed_hears_of_it_last(
    office: Office, parts: int, cents: int, ends: list[str], state: str
) -> None:
    batch, numbers = await failed_batch(office)
    for number in numbers[:parts]:
        await came_back(office, number, cents)
    assert (await office.children(batch["id"]), await office.state(batch["id"])) == (ends, "ERROR")
    await office.work()
    assert await office.state(batch["id"]) == state
    # A return is told once, however late, and not once more as the proof that came before it.
    assert await office.events(batch["id"]) == ["ORDER-PAYOUT.ERROR", f"ORDER-PAYOUT.{state}"]
    assert await office.column("SELECT returned_minor FROM payouts WHERE sequence IS NULL") == [cents * parts]


async def test_a_batch_of_which_some_was_paid_hears_last_that_all_is_back(office: Office) -> None:
    batch, (first, second) = await failed_batch(office)
    await prove(office, first)
    await office.work()
    assert await office.state(batch["id"]) == "PARTIALLY_PAID"
    await office.store(port.PAYMENT_RETURNED, back(first, 1000, f"STR{first}"))
    await came_back(office, second)
    assert (await office.children(batch["id"]), await office.state(batch["id"])) == (["REFUNDED"] * 2, "PARTIALLY_PAID")
    await office.work()
    assert await office.state(batch["id"]) == "REFUNDED"
