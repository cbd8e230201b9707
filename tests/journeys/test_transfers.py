"""An order is paid by transfers: by SPEI in two parts, one of them too much; by deposit, and given back; not in time."""

from typing import Any

from .play import Play, cents
from .stage import until

LUCIA = {"name": "Lucía Núñez", "entityType": "INDIVIDUAL", "email": "lucia@example.com",
         "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}  # fmt: skip


async def account(play: Play, method: str, value: str, currency: str, **order: Any) -> tuple[dict[str, Any], str]:
    """An order by transfer, once its bank knows of it, and what is typed to pay it."""
    amount = {"currency": currency, "value": value}
    made = await play.order(value, customer=LUCIA, paymentMethod=method, amount=amount, **order)
    if method == "SPEI":
        typed = made["spei"]["clabe"]
    else:
        banks = (await play.call("GET", "/v1/orders/deposit/banks")).json["data"]
        (code,) = (bank["code"] for bank in banks if bank["slug"] == made["deposit"]["bank"])
        typed = f"{code} {made['deposit']['branchNumber']} {made['deposit']['accountNumber']}"
    await at_its_bank(play, typed)
    return made, typed


async def at_its_bank(play: Play, typed: str) -> None:
    """Returns once the bank of an order knows its account number."""

    async def look() -> bool:
        return (await play.ask("POST", f"{play.stage.simulator_url}/phone/read", {"qrcodeData": typed})).status == 200

    await until(look, "the account number at its bank")


async def has(play: Play, currency: str) -> int:
    answer = await play.call("GET", f"/order/v2/account/balance?accountId={play.account['id']}&currency={currency}")
    assert answer.status == 200, answer.body
    return cents(answer.json["available"]["value"])


async def given_back(play: Play, partner: str, typed: str, amounts: list[str]) -> None:
    """The returns that the bank has settled of what came for an account number."""

    async def look() -> bool:
        found = await play.ask("GET", f"{play.stage.simulator_url}/collecting/{partner}?reference={typed.replace(' ', '')}")
        (item,) = found.json["data"]
        backs = [back for payment in item["payments"] for back in payment["returns"] if back["status"] == "SETTLED"]
        return sorted(back["amount"] for back in backs) == sorted(amounts)

    await until(look, f"{amounts} given back")


async def test_spei_in_parts_and_too_much_of_it(play: Play) -> None:
    before = await has(play, "MXN")
    made, clabe = await account(play, "SPEI", "100.00", "MXN")
    read = await play.act("/phone/read", {"qrcodeData": clabe})
    assert (read["kind"], read["amount"], read["currency"]) == ("SPEI", "100.00", "MXN")
    assert (await play.act("/phone/pay", {"qrcodeData": clabe, "amount": "40.00"}))["status"] == "SETTLED"
    await play.becomes(made, "PENDING")
    page = await play.ask("GET", made["checkoutUrl"])
    assert clabe.encode() in page.body, "the rest can be paid"
    assert (await play.call("POST", f"/order/v2/transparent/{made['id']}/cancel")).status == 409
    await play.act("/phone/pay", {"qrcodeData": clabe, "amount": "60.01"})
    await play.becomes(made, "PAID")
    assert await has(play, "MXN") - before == cents("100.00")
    body = await play.told(made, "ORDER-PAYIN.PAID")
    assert (body["amount"], body["endToEndId"]) == (made["amount"], None)
    await given_back(play, "spei", clabe, ["0.01"])
    await play.act("/phone/pay", {"qrcodeData": clabe, "amount": "5.00"})
    await given_back(play, "spei", clabe, ["0.01", "5.00"])
    asked = {"orderId": made["id"], "externalId": f"{play.name}-back", "refundCode": "MD06",
             "amount": {"currency": "MXN", "value": "50.00"}}  # fmt: skip
    assert (await play.call("POST", "/order/v1/banking/order-refunds", asked, key=f"{play.name}-back")).status == 201
    await play.becomes(made, "PARTIAL_REFUNDED")
    await given_back(play, "spei", clabe, ["0.01", "5.00", "50.00"])
    assert await has(play, "MXN") - before == cents("50.00")


async def test_the_tools_pay_no_transfer_that_they_are_to_leave_pending(play: Play) -> None:
    made, clabe = await account(play, "SPEI", "0.03", "MXN")
    await play.fault("spei", "twice", match={"reference": clabe})
    assert (await play.tool(made, "PENDING")).json["status"] == "PENDING"
    await play.act("/phone/pay", {"qrcodeData": clabe, "amount": "0.01"})
    await play.becomes(made, "PAID")
    small, _ = await account(play, "SPEI", "0.02", "MXN")
    assert (await play.tool(small, "PENDING")).problem == (409, "status", "CONFLICT")


async def test_a_deposit_is_paid_given_back_and_another_never_paid_whole(play: Play) -> None:
    before = await play.balance()
    made, typed = await account(play, "DEPOSIT", "77.70", "BRL", bank="banco-de-fora")
    assert made["deposit"]["bank"] == "banco-de-fora"
    assert (await play.tool(made, "PAID")).status == 200
    await play.becomes(made, "PAID")
    assert await play.balance() - before == cents("77.70")
    assert (await play.tool(made, "REFUNDED")).status == 200
    await given_back(play, "deposit", typed, ["77.70"])
    other, number = await account(play, "DEPOSIT", "10.00", "BRL")
    assert (await play.tool(other, "PENDING")).json["status"] == "PENDING"
    await play.advance(advance="P3DT2M")
    await play.becomes(other, "EXPIRED")
    await given_back(play, "deposit", number, ["4.99"])
    assert await play.balance() == before
    refused = await play.act("/phone/pay", {"qrcodeData": number, "amount": "5.00"})
    assert refused["code"] in ("CHARGE_REMOVED", "EXPIRED")
