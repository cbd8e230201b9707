import inspect
import re
from datetime import date

from lastro_sim.bank import authorizing, charging
from lastro_sim.scenarios import BY_CHARGE_AMOUNT, BY_COLLECTED_AMOUNT
from lastro_sim.spi import authorizations, instructions
from lastro_sim.texts import TEXTS

from .orders import GRAFICA, ended, payout, set_clock
from .slips import MONDAY
from .stage import Institution, Sim, Till, until

# What the payer's bank says of charges and authorizations, in the code of the network.
SAYS = {
    *(fault.code for fault, _ in BY_CHARGE_AMOUNT.values() if fault.code is not None),
    *(code for one in BY_COLLECTED_AMOUNT.values() for code in one[:3] if code is not None),
    charging.NO_MONEY, charging.ABOVE_LIMIT, charging.BLOCKED, charging.BANK_FAILED, instructions.BY_PAYER,
    instructions.WITH_AUTHORIZATION, authorizations.REFUSED_BY_BANK, authorizations.NO_SUCH_RECURRENCE,
    authorizations.BY_PAYER, authorizations.BY_RECEIVER, *authorizing.DECLINES,
    *re.findall(r'return "([A-Z0-9]{4})"', inspect.getsource(charging)),
}  # fmt: skip
PT, EN = {"Accept-Language": "pt-BR,pt;q=0.9,en;q=0.8"}, {"Accept-Language": "en-GB,en;q=0.9,pt;q=0.1"}


async def test_pages_speak_two_languages_and_load_nothing_from_elsewhere(sim: Sim) -> None:
    for path in ("/", "/phone", "/receiver", "/merchant", "/bank/company", "/bank/company/recurring"):
        portuguese, english = await sim.http.get(path, headers=PT), await sim.http.get(path, headers=EN)
        assert portuguese.status_code == english.status_code == 200
        assert 'lang="pt-BR"' in portuguese.text
        assert 'lang="en"' in english.text
        assert portuguese.text != english.text
        assert "default-src 'none'" in english.headers["content-security-policy"]
        assert not re.findall(r'(?:src|<link[^>]*href)="https?:', english.text)
        assert "<style" not in english.text
        for found in re.findall(r'(?:src|href)="(/static/[^"]+)"', english.text):
            assert (await sim.http.get(found)).status_code == 200
    assert (await sim.http.get("/static/schema.sql")).status_code == 404


