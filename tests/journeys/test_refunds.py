"""A merchant gives money back: through HTTP, worker and network, with its events and the network's own record."""

from typing import Any

from tests.in_one import in_one_test

from .play import Play
from .stage import until

REFUNDS = "/order/v1/banking/order-refunds"


async def paid(play: Play, value: str = "10.00") -> dict[str, Any]:
    order = await play.order(value)
    assert (await play.pay(order))["status"] == "SETTLED"
    return await play.becomes(order, "PAID")


async def back(play: Play, order: dict[str, Any], value: str, code: str) -> dict[str, Any]:
    """A refund that must be made."""
    body = {
        "orderId": order["id"], "externalId": f"{play.name}-{code}", "amount": {"currency": "BRL", "value": value},
        "refundCode": "MD06", "description": "Sorry",
    }  # fmt: skip
    answer = await play.call("POST", REFUNDS, body, key=f"{play.name}-{code}")
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def ended(play: Play, refund: dict[str, Any]) -> dict[str, Any]:
    """The refund once the network has ended it."""

    async def look() -> dict[str, Any] | None:
        shown: dict[str, Any] = (await play.call("GET", f"{REFUNDS}/{refund['id']}")).json
        return shown if shown["status"] != "PENDING" else None

    return await until(look, "refund ended") or {}


async def test_part_is_refused_first_and_then_all_goes_back(play: Play) -> None:
    before = await play.balance()
    order = await paid(play)
    await play.fault("return", "reject", code="ED05", times=1)
    refused = await ended(play, await back(play, order, "4.00", "a"))
    assert (refused["status"], refused["errorCode"]) == ("ERROR", "ED05")
    assert await play.balance() == before + 1000
    part = await ended(play, await back(play, order, "4.00", "b"))
    assert (part["status"], await play.balance()) == ("PAID", before + 600)
    shown = await play.becomes(order, "PARTIAL_REFUNDED")
    assert shown["refundedAmount"] == {"currency": "BRL", "value": "4.00"}
    assert (await play.tool(order, "REFUNDED")).json["status"] == "REFUNDED"
    told = await play.told(order, "ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUND_ERROR", *["ORDER-PAYIN.REFUNDED"] * 2)
    assert (told["status"], told["refundedAmount"]["value"], told["refundAmount"]["value"]) == ("REFUNDED", "10.00", "6.00")
    record = await play.statement(shown["endToEndId"])
    assert [(r["amount"], r["status"]) for r in record["returns"]] == [
        ("4.00", "REJECTED"), ("4.00", "SETTLED"), ("6.00", "SETTLED"),
    ]  # fmt: skip
    story = (await play.call("GET", f"/order/v2/transparent/{order['id']}/story")).json["entries"]
    moves = [(e["trigger"], e["to"]) for e in story if e["kind"] == "state" and e["object"] == "refund"]
    assert moves == [("create", "PENDING"), ("refuse", "ERROR"), *[("create", "PENDING"), ("confirm", "PAID")] * 2]
    listed = (await play.call("GET", f"{REFUNDS}?orderId={order['id']}&sort=asc")).json["data"]
    assert [r["status"] for r in listed] == ["ERROR", "PAID", "PAID"]


@in_one_test("behaviour", ["timeout", "twice", "lost-answer"])
async def test_a_network_that_says_too_little_or_too_much(play: Play, behaviour: str) -> None:
    """Silence is asked about by the return's id; whatever happens, it is one return."""
    order = await paid(play)
    await play.fault("return", behaviour, times=1)
    refund = await back(play, order, "10.00", behaviour)
    if behaviour == "timeout":
        await play.wait_for("SELECT true FROM outbox WHERE network_id = $1 AND outcome = 'sent'", refund["returnId"])
        await play.advance(advance="PT15S")
    assert (await ended(play, refund))["status"] == "PAID"
    record = await play.statement((await play.becomes(order, "REFUNDED"))["endToEndId"])
    assert [(r["returnId"], r["status"]) for r in record["returns"]] == [(refund["returnId"], "SETTLED")]
    await play.told(order, "ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUNDED")


async def test_a_sandbox_leads_an_order_there(play: Play) -> None:
    order = await play.order("0.03")
    assert (await play.tool(order, "REFUNDED")).problem == (409, "status", "CONFLICT")
    assert (await play.tool(order, "PAID")).json["status"] == "PAID"
    for left, status in (("0.01", "PARTIAL_REFUNDED"), ("0.02", "PARTIAL_REFUNDED")):
        shown = (await play.tool(order, status)).json
        assert (shown["status"], shown["refundedAmount"]["value"]) == (status, left)
    assert (await play.tool(order, "PARTIAL_REFUNDED")).problem == (409, "status", "CONFLICT")
    assert (await play.tool(order, "REFUNDED")).json["status"] == "REFUNDED"


async def test_what_cannot_be_given_back_is_a_conflict_there(play: Play) -> None:
    """A status was asked for and no amount: so it is told, though the refund itself would find fault with its amount."""
    made = (await play.call("PUT", "/order/v2/transparent", play.asking("10.00"), dora=True)).json
    assert (await play.tool(made, "PAID", dora=True)).json["status"] == "PAID"
    (account,) = (await play.call("GET", "/order/v1/banking/accounts", dora=True)).json["data"]
    available = await play.balance(dora=True)
    payout = {
        "externalId": f"{play.name}-all", "accountId": account["id"], "paymentMethod": "PIX", "description": "All of it",
        "amount": {"currency": "BRL", "value": f"{available // 100}.{available % 100:02}"},
        "paymentData": {"pixKey": play.account["pixKey"]},
    }  # fmt: skip
    answer = await play.call("POST", "/order/v1/banking/order-payouts", payout, key=f"{play.name}-all", dora=True)
    assert (answer.status, await play.balance(dora=True)) == (201, 0)
    assert (await play.tool(made, "REFUNDED", dora=True)).problem == (409, "status", "CONFLICT")
