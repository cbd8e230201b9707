"""The phone at the companies' bank: it reads a code through its signed location, pays it and shows the outcome."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from joserfc import jwk, jws

from lastro_sim.api_pix.customers import DEMO, DEMO_KEYS
from lastro_sim.api_pix.locations import PATH
from lastro_sim.api_pix.signing import KEYS

from .company_bank import KEY, Desk, desk
from .recurring import BROKE, recurrence, scheduled
from .stage import Sim


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with desk(sim) as made:
        yield made


async def read(sim: Sim, code: str) -> Any:
    return await sim.act("/phone/read", {"qrcodeData": code})


async def test_a_code_is_read_and_paid_like_any_other(bank: Desk) -> None:
    made = await bank.charge("12.34", solicitacaoPagador="Pedido 7")
    found = await read(bank.sim, made["pixCopiaECola"])
    assert (found["kind"], found["amount"], found["txId"], found["description"]) == (
        "DYNAMIC",
        "12.34",
        made["txid"],
        "Pedido 7",
    )
    assert found["receiver"]["name"] == "Dora Servicos SA"
    assert found["receiver"]["bank"] == {"ispb": "99999040", "name": "BANCO DE EMPRESAS SIMULADO"}
    assert "problem" not in found
    paid = await bank.sim.act("/phone/pay", {"qrcodeData": made["pixCopiaECola"]})
    assert paid["status"] == "SETTLED"
    assert (await bank.done("GET", f"/cob/{made['txid']}"))["pix"][0]["endToEndId"] == paid["endToEndId"]
    assert (await read(bank.sim, made["pixCopiaECola"]))["problem"] == "ALREADY_PAID"
    again = await bank.sim.act("/phone/pay", {"qrcodeData": made["pixCopiaECola"]})
    assert (again["status"], again["code"]) == ("REJECTED", "ALREADY_PAID")


async def test_the_payer_decides_where_the_charge_lets_him(bank: Desk) -> None:
    made = await bank.charge(valor={"original": "10.00", "modalidadeAlteracao": 1})
    paid = await bank.sim.act("/phone/pay", {"qrcodeData": made["pixCopiaECola"], "amount": "15.00"})
    assert (await bank.done("GET", f"/pix/{paid['endToEndId']}"))["valor"] == "15.00"


async def test_what_has_ended_is_not_paid(bank: Desk) -> None:
    removed, old = await bank.charge(), await bank.charge()
    await bank.done("PATCH", f"/cob/{removed['txid']}", {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})
    assert (await read(bank.sim, removed["pixCopiaECola"]))["problem"] == "CHARGE_REMOVED"
    await bank.pass_time(3601)
    assert (await read(bank.sim, old["pixCopiaECola"]))["problem"] == "EXPIRED"
    forced = await bank.sim.act("/phone/pay", {"qrcodeData": old["pixCopiaECola"], "force": True})
    assert (forced["status"], forced["code"]) == ("REJECTED", "BE17")


async def test_a_key_typed_by_hand_brings_money_without_a_txid(bank: Desk) -> None:
    for key in DEMO_KEYS:
        paid = await bank.sim.act("/phone/transfer", {"key": key, "amount": "3.00"})
        pix = await bank.done("GET", f"/pix/{paid['endToEndId']}")
        assert (pix["chave"], pix["valor"], pix.get("txid")) == (key, "3.00", None)


async def test_what_is_given_back_stands_in_the_payers_statement(bank: Desk) -> None:
    _, name = await bank.paid("10.00")
    await bank.done("PUT", f"/pix/{name}/devolucao/r1", {"valor": "4.00"})
    page = (await bank.sim.http.get("/phone", headers={"Accept-Language": "en"})).text
    assert "R$ 10.00" in page
    assert "R$ 4.00" in page


async def test_a_newcomer_pays_on_the_page(bank: Desk) -> None:
    made = await bank.charge("12.34")
    code = made["pixCopiaECola"]
    page = await bank.sim.http.get("/phone?" + urlencode({"qrcodeData": code}), headers={"Accept-Language": "pt-BR"})
    assert page.status_code == 200
    assert "Dora Servicos SA" in page.text
    sent = await bank.sim.http.post("/phone", data={"qrcodeData": code, "act": "pay"})
    assert sent.status_code == 303
    assert (await bank.sim.http.get(sent.headers["location"])).status_code == 200
    assert (await bank.done("GET", f"/cob/{made['txid']}"))["status"] == "CONCLUIDA"


async def _at(http: httpx.AsyncClient, where: str) -> tuple[dict[str, Any], bytes]:
    """The header and payload of what is signed at a location, verified with the bank's published keys."""
    port = where.partition("/")[0].partition(":")[2]
    answered = await http.get(f"http://{where}")
    assert answered.headers["content-type"] == "application/jose"
    keys = jwk.KeySet.import_key_set((await http.get(f"http://localhost:{port}{KEYS}")).json())
    signed = jws.deserialize_compact(answered.text, keys, registry=jws.JWSRegistry(strict_check_header=False))
    assert signed.headers()["jku"] == f"http://localhost:{port}{KEYS}"
    return signed.headers(), signed.payload


