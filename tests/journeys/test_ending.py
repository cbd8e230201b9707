"""An order ends without money: its time is over, the client cancels it, or somebody plays its end."""

from datetime import datetime, timedelta

from tests.in_one import in_one_test

from .play import ORDERS, Play
from .stage import until

GRACE = timedelta(seconds=60)
SWEEP = timedelta(seconds=15)  # a sweep looks each second; a busy machine may take longer


async def test_a_step_of_a_month_runs_every_end_in_it_in_order(play: Play) -> None:
    seconds = [2_500_000, 60, 86_400, 3_600, 7_200]
    orders = [await play.order("1.00", expiration=s) for s in seconds]
    await play.advance(advance="P30D")
    orders.sort(key=lambda o: o["pix"]["expireDateTime"])
    shown = [await play.becomes(o, "EXPIRED") for o in orders]
    ended = [datetime.fromisoformat(s["updatedAt"]) for s in shown]
    assert ended == sorted(ended)
    for order, at in zip(orders, ended, strict=True):
        due = datetime.fromisoformat(order["pix"]["expireDateTime"]) + GRACE
        assert due <= at <= due + SWEEP
    bodies = [await play.told(o, "ORDER-PAYIN.EXPIRED") for o in orders]
    assert [b["updatedAt"] for b in bodies] == [s["updatedAt"] for s in shown]
    assert all((b["paidAt"], b["endToEndId"], b["message"]) == (None, None, "Order expired") for b in bodies)
    assert [b["payer"]["name"] for b in bodies] == ["Bento Braga"] * 5
    numbers = [(await play.webhooks(o))[0]["sequence"] for o in orders]
    assert numbers == sorted(set(numbers)), "others of the company may end in that month too"


async def test_an_order_that_nobody_was_to_pay_is_told_without_a_name(play: Play) -> None:
    order = await play.order(None, customer=None, financialPartner="OPEN_PIX")
    assert (await play.call("POST", f"{ORDERS}/{order['id']}/cancel", {})).status == 200
    body = await play.told(order, "ORDER-PAYIN.CANCELED")
    assert body["payer"] == {"name": "NAO IDENTIFICADO", "document": {"type": "CPF", "number": "00000000000"}}
    assert body["amount"] == {"currency": "BRL", "value": "0.00"}


@in_one_test(
    ("kind", "number"),
    [("RFC", "GODE561231GR8"), ("CURP", "NUXL900101MDFXXC09"), ("OTHERS", "X1234567"), ("CNPJ", "11222333000181")],
)
async def test_a_customer_is_told_by_the_document_he_has(play: Play, kind: str, number: str) -> None:
    customer = {"name": "Lucia Nunez", "entityType": "INDIVIDUAL", "document": {"type": kind, "number": number},
                "email": "lucia@example.com"}  # fmt: skip
    order = await play.order(customer=customer)
    assert (await play.call("POST", f"{ORDERS}/{order['id']}/cancel", {})).status == 200
    body = await play.told(order, "ORDER-PAYIN.CANCELED")
    assert body["payer"] == {"name": "Lucia Nunez", "document": {"type": kind, "number": number}}
    assert body["amount"]["currency"] == "BRL"


async def test_cancel(play: Play) -> None:
    order = await play.order()
    answer = await play.call("POST", f"{ORDERS}/{order['id']}/cancel", {})
    assert (answer.status, answer.json["status"]) == (200, "CANCELED")
    assert (await play.shown(order))["status"] == "CANCELED"
    assert (await play.call("POST", f"{ORDERS}/{order['id']}/cancel", {})).problem == (409, "status", "CONFLICT")
    body = await play.told(order, "ORDER-PAYIN.CANCELED")
    assert (body["status"], body["customerMessage"]) == ("CANCELED", "Pedido cancelado")
    word = await play.pay(order)
    assert (word["status"], word["code"]) == ("REJECTED", "LOCATION_GONE")


async def test_a_reserved_order_can_neither_be_cancelled_nor_expire(play: Play) -> None:
    order = await play.order(expiration=60)
    await play.fault("payin", "slow", delay=2)
    paying = play.meanwhile(play.pay(order))
    await play.reserved(order)
    assert (await play.call("POST", f"{ORDERS}/{order['id']}/cancel", {})).problem == (409, "status", "CONFLICT")
    await play.jump(timedelta(minutes=5))  # its time and the grace are over, and the sweep finds it
    assert (await paying)["status"] == "SETTLED"
    await play.becomes(order, "PAID")
    await play.told(order, "ORDER-PAYIN.PAID")


async def test_a_code_may_be_used_again_once_its_order_ended_without_money(play: Play) -> None:
    asked = play.asking()
    taken = (409, "order.externalId", "DUPLICATE")
    for end in ("EXPIRED", "CANCELED", "ERROR", "PAID"):
        order = (await play.call("PUT", ORDERS, asked)).json
        assert order["status"] == "INITIAL"
        assert (await play.call("PUT", ORDERS, asked)).problem == taken
        await play.tool(order, end)
    assert (await play.call("PUT", ORDERS, asked)).problem == taken


@in_one_test("end", ["PAID", "EXPIRED", "CANCELED", "ERROR"])
async def test_every_status_is_reached_by_a_call(play: Play, end: str) -> None:
    order = await play.order(None if end == "PAID" else "3.00")
    answer = await play.tool(order, end)
    assert (answer.status, answer.json["status"], answer.json["id"]) == (200, end, order["id"])
    await play.told(order, f"ORDER-PAYIN.{end}")
    for other in ("PAID", "EXPIRED", "CANCELED", "ERROR"):
        assert (await play.tool(order, other)).problem == (409, "status", "CONFLICT")
    assert (await play.tool(order, "PENDING")).problem == (409, "status", "CONFLICT")
    assert (await play.tool(order, "PAYED")).problem == (400, "status", "INVALID")
    assert (await play.tool({"id": "01a1fbcf-296c-70f9-8ca2-a1087e5736af"}, end)).status == 404


async def test_a_location_is_there_while_the_order_can_be_paid(play: Play) -> None:
    for end in ("PAID", "EXPIRED", "CANCELED", "ERROR"):
        order = await play.order()
        assert (await play.location(order)).status == 200
        await play.tool(order, end)
        await play.becomes(order, end)
        assert (await play.location(order)).status == 410
    for unknown in ("0" * 22, "zzzzz" + "0" * 17, "short", "%2e%2e"):
        assert (await play.ask("GET", f"{play.stage.base_url}/qr/v2/{unknown}")).status == 404


async def test_a_location_is_gone_when_the_time_is_over_though_the_order_waits_for_late_news(play: Play) -> None:
    order = await play.order(expiration=60)
    await play.advance(advance="PT61S")
    assert (await play.shown(order))["status"] == "INITIAL"
    assert (await play.location(order)).status == 410
    await until(lambda: _is_refused(play, order), "the bank's refusal")


async def _is_refused(play: Play, order: dict[str, str]) -> bool:
    return bool((await play.pay(order))["code"] == "LOCATION_GONE")
