"""Charges and codes of the outside bank's customers, which the institution reads and pays."""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc import jws as jose
from joserfc.jwk import KeySet
from tests.in_one import in_one_test

from lastro.standards import brcode, jws, payload
from lastro_sim.outside.signing import HABITS

from .orders import FABIO, GRAFICA, ended, payout
from .stage import Institution, Message, Sim, running

LENIENT = jose.JWSRegistry(algorithms=["RS256", "PS256", "ES256"], strict_check_header=False)
KEY = "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20"


async def issue(sim: Sim, **fields: Any) -> Any:
    return await sim.act("/bank/outside/charges", {"amount": "10.00"} | fields)


async def fetch(sim: Sim, charge: Message) -> httpx.Response:
    location = brcode.decode(charge["qrcodeData"]).location
    assert location == charge["location"]
    return await sim.http.get(f"http://{location}")


async def trusted_keys(sim: Sim, charge: Message) -> dict[str, Any]:
    """As an institution finds them: by the host of the location, among the registered participants."""
    participants = (await sim.ask("GET", "/participants")).json()["data"]
    (jku,) = [one["jku"] for one in participants if one["host"] == charge["location"].partition("/")[0]]
    answered = await sim.http.get(jku)
    assert answered.status_code == 200
    keys: dict[str, Any] = answered.json()
    return {"jku": jku, "jwks": keys}


async def read(sim: Sim, charge: Message) -> payload.ChargePayload:
    """The charge as a careful reader believes it."""
    answered = await fetch(sim, charge)
    assert (answered.status_code, answered.headers["content-type"].partition(";")[0]) == (200, "application/jose")
    trusted = await trusted_keys(sim, charge)
    assert jws.header(answered.text)["jku"] == trusted["jku"]
    return payload.decode(jws.verify(answered.text, trusted["jwks"], datetime.now(UTC)))


def paying(lastro: Institution, charge: Message, number: int = 1, **changes: Any) -> Message:
    fields = {"localInstrument": "QRDN", "txId": charge["txId"], "amount": "10.00", "receiver": GRAFICA | {"key": KEY}}
    return payout(lastro, number, **(fields | changes))


async def listed(sim: Sim, charge: Message) -> Message:
    data = (await sim.http.get("/bank/outside/charges", params={"txId": charge["txId"]})).json()["data"]
    assert len(data) == 1
    found: Message = data[0]
    return found


async def test_a_charge_is_read_signed_and_paid_once(sim: Sim, lastro: Institution) -> None:
    charge = await issue(sim, description="Cartazes", expiration=600)
    code = brcode.decode(charge["qrcodeData"])
    assert (code.merchant_name, code.amount, code.single_use) == ("Grafica Distante Ltda", "10.00", True)
    found = await read(sim, charge)
    assert (found.txid, found.amount, found.key, found.status) == (charge["txId"], "10.00", KEY, "ATIVA")
    assert (found.open_amount, found.expiration, found.payer_request, found.revision) == (False, 600, "Cartazes", 0)
    message = paying(lastro, charge)
    assert (await ended(lastro, message))["status"] == "ACSC"
    after = await listed(sim, charge)
    assert (after["status"], after["endToEndId"]) == ("CONCLUIDA", message["endToEndId"])
    assert (await read(sim, charge)).status == "CONCLUIDA"
    again = await ended(lastro, paying(lastro, charge, 2))
    assert (again["status"], again["code"]) == ("RJCT", "DUPL")


async def test_two_payments_at_once_are_one(sim: Sim, lastro: Institution) -> None:
    charge = await issue(sim)
    await sim.act("/faults", {"operation": "payout", "behaviour": "slow", "delay": 0.3})
    slow = paying(lastro, charge)
    await sim.send(slow)
    assert (await ended(lastro, paying(lastro, charge, 2)))["code"] == "DUPL"
    assert (await lastro.final(slow["endToEndId"]))["status"] == "ACSC"


async def test_a_refused_payment_leaves_the_charge_open(sim: Sim, lastro: Institution) -> None:
    charge = await issue(sim)
    await sim.act("/faults", {"operation": "payout", "behaviour": "reject"})
    assert (await ended(lastro, paying(lastro, charge)))["code"] == "ED05"
    assert (await listed(sim, charge))["status"] == "ATIVA"
    assert (await ended(lastro, paying(lastro, charge, 2)))["status"] == "ACSC"


