"""The phone as an app: whose it is, its statement, its authorizations, and contesting what was paid."""

import re

from lastro_sim.bank import payers
from lastro_sim.med import acts, objects
from lastro_sim.phone import contesting
from lastro_sim.texts import TEXTS

from .orders import ended, payout, set_clock
from .slips import MONDAY, Slip
from .stage import Institution, Sim, Till
from .test_pages import EN, PT
from .test_returns import give_back

COMPANY, BROKE = payers.COMPANY.document, payers.BROKE.document


async def paid(sim: Sim, shop: Till, key: str, payer: str = payers.DEFAULT.document) -> str:
    """A payment of 10.00 by the page; its endToEndId."""
    code, _ = shop.charge(key)
    done = await sim.http.post("/phone", data={"qrcodeData": code, "payer": payer})
    assert done.status_code == 303
    found = re.search(r"/phone/result/(E\w+)\?", done.headers["location"])
    assert found is not None
    return found[1]


async def page(sim: Sim, path: str, headers: dict[str, str] = EN) -> str:
    answer = await sim.http.get(path, headers=headers)
    assert answer.status_code == 200
    return answer.text


async def test_each_phone_shows_what_its_own_holder_did(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    name = await paid(sim, shop, key, COMPANY)
    theirs, others = await page(sim, f"/phone?payer={COMPANY}"), await page(sim, "/phone")
    assert "Empresa Pagadora Ltda" in theirs
    assert "\N{MINUS SIGN} R$ 10.00" in theirs
    assert name in theirs
    assert name not in others
    assert "Nothing" in others or "none" in others.lower()
    assert f'href="/phone?payer={COMPANY}" aria-current="page"' in theirs


async def test_a_stranger_gets_the_first_phone(sim: Sim) -> None:
    for whose in ("", "1", "99999999999", "<b>", payers.HELD.document):
        assert '<a href="/phone?payer=12345678909" aria-current="page">' in await page(sim, f"/phone?payer={whose}")


async def test_the_statement_has_what_came_back(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    name = await paid(sim, shop, key)
    await give_back(lastro, name, 1, "4.00")
    told = await page(sim, "/phone")
    assert told.index("+ R$ 4.00") < told.index("\N{MINUS SIGN} R$ 10.00"), "the newest stands first"


async def test_money_from_lastro_is_on_the_statement(sim: Sim, lastro: Institution) -> None:
    holder = payers.DEFAULT
    receiver = {**holder.fields}
    await ended(lastro, payout(lastro, receiver=receiver, amount="12.34"))
    assert "+ R$ 12.34" in await page(sim, "/phone")


async def test_a_slip_is_on_the_statement_of_who_paid_it(sim: Sim, lastro: Institution) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    await slip.pay(sim, payer=COMPANY)
    told = await page(sim, f"/phone?payer={COMPANY}")
    assert "\N{MINUS SIGN} R$ 100.00" in told
    assert '<span class="pill ANNOUNCED">Taken by the bank</span>' in told
    assert slip.number in told
    assert slip.number not in await page(sim, "/phone")


async def test_the_phone_is_carried_along(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, _ = shop.charge(key)
    asked = await page(sim, f"/phone?payer={COMPANY}&qrcodeData={code}")
    assert f'<input type="hidden" name="payer" value="{COMPANY}">' in asked
    assert asked.count("qrcodeData=0002") == 3, "another phone can be taken for the same code"
    name = await paid(sim, shop, key, COMPANY)
    assert f'<a href="/phone?payer={COMPANY}">' in await page(sim, f"/phone/result/{name}")


async def test_a_payment_is_contested_and_taken_back_without_scripts(
    sim: Sim, lastro: Institution, shop: Till, key: str
) -> None:
    name = await paid(sim, shop, key)
    before = await page(sim, f"/phone/result/{name}", PT)
    assert "Contestar este pagamento" in before
    done = await sim.http.post(f"/phone/dispute/{name}", data={"situationType": "SCAM", "act": "contest"})
    assert (done.status_code, done.headers["location"].partition("?")[0]) == (303, f"/phone/result/{name}")
    after = await page(sim, f"/phone/result/{name}")
    assert "Dispute (MED)" in after
    assert "Contest this payment" not in after
    assert "Notice to the receiver&#39;s bank" in after
    assert "Disputes" in await page(sim, "/phone")
    assert "Disputes" not in await page(sim, f"/phone?payer={COMPANY}")
    twice = await sim.http.post(f"/phone/dispute/{name}", data={"situationType": "SCAM"})
    assert "contested before" in await page(sim, twice.headers["location"])
    await sim.http.post(f"/phone/dispute/{name}", data={"act": "withdraw"})
    assert "Taken back" in await page(sim, f"/phone/result/{name}")


async def test_what_was_not_paid_cannot_be_contested(sim: Sim) -> None:
    name = "E9999902020260101000000000000001"
    for data in ({"situationType": "SCAM"}, {"act": "withdraw"}):
        answer = await sim.http.post(f"/phone/dispute/{name}", data=data, headers=EN)
        assert re.search("contested", await page(sim, answer.headers["location"]))
    wrong = await sim.http.post(f"/phone/dispute/{name}", data={"situationType": "<b>"})
    assert wrong.status_code == 400


def test_every_state_and_reason_has_words() -> None:
    states = {acts.STATUSES.get(one, one) for one in ("CREATED", "TRACKED", "AWAITING_ANALYSIS", "ANALYSED", "REFUNDING")}
    states |= {"COMPLETED", "CANCELLED", "OPEN", "RECEIVED"}
    wanted = {f"dispute-{one}" for one in states} | {f"situation-{one}" for one in contesting.SITUATIONS}
    wanted |= {f"dispute-of-{one}" for one in acts.OBJECT_TYPES.values()}
    assert objects.RECOVERY in acts.OBJECT_TYPES
    assert wanted <= TEXTS.keys()
