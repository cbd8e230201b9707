"""Charges of Pix Automático on the lanes: what is told finds its company, what is ordered is told once and asked about."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext
from lastro.core.write import Write
from lastro.rails import port
from lastro.standards.pix_ids import message_id

from .conftest import AT, House, Scene, until
from .network import ISPB, TOKEN, ask, end_to_end_id, message, recurrence_id
from .test_recurrence import OUTBOX, agreeing, handled, shop
from .test_simulated import simulated, working

TXID = "a" * 32
DUE = date(2027, 2, 1)
SAID = {"originalMsgId": "M9", "txId": TXID, "decidedAt": "2026-11-20T12:00:00.000Z"}
KINDS = (
    port.PIX_ASK, port.PIX_FINAL, port.PIX_SETTLED, port.AUTHORIZATION_ASK, port.CHARGE_SCHEDULED, port.CHARGE_REFUSED,
    port.CHARGE_CANCELED, port.CHARGE_CANCEL_FINAL,
)  # fmt: skip


def instruction(scene: Scene, house: House, id_rec: str, **changes: Any) -> port.ChargeInstruction:
    name = port.ChargeInstruction.new_message_id(ISPB, id_rec, scene.chance.bytes(24))
    owner = port.Collector("Loja da Ana Ltda", "11222333000181", "0001", house.account)
    made = port.ChargeInstruction(
        name, id_rec, TXID, "AGND", Money(2990, "BRL"), DUE, DUE, "99999020", "12345678909", owner, "Mensalidade"
    )
    return msgspec.structs.replace(made, **changes)


async def ordered(scene: Scene, house: House, order: port.ChargeInstruction) -> str:
    """An instruction that is to be sent; the id of its message."""
    ids = scene.chance.uuid(AT), scene.chance.uuid(AT)
    await scene.put(house.ana, port.charge_message(order, *ids, await scene.now()))
    return order.message_id


async def called_off(scene: Scene, house: House, of: port.ChargeInstruction) -> str:
    """A cancellation that is to be asked for; the id of its message."""
    order = port.ChargeCancelOrder.new(ISPB, of.message_id, of.recurrence_id, of.txid, "SLCR", scene.chance.bytes(24))
    ids = scene.chance.uuid(AT), scene.chance.uuid(AT)
    await scene.put(house.ana, port.charge_cancel_message(order, *ids, await scene.now()))
    return order.message_id


async def test_what_is_told_finds_the_company_that_the_id_names(scene: Scene, house: House) -> None:
    ours, gone, others = recurrence_id(1), recurrence_id(2, company=99), recurrence_id(3, ispb="99999030")
    scheduled = SAID | {"status": "ACCP", "endToEndId": end_to_end_id(1)}
    canceled = {"originalMsgId": "M9", "txId": TXID, "reason": "SLBD", "canceledAt": "2026-11-20T12:00:00Z"}
    resolved = {"originalMsgId": "M8", "instructionMsgId": "M9", "status": "ACCP", "decidedAt": "2026-11-20T12:00:00Z"}
    scene.network.tell(
        message("pain.014", "M1", idRec=ours, **scheduled), message("pain.014", "M1", idRec=ours, **scheduled),
        message("pain.014", "M2", idRec=ours, **SAID, status="RJCT", code="EXPR"),
        message("camt.055", "M3", idRec=ours, **canceled), message("camt.029", "M4", idRec=ours, **resolved),
        ask("M5", 1, house.account, localInstrument="AUTO", recurrence={"idRec": ours}, txId=TXID),
        message("pain.014", "M6", idRec=gone, **scheduled), message("pain.014", "M7", idRec=others, **scheduled),
        message("pain.014", "M8", idRec="RR-not-one", **scheduled),
    )  # fmt: skip

    async def stored() -> bool:
        return len(await scene.inbox_rows()) == 8 and scene.network.confirmed == 9

    await scene.listen_until(stored)
    rows = sorted(await scene.inbox_rows(), key=lambda row: str(row["network_id"]))
    assert [(r["company_id"], r["kind"], r["network_id"], r["subject"]) for r in rows] == [
        (house.ana, port.CHARGE_SCHEDULED, "M1", ours),
        (house.ana, port.CHARGE_REFUSED, "M2", ours),
        (house.ana, port.CHARGE_CANCELED, "M3", ours),
        (house.ana, port.CHARGE_CANCEL_FINAL, "M4", ours),
        (house.ana, port.PIX_ASK, "M5", end_to_end_id(1)),
        (house.institution, port.CHARGE_SCHEDULED, "M6", gone),
        (house.institution, port.CHARGE_SCHEDULED, "M7", others),
        (house.institution, port.UNKNOWN, "M8", "M8"),
    ]


async def test_what_was_ordered_and_lost_its_answer_is_asked_about_and_not_sent_again(scene: Scene, house: House) -> None:
    order = instruction(scene, house, recurrence_id(1))
    names = [await ordered(scene, house, order), await called_off(scene, house, order)]
    scene.network.misbehave = ["lost", "lost"]
    await scene.sender.queue.drain()
    await scene.pass_time(60)
    await scene.sender.queue.drain()
    assert [one["msgId"] for one in scene.network.of("pain.013")] == names[:1]
    assert [one["msgId"] for one in scene.network.of("camt.055")] == names[1:]
    assert sorted(scene.network.asked) == sorted(names)
    assert [(r["outcome"], r["sends"]) for r in await scene.rows(OUTBOX)] == [("sent", 2), ("sent", 2)]


async def test_what_is_refused_for_good_is_news_of_its_end(scene: Scene, house: House) -> None:
    order = instruction(scene, house, recurrence_id(1))
    name, cancel = await ordered(scene, house, order), await called_off(scene, house, order)
    scene.network.misbehave = ["refuse", "refuse"]
    await scene.sender.queue.drain()
    rows = {row["kind"]: row for row in await scene.inbox_rows()}
    assert {row["subject"] for row in rows.values()} == {recurrence_id(1)}
    refused = port.charge_refused(bytes(rows[port.CHARGE_REFUSED]["body"]))
    assert (refused.message_id, refused.txid, refused.code, refused.decided_at) == (name, TXID, "INVALID_REQUEST", None)
    final = port.charge_cancel_final(bytes(rows[port.CHARGE_CANCEL_FINAL]["body"]))
    assert (final.message_id, final.original_message_id, final.outcome) == (cancel, name, "FAILED")


async def test_what_became_of_an_instruction(scene: Scene, house: House) -> None:
    name, id_rec = "M" + "1" * 31, recurrence_id(1)
    for kind in (port.CHARGE_SEND, port.CHARGE_CANCEL_SEND):
        assert await scene.rail.status_of(kind, name) == port.Unknown()
    said = {"msgId": name, "idRec": id_rec, "txId": TXID, "instructionMsgId": "M9", "status": "PENDING", "decidedAt": None}
    scene.network.statuses[name] = said
    for kind in (port.CHARGE_SEND, port.CHARGE_CANCEL_SEND):
        assert await scene.rail.status_of(kind, name) == port.Pending()
    scene.network.statuses[name] = said | {"status": "RJCT", "code": "EXPR", "decidedAt": "2026-11-20T12:00:00Z"}
    told = await scene.rail.status_of(port.CHARGE_SEND, name)
    assert isinstance(told, port.NetworkMessage)
    assert (told.kind, told.network_id, told.subject) == (port.CHARGE_REFUSED, "", id_rec)
    assert port.charge_refused(told.body) == port.ChargeRefused(name, id_rec, TXID, "EXPR", AT)
    told = await scene.rail.status_of(port.CHARGE_CANCEL_SEND, name)
    assert isinstance(told, port.NetworkMessage)
    assert port.charge_cancel_final(told.body) == port.ChargeCancelFinal(name, "M9", "REFUSED", "EXPR", AT, id_rec)
    payment = ask("M5", 1, house.account, localInstrument="AUTO", recurrence={"idRec": id_rec}, txId=TXID)
    settled = payment | {"settledAt": "2026-11-20T12:00:00Z"}
    scene.network.statuses[name] = said | {"status": "SETTLED", "payment": settled, "decidedAt": "2026-11-20T12:00:00Z"}
    told = await scene.rail.status_of(port.CHARGE_SEND, name)
    assert isinstance(told, port.NetworkMessage)
    assert (told.kind, told.subject) == (port.PIX_SETTLED, end_to_end_id(1))
    assert port.arrival(told.body).charging == id_rec
    scene.network.statuses[name] = {"status": "SETTLED"}
    for kind in (port.CHARGE_SEND, port.CHARGE_CANCEL_SEND):
        try:
            await scene.rail.status_of(kind, name)
        except port.Transient:
            continue
        raise AssertionError("what cannot be read says nothing")


async def go_to(scene: Scene, at: datetime) -> None:
    """The simulated network's clock shows this."""
    offset = (at - datetime.now(UTC)).total_seconds() * 1_000_000
    place = scene.rail._place
    url, headers = f"{place.base_url}/clock", {"Authorization": f"Bearer {TOKEN}"}
    async with (
        aiohttp.ClientSession() as client,
        client.put(url, json={"offsetMicroseconds": int(offset)}, headers=headers) as told,
    ):
        assert told.status == 200


