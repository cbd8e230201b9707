"""Money that fits nothing: refused where the network asks, returned to the cent where it is already in."""

from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.standards.pix_ids import dynamic_txid

from .insisting import GOES_BACK
from .play import Play

STAYS_IN = GOES_BACK[:2]
SENT = """
SELECT o.outcome FROM outbox o JOIN refunds r ON r.id = o.reference_id JOIN pix_payments p ON p.id = r.payment_id
 WHERE p.end_to_end_id = $1 AND o.kind = 'return.send'
"""


async def came_back(play: Play, payment: dict[str, Any]) -> None:
    """A payment that was settled has been returned through suspense, whole."""
    assert payment["status"] == "SETTLED"
    await play.payment_becomes(payment["endToEndId"], "RETURNED")
    assert await play.moved(payment["endToEndId"]) == GOES_BACK
    record = await play.statement(payment["endToEndId"])
    assert [(r["amount"], r["status"]) for r in record["returns"]] == [("10.00", "SETTLED")]
    assert record["returns"][0]["returnId"].startswith("D99999010")


async def refused(play: Play, payment: dict[str, Any], code: str) -> None:
    """We said no when we were asked, and nothing was booked."""
    assert (payment["status"], payment.get("code")) == ("REJECTED", code)
    assert await play.moved(payment["endToEndId"]) == []


async def test_a_second_payment_is_refused(play: Play) -> None:
    order = await play.order("10.00")
    assert (await play.pay(order))["status"] == "SETTLED"
    await play.becomes(order, "PAID")
    before = await play.balance()
    await refused(play, await play.pay(order, force=True), "DUPL")
    assert await play.balance() == before
    await play.told(order, "ORDER-PAYIN.PAID")


async def test_a_second_payment_that_is_already_in_is_returned(play: Play) -> None:
    order = await play.order("10.00")
    first = await play.pay(order)
    await play.becomes(order, "PAID")
    before = await play.balance()
    await play.fault("payin", "late")
    await came_back(play, await play.pay(order, force=True))
    assert await play.balance() == before
    assert (await play.shown(order))["endToEndId"] == first["endToEndId"]
    await play.told(order, "ORDER-PAYIN.PAID")


@in_one_test("unasked", [False, True])
async def test_a_late_payment(play: Play, unasked: bool) -> None:
    order = await play.order("10.00", expiration=60)
    await play.act("/phone/read", {"qrcodeData": order["pix"]["qrcodeData"]})  # so that the payer's bank has read it in time
    await play.advance(advance="PT2M10S")
    await play.becomes(order, "EXPIRED")
    before = await play.balance()
    word = await play.pay(order)
    assert (word["status"], word["code"]) == ("REJECTED", "LOCATION_GONE")
    if unasked:
        await play.fault("payin", "late")
        await came_back(play, await play.pay(order, force=True))
    else:
        await refused(play, await play.pay(order, force=True), "BE17")
    assert await play.balance() == before
    await play.told(order, "ORDER-PAYIN.EXPIRED")


async def test_a_payment_between_the_end_and_the_sweep_is_late(play: Play) -> None:
    order = await play.order("10.00", expiration=60)
    await play.act("/phone/read", {"qrcodeData": order["pix"]["qrcodeData"]})
    await play.advance(advance="PT1M5S")
    assert (await play.shown(order))["status"] == "INITIAL"
    await refused(play, await play.pay(order, force=True), "BE17")


async def test_what_was_accepted_in_time_is_in_time_however_late_it_is_told(play: Play) -> None:
    order = await play.order("10.00", expiration=60)
    await play.act("/phone/read", {"qrcodeData": order["pix"]["qrcodeData"]})
    await play.fault("payin", "late", delay=90)
    payment = await play.pay(order)
    assert payment["status"] == "SETTLED"
    assert (await play.shown(order))["status"] == "INITIAL"
    await play.advance(advance="PT1M40S")
    assert (await play.becomes(order, "PAID"))["endToEndId"] == payment["endToEndId"]


