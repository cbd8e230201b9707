"""Authorizations of Pix Automático on the lanes: what is told finds its company, what is ordered is told once and asked about."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from aiohttp import web

from lastro.core.runner import Done, RequestContext
from lastro.core.write import Write
from lastro.orders import WAITING
from lastro.rails import port
from lastro.rails.status_poller import StatusPoller
from lastro.standards import brcode, jws, payload, recurrence_payload

from .conftest import AT, House, Scene, until
from .network import ISPB, PAYER, message, recurrence_id, word
from .test_locations import key
from .test_simulated import Act, simulated, working

BY = port.Requester(port.BY_RECEIVER, "CNPJ", "11222333000181")
OUTBOX = "SELECT outcome, sends, due_at FROM outbox"


def cancellation(scene: Scene, id_rec: str) -> port.CancellationOrder:
    return port.CancellationOrder.new(ISPB, id_rec, "SLCR", BY, scene.chance.bytes(24))


async def ordered(scene: Scene, company_id: UUID, id_rec: str) -> str:
    """A cancellation that is to be asked for; the id of its message."""
    order, now = cancellation(scene, id_rec), await scene.now()
    await scene.put(company_id, port.cancellation_message(order, scene.chance.uuid(AT), scene.chance.uuid(AT), now))
    return order.message_id


async def test_what_is_told_finds_the_company_that_the_id_names(scene: Scene, house: House) -> None:
    ours, gone, others = recurrence_id(1), recurrence_id(2, company=99), recurrence_id(3, ispb="99999030")
    requested = {"role": "USUARIO_PAGADOR", "document": PAYER["document"]}
    scene.network.tell(
        word("M1", ours, maximumAmount="50.00"), word("M1", ours, maximumAmount="50.00"), word("M2", ours, "RJCT"),
        message("pain.011", "M3", idRec=ours, reason="SLDB", requestedBy=requested, canceledAt="2026-11-20T12:00:00Z"),
        message("pain.012", "M4", originalMsgId="M9", idRec=ours, status="ACCP", decidedAt="2026-11-20T12:00:00Z"),
        word("M5", gone), word("M6", others), word("M7", "RR-not-one"),
    )  # fmt: skip

    async def stored() -> bool:
        return len(await scene.inbox_rows()) == 7 and scene.network.confirmed == 8

    await scene.listen_until(stored)
    told = sorted(await scene.inbox_rows(), key=lambda r: r["network_id"])  # companies are stored for at the same time
    assert [(r["company_id"], r["kind"], r["network_id"], r["subject"]) for r in told] == [
        (house.ana, port.AUTHORIZATION_ASK, "M1", ours),
        (house.ana, port.AUTHORIZATION_DECLINED, "M2", ours),
        (house.ana, port.AUTHORIZATION_CANCELED, "M3", ours),
        (house.ana, port.CANCELLATION_FINAL, "M4", ours),
        (house.institution, port.AUTHORIZATION_ASK, "M5", gone),
        (house.institution, port.AUTHORIZATION_ASK, "M6", others),
        (house.institution, port.UNKNOWN, "M7", "M7"),
    ]


async def test_an_answer_is_told_under_one_id(scene: Scene, house: House) -> None:
    payer = port.Payer("P", "CPF", "12345678909", "99999020", "0001", "1", "CACC")
    asked = port.Authorization("M1", recurrence_id(1), payer, AT)
    answer = port.AuthorizationAnswer.new(ISPB, asked, "AP13", scene.chance.bytes(24))
    await scene.put(house.ana, port.authorization_answer_message(answer, UUID(int=1), scene.chance.uuid(AT), AT))
    scene.network.misbehave = ["down"]
    await scene.sender.queue.drain()
    await scene.pass_time(60)
    await scene.sender.queue.drain()
    assert scene.network.of("pain.012") == [{
        "msgId": answer.message_id, "type": "pain.012", "createdAt": "2026-11-20T12:00:00.000Z", "originalMsgId": "M1",
        "idRec": recurrence_id(1), "status": "RJCT", "code": "AP13",
    }]  # fmt: skip
    assert scene.network.asked == []


async def test_a_cancellation_whose_answer_got_lost_is_asked_about_and_not_sent_again(scene: Scene, house: House) -> None:
    name = await ordered(scene, house.ana, recurrence_id(1))
    scene.network.misbehave = ["lost"]
    await scene.sender.queue.drain()
    assert scene.network.asked == []
    await scene.pass_time(60)
    await scene.sender.queue.drain()
    (sent,) = scene.network.of("pain.011")
    assert (sent["msgId"], sent["requestedBy"]["role"]) == (name, "USUARIO_RECEBEDOR")
    assert scene.network.asked == [name]
    assert [(r["outcome"], r["sends"]) for r in await scene.rows(OUTBOX)] == [("sent", 2)]


async def test_a_cancellation_that_is_refused_for_good_is_news_of_a_failure(scene: Scene, house: House) -> None:
    name = await ordered(scene, house.ana, recurrence_id(1))
    scene.network.misbehave = ["refuse"]
    await scene.sender.queue.drain()
    (row,) = await scene.inbox_rows()
    assert (row["company_id"], row["kind"], row["subject"]) == (house.ana, port.CANCELLATION_FINAL, recurrence_id(1))
    final = port.cancellation_final(bytes(row["body"]))
    assert (final.message_id, final.outcome, final.code) == (name, "FAILED", "INVALID_REQUEST")


async def test_what_became_of_a_cancellation(scene: Scene) -> None:
    name, id_rec = "M" + "1" * 31, recurrence_id(1)
    assert await scene.rail.status_of(port.CANCELLATION_SEND, name) == port.Unknown()
    scene.network.statuses[name] = {"msgId": name, "idRec": id_rec, "status": "PENDING", "decidedAt": None}
    assert await scene.rail.status_of(port.CANCELLATION_SEND, name) == port.Pending()
    decided = {"status": "RJCT", "code": "MIDI", "decidedAt": "2026-11-20T12:00:00Z"}
    scene.network.statuses[name] |= decided
    told = await scene.rail.status_of(port.CANCELLATION_SEND, name)
    assert isinstance(told, port.NetworkMessage)
    assert (told.kind, told.network_id, told.subject) == (port.CANCELLATION_FINAL, "", id_rec)
    assert port.cancellation_final(told.body) == port.CancellationFinal(name, id_rec, "REFUSED", "MIDI", AT)
    scene.network.statuses[name] = {"status": "ACCP"}
    with pytest.raises(port.Transient):
        await scene.rail.status_of(port.CANCELLATION_SEND, name)


async def test_the_lane_of_questions_carries_a_cancellation(scene: Scene, house: House) -> None:
    """Any table with an ask_at and the message's id will do: here that of payments."""
    name, id_rec = "M" + "1" * 31, recurrence_id(1)
    await scene.accepted(house.ana, name)
    scene.network.statuses[name] = {
        "msgId": name, "idRec": id_rec, "status": "ACCP", "decidedAt": "2026-11-20T12:00:00Z",
    }  # fmt: skip
    waiting = replace(WAITING[port.PIX][0], kind=port.CANCELLATION_SEND)
    asker = StatusPoller(scene.database, scene.work, scene.inbox, "pix", scene.rail, (waiting,))
    assert await asker.round()
    (row,) = await scene.inbox_rows()
    assert (row["company_id"], row["kind"], row["subject"]) == (house.ana, port.CANCELLATION_FINAL, id_rec)
    assert row["network_id"] == f"asked:{name}:1:{port.CANCELLATION_FINAL}"


