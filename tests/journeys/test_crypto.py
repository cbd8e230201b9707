"""An order is paid by a crypto app: at the rate that was frozen for it; with its partner away; too late."""

from decimal import Decimal
from typing import Any

from .play import ORDERS, Play, cents
from .stage import until


async def coin(play: Play, value: str = "123.45", method: str = "BINANCE_PAY") -> dict[str, Any]:
    """An order by crypto, once its partner has opened its quote."""
    made = await play.order(value, paymentMethod=method)

    async def look() -> bool:
        answer = await play.ask("POST", f"{play.stage.simulator_url}/phone/read", code(made))
        return answer.status == 200

    await until(look, "the quote with its order")
    return made


def code(made: dict[str, Any]) -> dict[str, Any]:
    return {"qrcodeData": made["crypto"]["qrcodeData"]}


async def test_an_app_pays_at_the_rate_that_was_frozen(play: Play) -> None:
    before, made = await play.balance(), await coin(play, method="BITSO_PAY")
    charge = made["crypto"]
    worth = Decimal(charge["rate"]) * Decimal(charge["assetAmount"])
    assert (charge["asset"], Decimal("123.45") <= worth < Decimal("123.46")) == ("BTC", True)
    page = await play.ask("GET", charge["universalUrl"])
    assert (page.status, charge["assetAmount"].encode() in page.body) == (200, True)
    hosted = await play.ask("GET", made["checkoutUrl"])
    assert charge["universalUrl"].encode() in hosted.body
    assert (await play.act("/phone/pay", code(made)))["status"] == "PENDING"
    await play.becomes(made, "PENDING")
    assert await play.balance() == before
    await play.advance(advance="PT2M")
    shown = await play.becomes(made, "PAID")
    assert (await play.balance() - before, shown["crypto"]) == (cents("123.45"), charge)
    body = await play.told(made, "ORDER-PAYIN.PAID")
    assert (body["endToEndId"], body["payer"]["name"]) == (None, "Pessoa Pagadora")
    asked = {"orderId": made["id"], "externalId": f"{play.name}-back", "amount": made["amount"], "reason": "x"}
    refused = await play.call("POST", "/order/v1/banking/order-refunds", asked, key=f"{play.name}-back")
    assert refused.status == 400


async def test_a_partner_that_is_away_makes_no_order(play: Play) -> None:
    await play.fault("quote", "down")
    asked = play.asking("10.00", paymentMethod="BINANCE_PAY")
    away = await play.call("PUT", ORDERS, asked, key=f"{play.name}-away")
    assert (away.status, away.headers["retry-after"]) == (503, "5")
    made = await play.call("PUT", ORDERS, asked, key=f"{play.name}-away")
    assert made.status == 200, made.body
    play.made.append(made.json)
    again = await play.call("PUT", ORDERS, asked, key=f"{play.name}-away")
    assert again.body == made.body, "the rate is asked for once"
    refused = await play.call("PUT", ORDERS, play.asking("7009.01", paymentMethod="BINANCE_PAY"))
    assert refused.problem == (400, "order.amount.value", "NOT_ALLOWED")


async def test_a_second_partner_is_named(play: Play) -> None:
    before, made = await play.balance(), await play.order("21.00", paymentMethod="BITSO_PAY", financialPartner="CRYPTO2")
    assert "/crypto2/app/" in made["crypto"]["universalUrl"]
    assert (await play.tool(made, "PAID")).json["status"] == "PENDING"
    await play.advance(advance="PT2M")
    shown = await play.becomes(made, "PAID")
    assert (shown["financialPartner"], await play.balance() - before) == ("CRYPTO2", cents("21.00"))


async def test_who_pays_late_has_it_back(play: Play) -> None:
    before, made = await play.balance(), await coin(play)
    await play.advance(advance="PT32M")
    await play.becomes(made, "EXPIRED")
    await play.rest()
    assert (await play.act("/phone/pay", code(made)))["code"] in ("CHARGE_REMOVED", "EXPIRED")
    await play.fault("crypto", "late")
    assert (await play.act("/phone/pay", code(made)))["status"] == "PENDING"
    await play.advance(advance="PT2M")
    reference = code(made)["qrcodeData"].rpartition("/")[2]

    async def returned() -> bool:
        (item,) = (await play.act(f"/collecting/crypto?reference={reference}", method="GET"))["data"]
        return any(one["status"] == "SETTLED" for payment in item["payments"] for one in payment["returns"])

    await until(returned, "the return")
    await play.rest()
    assert ((await play.shown(made))["status"], await play.balance()) == ("EXPIRED", before)


async def test_the_tools_lead_it_where_it_can_go(play: Play) -> None:
    made = await play.order("11.00", paymentMethod="BINANCE_PAY")
    answer = await play.tool(made, "PAID")
    assert (answer.status, answer.json["status"]) == (200, "PENDING")
    await play.advance(advance="PT2M")
    await play.becomes(made, "PAID")