async def test_a_location_is_signed_with_the_banks_published_key(bank: Desk) -> None:
    made = await bank.charge("12.34")
    assert PATH in made["location"]
    header, body = await _at(bank.sim.http, made["location"])
    said = httpx.Response(200, content=body).json()
    assert header["alg"] == "ES256"
    assert (said["txid"], said["valor"], said["chave"], said["status"]) == (
        made["txid"],
        {"original": "12.34"},
        KEY,
        "ATIVA",
    )
    assert said["calendario"].keys() == {"criacao", "apresentacao", "expiracao"}
    assert (await bank.sim.http.get(f"http://{made['location']}x")).status_code == 404
    # The same stands at the bank's own application.
    token = made["location"].rpartition("/")[2]
    own = await bank.http.get(f"/qr/v2/{token}")
    assert (own.status_code, own.headers["content-type"]) == (200, "application/jose")


PAGE = "/bank/company"


async def test_a_person_plays_payer_console_and_med_on_the_page(bank: Desk) -> None:
    made, other = await bank.charge("1250.00"), await bank.charge("7.00")
    http, speech = bank.sim.http, {"Accept-Language": "pt-BR"}

    async def act(name: str, **form: str) -> None:
        sent = await http.post(PAGE, data=form | {"act": name})
        assert (sent.status_code, sent.headers["location"]) == (303, PAGE), sent.text

    page = (await http.get(PAGE, headers=speech)).text
    assert all(text in page for text in (DEMO.name, KEY, "R$ 1.250,00", made["txid"]))
    await act("amount", txid=made["txid"], amount="1.300,00")
    await act("pay", txid=made["txid"], amount="1.300,00")
    await act("pay", txid=made["txid"], amount="0,01")
    await act("remove", txid=other["txid"])
    await act("pay-key", key=KEY, amount="5,00")
    charge = await bank.done("GET", f"/cob/{made['txid']}")
    assert [one["valor"] for one in charge["pix"]] == ["1300.00", "0.01"]
    assert (await bank.done("GET", f"/cob/{other['txid']}"))["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    name = charge["pix"][0]["endToEndId"]
    await act("return", endToEndId=name, amount="100,00")
    await act("med", endToEndId=name, amount="200,00")
    told = (await bank.done("GET", f"/pix/{name}"))["devolucoes"]
    assert [(one["natureza"], one["valor"]) for one in told] == [("ORIGINAL", "100.00"), ("MED_FRAUDE", "200.00")]
    page = (await http.get(PAGE, headers=speech)).text
    assert all(text in page for text in ("Paga", "Cancelada", "R$ 1.300,00", "MED_FRAUDE"))
    wrong = await http.post(PAGE, data={"act": "pay-key", "key": KEY, "amount": "none"})
    assert wrong.status_code == 400


async def test_a_person_plays_the_payer_of_a_recurrence_on_the_page(bank: Desk) -> None:
    http, where = bank.sim.http, f"{PAGE}/recurring"
    one, other = await recurrence(bank), await recurrence(bank, valor={"valorMinimoRecebedor": "10.00"})

    async def act(name: str, **form: str) -> httpx.Response:
        return await http.post(where, data=form | {"act": name}, headers={"Accept-Language": "en"})

    first = (await http.get(where)).text
    assert all(text in first for text in (DEMO.name, one["idRec"], other["idRec"]))
    refused = await act("authorize", idRec=other["idRec"], maximumAmount="9,99")
    assert (refused.status_code, 'class="notice bad"' in refused.text) == (200, True)
    assert (await act("authorize", idRec=other["idRec"], maximumAmount="99,00", payer=BROKE)).status_code == 303
    assert (await act("decline", idRec=one["idRec"])).status_code == 303
    tx_id = await scheduled(bank, other["idRec"])
    page = (await http.get(where, headers={"Accept-Language": "pt-BR"})).text
    assert all(text in page for text in ("Recusada", "Autorizada", "Agendada", "R$ 35,00", tx_id))
    assert (await act("cancel", idRec=other["idRec"])).status_code == 303
    assert (await act("cancel", idRec="R" * 29)).status_code == 400
    statuses = [(await bank.done("GET", f"/rec/{made['idRec']}"))["status"] for made in (one, other)]
    assert statuses == ["REJEITADA", "CANCELADA"]