@asynccontextmanager
async def shop(scene: Scene, account: str, id_rec: str) -> AsyncIterator[tuple[str, str]]:
    """Serves a recurrence and a charge at a registered host; gives the code that only authorizes, and the one that pays too."""
    now, chance = datetime.now(UTC), scene.chance
    site: dict[str, bytes] = {}

    async def serve(request: web.Request) -> web.Response:
        return web.Response(body=site[request.path], content_type="application/json")

    app = web.Application()
    app.router.add_get("/{path:.*}", serve)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host = f"127.0.0.1:{runner.addresses[0][1]}"
    signer = key("k1", f"http://{host}/jwks")
    owner = port.KeyOwner("Loja da Ana Ltda", "11222333000181")
    pix_key = await scene.rail.register_key(
        request_id=chance.uuid(now), key_type="RANDOM", key=None, owner=owner, account=port.KeyAccount("0001", account, now)
    )
    await scene.rail.register_participant(name="LASTRO", jku=signer.jku, host=host)
    recurrence = recurrence_payload.RecurrencePayload(
        recurrence_id=id_rec, contract="contrato-1", frequency="MONTHLY", starts_on=date(2027, 1, 31), retries=True,
        debtor=payload.Debtor(name="Pessoa Pagadora", document_type="CPF", document="12345678909"),
        receiver=recurrence_payload.Receiver(name=owner.name, cnpj=owner.document, ispb=ISPB),
        updates=(recurrence_payload.Update(status="CRIADA", at=now),),
    )  # fmt: skip
    charge = payload.ChargePayload(
        revision=0, created_at=now, presented_at=now, expiration=3600, txid="a" * 32, status="ATIVA", amount="10.00",
        key=pix_key,
    )  # fmt: skip
    site["/qr/v2/rec/r"] = jws.sign(recurrence_payload.encode(recurrence), signer).encode()
    site["/qr/v2/c"] = jws.sign(payload.encode(charge), signer).encode()
    site["/jwks"] = msgspec.json.encode(jws.public_jwks([signer]))
    where: dict[str, Any] = {"merchant_name": "Ana", "merchant_city": "SP", "recurrence_location": f"{host}/qr/v2/rec/r"}
    both = brcode.BrCode(**where, location=f"{host}/qr/v2/c", single_use=True)
    try:
        yield brcode.encode(brcode.BrCode(**where)), brcode.encode(both)
    finally:
        await runner.cleanup()


