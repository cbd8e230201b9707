"""An order is asked for, paid on the phone, booked, told; and the network's own record says the same."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.standards.brcode import BrCode, encode

from .play import Play, cents


async def paid(play: Play, order: dict[str, Any], settled: str, **act: Any) -> dict[str, Any]:
    """Pays an order and asserts everything that must be so afterwards; gives back the notification."""
    before = await play.balance()
    payment = await play.pay(order, **act)
    assert payment["status"] == "SETTLED"
    end_to_end_id = payment["endToEndId"]
    shown = await play.becomes(order, "PAID")
    assert await play.balance() - before == cents(settled)
    record = await play.statement(end_to_end_id)
    assert (record["status"], record["amount"], record["returns"]) == ("SETTLED", settled, [])
    assert record["txId"] == order["pix"]["conciliationId"]
    assert await play.moved(end_to_end_id) == [("moved", "NET", "CUST", cents(settled))]
    assert shown["endToEndId"] == end_to_end_id
    assert shown["paidAmount"] == {"currency": "BRL", "value": settled}
    assert shown["paidAt"] == record["settledAt"]
    body = await play.told(order, "ORDER-PAYIN.PAID")
    assert (body["status"], body["type"], body["message"]) == ("PAID", "PAY-IN", "Order paid")
    assert (body["code"], body["endToEndId"], body["paidAt"]) == (order["externalId"], end_to_end_id, record["settledAt"])
    assert body["amount"] == {"currency": "BRL", "value": settled}
    assert body["ownerBank"]["bank"]["ispb"] == "99999010"
    return body


async def test_a_fixed_amount(play: Play) -> None:
    order = await play.order("10.50")
    assert (order["status"], order["amount"]) == ("INITIAL", {"currency": "BRL", "value": "10.50"})
    body = await paid(play, order, "10.50")
    assert body["payer"]["name"] == "Pessoa Pagadora"
    assert body["payer"]["document"] == {"type": "CPF", "number": "12345678909"}
    assert body["ownerBank"]["pix"] == {"type": "RANDOM", "key": play.account["pixKey"]}


async def test_an_open_amount_is_what_the_payer_types(play: Play) -> None:
    order = await play.order(None)
    assert "amount" not in order
    read = await play.act("/phone/read", {"qrcodeData": order["pix"]["qrcodeData"]})
    assert read["openAmount"] is True
    await paid(play, order, "33.33", amount="33.33")


@in_one_test(("given", "seconds"), [({}, 86_400), ({"expiration": 60}, 60), ({"expiration": 2_592_000}, 2_592_000)])
async def test_an_order_says_until_when_it_can_be_paid(play: Play, given: dict[str, int], seconds: int) -> None:
    order = await play.order("1.00", **given)
    made, ends = (datetime.fromisoformat(t) for t in (order["createdAt"], order["pix"]["expireDateTime"]))
    assert ends - made == timedelta(seconds=seconds)
    read = await play.act("/phone/read", {"qrcodeData": order["pix"]["qrcodeData"]})
    assert abs(datetime.fromisoformat(read["expiresAt"]) - ends) < timedelta(seconds=1)


async def test_the_key_or_the_account_says_where_it_goes(play: Play) -> None:
    first, second = play.stage.sandbox["accounts"]
    for where in (
        {"pixKey": second["pixKey"]},
        {"accountId": second["id"]},
        {"accountId": second["id"], "pixKey": second["pixKey"]},
    ):
        before = [await play.balance(first), await play.balance(second)]
        order = await play.order("2.00", **where)
        assert (await play.pay(order))["status"] == "SETTLED"
        body = await play.told(order, "ORDER-PAYIN.PAID")
        assert body["ownerBank"]["pix"]["key"] == second["pixKey"]
        assert body["ownerBank"]["document"]["type"] == "CPF"
        assert [await play.balance(first), await play.balance(second)] == [before[0], before[1] + 200]
    asked = play.asking(accountId=first["id"], pixKey=second["pixKey"])
    answer = await play.call("PUT", "/order/v2/transparent", asked)
    assert answer.problem == (400, "order.pixKey", "MISMATCH")


async def test_on_the_customerless_route_the_payer_becomes_the_customer(play: Play) -> None:
    answer = await play.call("PUT", "/order/v2/transparent", play.asking(customer=None))
    assert answer.problem == (400, "customer", "REQUIRED")
    order = await play.order("5.00", customer=None, financialPartner="OPEN_PIX")
    await paid(play, order, "5.00", payer={"name": "Clara Costa", "document": {"type": "CPF", "number": "52998224725"}})
    sql = "SELECT c.name, c.document_number FROM orders o JOIN parties c ON c.id = o.customer_id WHERE o.id = $1::text::uuid"
    assert tuple(await play.books.fetchrow(sql, order["id"]) or ()) == ("Clara Costa", "52998224725")


async def test_a_payment_is_booked_once_however_often_the_network_says_so(play: Play) -> None:
    await play.fault("payin", "twice")
    order = await play.order("10.00")
    await paid(play, order, "10.00")
    await play.rest()
    end_to_end_id = (await play.shown(order))["endToEndId"]
    sql = "SELECT kind, count(*) FROM inbox WHERE subject = $1 GROUP BY kind"
    assert {r[0]: r[1] for r in await play.books.fetch(sql, end_to_end_id)} == {"pix.ask": 2, "pix.final": 2}
    await play.told(order, "ORDER-PAYIN.PAID")


async def test_a_slow_settlement_is_told_when_it_is_settled(play: Play) -> None:
    await play.fault("payin", "slow", delay=1)
    await paid(play, await play.order("10.00"), "10.00")


async def account_number(play: Play) -> str:
    number: str = await play.books.fetchval("SELECT number FROM accounts WHERE id = $1::text::uuid", play.account["id"])
    return number


@pytest.mark.parametrize("way", ["key", "account", "static QR"])
@pytest.mark.parametrize("unasked", [False, True])
async def test_money_without_an_order_makes_one(play: Play, way: str, unasked: bool) -> None:
    if unasked:
        await play.fault("payin", "late")
    before = await play.balance()
    if way == "key":
        payment = await play.act("/phone/transfer", {"key": play.account["pixKey"], "amount": "7.77"})
    elif way == "account":
        place = {"branch": "0001", "account": await account_number(play)}
        payment = await play.act("/phone/transfer", {"account": place, "amount": "7.77"})
    else:
        code = BrCode(
            key=play.account["pixKey"], merchant_name="Ana", merchant_city="SAO PAULO", amount="7.77", txid="ATTHETILL"
        )
        payment = await play.act("/phone/pay", {"qrcodeData": encode(code)})
    assert payment["status"] == "SETTLED"
    await play.payment_becomes(payment["endToEndId"], "SETTLED")
    assert await play.balance() - before == 777
    sql = (
        "SELECT o.origin, o.status, o.external_id, e.type, e.url, d.id FROM orders o JOIN events e ON e.reference_id = o.id"
        " LEFT JOIN deliveries d ON d.id = e.id WHERE o.end_to_end_id = $1"
    )
    assert [tuple(r) for r in await play.books.fetch(sql, payment["endToEndId"])] == [
        ("UNASKED", "PAID", payment["endToEndId"], "ORDER-PAYIN.PAID", None, None)
    ]