async def heard(scene: Scene, kind: str, count: int = 1) -> list[port.InboxRow]:
    async def there() -> list[port.InboxRow]:
        found = handled(scene, kind)
        return found if len(found) >= count else []

    found: list[port.InboxRow] = await until(there)
    return found


def answering(scene: Scene) -> Any:
    """A worker that says yes to payers and to their money."""
    agree = agreeing(scene)

    def outcome(row: port.InboxRow, context: RequestContext) -> Any:
        if row.kind in (port.PIX_ASK, port.AUTHORIZATION_ASK):
            return agree(row, context)
        return Done(Write(context.company_id, finished=(row.claimed.finished("handled", context.now),)), b"")

    return outcome


async def test_a_charge_against_the_simulated_network(scene: Scene, house: House, tmp_path: Path) -> None:
    id_rec = recurrence_id(1)
    scene.outcome, scene.handler = answering(scene), scene.handler_for(*KINDS)
    async with simulated(scene, tmp_path) as act, working(scene), shop(scene, house.account, id_rec) as (code, _):
        await act("/phone/authorize", qrcodeData=code)
        await go_to(scene, datetime(2027, 1, 27, 15, tzinfo=UTC))
        order = instruction(scene, house, id_rec)
        assert await scene.rail.status_of(port.CHARGE_SEND, order.message_id) == port.Unknown()
        await ordered(scene, house, order)
        scheduled = port.charge_scheduled((await heard(scene, port.CHARGE_SCHEDULED))[0].body)
        assert (scheduled.message_id, scheduled.recurrence_id, scheduled.txid) == (order.message_id, id_rec, TXID)
        told = await scene.rail.status_of(port.CHARGE_SEND, order.message_id)
        assert isinstance(told, port.NetworkMessage)
        assert port.charge_scheduled(told.body) == scheduled
        twice = instruction(scene, house, id_rec, message_id=message_id(ISPB, scene.chance.bytes(24)))
        await ordered(scene, house, twice)
        refused = port.charge_refused((await heard(scene, port.CHARGE_REFUSED))[0].body)
        assert (refused.message_id, refused.code) == (twice.message_id, "NIEC")
        await go_to(scene, datetime(2027, 2, 1, 4, tzinfo=UTC))
        arrival = port.arrival((await heard(scene, port.PIX_ASK))[0].body)
        assert (arrival.end_to_end_id, arrival.txid, arrival.charging) == (scheduled.end_to_end_id, TXID, id_rec)
        assert (arrival.instrument, arrival.authorizing, arrival.amount) == ("AUTO", None, Money(2990, "BRL"))
        final = port.pix_final((await heard(scene, port.PIX_FINAL))[0].body)
        assert (final.end_to_end_id, final.settled) == (scheduled.end_to_end_id, True)
        collected = await scene.rail.status_of(port.CHARGE_SEND, order.message_id)
        assert isinstance(collected, port.NetworkMessage)
        assert (collected.kind, collected.subject) == (port.PIX_SETTLED, scheduled.end_to_end_id)
        assert port.arrival(collected.body).settled_at == final.settled_at
    assert {h.company_id for h in scene.handled} == {house.ana}


