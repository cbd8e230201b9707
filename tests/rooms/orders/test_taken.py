"""Money of a Pix that its bank took back without us: booked once, of what there is, told to the client; a person's alarms."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from tests.rooms.lists import answered

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.errors import NotYet
from lastro.core.money import Money
from lastro.core.write import Write
from lastro.rails import port

from .test_connections import Connected, at_bank, payment_id

__all__ = ["at_bank"]


def taken(
    made: dict[str, Any], cents: int = 1050, nature: str = "MED_FRAUDE", name: str = "m1", of: str | None = None
) -> port.Taken:
    reference, of = made["pix"]["conciliationId"], of or payment_id(made)
    return port.Taken(of, f"{of}:{name}", Money(cents, "BRL"), nature, datetime.now(UTC), reference)


async def told(at_bank: Connected, news: port.Taken) -> str:
    return await at_bank.shop.told(port.COLLECTION_TAKEN, news, news.payment_id, at_bank.rail)


async def moved(at_bank: Connected) -> list[tuple[str, int]]:
    return [tuple(row) for row in await at_bank.shop.rows("SELECT type, amount_minor FROM transfers ORDER BY type")]


async def test_it_leaves_the_account_and_the_client_is_told_once(at_bank: Connected) -> None:
    shop, made = at_bank.shop, await at_bank.make()
    await at_bank.paid(made)
    assert await told(at_bank, taken(made, 400)) == "handled"
    assert await told(at_bank, taken(made, 400)) == "known"
    assert await moved(at_bank) == [("PIX_IN", 1050), ("PIX_TAKEN", 400)]
    assert (await shop.money(), await at_bank.status()) == ((650, 0), ["PARTIAL_REFUNDED"])
    assert await told(at_bank, taken(made, 650, "MED_OPERACIONAL", "m2")) == "handled"
    assert (await shop.money(), await at_bank.status()) == ((0, 0), ["REFUNDED"])
    rows = await shop.rows("SELECT rail, chargeback_id, code, amount_minor FROM chargebacks ORDER BY created_at")
    assert [tuple(row) for row in rows] == [
        (at_bank.rail, f"{payment_id(made)}:m1", "MED_FRAUDE", 400), (at_bank.rail, f"{payment_id(made)}:m2", "MED_OPERACIONAL", 650),
    ]  # fmt: skip
    events = await shop.news(UUID(made["id"]))
    assert [one["event"] for one in events] == ["ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUNDED", "ORDER-PAYIN.REFUNDED"]
    assert [one["refundAmount"]["value"] for one in events[1:]] == ["4.00", "6.50"]
    assert [one["endToEndId"] for one in events[1:]] == [payment_id(made)] * 2
    page = await answered(shop.cast, shop.ana.client, "read_statement", id=str(shop.ana.account_id))
    assert "PIX_TAKEN" in {row["type"] for row in page["data"]}


async def test_what_the_account_lacks_of_it_is_owed(at_bank: Connected) -> None:
    shop, made = at_bank.shop, await at_bank.make()
    await at_bank.paid(made)
    spent = shop.cast.transfer(shop.ana.customer, shop.ana.clearing, 1000)
    await commit(shop.cast.database, Write(shop.ana.company_id, transfers=(spent,)))
    assert await told(at_bank, taken(made)) == "handled"
    net = ledger.clearing(shop.ana.company_id, at_bank.rail, "BRL").id
    rows = await shop.rows("SELECT type, amount_minor FROM transfers WHERE credit_id = $1 ORDER BY type", net)
    assert [tuple(row) for row in rows] == [("PIX_TAKEN", 50), ("PIX_TAKEN_LACK", 1000)]


async def test_a_persons_return_at_the_banks_console_is_booked_and_an_alarm(at_bank: Connected) -> None:
    made = await at_bank.make()
    await at_bank.paid(made)
    assert await told(at_bank, taken(made, nature=port.CONSOLE)) == port.ALARMED
    assert (await moved(at_bank), await at_bank.status()) == ([("PIX_IN", 1050), ("PIX_TAKEN", 1050)], ["REFUNDED"])
    assert await told(at_bank, taken(made, nature=port.CONSOLE)) == "known"


async def test_a_taking_told_before_its_payment_waits_for_it(at_bank: Connected) -> None:
    made = await at_bank.make()
    with pytest.raises(NotYet):
        await told(at_bank, taken(made))
    await at_bank.paid(made)
    assert await told(at_bank, taken(made)) == "handled"


async def test_a_taking_of_nothing_here_or_of_too_much_moves_nothing(at_bank: Connected) -> None:
    made = await at_bank.make()
    await at_bank.paid(made)
    before = await moved(at_bank)
    assert await told(at_bank, taken({"pix": {"conciliationId": "x" * 32}}, of="E" + "9" * 31)) == port.ALARMED
    assert await told(at_bank, taken(made, 1051)) == port.ALARMED
    assert (await moved(at_bank), await at_bank.status()) == (before, ["PAID"])