@in_one_test("unasked", [False, True])
async def test_a_wrong_amount(play: Play, unasked: bool) -> None:
    order = await play.order("10.01")
    before = await play.balance()
    if unasked:
        await play.fault("payin", "late")
        await came_back(play, await play.pay(order, amount="10.00", force=True))
    else:
        await refused(play, await play.pay(order, amount="10.00", force=True), "BE17")
    assert await play.balance() == before
    assert (await play.shown(order))["status"] == "INITIAL"
    assert (await play.pay(order))["status"] == "SETTLED"
    await play.told(order, "ORDER-PAYIN.PAID")


@pytest.mark.parametrize("unasked", [False, True])
@pytest.mark.parametrize(("whose", "code"), [("nobody's account", "AC03"), ("nobody's charge", "BE15")])
async def test_money_for_nobody(play: Play, whose: str, code: str, unasked: bool) -> None:
    if unasked:
        await play.fault("payin", "late")
    if whose == "nobody's account":
        act: dict[str, Any] = {"account": {"branch": "0001", "account": "999999999"}}
    else:
        act = {"key": play.account["pixKey"], "txid": dynamic_txid(1, bytes(range(32)))}
    before = await play.balance()
    payment = await play.act("/phone/transfer", {**act, "amount": "10.00"})
    if unasked:
        await came_back(play, payment)
    else:
        await refused(play, payment, code)
    assert await play.balance() == before


async def unfit(play: Play) -> dict[str, Any]:
    """Money that has to go back."""
    await play.fault("payin", "late")
    place = {"branch": "0001", "account": "999999999"}
    payment: dict[str, Any] = await play.act("/phone/transfer", {"account": place, "amount": "10.00"})
    assert payment["status"] == "SETTLED"
    return payment


async def test_a_return_that_the_network_refuses_strands_in_suspense(play: Play) -> None:
    await play.fault("return", "reject", code="AM04")
    payment = await unfit(play)
    await play.payment_becomes(payment["endToEndId"], "STRANDED")
    assert await play.moved(payment["endToEndId"]) == [*STAYS_IN, ("voided", "SUSP", "NET", 1000)]
    record = await play.statement(payment["endToEndId"])
    assert [(r["status"], r["code"]) for r in record["returns"]] == [("REJECTED", "AM04")]


@in_one_test("behaviour", ["timeout", "twice", "slow", "down"])
async def test_a_return_is_made_once_whatever_the_network_does(play: Play, behaviour: str) -> None:
    await play.fault("return", behaviour, **({"delay": 1} if behaviour == "slow" else {}))
    payment = await unfit(play)
    if behaviour == "timeout":
        await play.wait_for(SENT, payment["endToEndId"])
        await play.rest()
        await play.payment_becomes(payment["endToEndId"], "RETURNING")
        await play.advance(advance="PT11S")  # silence: it is asked about by its id
    await came_back(play, payment)


async def test_an_order_is_free_again_when_the_network_drops_its_payment(play: Play) -> None:
    order = await play.order("10.00")
    await play.fault("payin", "timeout")
    await refused(play, await play.pay(order), "AB03")
    assert (await play.shown(order))["status"] == "INITIAL"
    assert (await play.location(order)).status == 200
    payment = await play.pay(order)
    assert payment["status"] == "SETTLED"
    assert (await play.becomes(order, "PAID"))["endToEndId"] == payment["endToEndId"]
    await play.told(order, "ORDER-PAYIN.PAID")


@in_one_test(("behaviour", "code"), [("reject", "ED05")])
async def test_a_settlement_that_fails_after_our_yes(play: Play, behaviour: str, code: str) -> None:
    order = await play.order("10.00")
    await play.fault("payin", behaviour, code=code)
    payment = await play.pay(order)
    await refused(play, payment, code)
    await play.payment_becomes(payment["endToEndId"], "FAILED")
    assert (await play.shown(order))["status"] == "INITIAL"


@in_one_test("behaviour", ["lost-answer", "down"])
async def test_an_answer_that_gets_lost_is_given_again(play: Play, behaviour: str) -> None:
    order = await play.order("10.00")
    await play.fault("payin", behaviour)
    payment = await play.pay(order)
    assert payment["status"] == "SETTLED"
    await play.becomes(order, "PAID")
    sql = "SELECT count(*) FROM history h JOIN pix_payments p ON p.id = h.reference_id WHERE p.end_to_end_id = $1"
    assert await play.books.fetchval(sql, payment["endToEndId"]) == 2  # accepted once, settled once
    await play.told(order, "ORDER-PAYIN.PAID")
