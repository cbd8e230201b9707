"""The end of an authorization: cancelled on the phone, or by the receiver's bank; and all that may go wrong on the way."""

from pathlib import Path
from typing import Any

from tests.in_one import in_one_test

from lastro_sim.clock import DAY
from lastro_sim.settings import LASTRO_ISPB

from .stage import Institution, Message, Sim, Till, registered_key, running, till, until, working
from .test_authorizations import PAYER, authorizations, authorize

RECEIVER = {"role": "USUARIO_RECEBEDOR", "document": {"type": "CNPJ", "number": "11222333000181"}}


async def held(sim: Sim, shop: Till, **terms: Any) -> str:
    """A recurrence that holds; its idRec."""
    code, id_rec = shop.recurrence(**terms)
    assert (await authorize(sim, code))["status"] == "AUTHORIZED"
    return id_rec


async def status_of(sim: Sim, id_rec: str) -> tuple[str, str | None]:
    one = (await authorizations(sim, idRec=id_rec))[-1]
    return one["status"], one.get("code")


def cancellation(lastro: Institution, id_rec: str, **changes: Any) -> Message:
    return lastro.message("pain.011", **({"idRec": id_rec, "reason": "SLCR", "requestedBy": RECEIVER} | changes))


async def decided(lastro: Institution, message: Message) -> Message:
    return (await until(lambda: [one for one in lastro.heard if one.get("originalMsgId") == message["msgId"]]))[-1]  # type: ignore[no-any-return]


async def asked(sim: Sim, message: Message) -> tuple[int, Any]:
    answered = await sim.ask("GET", f"/spi/v1/cancellations/{message['msgId']}")
    return answered.status_code, answered.json()


@in_one_test(
    ("body", "reason", "role"),
    [({}, "SLDB", "USUARIO_PAGADOR"), ({"reason": "DCSD"}, "DCSD", "PSP_PAGADOR"), ({"reason": "ZZ99"}, "ZZ99", "PSP_PAGADOR")],
)  # fmt: skip
async def test_the_payer_cancels(
    sim: Sim, lastro: Institution, shop: Till, body: dict[str, str], reason: str, role: str
) -> None:
    id_rec = await held(sim, shop)
    done = await sim.act("/phone/cancel-subscription", {"idRec": id_rec} | body)
    assert done == {"idRec": id_rec, "status": "CANCELED"}
    (told,) = await until(lambda: lastro.of(id_rec, "pain.011"))
    assert told["reason"] == reason
    assert told["requestedBy"] == {"role": role, "document": PAYER["document"], "name": "Pessoa Pagadora"}
    assert told["canceledAt"] <= told["createdAt"]
    assert await status_of(sim, id_rec) == ("CANCELED", reason)
    again = await sim.act("/phone/cancel-subscription", {"idRec": id_rec})
    assert again == {"idRec": id_rec, "status": "REJECTED", "code": "NOT_AUTHORIZED"}
    assert len(lastro.of(id_rec, "pain.011")) == 1


