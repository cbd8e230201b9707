"""lastro payout: every no in a sentence, and a refund that is proved. What a yes books of a payout is in tests/journeys/test_losses.py."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.cast import INSTITUTION, Cast
from tests.rooms.orders.shop import Shop
from tests.rooms.orders.test_refunds_proved import failed

from lastro.app import wiring
from lastro.config.settings import read
from lastro.standards.ted_ids import control_number

from .test_commands import Office, environment

AT = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
TIME = "2026-11-23T10:15:00-03:00"


@pytest.fixture
def desk(own_database: Any, tmp_path: Path) -> Office:
    return Office(read(environment(own_database, tmp_path)))


def test_what_cannot_be_proved(desk: Office) -> None:
    desk.asks("company", "add", "Ana Flores")
    ours, nobodys = control_number(AT, 1, 1), control_number(AT, 7, 1)
    for number in ("STR20261123000000001", "E99999020202611231300000000abcde", "", ours[:-1]):
        assert "is no id of ours" in desk.declined("payout", "prove", number, "--settled-at", TIME)
    for time in ("yesterday", "2026-11-23", "2026-11-23T10:15:00"):
        assert "must be a time with its offset" in desk.declined("payout", "prove", ours, "--settled-at", time)
    assert "There is no company '7'" in desk.declined("payout", "prove", nobodys, "--settled-at", TIME)
    for name in (ours, "E9999901020261123130000001abcdef"):
        assert "is that of no Pix or TED that we sent" in desk.declined("payout", "prove", name, "--settled-at", TIME)
    back = "D9999901020261123130000001abcdef"
    assert "is that of no Pix refund that we sent" in desk.declined("payout", "prove", back, "--settled-at", TIME)


async def test_a_refund_is_proved(own_database: Any, desk: Office) -> None:
    cast = Cast.of(own_database.app, size=2)
    shop = Shop(cast, await cast.ana())
    order_id = await shop.paid(1000)
    ispb = wiring.place_of(desk.settings).institution.ispb
    refund = await failed(shop, order_id, 400)
    # The network knows it by an id of the institution that the desk is of.
    name = refund["returnId"].replace(INSTITUTION.ispb, ispb, 1)
    for table, column in (("refunds", "return_id"), ("inbox", "subject"), ("outbox", "network_id")):
        await shop.rows(f"UPDATE {table} SET {column} = $1 WHERE {column} = $2 RETURNING 1", name, refund["returnId"])
    at = datetime.now(UTC).isoformat()
    proved = await asyncio.to_thread(desk.asks, "payout", "prove", name, "--settled-at", at)
    assert (proved["id"], proved["status"], proved["amount"]) == (refund["id"], "PAID", "4.00")
    assert await shop.stands(order_id) == ("PARTIAL_REFUNDED", 400, ["PAID"])
    assert "the refund is PAID" in await asyncio.to_thread(desk.declined, "payout", "prove", name, "--settled-at", at)
    await cast.database.close()
