import asyncio

from .stage import Institution, Sim, Till, until


async def test_a_dynamic_charge_is_asked_settled_and_told(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, txid = shop.charge(key)
    paid = await sim.act("/phone/pay", {"qrcodeData": code})
    assert paid["status"] == "SETTLED"
    assert "code" not in paid
    end_to_end_id = paid["endToEndId"]
    assert len(end_to_end_id) == 32
    assert end_to_end_id.startswith("E99999020")
    final = await lastro.final(end_to_end_id)
    assert final["status"] == "ACCC"
    assert final["settledAt"].endswith("Z")
    (question,) = lastro.of(end_to_end_id, "pacs.008")
    assert question["txId"] == txid
    assert question["amount"] == "10.00"
    assert question["localInstrument"] == "QRDN"
    assert question["purpose"] == "IPAY"
    assert question["payer"]["document"] == {"type": "CPF", "number": "12345678909"}
    assert question["payer"]["ibgeCode"] == "3550308"
    assert question["receiver"] == {
        "name": "Loja da Ana Ltda",
        "document": {"type": "CNPJ", "number": "11222333000181"},
        "ispb": "99999010",
        "branch": "0001",
        "account": "00000019",
        "accountType": "TRAN",
        "key": key,
    }
    assert await sim.payment(end_to_end_id) == {
        "endToEndId": end_to_end_id, "txId": txid, "payerIspb": "99999020", "receiverIspb": "99999010",
        "amount": "10.00", "status": "SETTLED", "settledAt": final["settledAt"], "returns": [],
    }  # fmt: skip
    asked = await sim.ask("GET", f"/spi/v1/payments/{end_to_end_id}")
    assert asked.json()["status"] == "ACCC"
    said = asked.json()["originalTransaction"]
    assert said == final["originalTransaction"]
    assert (said["amount"], said["txId"], said["debtor"]["ispb"], said["creditor"]) == (
        "10.00", txid, "99999020",
        {"ispb": "99999010", "branch": "0001", "account": "00000019", "document": question["receiver"]["document"]},
    )  # fmt: skip


async def test_the_receivers_no_reaches_both_sides(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, txid = shop.charge(key)
    lastro.refusals[txid] = "BE17"
    paid = await sim.act("/phone/pay", {"qrcodeData": code})
    assert (paid["status"], paid["code"]) == ("REJECTED", "BE17")
    final = await lastro.final(paid["endToEndId"])
    assert (final["status"], final["code"]) == ("RJCT", "BE17")
    assert "settledAt" not in final
    status = (await sim.ask("GET", f"/spi/v1/payments/{paid['endToEndId']}")).json()
    assert (status["status"], status["code"], status["settledAt"]) == ("RJCT", "BE17", None)


async def test_silence_is_ab03_and_a_late_yes_changes_nothing(impatient: Sim) -> None:
    lastro = Institution(impatient, silent=True)
    work = asyncio.create_task(lastro.work())
    paid = await impatient.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": "1.00"})
    assert (paid["status"], paid["code"]) == ("REJECTED", "AB03")
    final = await lastro.final(paid["endToEndId"])
    assert (final["status"], final["code"]) == ("RJCT", "AB03")
    (question,) = {one["msgId"]: one for one in lastro.of(paid["endToEndId"], "pacs.008")}.values()
    await lastro.answer(question)
    assert (await impatient.payment(paid["endToEndId"]))["status"] == "REJECTED"
    work.cancel()


async def test_the_phone_answers_pending_when_the_end_takes_too_long(sim: Sim) -> None:
    object.__setattr__(sim.network.settings, "answer_seconds", 0.02)
    paid = await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": 5})
    assert paid["status"] == "PENDING"
    assert (await sim.payment(paid["endToEndId"]))["status"] == "PENDING"


async def test_answers_about_nothing_are_refused_to_be_processed(sim: Sim, lastro: Institution) -> None:
    fields = {"originalMsgId": "Mnone", "endToEndId": "E" * 32, "status": "ACSP"}
    message = lastro.message("pacs.002", **fields)
    sent = await sim.send(message)
    assert sent.status_code == 201
    refused = await until(lambda: [one for one in lastro.heard if one["type"] == "admi.002"])
    assert refused[0]["relatedMsgId"] == message["msgId"]


async def test_the_same_message_again_does_nothing_twice(sim: Sim, lastro: Institution) -> None:
    message = lastro.message("pacs.002", originalMsgId="Mnone", endToEndId="E" * 32, status="ACSP")
    first, second = await sim.send(message), await sim.send(message)
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    other = await sim.send(message | {"status": "RJCT", "code": "AC03"})
    assert other.status_code == 409
    assert other.json()["details"][0]["issue"] == "DUPLICATE"
    count = sim.network.store.row("SELECT count(*) AS n FROM message WHERE type = 'admi.002'")
    assert count is not None
    assert count["n"] == 1


async def test_many_at_once_all_settle_once(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    codes = [shop.charge(key)[0] for _ in range(25)]
    paid = await asyncio.gather(*(sim.act("/phone/pay", {"qrcodeData": code}) for code in codes))
    assert {one["status"] for one in paid} == {"SETTLED"}
    assert len({one["endToEndId"] for one in paid}) == 25
    listed = (await sim.http.get("/payments")).json()["data"]
    assert len(listed) == 25
    await until(lambda: len([one for one in lastro.heard if one["type"] == "pacs.002"]) == 25)
