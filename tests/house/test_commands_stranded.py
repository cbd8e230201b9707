"""lastro stranded: what it lists, what credit and pay-out book, and every no."""

import asyncio
from pathlib import Path
from typing import Any

from tests.cast import Cast
from tests.rooms.orders.shop import Shop
from tests.rooms.orders.test_stranded import refused_back, stands
from tests.rooms.payouts.office import Office as Room
from tests.rooms.payouts.test_stranded import came_back, story

from lastro.config.settings import read

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
    assert (one["payoutId"], one["why"]) == (None, "NOT_TAKEN_BACK")
    assert "one line" in await declined("credit", one["id"], "--reason", "a\nb")
    named = ("--account", shop.ana.account_number)
    assert "leave out --account" in await declined("credit", one["id"], "--reason", "x", *named)
    for unknown in (str(cast.id()), "x"):
        assert "There is no stranded money" in await declined("credit", unknown, "--reason", "x")
    done = await asks("pay-out", one["id"], "--reason", "SPEI 4711", "--by", "bia")
    assert (done["id"], done["state"]) == (one["id"], "PAID_OUT")
    assert await stands(shop, refund_id) == ("PAID_OUT", "PAID_OUT", ["by bia: SPEI 4711"])
    assert await asks("list") == []
    for way in ("credit", "pay-out"):
        assert "is PAID_OUT" in await declined(way, one["id"], "--reason", "again")
    await cast.database.close()


async def test_so_is_what_came_back_of_a_payout(own_database: Any, tmp_path: Path) -> None:
    cast, office = Cast.of(own_database.app, size=2), Office(read(environment(own_database, tmp_path)))
    room = await Room.open(cast, await cast.ana(), 1000)
    other = (await cast.open_account(room.ana.company_id))["number"]

    def asks(*words: str) -> Any:
        return asyncio.to_thread(office.asks, "stranded", *words)

    def declined(*words: str) -> Any:
        return asyncio.to_thread(office.declined, "stranded", *words)

    payout_id, return_id = await came_back(room, 400, closed=True)
    ((name, return_name),) = await room.rows(
        "SELECT p.end_to_end_id, r.return_id FROM payout_returns r JOIN payouts p ON p.id = r.payout_id"
    )
    (one,) = await asks("list")
    assert one == {
        "company": room.ana.number, "id": str(return_id), "state": "STRANDED", "rail": "pix", "currency": "BRL", "amount": "4.00",
        "paymentId": name, "returnId": return_name, "account": room.ana.account_number, "settledAt": one["settledAt"],
        "payoutId": payout_id, "why": "ACCOUNT_CLOSED",
    }  # fmt: skip
    assert "the payout's account is closed" in await declined("credit", one["id"], "--reason", "x")
    assert "There is no account" in await declined("credit", one["id"], "--reason", "x", "--account", "7")
    done = await asks("credit", one["id"], "--account", other, "--reason", "mail of 26 November", "--by", "bia")
    assert (done["id"], done["state"], done["account"]) == (one["id"], "CREDITED", other)
    assert (await story(room, payout_id))[0] == ("decide", "PAID", "by bia: mail of 26 November")
    assert await asks("list") == []
    for words in (("credit", "--account", other), ("pay-out",)):
        assert "is CREDITED" in await declined(words[0], one["id"], "--reason", "again", *words[1:])
    await cast.database.close()
