"""What the network tells is stored before it hears that we have it, once, for the company it concerns."""

import asyncio
from collections.abc import Sequence

import pytest

from lastro.core import failpoints
from lastro.rails import port
from lastro.rails.inbox import NobodysMessage
from lastro.standards.pix_ids import order_message_id, return_id

from .conftest import AT, DEADLINE_SECONDS, House, Scene, until
from .network import ISPB, ask, end_to_end_id, final, message


async def _stored(scene: Scene, count: int) -> bool:
    return len(await scene.inbox_rows()) >= count and scene.network.confirmed == len(scene.network.messages)


async def test_a_message_is_stored_before_it_is_confirmed(scene: Scene, house: House) -> None:
    scene.network.tell(ask("M1", 1, house.account), final("M2", 1))
    seen: list[tuple[int, int]] = []
    failpoints.listen(lambda name: seen.append((scene.network.confirmed, 0)) if name == "inbox.stored" else None)
    try:

        async def keep(told: Sequence[port.NetworkMessage]) -> None:
            assert scene.network.confirmed == 0
            await scene.inbox.keep(told)
            assert len(await scene.inbox_rows()) == 2

        await scene.listen_until(lambda: _stored(scene, 2), keep)
    finally:
        failpoints.listen(None)
    assert seen[0] == (0, 0)
    rows = await scene.inbox_rows()
    assert [(r["company_id"], r["kind"], r["network_id"]) for r in rows] == [
        (house.ana, port.PIX_ASK, "M1"),
        (house.ana, port.PIX_FINAL, "M2"),
    ]
    assert {r["subject"] for r in rows} == {end_to_end_id(1)}
    arrival = port.arrival(bytes(rows[0]["body"]))
    assert (arrival.amount.minor, arrival.payer.ibge_code, arrival.receiver_account) == (1000, "3550308", house.account)


async def test_a_second_copy_is_dropped(scene: Scene, house: House) -> None:
    scene.network.tell(ask("M1", 1, house.account), ask("M1", 1, house.account))
    await scene.listen_until(lambda: _stored(scene, 1))
    scene.network.tell(ask("M1", 1, house.account), ask("M9", 1, house.account))
    await scene.listen_until(lambda: _stored(scene, 2))
    assert [r["network_id"] for r in await scene.inbox_rows()] == ["M1", "M9"]


async def test_what_a_killed_puller_had_stored_comes_again_and_is_dropped(scene: Scene, house: House) -> None:
    scene.network.tell(ask("M1", 1, house.account))

    async def stored_and_killed(told: Sequence[port.NetworkMessage]) -> None:
        await scene.inbox.keep(told)
        raise asyncio.CancelledError

    killed = asyncio.ensure_future(scene.listening(asyncio.Event(), stored_and_killed))
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(killed, DEADLINE_SECONDS)
    assert (len(await scene.inbox_rows()), scene.network.confirmed) == (1, 0)
    await scene.listen_until(lambda: _stored(scene, 1))
    assert len(scene.network.given) == 2
    assert len(await scene.inbox_rows()) == 1


async def test_what_could_not_be_stored_is_not_confirmed(scene: Scene, house: House) -> None:
    scene.network.tell(ask("M1", 1, house.account))
    tries = 0

    async def away_at_first(told: Sequence[port.NetworkMessage]) -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise OSError("the database is away")
        assert scene.network.confirmed == 0
        await scene.inbox.keep(told)

    await scene.listen_until(lambda: _stored(scene, 1), away_at_first)
    assert tries == 3


async def test_without_the_institutions_company_nothing_is_taken(scene: Scene) -> None:
    with pytest.raises(NobodysMessage):
        await scene.inbox.keep([port.NetworkMessage(port.UNKNOWN, "M1", "M1", b"{}")])


async def test_stopping_confirms_what_is_stored_and_ends_the_stream(scene: Scene, house: House) -> None:
    scene.network.tell(ask("M1", 1, house.account))

    async def stored() -> bool:
        return len(await scene.inbox_rows()) == 1

    await scene.listen_until(stored)
    assert scene.network.confirmed == 1
    assert scene.network.deleted == 1


