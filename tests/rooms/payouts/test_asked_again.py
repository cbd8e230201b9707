"""A scheduled payout asks on its day where its key or QR leads by then, and pays nobody else."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.rails.port import Charge, NoCharge, NoEntry, Transient
from lastro.standards import brcode

from .office import KEY, Office, entry_of

LOCATION = "banco.example/qr/v2/x"
STATIC = brcode.encode(brcode.BrCode(merchant_name="Fabio", merchant_city="SAO PAULO", key=KEY))
DYNAMIC = brcode.encode(brcode.BrCode(merchant_name="Fabio", merchant_city="SAO PAULO", location=LOCATION))
CHARGE = Charge(KEY, Money(1000, "BRL"), "A" * 26)


async def scheduled(office: Office, way: dict[str, Any]) -> str:
    office.outside.charges[LOCATION] = CHARGE
    payout = await office.make(1000, scheduled_on=office.tomorrow(), **way)
    office.outside.asked.clear()
    return str(payout["id"])


async def status_of(office: Office, payout_id: str) -> tuple[str, str | None]:
    ((status, code),) = await office.rows("SELECT status, error_code FROM payouts WHERE id = $1::text::uuid", payout_id)
    return status, code


@pytest.mark.parametrize("way", [{"key": KEY}, {"qr": STATIC}, {"qr": DYNAMIC}], ids=["key", "static", "dynamic"])
@pytest.mark.parametrize(
    ("entry", "end"),
    [
        (entry_of(KEY), ("PENDING", None)),
        (replace(entry_of(KEY), name="Fabio F. de Fora"), ("PENDING", None)),
        (entry_of(KEY, account="300004"), ("ERROR", "RECEIVER_CHANGED")),
        (replace(entry_of(KEY), document_number="98765432100"), ("ERROR", "RECEIVER_CHANGED")),
        (NoEntry("NotFound"), ("ERROR", "NOT_PAYABLE")),
    ],
    ids=["the same", "another name", "another account", "another holder", "nobody"],
)
async def test_where_its_key_leads(office: Office, way: dict[str, Any], entry: Any, end: tuple[str, str | None]) -> None:
    payout_id = await scheduled(office, way)
    office.outside.entries[KEY] = entry
    await office.begin(payout_id)
    assert office.outside.asked == [KEY]
    assert await status_of(office, payout_id) == end
    assert await office.money() == ((10_000_000, 0) if end[0] == "ERROR" else (9_999_000, 1000))


@pytest.mark.parametrize("charge", [NoCharge("EXPIRED", "is paid"), replace(CHARGE, amount=Money(1001, "BRL"))])
async def test_what_its_qr_asks_for(office: Office, charge: Any) -> None:
    payout_id = await scheduled(office, {"qr": DYNAMIC})
    office.outside.charges[LOCATION] = charge
    await office.begin(payout_id)
    assert await status_of(office, payout_id) == ("ERROR", "NOT_PAYABLE")
    assert await office.events(payout_id) == ["ORDER-PAYOUT.ERROR"]


async def test_an_account_that_was_named_asks_nobody(office: Office) -> None:
    payout_id = await scheduled(office, {})
    await office.begin(payout_id)
    assert (office.outside.asked, await status_of(office, payout_id)) == ([], ("PENDING", None))


async def test_a_silent_directory_is_asked_again_until_its_time_is_over(office: Office) -> None:
    await office.limit(transaction=500)
    payout_id = await scheduled(office, {"key": KEY})
    office.outside.entries[KEY] = Transient("no answer")
    await office.begin(payout_id)
    starts = await office.column("SELECT start_at - business_now() FROM payouts")
    assert len(starts) == 3
    assert all(timedelta(minutes=4) < wait <= timedelta(minutes=5) for wait in starts)
    assert await office.column("UPDATE payouts SET scheduled_on = scheduled_on - 2 WHERE company_id = tenant() RETURNING 1")
    await office.begin(payout_id)
    assert (await status_of(office, payout_id), await office.children(payout_id)) == (("EXPIRED", None), ["EXPIRED"] * 2)
    assert await office.money() == (10_000_000, 0)


async def test_a_batch_that_an_older_version_made_of_a_charge_is_not_sent_in_parts(office: Office) -> None:
    """Each part would be refused for its amount, or the first be taken for the whole."""
    await office.limit(transaction=500)
    payout_id = await scheduled(office, {"key": KEY})
    await office.rows("UPDATE payouts SET qr = $1, initiation = 'DYNAMIC_QR' RETURNING 1", DYNAMIC)
    await office.begin(payout_id)
    assert await status_of(office, payout_id) == ("ERROR", "NOT_PAYABLE")
    assert await office.money() == (10_000_000, 0)
    assert await office.column("SELECT count(*) FROM outbox") == [0]
