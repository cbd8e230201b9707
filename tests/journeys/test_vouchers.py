"""An order is paid in cash: at OXXO and settled on the next business day; at Paynet at once, and twice; not at all."""

from typing import Any

from .play import Play, cents
from .stage import until

LUCIA = {"name": "Lucía Núñez", "entityType": "INDIVIDUAL", "email": "lucia@example.com",
         "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}  # fmt: skip


async def voucher(play: Play, method: str, value: str = "123.45") -> dict[str, Any]:
    """An order by voucher, once its network knows of it."""
    amount = {"currency": "MXN", "value": value}
    made = await play.order(value, customer=LUCIA, paymentMethod=method, amount=amount)

    async def look() -> bool:
        body = {"qrcodeData": made["cash"]["reference"]}
        return (await play.ask("POST", f"{play.stage.simulator_url}/phone/read", body)).status == 200

    await until(look, "the voucher at its network")
    return made


async def pay(play: Play, made: dict[str, Any], **act: Any) -> dict[str, Any]:
    paid: dict[str, Any] = await play.act("/phone/pay", {"qrcodeData": made["cash"]["reference"], **act})
    return paid


async def pesos(play: Play) -> int:
    """What the account has in MXN."""
    answer = await play.call("GET", f"/order/v2/account/balance?accountId={play.account['id']}&currency=MXN")
    assert answer.status == 200, answer.body
    return cents(answer.json["available"]["value"])


async def test_a_voucher_is_paid_at_the_till_and_settles_on_the_next_business_day(play: Play) -> None:
    reais, before = await play.balance(), await pesos(play)
    made = await voucher(play, "OXXO")
    cash = made["cash"]
    read = await play.act("/phone/read", {"qrcodeData": cash["reference"]})
    assert (read["kind"], read["amount"], read["currency"]) == ("OXXO", "123.45", "MXN")
    for url, found in ((cash["voucherUrl"], b"%PDF-"), (made["checkoutUrl"], cash["reference"][:4].encode())):
        page = await play.ask("GET", url)
        assert (page.status, found in page.body) == (200, True), url
    assert (await pay(play, made, amount="1.00"))["code"] == "AMOUNT_NOT_ALLOWED"
    assert (await pay(play, made))["status"] == "PENDING"
    await play.becomes(made, "PENDING")
    assert (await pay(play, made))["code"] == "ALREADY_PAID"
    await play.advance(advance="P7D")
    shown = await play.becomes(made, "PAID")
    assert (await pesos(play) - before, await play.balance()) == (cents("123.45"), reais)
    body = await play.told(made, "ORDER-PAYIN.PAID")
    assert (body["amount"], body["payer"]["document"]) == (made["amount"], LUCIA["document"])
    assert (body["endToEndId"], body["paidAt"]) == (None, shown["paidAt"])
    asked = {"orderId": made["id"], "externalId": f"{play.name}-back", "amount": made["amount"], "refundCode": "MD06"}
    refused = await play.call("POST", "/order/v1/banking/order-refunds", asked, key=f"{play.name}-back")
    assert (refused.status, refused.json["details"][0]["issue"]) == (400, "NOT_SUPPORTED")


async def test_what_is_paid_twice_is_credited_once_and_waits_for_people(play: Play) -> None:
    before, made = await pesos(play), await voucher(play, "PAYNET", "77.70")
    await play.fault("paynet", "twice")
    assert (await pay(play, made))["status"] == "SETTLED"
    await play.becomes(made, "PAID")

    async def stranded() -> bool:
        found = await play.books.fetchval("SELECT count(*) FROM pix_payments WHERE rail = 'paynet' AND state = 'STRANDED'")
        return bool(found)

    await until(stranded, "the second payment in suspense")
    assert await pesos(play) - before == cents("77.70")


async def test_the_tools_lead_a_voucher_where_it_can_go(play: Play) -> None:
    made = await voucher(play, "OXXOPAY", "10.00")
    answer = await play.tool(made, "PAID")
    assert answer.status == 200
    await play.becomes(made, "PAID")
    for method in ("OXXOPAY", "PAYNET"):
        left = await voucher(play, method, "10.10")
        assert (await play.tool(left, "PENDING")).json["status"] == "PENDING"
        await play.advance(advance="PT23H")
        assert (await play.shown(left))["status"] == "PENDING"
        await play.advance(advance="PT2H")
        await play.becomes(left, "PAID")
    unpaid = await voucher(play, "OXXOPAY", "10000.00")
    await play.advance(advance="P3DT2M")
    await play.becomes(unpaid, "EXPIRED")
    assert (await pay(play, unpaid))["code"] in ("CHARGE_REMOVED", "EXPIRED")
