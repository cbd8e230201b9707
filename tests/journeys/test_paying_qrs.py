"""QRs of an outside bank are paid from here, each charge once; what is wrong with one is said before anything moves."""

import asyncio
from typing import Any

from tests.in_one import in_one_test

from lastro.standards import brcode
from lastro_sim.outside.signing import HABITS

from .play import Answer, Play, cents
from .test_payouts import PATH, becomes, create, wish

QR = "paymentData.qrcodeData"


async def charge(play: Play, **fields: Any) -> dict[str, Any]:
    """A dynamic charge at the outside bank."""
    made: dict[str, Any] = await play.act("/bank/outside/charges", {"amount": "10.00", **fields})
    return made


async def pay(play: Play, code: str, amount: str = "10.00", **given: Any) -> Answer:
    body = wish(play, amount, paymentData={"qrcodeData": code}, **given)
    return await play.call("POST", PATH, body, key=body["externalId"])


def at(location: str) -> str:
    """A code that leads to a location."""
    return brcode.encode(brcode.BrCode(merchant_name="Loja", merchant_city="SAO PAULO", location=location))


async def test_an_outside_charge_is_paid_once(play: Play) -> None:
    asked, before = await charge(play), await play.balance()
    payout = await create(play, "10.00", paymentData={"qrcodeData": asked["qrcodeData"]})
    shown = await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("10.00")
    record = await play.statement(payout["endToEndId"])
    assert (record["status"], record["txId"]) == ("SETTLED", asked["txId"])
    (kept,) = (await play.act(f"/bank/outside/charges?txId={asked['txId']}", method="GET"))["data"]
    assert (kept["status"], kept["endToEndId"]) == ("CONCLUIDA", payout["endToEndId"])
    assert shown["paidAt"]

    answer = await pay(play, asked["qrcodeData"])
    assert answer.problem == (400, QR, "EXPIRED")
    assert before - await play.balance() == cents("10.00")


@in_one_test("habit", HABITS)
async def test_a_charge_is_paid_however_its_bank_signs(play: Play, habit: str) -> None:
    asked = await charge(play, signature=habit)
    assert (await play.act("/phone/read", {"qrcodeData": asked["qrcodeData"]}))["txId"] == asked["txId"]
    payout = await create(play, "10.00", paymentData={"qrcodeData": asked["qrcodeData"]})
    await becomes(play, payout, "PAID")


async def test_the_amount_is_the_charges_unless_its_signer_lets_it_change(play: Play) -> None:
    fixed = await charge(play)
    assert (await pay(play, fixed["qrcodeData"], "10.01")).problem == (400, "amount", "MISMATCH")
    for asked in (await charge(play, openAmount=True), await charge(play, amount=None)):
        payout = await create(play, "12.34", paymentData={"qrcodeData": asked["qrcodeData"]})
        await becomes(play, payout, "PAID")
        assert (await play.statement(payout["endToEndId"]))["amount"] == "12.34"


async def test_a_charge_that_is_over_is_not_paid(play: Play) -> None:
    expired = await charge(play, expiration=60, age=61)
    assert (await pay(play, expired["qrcodeData"])).problem == (400, QR, "EXPIRED")
    withdrawn = await charge(play)
    await play.act(f"/bank/outside/charges/{withdrawn['txId']}", {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})
    assert (await pay(play, withdrawn["qrcodeData"])).problem == (400, QR, "EXPIRED")
    host = withdrawn["location"].partition("/")[0]
    assert (await pay(play, at(f"{host}/qr/v2/{'0' * 22}"))).problem == (400, QR, "EXPIRED")


@in_one_test(
    ("behaviour", "issue"),
    [
        ("gone", "EXPIRED"), ("redirect", "INVALID"), ("unsigned", "INVALID"), ("wrong-key", "INVALID"),
        ("wrong-jku", "INVALID"), ("too-large", "INVALID"), ("reject", "INVALID"), ("expired-certificate", "INVALID"),
        ("wrong-certificate", "INVALID"), ("misused-certificate", "INVALID"),
    ],
)  # fmt: skip
async def test_what_cannot_be_believed_is_not_paid(play: Play, behaviour: str, issue: str) -> None:
    asked, before = await charge(play), await play.balance()
    match = {"location": asked["location"]}
    await play.act("/faults", {"operation": "location", "behaviour": behaviour, "match": match})
    answer = await pay(play, asked["qrcodeData"])
    assert answer.problem == (400, QR, issue), answer.body
    assert await play.balance() == before
    # The charge itself is good: once it is shown as it must be, it is paid.
    assert (await pay(play, asked["qrcodeData"])).status == 201


@in_one_test("behaviour", ["down", "silent"])
async def test_a_location_that_is_silent_may_answer_later(play: Play, behaviour: str) -> None:
    asked = await charge(play)
    match = {"location": asked["location"]}
    await play.act("/faults", {"operation": "location", "behaviour": behaviour, "match": match})
    body = wish(play, "10.00", paymentData={"qrcodeData": asked["qrcodeData"]})
    begun = asyncio.get_running_loop().time()
    answer = await play.call("POST", PATH, body, key=body["externalId"])
    assert (answer.status, int(answer.headers["retry-after"]) > 0) == (503, True)
    assert asyncio.get_running_loop().time() - begun < 10, "it waits three seconds, not for ever"
    again = await play.call("POST", PATH, body, key=body["externalId"])
    assert again.status == 201


@in_one_test(
    "location",
    [
        "10.0.0.1/qr/v2/0000000000000000000000", "169.254.169.254/latest/meta-data", "192.168.0.1:8443/qr/v2/x",
        "metadata.internal/qr/v2/x", "0x7f.1/qr/v2/x",
    ],
)  # fmt: skip
async def test_a_private_address_is_not_asked(play: Play, location: str) -> None:
    answer = await pay(play, at(location))
    assert answer.problem == (400, QR, "INVALID")
    assert "only public ones" in answer.json["details"][0]["description"]


async def test_a_charge_of_ours_is_read_inside(play: Play) -> None:
    account = play.stage.sandbox["accounts"][1]
    order = await play.order("7.77", accountId=account["id"])
    code = order["pix"]["qrcodeData"] if "pix" in order else order["payment"]["qrcodeData"]
    assert (await pay(play, code, "7.78")).problem == (400, "amount", "MISMATCH")
    payout = await create(play, "7.77", paymentData={"qrcodeData": code})
    await becomes(play, payout, "PAID")
    await play.becomes(order, "PAID")
    assert (await pay(play, code, "7.77")).problem == (400, QR, "EXPIRED")
    own = brcode.decode(code).location
    assert own is not None
    host = own.partition("/")[0]
    assert (await pay(play, at(f"{host}/qr/v2/{'0' * 22}"))).problem == (400, QR, "EXPIRED")
    assert (await pay(play, at(f"{host}/order/v2/transparent"))).problem == (400, QR, "INVALID")