async def test_a_static_code_is_paid_as_often_as_one_likes(sim: Sim, lastro: Institution) -> None:
    made = await sim.act("/bank/outside/static-codes", {"amount": "3.00", "txid": "BALCAO1", "description": "Balcao"})
    code = brcode.decode(made["qrcodeData"])
    assert (code.key, code.amount, code.txid, code.description, code.location) == (KEY, "3.00", "BALCAO1", "Balcao", None)
    for number in (1, 2):
        fields = {"localInstrument": "QRES", "txId": "BALCAO1", "amount": "3.00"}
        assert (await ended(lastro, payout(lastro, number, receiver=GRAFICA, **fields)))["status"] == "ACSC"
    open_one = await sim.act("/bank/outside/static-codes", {"key": "fabio@fora.example"})
    assert brcode.decode(open_one["qrcodeData"]).amount is None
    shown = await sim.act("/phone/read", {"qrcodeData": open_one["qrcodeData"]})
    assert shown["receiver"]["name"] == "Fabio de Fora"


@pytest.mark.parametrize(
    ("fields", "change", "code"),
    [
        ({}, {"txId": "x" * 32}, "BE15"),
        ({}, {"txId": None}, "BE15"),
        ({}, {"receiver": FABIO}, "BE15"),
        ({}, {"amount": "9.99"}, "BE17"),
        ({"age": 700, "expiration": 600}, {}, "BE17"),
        ({"amount": None}, {"amount": "77.00"}, None),
        ({"openAmount": True}, {"amount": "11.00"}, None),
        ({"age": 500, "expiration": 600}, {}, None),
    ],
)
async def test_the_bank_judges_by_its_charge(
    sim: Sim, lastro: Institution, fields: Message, change: Message, code: str | None
) -> None:
    charge = await issue(sim, **fields)
    final = await ended(lastro, paying(lastro, charge, **change))
    assert final.get("code") == code


async def test_a_charge_changes_and_ends(sim: Sim, lastro: Institution) -> None:
    charge = await issue(sim)
    path = f"/bank/outside/charges/{charge['txId']}"
    await sim.act(path, {"amount": "12.00", "expiration": 900})
    found = await read(sim, charge)
    assert (found.amount, found.expiration, found.revision) == ("12.00", 900, 1)
    assert brcode.decode((await listed(sim, charge))["qrcodeData"]).amount == "10.00"
    assert (await ended(lastro, paying(lastro, charge)))["code"] == "BE17"
    both = await sim.http.post(path, json={"status": "REMOVIDA_PELO_PSP", "amount": 1})
    assert (both.status_code, both.json()["details"][0]["issue"]) == (400, "MUTUALLY_EXCLUSIVE")
    await sim.act(path, {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})
    assert (await read(sim, charge)).status == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert (await ended(lastro, paying(lastro, charge, 2, amount="12.00")))["code"] == "BE17"
    assert (await sim.http.post(path, json={"amount": "1"})).status_code == 409
    assert (await sim.http.post("/bank/outside/charges/unknown", json={"amount": "1"})).status_code == 404


async def test_a_txid_is_one_charges(sim: Sim) -> None:
    txid = "T" * 26
    assert (await issue(sim, txid=txid))["txId"] == txid
    assert (await sim.http.post("/bank/outside/charges", json={"txid": txid})).status_code == 409
    data = (await sim.http.get("/bank/outside/charges")).json()["data"]
    assert [one["txId"] for one in data] == [txid]
    assert (await sim.http.get("/bank/outside/charges?txId=nobody")).json() == {"data": []}


async def test_the_phone_reads_and_pays_it_too(sim: Sim) -> None:
    charge = await issue(sim)
    shown = await sim.act("/phone/read", {"qrcodeData": charge["qrcodeData"]})
    assert (shown["kind"], shown["amount"], shown["txId"]) == ("DYNAMIC", "10.00", charge["txId"])
    assert "problem" not in shown
    assert (await sim.act("/phone/pay", {"qrcodeData": charge["qrcodeData"]}))["status"] == "SETTLED"
    assert (await sim.act("/phone/pay", {"qrcodeData": charge["qrcodeData"]}))["code"] == "ALREADY_PAID"
    assert (await sim.act("/phone/pay", {"qrcodeData": charge["qrcodeData"], "force": True}))["code"] == "DUPL"


