"""lastro stranded: what it lists, what credit and pay-out book, and every no."""

import asyncio
from pathlib import Path
from typing import Any

from tests.cast import Cast
from tests.rooms.orders.shop import Shop
from tests.rooms.orders.test_stranded import refused_back, stands

from lastro.doors.settings import read

from .test_commands import Office, environment


async def test_it_is_listed_decided_about_and_gone(own_database: Any, tmp_path: Path) -> None:
    cast, office = Cast.of(own_database.app, size=2), Office(read(environment(own_database, tmp_path)))
    shop = Shop(cast, await cast.ana())

    def asks(*words: str) -> Any:
        return asyncio.to_thread(office.asks, "stranded", *words)

    def declined(*words: str) -> Any:
        return asyncio.to_thread(office.declined, "stranded", *words)

    assert await asks("list") == []
    refund_id = await refused_back(shop)
    (one,) = await asks("list")
    assert (one["id"], one["state"], one["amount"], one["currency"]) == (str(refund_id), "STRANDED", "123.45", "MXN")
    assert (one["company"], one["rail"], one["account"]) == (shop.ana.number, "paynet", shop.ana.account_number)
    assert await asks("list", "--company", str(shop.ana.number)) == [one]
    assert "one line" in await declined("credit", one["id"], "--reason", "a\nb")
    for unknown in (str(cast.id()), "x"):
        assert "There is no stranded money" in await declined("credit", unknown, "--reason", "x")
    done = await asks("pay-out", one["id"], "--reason", "SPEI 4711", "--by", "bia")
    assert (done["id"], done["state"]) == (one["id"], "PAID_OUT")
    assert await stands(shop, refund_id) == ("PAID_OUT", "PAID_OUT", ["by bia: SPEI 4711"])
    assert await asks("list") == []
    for way in ("credit", "pay-out"):
        assert "is PAID_OUT" in await declined(way, one["id"], "--reason", "again")
    await cast.database.close()
