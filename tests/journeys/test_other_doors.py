"""The other doors to Pix orders: a pay-in is paid on the phone, and a printed code again and again, from here too."""

from typing import Any

import msgspec
from tests.in_one import in_one_test

from .play import Play, cents
from .stage import until
from .test_payouts import becomes, create

PAYINS, CODES = "/order/v1/banking/order-payins", "/order/v1/banking/pix-static-qrcodes"
BRL = "BRL"


async def made(play: Play, path: str, **body: Any) -> dict[str, Any]:
    answer = await play.call("POST", path, {"accountId": play.account["id"], **body})
    assert answer.status == 201, answer.body
    found: dict[str, Any] = answer.json
    return found


async def notified(play: Play, order_id: str) -> list[tuple[str, dict[str, Any]]]:
    """What happened to an order, as its client is told it."""
    sql = "SELECT type, body FROM events WHERE reference_id = $1::text::uuid ORDER BY created_at, id"
    return [(row["type"], msgspec.json.decode(row["body"])) for row in await play.books.fetch(sql, order_id)]


async def test_a_payin_is_paid_by_anybody_and_is_the_same_order_at_both_doors(play: Play) -> None:
    before = await play.balance()
    payin = await made(
        play, PAYINS, externalId=f"{play.name}-payin", paymentMethod="PIX", amount={"currency": BRL, "value": "10.50"},
        payer={"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}}, pixKey=play.account["pixKey"],
    )  # fmt: skip
    read = await play.act("/phone/read", {"qrcodeData": payin["qrcodeData"]})
    assert (read["kind"], read["amount"], read["description"]) == ("DYNAMIC", "10.50", f"{play.name}-payin")
    payment = await play.act("/phone/pay", {"qrcodeData": payin["qrcodeData"]})
    assert payment["status"] == "SETTLED"
    there = await play.becomes(payin, "PAID")
    here = (await play.call("GET", f"{PAYINS}?externalId={play.name}-payin")).json
    assert (here["status"], here["endToEndId"], here["payer"]["name"]) == ("PAID", payment["endToEndId"], "Pessoa Pagadora")
    bank = here["payer"]["bank"]
    assert (bank["ispb"], bank["name"], bank["code"]) == ("99999020", "BANCO PAGADOR SIMULADO", "991")
    assert here["conciliationId"] == there["pix"]["conciliationId"] == payin["conciliationId"]
    assert await play.balance() - before == cents("10.50")
    ((event, body),) = await notified(play, payin["id"])
    assert (event, body["code"], body["payer"]["name"]) == ("ORDER-PAYIN.PAID", f"{play.name}-payin", "Pessoa Pagadora")


@in_one_test("instead", ["location", "qrCode", "remittance"])
async def test_a_bank_that_forgets_the_txid_pays_the_order_all_the_same(play: Play, instead: str) -> None:
    payin = await made(
        play, PAYINS, externalId=f"{play.name}-{instead}", paymentMethod="PIX", amount={"currency": BRL, "value": "10.50"},
        payer={"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}}, pixKey=play.account["pixKey"],
    )  # fmt: skip
    match = {"txId": payin["conciliationId"]}
    await play.act("/faults", {"operation": "payin", "behaviour": "forgets-txid", "code": instead, "match": match})
    payment = await play.act("/phone/pay", {"qrcodeData": payin["qrcodeData"]})
    order = await play.becomes(payin, "PAID")
    assert (payment["status"], order["endToEndId"]) == ("SETTLED", payment["endToEndId"])


async def paid_to(play: Play, code: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The orders that money of a code has made, the newest first, once there are so many."""

    async def look() -> list[dict[str, Any]] | None:
        found: list[dict[str, Any]] = (await play.call("GET", f"/order/v2/transparent?staticQrcodeId={code['id']}")).json[
            "data"
        ]
        return found if len(found) >= count else None

    orders = await until(look, f"{count} orders of {code['id']}")
    assert orders is not None
    assert len(orders) == count
    return orders


async def test_a_printed_code_is_paid_again_and_again_and_each_order_names_it(play: Play) -> None:
    """By the phone, and from another account here. The price that is printed is the price."""
    before = await play.balance()
    code = await made(
        play, CODES, pixKey=play.account["pixKey"], amount={"currency": BRL, "value": "7.50"}, description="Café nº 1"
    )
    read = await play.act("/phone/read", {"qrcodeData": code["qrcodeData"]})
    assert (read["kind"], read["amount"], read["txId"]) == ("STATIC", "7.50", code["txid"])
    assert (read["description"], "problem" in read) == ("Cafe no 1", False)
    first = await play.act("/phone/pay", {"qrcodeData": code["qrcodeData"]})
    await paid_to(play, code, 1)
    late = await play.act("/phone/pay", {"qrcodeData": code["qrcodeData"], "amount": "7.49", "force": True})
    assert (first["status"], late["status"], late["code"]) == ("SETTLED", "REJECTED", "BE17")
    payout = await create(
        play, "7.50", accountId=play.stage.sandbox["accounts"][1]["id"], paymentData={"qrcodeData": code["qrcodeData"]}
    )
    await becomes(play, payout, "PAID")
    orders = await paid_to(play, code, 2)
    assert [order["externalId"] for order in orders] == [payout["endToEndId"], first["endToEndId"]]
    assert {(o["status"], o["staticQrcodeId"], o["paidAmount"]["value"]) for o in orders} == {("PAID", code["id"], "7.50")}
    assert {o["txid"] for o in orders} == {code["txid"]}, "what the code carried comes back"
    assert await play.balance() - before == cents("15.00")
    for order in orders:
        ((event, body),) = await notified(play, order["id"])
        assert (event, body["staticQrcodeId"], body["code"]) == ("ORDER-PAYIN.PAID", code["id"], order["externalId"])
        payin = (await play.call("GET", f"{PAYINS}/{order['id']}")).json
        path = f"/order/v1/banking/accounts/{play.account['id']}/statements?endToEndId={order['endToEndId']}"
        entries = (await play.call("GET", path)).json["data"]
        told = (await play.call("GET", f"/order/v2/transparent/{order['id']}/story")).json["entries"]
        assert (body["txid"], payin["txid"], entries[0]["txid"]) == (code["txid"],) * 3
        assert [e["txid"] for e in told if e["kind"] == "state" and e["object"] == "payment" and "from" not in e] == [
            code["txid"]
        ]


async def test_a_printed_code_without_an_amount_takes_what_is_typed(play: Play) -> None:
    code = await made(play, CODES, pixKey=play.account["pixKey"])
    read = await play.act("/phone/read", {"qrcodeData": code["qrcodeData"]})
    assert (read["openAmount"], "amount" in read) == (True, False)
    for amount in ("1.01", "2.02"):
        payment = await play.act("/phone/pay", {"qrcodeData": code["qrcodeData"], "amount": amount})
        assert payment["status"] == "SETTLED"
    assert [order["amount"]["value"] for order in await paid_to(play, code, 2)] == ["2.02", "1.01"]