@in_one_test("habit", HABITS)
async def test_the_bank_signs_each_way_and_the_phone_reads_each(sim: Sim, habit: str) -> None:
    charge = await issue(sim, signature=habit)
    wanted = HABITS[habit]
    signed = (await fetch(sim, charge)).text
    head = jws.header(signed)
    assert (head["alg"], head["typ"], tuple(name for name in head if name.startswith("x5t"))) == (
        wanted.algorithm, wanted.kind, wanted.thumbprints,
    )  # fmt: skip
    assert (await read(sim, charge)).txid == charge["txId"]
    assert "problem" not in await sim.act("/phone/read", {"qrcodeData": charge["qrcodeData"]})
    published = (await trusted_keys(sim, charge))["jwks"]
    known: Any = {"keys": [one for one in published["keys"] if one.get("alg") != "RSA" or head["kid"] == one["kid"]]}
    for one in known["keys"]:
        if one.get("alg") == "RSA":
            del one["alg"]  # a word that no library knows
    found = jose.deserialize_compact(signed, KeySet.import_key_set(known), registry=LENIENT)
    assert payload.decode(found.payload).txid == charge["txId"]


async def test_charges_take_turns_in_how_they_are_signed(sim: Sim) -> None:
    heads = [jws.header((await fetch(sim, await issue(sim))).text) for _ in HABITS]
    assert {one["alg"] for one in heads} == {"RS256", "PS256", "ES256"}
    assert len({(*sorted(one), one["alg"], one.get("x5t", "")) for one in heads}) == len(HABITS)


async def strike(sim: Sim, charge: Message, behaviour: str, **more: Any) -> None:
    await sim.act("/faults", {"operation": "location", "behaviour": behaviour, "match": {"txId": charge["txId"]}} | more)


@in_one_test(
    "behaviour",
    [
        "reject", "unsigned", "wrong-key", "wrong-jku", "too-large", "expired-certificate", "wrong-certificate",
        "misused-certificate",
    ],
)  # fmt: skip
async def test_what_a_careful_reader_refuses(sim: Sim, behaviour: str) -> None:
    charge = await issue(sim)
    trusted = await trusted_keys(sim, charge)
    await strike(sim, charge, behaviour)
    answered = await fetch(sim, charge)
    assert answered.status_code == 200
    head, body, _ = answered.text.split(".")
    named = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    assert (named["alg"] == "none") == (behaviour == "unsigned")
    if behaviour == "wrong-jku":
        assert named["jku"] != trusted["jku"]
        assert jws.verify(answered.text, trusted["jwks"], datetime.now(UTC)), "of the address alone it can be told"
    else:
        assert behaviour == "unsigned" or named["jku"] == trusted["jku"]
        with pytest.raises(jws.JwsError):
            jws.verify(answered.text, trusted["jwks"], datetime.now(UTC))
    assert (len(answered.text) > jws.MAX_COMPACT) == (behaviour == "too-large")
    decoded = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    assert json.loads(decoded)["txid"] == charge["txId"], "everything else about it is right"
    await read(sim, charge)


async def test_locations_that_give_nothing(sim: Sim) -> None:
    charge = await issue(sim)
    for behaviour, status in (("down", 503), ("gone", 410), ("redirect", 302)):
        await strike(sim, charge, behaviour)
        assert (await fetch(sim, charge)).status_code == status
    assert (await sim.http.get("/qr/v2/nothing-is-here")).status_code == 404
    await strike(sim, charge, "silent")
    with pytest.raises(httpx.ReadTimeout):
        await sim.http.get(f"http://{charge['location']}", timeout=0.2)
    await strike(sim, charge, "slow", delay=0.2)
    with pytest.raises(httpx.ReadTimeout):
        await sim.http.get(f"http://{charge['location']}", timeout=0.05)
    await strike(sim, charge, "slow", delay=0.05)
    assert (await read(sim, charge)).txid == charge["txId"]


async def test_the_key_outlives_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as sim:
        charge = await issue(sim)
        signed = (await fetch(sim, charge)).text
    async with running(tmp_path) as sim:
        keys = (await sim.http.get("/.well-known/pix-jwks.json")).json()
        assert payload.decode(jws.verify(signed, keys, datetime.now(UTC))).txid == charge["txId"]
        assert "d" not in keys["keys"][0]
        assert (await listed(sim, charge))["status"] == "ATIVA"