async def test_either_side_calls_a_charge_off_in_the_simulated_network(scene: Scene, house: House, tmp_path: Path) -> None:
    id_rec = recurrence_id(1)
    scene.outcome, scene.handler = answering(scene), scene.handler_for(*KINDS)
    async with simulated(scene, tmp_path) as act, working(scene), shop(scene, house.account, id_rec) as (code, _):
        await act("/phone/authorize", qrcodeData=code)
        await go_to(scene, datetime(2027, 1, 27, 15, tzinfo=UTC))
        order = instruction(scene, house, id_rec)
        await ordered(scene, house, order)
        await heard(scene, port.CHARGE_SCHEDULED)
        cancel = await called_off(scene, house, order)
        final = port.charge_cancel_final((await heard(scene, port.CHARGE_CANCEL_FINAL))[0].body)
        assert (final.message_id, final.original_message_id) == (cancel, order.message_id)
        assert final.outcome == "CONFIRMED"
        asked = await scene.rail.status_of(port.CHARGE_CANCEL_SEND, cancel)
        assert isinstance(asked, port.NetworkMessage)
        assert port.charge_cancel_final(asked.body) == final
        gone = await scene.rail.status_of(port.CHARGE_SEND, order.message_id)
        assert isinstance(gone, port.NetworkMessage)
        assert port.charge_canceled(gone.body).code == "SLCR"
        other = instruction(scene, house, id_rec, txid="b" * 32)
        await ordered(scene, house, other)
        await heard(scene, port.CHARGE_SCHEDULED, 2)
        await act("/phone/cancel-charge", txid="b" * 32)
        told = port.charge_canceled((await heard(scene, port.CHARGE_CANCELED))[0].body)
        assert (told.original_message_id, told.txid, told.code) == (other.message_id, "b" * 32, "SLBD")
        assert told.message_id.startswith("M")