async def test_the_phone_pays_without_scripts(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, _ = shop.charge(key)
    page = await sim.http.get("/phone", params={"qrcodeData": code}, headers=PT)
    assert "Loja da Ana Ltda" in page.text
    assert "R$ 10,00" in page.text
    assert page.text.count('href="/phone?payer=') == 4, "three phones, and the way back"
    paid = await sim.http.post("/phone", data={"qrcodeData": code, "payer": "12345678909"})
    assert paid.status_code == 303
    result = await sim.http.get(paid.headers["location"], headers=PT)
    (end_to_end_id,) = {one["endToEndId"] for one in lastro.heard}
    assert end_to_end_id in result.text
    assert "Pago" in result.text
    assert end_to_end_id in (await sim.http.get("/phone")).text


async def test_the_phone_says_why_not(sim: Sim, shop: Till, key: str) -> None:
    code, _ = shop.charge(key)
    broke = await sim.http.post("/phone", data={"qrcodeData": code, "payer": "70000000159"})
    assert "Not enough money" in (await sim.http.get(broke.headers["location"], headers=EN)).text
    shop.charges["t0"] = 410
    gone = await sim.http.get("/phone", params={"qrcodeData": code}, headers=EN)
    assert "no longer there" in gone.text
    assert 'id="pay"' not in gone.text
    broken = await sim.http.get("/phone", params={"qrcodeData": "<script>alert(1)</script>"}, headers=EN)
    assert "cannot be read" in broken.text
    assert "<script>alert" not in broken.text


async def test_an_open_amount_is_typed_as_brazilians_do(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, _ = shop.charge(key, amount="0.00", open_amount=True)
    assert 'name="amount"' in (await sim.http.get("/phone", params={"qrcodeData": code})).text
    await sim.http.post("/phone", data={"qrcodeData": code, "amount": "1.234,50"})
    assert lastro.heard[0]["amount"] == "1234.50"
    wrong = await sim.http.post("/phone", data={"qrcodeData": code, "amount": "much"}, headers=EN)
    assert wrong.status_code == 400
    assert "Check what was entered" in wrong.text


async def test_results_of_nothing_are_not_found(sim: Sim) -> None:
    assert (await sim.http.get("/phone/result/E1?code=<b>")).status_code == 404


async def test_the_merchants_page_shows_deliveries_escaped(sim: Sim) -> None:
    await sim.http.post(
        "/merchant/webhooks/shop", content=b'{"a":"<img src=x>"}', headers={"x-event-type": "ORDER-PAYIN.PAID"}
    )
    page = (await sim.http.get("/merchant", headers=EN)).text
    assert "ORDER-PAYIN.PAID" in page
    assert "<img" not in page


async def test_a_browser_names_the_page_as_the_origin_of_its_own_form(sim: Sim) -> None:
    """Under no-referrer it would say `Origin: null`, which the guard refuses, and nobody could pay by the page."""
    assert (await sim.http.get("/phone")).headers["referrer-policy"] == "same-origin"


async def test_a_charge_that_is_over_is_not_called_open(sim: Sim, shop: Till) -> None:
    shop.charges["over"] = 410
    page = await sim.http.get("/phone", params={"qrcodeData": shop.code("over")}, headers=EN)
    assert "no longer there" in page.text
    assert "You choose the amount" not in page.text


async def test_the_receivers_bank_charges_and_gives_back_without_scripts(sim: Sim, lastro: Institution) -> None:
    made = await sim.http.post("/receiver/charges", data={"amount": "1.250,00", "description": "<b>Cartazes</b>"})
    assert (made.status_code, made.headers["location"]) == (303, "/receiver")
    (charge,) = (await sim.http.get("/bank/outside/charges")).json()["data"]
    page = (await sim.http.get("/receiver", headers=PT)).text
    assert charge["qrcodeData"] in page
    assert "R$ 1.250,00" in page
    assert "Em aberto" in page
    assert "<b>" not in page
    message = payout(lastro, localInstrument="QRDN", txId=charge["txId"], amount="1250.00", receiver=GRAFICA)
    await ended(lastro, message)
    page = (await sim.http.get("/receiver", headers=PT)).text
    assert 'value="1250.00"' in page
    assert "Paga" in page
    given = await sim.http.post("/receiver/returns", data={"endToEndId": message["endToEndId"], "amount": "1.000,00"})
    assert given.status_code == 303
    page = (await sim.http.get("/receiver", headers=EN)).text
    assert "returned R$ 1,000.00" in page
    assert 'value="250.00"' in page
    await sim.http.post("/receiver/returns", data={"endToEndId": message["endToEndId"], "amount": "250.00"})
    page = (await sim.http.get("/receiver", headers=EN)).text
    assert "Give back" not in page


async def test_the_receivers_page_says_what_is_wrong_and_shows_only_what_came_from_elsewhere(sim: Sim, key: str) -> None:
    for path, data in (("/receiver/charges", {"amount": "much"}), ("/receiver/returns", {"amount": "1"})):
        wrong = await sim.http.post(path, data=data, headers=EN)
        assert wrong.status_code == 400
        assert "Check what was entered" in wrong.text
    await sim.act("/phone/transfer", {"key": "fabio@fora.example", "amount": "7.77"})
    assert "7.77" not in (await sim.http.get("/receiver", headers=EN)).text


async def test_the_phone_authorizes_and_cancels_without_scripts(sim: Sim, lastro: Institution, shop: Till) -> None:
    await set_clock(sim, MONDAY)
    code, id_rec = shop.recurrence(floor="30.00", starts_on=date(2027, 1, 31), ends_on=date(2027, 12, 31))
    page = (await sim.http.get("/phone", params={"qrcodeData": code}, headers=PT)).text
    for text in ("Loja da Ana Ltda", "mensal", "31/01/2027", "31/12/2027", "de valor variável", "no mínimo R$ 30,00",
                 "até 3 novas tentativas", ">Autorizar<", ">Recusar<"):  # fmt: skip
        assert text in page, text
    assert page.count('href="/phone?payer=') == 4, "three phones, and the way back"
    assert ">Pagar" not in page
    form = {"qrcodeData": code, "act": "authorize", "payer": "12345678909"}
    low = await sim.http.post("/phone", data=form | {"maximumAmount": "29,99"})
    assert "lower than what is allowed" in (await sim.http.get(low.headers["location"], headers=EN)).text
    wrong = await sim.http.post("/phone", data=form | {"maximumAmount": "much"}, headers=EN)
    assert wrong.status_code == 400
    assert "Check what was entered" in wrong.text
    said = await sim.http.post("/phone", data=form | {"maximumAmount": "1.050,00"})
    assert (said.status_code, lastro.of(id_rec)[0]["maximumAmount"]) == (303, "1050.00")
    page = (await sim.http.get(said.headers["location"], headers=EN)).text
    for text in ("Authorized", "Pessoa Pagadora", "R$ 1,050.00", id_rec, "Cancel the authorization"):
        assert text in page, text
    assert id_rec in (await sim.http.get("/phone", headers=EN)).text
    assert "been authorized already" in (await sim.http.get("/phone", params={"qrcodeData": code}, headers=EN)).text
    ended = await sim.http.post(f"/phone/recurrence/{id_rec}")
    page = (await sim.http.get(ended.headers["location"], headers=PT)).text
    assert "Cancelada" in page
    assert "Cancelar autorização" not in page


async def test_the_phone_pays_and_authorizes_in_one_act(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, id_rec, _ = shop.paid_recurrence(key, amount="49.90")
    page = (await sim.http.get("/phone", params={"qrcodeData": code}, headers=EN)).text
    for text in ("R$ 10.00", "always of R$ 49.90", "until you cancel it", "also authorize", ">Decline<"):
        assert text in page, text
    assert 'name="maximumAmount"' not in page
    paid = await sim.http.post("/phone", data={"qrcodeData": code, "act": "pay"})
    assert "Paid" in (await sim.http.get(paid.headers["location"], headers=EN)).text
    page = (await sim.http.get(f"/phone/recurrence/{id_rec}", headers=EN)).text
    assert "Authorized" in page
    assert "/phone/result/E99999020" in page


async def test_the_phone_declines_and_says_what_is_no_longer_there(sim: Sim, lastro: Institution, shop: Till) -> None:
    code, id_rec = shop.recurrence(purpose="<b>Plano</b>")
    assert "<b>Plano" not in (await sim.http.get("/phone", params={"qrcodeData": code})).text
    form = {"qrcodeData": code, "act": "decline", "maximumAmount": "much"}
    said = await sim.http.post("/phone", data=form)
    assert "Declined" in (await sim.http.get(said.headers["location"], headers=EN)).text
    assert (await until(lambda: lastro.of(id_rec)))[0]["status"] == "RJCT"
    shop.recurrences["r0"] = 410
    gone = await sim.http.post("/phone", data=form, headers=EN)
    assert (gone.status_code, "no longer there" in gone.text) == (200, True)
    assert (await sim.http.get("/phone/recurrence/unknown")).status_code == 404


def test_the_phone_has_words_for_whatever_the_payers_bank_says() -> None:
    assert len(SAYS) > 20
    assert sorted(SAYS - TEXTS.keys()) == []
    assert not [name for name, said in TEXTS.items() if "recorrência" in said["pt"].lower()], "no bank says so"
