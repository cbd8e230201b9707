"""What the network says of a payment under our id is compared with what we sent: a difference is for people, nothing moves."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from lastro.core.money import Money
from lastro.rails import port

from .office import FABIO, FORA, HERE, Office, giving_back

RIGHT = port.Facts(
    Money(1000, "BRL"), port.Side(ispb=HERE.ispb),
    port.Side(FORA.ispb, "1", f"000{FORA.account}", FABIO.document_number),
)  # fmt: skip
OTHERS = {
    "amount": replace(RIGHT, amount=Money(1001, "BRL")),
    "creditor's bank": replace(RIGHT, creditor=replace(RIGHT.creditor, ispb="99999020")),
    "creditor's branch": replace(RIGHT, creditor=replace(RIGHT.creditor, branch="0002")),
    "creditor's account": replace(RIGHT, creditor=replace(RIGHT.creditor, account="300004")),
    "creditor": replace(RIGHT, creditor=replace(RIGHT.creditor, document="11144477735")),
    "debtor": replace(RIGHT, debtor=port.Side(document="11144477735")),
}


async def stands(office: Office, made: dict[str, Any]) -> tuple[str, tuple[int, int], list[str]]:
    return await office.state(made["id"]), await office.money(), await office.events(made["id"])


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("code", [None, "AC07"])
async def test_an_end_of_another_payment(office: Office, other: port.Facts, code: str | None) -> None:
    made = await office.make(1000)
    before = await stands(office, made)
    kind, final = office.final(made, code)
    assert await office.told(kind, replace(final, of=other)) == port.ALARMED
    assert await stands(office, made) == before
    assert await office.told(kind, replace(final, of=RIGHT)) == "handled", "zeros in front make no difference"
    assert await office.state(made["id"]) == ("PAID" if code is None else "ERROR")
    assert await office.told(kind, replace(final, of=other)) == port.ALARMED, "also of what has ended so"


async def test_an_end_from_before_there_was_a_payment(office: Office) -> None:
    made = await office.make(1000)
    early = datetime.now(UTC) - timedelta(minutes=2)
    assert await office.settle(made, early) == port.ALARMED
    assert await office.state(made["id"]) == "PENDING"
    assert await office.settle(made, early + timedelta(minutes=1, seconds=30)) == "handled", "clocks differ a little"


async def test_a_ted_under_a_number_that_was_used_before(office: Office) -> None:
    made = await office.make(1000, method="TED")
    (number,) = await office.column("SELECT control_number FROM payouts")
    final = port.PaymentFinal(number, True, None, datetime.now(UTC), "STR20261127000000001", RIGHT)
    other = replace(final, of=replace(RIGHT, creditor=replace(RIGHT.creditor, account="300001")))
    assert await office.told(port.PAYMENT_FINAL, other) == port.ALARMED
    assert await office.state(made["id"]) == "PENDING"
    assert await office.told(port.PAYMENT_FINAL, final) == "handled"
    back = port.PaymentReturned(number, "STR20261127000000003", Money(1000, "BRL"), "2", datetime.now(UTC))
    assert (
        await office.told(port.PAYMENT_RETURNED, replace(back, of=replace(RIGHT, number="STR20261101000000001")))
        == port.ALARMED
    )
    assert await office.state(made["id"]) == "PAID"
    assert (
        await office.told(port.PAYMENT_RETURNED, replace(back, of=replace(RIGHT, number="STR20261127000000001")))
        == "handled"
    )
    assert await office.state(made["id"]) == "REFUNDED"


@pytest.mark.parametrize("is_paid", [True, False])
async def test_a_return_of_another_payment_waits_for_nothing(office: Office, *, is_paid: bool) -> None:
    made = await office.make(1000)
    if is_paid:
        await office.settle(made)
    before = await stands(office, made)
    back = replace(giving_back(made, 400), of=replace(RIGHT, amount=Money(400, "BRL")))
    assert await office.told(port.PAYMENT_RETURNED, back) == port.ALARMED
    assert await stands(office, made) == before
    assert await office.column("SELECT ask_at IS NULL FROM payouts") == [is_paid], "it is asked about as before"
