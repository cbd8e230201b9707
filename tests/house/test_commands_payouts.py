"""lastro payout, unmatched and company review: what they print and keep, and every no. Bookings: tests/journeys/test_losses.py."""

import asyncio
import os
import pwd
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.cast import INSTITUTION, Cast
from tests.rooms.orders.shop import Shop
from tests.rooms.orders.test_refunds_proved import failed
from tests.rooms.orders.test_stranded import refused_back, stands
from tests.rooms.payouts.office import Office as Room
from tests.rooms.payouts.test_stranded import came_back, story

from lastro.app import networks
from lastro.config.settings import read
from lastro.core.money import Money
from lastro.rails import port
from lastro.standards.ted_ids import control_number

from .office import Office, environment

AT = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
TIME = "2026-11-23T10:15:00-03:00"


def test_what_cannot_be_proved(office: Office) -> None:
    office.asks("company", "add", "Ana Flores")
    ours, nobodys = control_number(AT, 1, 1), control_number(AT, 7, 1)
    for number in ("STR20261123000000001", "E99999020202611231300000000abcde", "", ours[:-1]):
        assert "is no id of ours" in office.declined("payout", "prove", number, "--settled-at", TIME)
    for time in ("yesterday", "2026-11-23", "2026-11-23T10:15:00"):
        assert "must be a time with its offset" in office.declined("payout", "prove", ours, "--settled-at", time)
    assert "There is no company '7'" in office.declined("payout", "prove", nobodys, "--settled-at", TIME)
    for name in (ours, "E9999901020261123130000001abcdef"):
        assert "is that of no Pix or TED that we sent" in office.declined("payout", "prove", name, "--settled-at", TIME)
    back = "D9999901020261123130000001abcdef"
    assert "is that of no Pix refund that we sent" in office.declined("payout", "prove", back, "--settled-at", TIME)


async def test_a_refund_is_proved(own_database: Any, office: Office) -> None:
    cast = Cast.of(own_database.app, size=2)
    shop = Shop(cast, await cast.ana())
    order_id = await shop.paid(1000)
    ispb = networks.place_of(office.settings).institution.ispb
    refund = await failed(shop, order_id, 400)
    # The network knows it by an id of the institution that the office is of.
    name = refund["returnId"].replace(INSTITUTION.ispb, ispb, 1)
    for table, column in (("refunds", "return_id"), ("inbox", "subject"), ("outbox", "network_id")):
        await shop.rows(f"UPDATE {table} SET {column} = $1 WHERE {column} = $2 RETURNING 1", name, refund["returnId"])
    at = datetime.now(UTC).isoformat()
    proved = await asyncio.to_thread(office.asks, "payout", "prove", name, "--settled-at", at)
    assert (proved["id"], proved["status"], proved["amount"]) == (refund["id"], "PAID", "4.00")
    assert await shop.stands(order_id) == ("PARTIAL_REFUNDED", 400, ["PAID"])
    assert "the refund is PAID" in await asyncio.to_thread(office.declined, "payout", "prove", name, "--settled-at", at)
    await cast.database.close()


async def test_it_is_listed_decided_about_and_gone(own_database: Any, tmp_path: Path) -> None:
    cast, office = Cast.of(own_database.app, size=2), Office(read(environment(own_database, tmp_path)))
    shop = Shop(cast, await cast.ana())

    def asks(*words: str) -> Any:
        return asyncio.to_thread(office.asks, "unmatched", *words)

    def declined(*words: str) -> Any:
        return asyncio.to_thread(office.declined, "unmatched", *words)

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
        return asyncio.to_thread(office.asks, "unmatched", *words)

    def declined(*words: str) -> Any:
        return asyncio.to_thread(office.declined, "unmatched", *words)

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


@pytest.fixture
async def room(own_database: Any) -> AsyncIterator[Room]:
    """Ana's company, whose clients ask for payouts."""
    cast = Cast.of(own_database.app, size=2)
    yield await Room.open(cast, await cast.ana())
    await cast.close()


async def asks(office: Office, *words: str) -> Any:
    """A command ends with the loop that it has made."""
    return await asyncio.to_thread(office.asks, *words)


async def declined(office: Office, *words: str) -> str:
    return await asyncio.to_thread(office.declined, *words)


async def test_the_line_is_drawn_moved_and_shown(room: Room, office: Office) -> None:
    number = str(room.ana.number)
    assert (await asks(office, "company", "show", number))["reviewAbove"] is None
    assert (await room.make(1_000_000))["status"] == "PENDING"
    lines: tuple[tuple[tuple[str, ...], str | None], ...] = (
        (("--above", "50000"), "50000.00"), (("--above", "0.01"), "0.01"), (("--off",), None), (("--above", "100.00"), "100.00"),
    )  # fmt: skip
    for words, shown in lines:
        assert (await asks(office, "company", "review", number, *words))["reviewAbove"] == shown
        assert (await asks(office, "company", "show", number))["reviewAbove"] == shown
    assert [(await room.make(cents))["status"] for cents in (10_000, 10_001)] == ["PENDING", "ANALYSIS"]
    for wrong in ("0", "-1", "1,00", "1.001", "all"):
        assert "--above must" in await declined(office, "company", "review", number, f"--above={wrong}")
    assert "There is no company '77'" in await declined(office, "company", "review", "77", "--off")
    for both_or_none in (("--off", "--above", "1.00"), ()):
        with pytest.raises(SystemExit) as usage:
            await asks(office, "company", "review", number, *both_or_none)
        assert usage.value.code == 2
    assert (await asks(office, "company", "show", number))["reviewAbove"] == "100.00"