async def test_messages_find_their_company(scene: Scene, house: House) -> None:
    bento = await scene.company(8)
    other = await scene.account(bento, "00000002")
    ours = return_id(ISPB, AT, 8, 1)
    unknown_company = return_id(ISPB, AT, 99, 1)
    scene.network.tell(
        ask("M01", 1, house.account),
        ask("M02", 2, other),
        final("M03", 2),
        ask("M04", 3, "999999999"),  # nobody's account
        final("M05", 4),  # nobody was asked about it
        message("pacs.002", "M06", endToEndId=end_to_end_id(2), returnId=ours, status="ACSC"),
        message("pacs.002", "M07", endToEndId=end_to_end_id(2), returnId=unknown_company, status="RJCT", code="AM09"),
        message("admi.002", "M08", relatedMsgId="M" + ours[1:], reason="no such thing"),
        message("admi.002", "M09", relatedMsgId="Mwhatever"),
        ask("M10", 5, other, settledAt="2026-11-20T12:00:01.000Z") | {"type": "camt.054"},
        message("admi.002", "M13", relatedMsgId=order_message_id(ISPB, 8, bytes(24))),
        message("admi.002", "M14", relatedMsgId=order_message_id(ISPB, 99, bytes(24))),
    )
    await scene.listen_until(lambda: _stored(scene, 12))
    scene.network.tell(final("M11", 1), final("M12", 3, "RJCT", code="AB03"))
    await scene.listen_until(lambda: _stored(scene, 14))
    owners = {r["network_id"]: (r["company_id"], r["kind"]) for r in await scene.inbox_rows()}
    zero = house.institution
    assert owners == {
        "M01": (house.ana, "pix.ask"), "M02": (bento, "pix.ask"), "M03": (bento, "pix.final"), "M04": (zero, "pix.ask"),
        "M05": (zero, "pix.final"), "M06": (bento, "return.final"), "M07": (zero, "return.final"), "M08": (bento, "return.doubted"),
        "M09": (zero, "refused"), "M10": (bento, "pix.settled"), "M11": (house.ana, "pix.final"), "M12": (zero, "pix.final"),
        "M13": (bento, "order.doubted"), "M14": (zero, "order.doubted"),
    }  # fmt: skip
    subjects = {r["network_id"]: r["subject"] for r in await scene.inbox_rows()}
    assert (subjects["M06"], subjects["M08"], subjects["M01"]) == (ours, ours, end_to_end_id(1))


async def test_what_cannot_be_read_is_kept_and_blocks_nothing(scene: Scene, house: House) -> None:
    scene.network.tell(
        message("pacs.999", "M1", endToEndId=end_to_end_id(1), anything={"new": True}),
        ask("M2", 2, house.account, amount="10,00"),
        ask("M3", 3, house.account, endToEndId="no id"),
        '{"type": "pacs.008"}',
        '"not even an object"',
        ask("M4", 4, house.account, remittance="a\0b"),
        final("M5", 5, "WHAT"),
        ask("M6", 6, house.account, surprise=1, localInstrument="NEW1"),
    )
    await scene.listen_until(lambda: _stored(scene, 8))
    rows = await scene.inbox_rows()
    kinds = {r["network_id"]: r["kind"] for r in rows}
    assert kinds.pop("M6") == "pix.ask"
    assert set(kinds.values()) == {"unknown"}
    assert {r["company_id"] for r in rows if r["kind"] == "unknown"} == {house.institution}
    assert {"M1", "M2", "M3", "M4", "M5"} < set(kinds)
    bodies = {r["network_id"]: bytes(r["body"]) for r in rows}
    assert bodies["M1"].decode() == scene.network.messages[0]


async def test_a_closed_stream_is_begun_anew(scene: Scene, house: House) -> None:
    scene.network.tell(ask("M1", 1, house.account))
    stop = asyncio.Event()
    task = asyncio.ensure_future(scene.listening(stop))
    await until(lambda: _stored(scene, 1))
    scene.network._pulls.clear()
    scene.network.tell(ask("M2", 2, house.account))
    await until(lambda: _stored(scene, 2))
    stop.set()
    await asyncio.wait_for(task, DEADLINE_SECONDS)


async def test_a_batch_whose_answer_got_lost_is_asked_for_again_on_the_same_stream(scene: Scene, house: House) -> None:
    stop = asyncio.Event()
    task = asyncio.ensure_future(scene.listening(stop))
    scene.network.tell(ask("M1", 1, house.account))
    await until(lambda: _stored(scene, 1))
    scene.network.lose_pulls = 2
    scene.network.tell(ask("M2", 2, house.account))
    await until(lambda: _stored(scene, 2))
    stop.set()
    await asyncio.wait_for(task, DEADLINE_SECONDS)
    assert sum(path.endswith("/start") for path in scene.network.pulled) == 1
    assert [r["network_id"] for r in await scene.inbox_rows()] == ["M1", "M2"]