async def test_an_authorization_is_cancelled_by_its_path_too(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, id_rec, _ = shop.paid_recurrence(key)
    await sim.act("/phone/pay", {"qrcodeData": code})
    answered = await sim.http.post(f"/phone/authorizations/{id_rec}/cancel")
    assert answered.json() == {"idRec": id_rec, "status": "CANCELED"}
    assert (await until(lambda: lastro.of(id_rec, "pain.011")))[0]["reason"] == "SLDB"
    unknown = await sim.act("/phone/authorizations/unknown/cancel", {"reason": "ACCL"})
    assert unknown == {"idRec": "unknown", "status": "REJECTED", "code": "RECURRENCE_UNKNOWN"}


async def test_the_receiver_asks_and_the_payers_bank_confirms(sim: Sim, lastro: Institution, shop: Till) -> None:
    id_rec = await held(sim, shop)
    message = cancellation(lastro, id_rec)
    assert (await asked(sim, message))[0] == 404
    assert (await sim.send(message)).status_code == 201
    told = await decided(lastro, message)
    assert (told["type"], told["idRec"], told["status"]) == ("pain.012", id_rec, "ACCP")
    assert "code" not in told
    assert await status_of(sim, id_rec) == ("CANCELED", "SLCR")
    assert await asked(sim, message) == (
        200, {"msgId": message["msgId"], "idRec": id_rec, "status": "ACCP", "decidedAt": told["decidedAt"]},
    )  # fmt: skip
    other = cancellation(lastro, id_rec, reason="FRUD")
    await sim.send(other)
    assert (await decided(lastro, other))["status"] == "ACCP", "what is cancelled already is so"
    assert await status_of(sim, id_rec) == ("CANCELED", "SLCR")


async def test_the_same_cancellation_again_repeats_its_end(sim: Sim, lastro: Institution, shop: Till) -> None:
    id_rec = await held(sim, shop)
    message = cancellation(lastro, id_rec)
    first, second = await sim.send(message), await sim.send(message)
    assert first.json() == second.json()
    ends = await until(lambda: len(found := [m for m in lastro.heard if m.get("originalMsgId")]) == 2 and found)
    assert len({one["msgId"] for one in ends}) == 2
    assert len({(one["status"], one["decidedAt"]) for one in ends}) == 1


async def test_what_the_bank_never_had_it_cannot_cancel(sim: Sim, lastro: Institution, shop: Till) -> None:
    code, id_rec = shop.recurrence()
    lastro.refusals["*"] = "AP13"
    await authorize(sim, code)
    _, unread = shop.recurrence()
    for name in (id_rec, unread):
        message = cancellation(lastro, name)
        await sim.send(message)
        told = await decided(lastro, message)
        assert (told["status"], told["code"]) == ("RJCT", "MIDI")


@in_one_test(
    ("message", "field"),
    [
        ({"reason": "slcr"}, "reason"), ({"reason": None}, "reason"), ({"idRec": "RR1"}, "idRec"),
        ({"requestedBy": {"role": "USUARIO_PAGADOR"}}, "requestedBy.role"), ({"requestedBy": None}, "requestedBy"),
        ({"type": "pain.012", "originalMsgId": "M1", "status": "RJCT"}, "code"),
        ({"type": "pain.012", "originalMsgId": "M1", "status": "YES"}, "status"),
        ({"type": "pain.012", "status": "ACCP"}, "originalMsgId"), ({"type": "pain.009"}, "type"),
    ],
)  # fmt: skip
async def test_malformed_messages_are_400(sim: Sim, lastro: Institution, message: Message, field: str) -> None:
    id_rec = "RR9999901020261120aaaaaaaaaaa"
    refused = await sim.send(cancellation(lastro, id_rec) | message)
    assert refused.status_code == 400
    assert field in [one["field"] for one in refused.json()["details"]]


async def test_an_answer_to_no_question_is_not_processed(sim: Sim, lastro: Institution, shop: Till) -> None:
    id_rec = await held(sim, shop)
    message = lastro.message("pain.012", originalMsgId="M1", idRec=id_rec, status="RJCT", code="AP13")
    await sim.send(message)
    (told,) = await until(lambda: [one for one in lastro.heard if one["type"] == "admi.002"])
    assert told["relatedMsgId"] == message["msgId"]
    late = lastro.message("pain.012", originalMsgId=lastro.of(id_rec)[0]["msgId"], idRec=id_rec, status="RJCT", code="AP13")
    assert (await sim.send(late)).status_code == 201
    assert await status_of(sim, id_rec) == ("AUTHORIZED", None)


async def order(sim: Sim, operation: str, behaviour: str, **more: Any) -> None:
    await sim.act("/faults", {"operation": operation, "behaviour": behaviour} | more)


async def test_faults_of_authorizations(sim: Sim, lastro: Institution, shop: Till) -> None:
    object.__setattr__(sim.network.settings, "answer_seconds", 5.0)
    code, id_rec = shop.recurrence()
    await order(sim, "authorization", "reject", code="AP14", match={"idRec": id_rec, "payerDocument": "12345678909"})
    assert (await authorize(sim, code))["code"] == "AP14"
    assert await authorizations(sim) == []
    await order(sim, "authorization", "down")
    assert (await authorize(sim, code))["status"] == "AUTHORIZED"
    code, id_rec = shop.recurrence()
    await order(sim, "authorization", "twice")
    assert (await authorize(sim, code))["status"] == "AUTHORIZED"
    first, second = await until(lambda: len(lastro.of(id_rec)) == 2 and lastro.of(id_rec))
    assert first["msgId"] != second["msgId"]
    assert first | {"msgId": ""} == second | {"msgId": ""}
    code, id_rec = shop.recurrence()
    await order(sim, "authorization", "lost-answer")
    assert (await authorize(sim, code))["status"] == "AUTHORIZED"
    first, second = lastro.of(id_rec)
    assert first["decidedAt"] == second["decidedAt"]


async def test_a_payers_word_may_get_lost_or_come_late(sim: Sim, lastro: Institution, shop: Till) -> None:
    object.__setattr__(sim.network.settings, "answer_seconds", 0.05)
    code, id_rec = shop.recurrence()
    await order(sim, "authorization", "timeout")
    assert (await authorize(sim, code))["status"] == "PENDING"
    assert lastro.of(id_rec) == []
    object.__setattr__(sim.network.settings, "answer_seconds", 5.0)
    assert (await authorize(sim, code))["status"] == "AUTHORIZED", "said once more"
    assert len(await authorizations(sim)) == 1
    object.__setattr__(sim.network.settings, "answer_seconds", 0.05)
    code, id_rec = shop.recurrence()
    await order(sim, "authorization", "late", delay=86_400)
    assert (await authorize(sim, code))["status"] == "PENDING"
    assert lastro.of(id_rec) == []
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": DAY})
    (told,) = await until(lambda: lastro.of(id_rec))
    assert told["decidedAt"] == (await authorizations(sim))[-1]["acceptedAt"]

    async def holds() -> bool:
        return (await status_of(sim, id_rec))[0] == "AUTHORIZED"

    while not await holds():
        await sim.network.bells.wait(f"authorization:{id_rec}", 0.05)


async def test_faults_of_cancellations(sim: Sim, lastro: Institution, shop: Till) -> None:
    id_rec = await held(sim, shop)
    await order(sim, "cancellation", "reject", code="AP14")
    message = cancellation(lastro, id_rec)
    await sim.send(message)
    told = await decided(lastro, message)
    assert (told["status"], told["code"]) == ("RJCT", "AP14")
    assert await status_of(sim, id_rec) == ("AUTHORIZED", None)
    await order(sim, "cancellation", "down")
    message = cancellation(lastro, id_rec)
    assert (await sim.send(message)).status_code == 503
    assert (await asked(sim, message))[0] == 404
    await order(sim, "cancellation", "lost-answer", match={"idRec": id_rec})
    assert (await sim.send(message)).status_code == 503
    assert (await decided(lastro, message))["status"] == "ACCP"
    id_rec = await held(sim, shop)
    await order(sim, "cancellation", "twice")
    await sim.act("/phone/cancel-subscription", {"idRec": id_rec})
    await until(lambda: len(lastro.of(id_rec, "pain.011")) == 2)


async def test_a_cancellation_that_is_not_processed_is_known_to_nobody(sim: Sim, lastro: Institution, shop: Till) -> None:
    id_rec = await held(sim, shop)
    await order(sim, "cancellation", "unprocessed", match={"idRec": id_rec}, code="DS0H")
    message = cancellation(lastro, id_rec)
    assert (await sim.send(message)).status_code == 201
    (told,) = await until(lambda: [one for one in lastro.heard if one["type"] == "admi.002"])
    assert (told["relatedMsgId"], told["code"]) == (message["msgId"], "DS0H")
    assert (await asked(sim, message))[0] == 404
    assert await status_of(sim, id_rec) == ("AUTHORIZED", None)
    assert (await sim.send(message)).status_code == 201
    assert (await decided(lastro, message))["status"] == "ACCP", "sent again it is a new one"


async def test_a_bank_that_keeps_its_decision_tells_who_asks(sim: Sim, lastro: Institution, shop: Till) -> None:
    id_rec = await held(sim, shop)
    await order(sim, "cancellation", "timeout")
    message = cancellation(lastro, id_rec)
    await sim.send(message)
    await sim.send(message)
    assert [m for m in lastro.heard if m.get("originalMsgId")] == []
    assert (await asked(sim, message))[1]["status"] == "ACCP"
    assert (await decided(lastro, message))["status"] == "ACCP"


async def test_a_late_decision_is_pending_until_its_time(sim: Sim, lastro: Institution, shop: Till) -> None:
    id_rec = await held(sim, shop)
    await order(sim, "cancellation", "late", delay=86_400)
    message = cancellation(lastro, id_rec)
    await sim.send(message)
    await sim.send(message)
    assert (await asked(sim, message))[1] == {
        "msgId": message["msgId"], "idRec": id_rec, "status": "PENDING", "decidedAt": None,
    }  # fmt: skip
    assert [m for m in lastro.heard if m.get("originalMsgId")] == []
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": DAY})
    assert (await decided(lastro, message))["status"] == "ACCP"
    assert (await asked(sim, message))[1]["status"] == "ACCP"


@in_one_test("terms", [{"amount": "7001.01"}, {"floor": "1.00"}])
async def test_magic_amounts_of_recurrences(sim: Sim, lastro: Institution, shop: Till, terms: dict[str, str]) -> None:
    code, id_rec = shop.recurrence(**terms)
    await authorize(sim, code, **({} if "amount" in terms else {"maximumAmount": "7001.01"}))
    message = cancellation(lastro, id_rec)
    await sim.send(message)
    assert (await decided(lastro, message))["code"] == "AP13"
    silent = await held(sim, shop, amount="7001.02")
    message = cancellation(lastro, silent)
    await sim.send(message)
    assert (await asked(sim, message))[1]["status"] == "ACCP"
    for amount, asked_times in (("7001.04", 2), ("7001.05", 2), ("7001.06", 1)):
        again = await held(sim, shop, amount=amount)
        await until(lambda name=again, times=asked_times: len(lastro.of(name, "pain.012")) == times)  # type: ignore[misc]
    listed = [one for one in (await sim.http.get("/scenarios")).json()["data"] if one["operation"] == "authorization"]
    assert [one["value"] for one in listed] == ["7001.01", "7001.02", "7001.04", "7001.05"]


async def test_a_restart_between_word_and_answer_loses_neither(tmp_path: Path) -> None:
    async with running(tmp_path, answer_seconds=0.05) as sim, till(sim) as shop:
        key = await registered_key(sim)
        code, id_rec = shop.recurrence()
        assert (await authorize(sim, code))["status"] == "PENDING"
        paying, paid_id, _ = shop.paid_recurrence(key)
        paid = await sim.act("/phone/pay", {"qrcodeData": paying})
        assert paid["status"] == "PENDING"
    async with running(tmp_path) as sim, working(sim) as lastro:
        assert (await lastro.final(paid["endToEndId"]))["status"] == "ACCC"
        for name in (id_rec, paid_id):
            while (await status_of(sim, name))[0] == "PENDING":
                await sim.network.bells.wait(f"authorization:{name}", 0.05)
            assert await status_of(sim, name) == ("AUTHORIZED", None)


async def test_a_participants_silence_to_a_first_payment_leaves_neither(impatient: Sim) -> None:
    async with till(impatient) as shop:
        code, id_rec, _ = shop.paid_recurrence(await registered_key(impatient))
        paid = await impatient.act("/phone/pay", {"qrcodeData": code})
        assert (paid["status"], paid["code"]) == ("REJECTED", "AB03")
        assert await status_of(impatient, id_rec) == ("REJECTED", "AB03")


async def test_strangers_do_not_ask_about_cancellations(sim: Sim) -> None:
    assert (await sim.http.get("/spi/v1/cancellations/M1")).status_code == 401
    assert (await sim.ask("GET", "/spi/v1/cancellations/M1")).status_code == 404
    assert (
        await sim.send({"msgId": "M1", "type": "pain.009", "createdAt": "2026-11-21T00:00:00Z"}, LASTRO_ISPB)
    ).status_code == 400