async def test_what_belongs_to_another_payment_is_listed_and_ended_by_evidence(room: Room, office: Office) -> None:
    """Beside what the room proves of the evidence: what the commands print, and their noes."""
    assert await asks(office, "payout", "contradicted", "list") == []
    made = await room.make(1_000)
    name = made["endToEndId"]
    why = ("--reason", "call 77", "--by", "rita")
    assert "its network is asked about it" in await declined(office, "payout", "disprove", name, *why)
    kind, final = room.final(made)
    assert await room.told(kind, replace(final, of=port.Facts(Money(1_001, "BRL")))) == "alarmed"
    (row,) = await asks(office, "payout", "contradicted", "list", "--company", str(room.ana.number))
    assert (row["company"], row["id"], row["name"], row["differs"]) == (room.ana.number, made["id"], name, ["amount"])
    assert "is no id of ours" in await declined(office, "payout", "disprove", "E" + "0" * 31, *why)
    assert "There is no payout" in await declined(
        office, "payout", "disprove", f"{name[:-1]}{'a' if name[-1] != 'a' else 'b'}", *why
    )
    assert (await asks(office, "payout", "disprove", name, *why))["status"] == "ERROR"
    assert await asks(office, "payout", "contradicted", "list") == []
    assert await room.state(made["id"]) == "ERROR"


async def test_what_waits_is_listed_longest_first(room: Room, office: Office) -> None:
    dora = await room.cast.dora()
    assert await asks(office, "payout", "review", "list") == []
    await asks(office, "company", "review", str(room.ana.number), "--above", "10.00")
    await room.limit(transaction=1000)
    first, second = await room.make(1_500), await room.make(1_501)
    await room.make(1_000)
    listed = await asks(office, "payout", "review", "list")
    assert [p["id"] for p in listed] == [first["id"], second["id"]]
    assert listed[0] | {"since": "", "externalId": ""} == {
        "id": first["id"], "company": room.ana.number, "since": "", "amount": "15.00", "method": "PIX", "transfers": 2,
        "account": room.ana.account_number, "holder": room.ana.holder.full_name, "receiver": "Fabio de Fora",
        "document": "CPF 24681357928", "bank": "BANCO RECEBEDOR SIMULADO", "receiverAccount": "0001/300003",
        "externalId": "",
    }  # fmt: skip
    assert await asks(office, "payout", "review", "list", "--company", str(room.ana.number)) == listed
    assert await asks(office, "payout", "review", "list", "--company", str(dora.number)) == []


async def test_who_has_decided_is_kept(room: Room, office: Office) -> None:
    await asks(office, "company", "review", str(room.ana.number), "--above", "10.00")
    sql = "SELECT reason FROM history WHERE reference_id = $1::text::uuid ORDER BY version DESC LIMIT 1"
    me = pwd.getpwuid(os.getuid()).pw_name
    for words, status, kept in (
        (("approve",), "PENDING", f"by {me}"),
        (("approve", "--by", "Bia Braga"), "PENDING", "by Bia Braga"),
        (("refuse", "--reason", " unlike her "), "CANCELED", f"by {me}: unlike her"),
        (("refuse", "--reason", "unlike her", "--by", "bia"), "CANCELED", "by bia: unlike her"),
    ):
        payout = await room.make(1_500)
        verb, *more = words
        done = await asks(office, "payout", verb, payout["id"].upper(), *more)
        assert done == {
            "id": payout["id"], "externalId": payout["externalId"], "status": status, "amount": "15.00", "transfers": 1,
        }  # fmt: skip
        assert await room.column(sql, payout["id"]) == [kept]
        assert await room.state(payout["id"]) == status


async def test_every_no_is_a_sentence(room: Room, office: Office) -> None:
    await asks(office, "company", "review", str(room.ana.number), "--above", "10.00")
    payout, other = await room.make(1_500), await room.make(500)
    for verb, more in (("approve", ()), ("refuse", ("--reason", "no"))):
        for nobody in ("7", str(room.ana.account_id), ""):
            assert "There is no payout" in await declined(office, "payout", verb, nobody, *more)
        assert "status is PENDING and not ANALYSIS" in await declined(office, "payout", verb, other["id"], *more)
        for wrong in ("", " ", "x" * 81, "two\nlines"):
            assert "--by must be one line" in await declined(office, "payout", verb, payout["id"], "--by", wrong, *more)
    for wrong in ("", "x" * 401, "a\x1b[2Jb"):
        assert "--reason must be one line" in await declined(office, "payout", "refuse", payout["id"], "--reason", wrong)
    with pytest.raises(SystemExit):
        await asks(office, "payout", "refuse", payout["id"])
    assert await room.state(payout["id"]) == "ANALYSIS"
    await asks(office, "payout", "approve", payout["id"])
    assert "status is PENDING and not ANALYSIS" in await declined(office, "payout", "approve", payout["id"])