def agreeing(scene: Scene, refuse: str | None = None) -> Any:
    """A worker that says the same to every payer."""

    def outcome(row: port.InboxRow, context: RequestContext) -> Any:
        write = Write(context.company_id, finished=(row.claimed.finished("handled", context.now),))
        ids, entropy = (scene.chance.uuid(context.now), scene.chance.uuid(context.now)), scene.chance.bytes(24)
        if row.kind == port.AUTHORIZATION_ASK:
            said = port.AuthorizationAnswer.new(ISPB, port.authorization(row.body), refuse, entropy)
            write += Write(context.company_id, messages=(port.authorization_answer_message(said, *ids, context.now),))
        if row.kind == port.PIX_ASK:
            answer = port.PixAnswer.new(ISPB, port.arrival(row.body), refuse, entropy)
            write += Write(context.company_id, messages=(port.answer_message(answer, *ids, context.now),))
        return Done(write, b"")

    return outcome


def handled(scene: Scene, kind: str) -> list[port.InboxRow]:
    return [h.row for h in scene.handled if h.row.kind == kind]


@asynccontextmanager
async def at_work(scene: Scene, home: Path, refuse: str | None = None) -> AsyncIterator[Act]:
    scene.outcome = agreeing(scene, refuse)
    scene.handler = scene.handler_for(
        port.PIX_ASK, port.PIX_FINAL, port.AUTHORIZATION_ASK, port.AUTHORIZATION_DECLINED, port.AUTHORIZATION_CANCELED,
        port.CANCELLATION_FINAL,
    )  # fmt: skip
    async with simulated(scene, home) as act, working(scene):
        yield act


async def test_journey_2_against_the_simulated_network(scene: Scene, house: House, tmp_path: Path) -> None:
    id_rec = recurrence_id(1)
    async with at_work(scene, tmp_path) as act, shop(scene, house.account, id_rec) as (code, _):
        said = await act("/phone/authorize", qrcodeData=code, maximumAmount="50.00")
        assert said == {"idRec": id_rec, "status": "AUTHORIZED"}
        (row,) = handled(scene, port.AUTHORIZATION_ASK)
        asked = port.authorization(row.body)
        assert (asked.recurrence_id, str(asked.maximum), asked.payer.ibge_code) == (id_rec, "50.00", "3550308")
        name = await ordered(scene, house.ana, id_rec)

        async def ended() -> list[port.InboxRow]:
            return handled(scene, port.CANCELLATION_FINAL)

        final = port.cancellation_final((await until(ended))[0].body)
        assert (final.message_id, final.recurrence_id, final.outcome) == (name, id_rec, "CONFIRMED")
        asked_for = await scene.rail.status_of(port.CANCELLATION_SEND, name)
        assert isinstance(asked_for, port.NetworkMessage)
        assert port.cancellation_final(asked_for.body) == final
    assert {h.company_id for h in scene.handled} == {house.ana}


async def test_a_payer_declines_and_cancels(scene: Scene, house: House, tmp_path: Path) -> None:
    id_rec = recurrence_id(1)
    async with at_work(scene, tmp_path) as act, shop(scene, house.account, id_rec) as (code, _):
        await act("/phone/decline", qrcodeData=code)

        async def declined() -> list[port.InboxRow]:
            return handled(scene, port.AUTHORIZATION_DECLINED)

        told = port.authorization_declined((await until(declined))[0].body)
        assert told.payer is not None
        assert (told.recurrence_id, told.code, told.payer.document_number) == (id_rec, "AP14", "12345678909")
        assert (await act("/phone/authorize", qrcodeData=code))["status"] == "AUTHORIZED"
        await act("/phone/cancel-subscription", idRec=id_rec)

        async def canceled() -> list[port.InboxRow]:
            return handled(scene, port.AUTHORIZATION_CANCELED)

        gone = port.authorization_canceled((await until(canceled))[0].body)
        assert (gone.recurrence_id, gone.code, gone.requester.role) == (id_rec, "SLDB", "USUARIO_PAGADOR")


@pytest.mark.parametrize("refuse", [None, "BE17"])
async def test_journey_3_is_one_question_with_one_answer(
    scene: Scene, house: House, tmp_path: Path, refuse: str | None
) -> None:
    id_rec = recurrence_id(1)
    async with at_work(scene, tmp_path, refuse) as act, shop(scene, house.account, id_rec) as (_, code):
        paid = await act("/phone/pay", qrcodeData=code, maximumAmount="50.00")
        assert (paid["status"], paid.get("code")) == ("REJECTED" if refuse else "SETTLED", refuse)
        (row,) = handled(scene, port.PIX_ASK)
        arrival = port.arrival(row.body)
        assert arrival.authorizing is not None
        assert (arrival.authorizing.recurrence_id, str(arrival.authorizing.maximum)) == (id_rec, "50.00")
        assert handled(scene, port.AUTHORIZATION_ASK) == []
        again = await act("/phone/pay", qrcodeData=code)
        assert again["code"] == ("BE17" if refuse else "ALREADY_AUTHORIZED"), "both, or neither"
