"""lastro company review, lastro payout review, approve and refuse: what they print, what they keep, and every no."""

import asyncio
import os
import pwd
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.cast import Cast
from tests.rooms.payouts.office import Office as Room

from lastro.config.settings import read
from lastro.core.money import Money
from lastro.rails import port

from .test_commands import Office, environment


@pytest.fixture
async def room(own_database: Any) -> AsyncIterator[Room]:
    """Ana's company, whose clients ask for payouts."""
    cast = Cast.of(own_database.app, size=2)
    yield await Room.open(cast, await cast.ana())
    await cast.close()


@pytest.fixture
def desk(own_database: Any, tmp_path: Path) -> Office:
    return Office(read(environment(own_database, tmp_path)))


async def asks(desk: Office, *words: str) -> Any:
    """A command ends with the loop that it has made."""
    return await asyncio.to_thread(desk.asks, *words)


async def declined(desk: Office, *words: str) -> str:
    return await asyncio.to_thread(desk.declined, *words)


async def test_the_line_is_drawn_moved_and_shown(room: Room, desk: Office) -> None:
    number = str(room.ana.number)
    assert (await asks(desk, "company", "show", number))["reviewAbove"] is None
    assert (await room.make(1_000_000))["status"] == "PENDING"
    lines: tuple[tuple[tuple[str, ...], str | None], ...] = (
        (("--above", "50000"), "50000.00"), (("--above", "0.01"), "0.01"), (("--off",), None), (("--above", "100.00"), "100.00"),
    )  # fmt: skip
    for words, shown in lines:
        assert (await asks(desk, "company", "review", number, *words))["reviewAbove"] == shown
        assert (await asks(desk, "company", "show", number))["reviewAbove"] == shown
    assert [(await room.make(cents))["status"] for cents in (10_000, 10_001)] == ["PENDING", "ANALYSIS"]
    for wrong in ("0", "-1", "1,00", "1.001", "all"):
        assert "--above must" in await declined(desk, "company", "review", number, f"--above={wrong}")
    assert "There is no company '77'" in await declined(desk, "company", "review", "77", "--off")
    for both_or_none in (("--off", "--above", "1.00"), ()):
        with pytest.raises(SystemExit) as usage:
            await asks(desk, "company", "review", number, *both_or_none)
        assert usage.value.code == 2
    assert (await asks(desk, "company", "show", number))["reviewAbove"] == "100.00"


async def test_what_belongs_to_another_payment_is_listed_and_ended_by_evidence(room: Room, desk: Office) -> None:
    """Beside what the room proves of the evidence: what the commands print, and their noes."""
    assert await asks(desk, "payout", "contradicted", "list") == []
    made = await room.make(1_000)
    name = made["endToEndId"]
    why = ("--reason", "call 77", "--by", "rita")
    assert "its network is asked about it" in await declined(desk, "payout", "disprove", name, *why)
    kind, final = room.final(made)
    assert await room.told(kind, replace(final, of=port.Facts(Money(1_001, "BRL")))) == "alarmed"
    (row,) = await asks(desk, "payout", "contradicted", "list", "--company", str(room.ana.number))
    assert (row["company"], row["id"], row["name"], row["differs"]) == (room.ana.number, made["id"], name, ["amount"])
    assert "is no id of ours" in await declined(desk, "payout", "disprove", "E" + "0" * 31, *why)
    assert "There is no payout" in await declined(
        desk, "payout", "disprove", f"{name[:-1]}{'a' if name[-1] != 'a' else 'b'}", *why
    )
    assert (await asks(desk, "payout", "disprove", name, *why))["status"] == "ERROR"
    assert await asks(desk, "payout", "contradicted", "list") == []
    assert await room.state(made["id"]) == "ERROR"


async def test_what_waits_is_listed_longest_first(room: Room, desk: Office) -> None:
    dora = await room.cast.dora()
    assert await asks(desk, "payout", "review", "list") == []
    await asks(desk, "company", "review", str(room.ana.number), "--above", "10.00")
    await room.limit(transaction=1000)
    first, second = await room.make(1_500), await room.make(1_501)
    await room.make(1_000)
    listed = await asks(desk, "payout", "review", "list")
    assert [p["id"] for p in listed] == [first["id"], second["id"]]
    assert listed[0] | {"since": "", "externalId": ""} == {
        "id": first["id"], "company": room.ana.number, "since": "", "amount": "15.00", "method": "PIX", "transfers": 2,
        "account": room.ana.account_number, "holder": room.ana.holder.full_name, "receiver": "Fabio de Fora",
        "document": "CPF 24681357928", "bank": "BANCO RECEBEDOR SIMULADO", "receiverAccount": "0001/300003",
        "externalId": "",
    }  # fmt: skip
    assert await asks(desk, "payout", "review", "list", "--company", str(room.ana.number)) == listed
    assert await asks(desk, "payout", "review", "list", "--company", str(dora.number)) == []


async def test_who_has_decided_is_kept(room: Room, desk: Office) -> None:
    await asks(desk, "company", "review", str(room.ana.number), "--above", "10.00")
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
        done = await asks(desk, "payout", verb, payout["id"].upper(), *more)
        assert done == {
            "id": payout["id"], "externalId": payout["externalId"], "status": status, "amount": "15.00", "transfers": 1,
        }  # fmt: skip
        assert await room.column(sql, payout["id"]) == [kept]
        assert await room.state(payout["id"]) == status


async def test_every_no_is_a_sentence(room: Room, desk: Office) -> None:
    await asks(desk, "company", "review", str(room.ana.number), "--above", "10.00")
    payout, other = await room.make(1_500), await room.make(500)
    for verb, more in (("approve", ()), ("refuse", ("--reason", "no"))):
        for nobody in ("7", str(room.ana.account_id), ""):
            assert "There is no payout" in await declined(desk, "payout", verb, nobody, *more)
        assert "status is PENDING and not ANALYSIS" in await declined(desk, "payout", verb, other["id"], *more)
        for wrong in ("", " ", "x" * 81, "two\nlines"):
            assert "--by must be one line" in await declined(desk, "payout", verb, payout["id"], "--by", wrong, *more)
    for wrong in ("", "x" * 401, "a\x1b[2Jb"):
        assert "--reason must be one line" in await declined(desk, "payout", "refuse", payout["id"], "--reason", wrong)
    with pytest.raises(SystemExit):
        await asks(desk, "payout", "refuse", payout["id"])
    assert await room.state(payout["id"]) == "ANALYSIS"
    await asks(desk, "payout", "approve", payout["id"])
    assert "status is PENDING and not ANALYSIS" in await declined(desk, "payout", "approve", payout["id"])
