"""Disputes played from both sides: through HTTP, worker and simulated directory, with their events and their money."""

from typing import Any

from tests.in_one import in_one_test

from .play import Play
from .stage import until

MED = "/order/v1/banking/med"


async def case(play: Play, name: str) -> dict[str, Any]:
    answer = await play.call("GET", f"{MED}/{name}")
    assert answer.status == 200, answer.body
    shown: dict[str, Any] = answer.json
    return shown


async def becomes(play: Play, name: str, status: str) -> dict[str, Any]:
    """The object once it is here and stands there."""

    async def look() -> dict[str, Any] | None:
        answer = await play.call("GET", f"{MED}/{name}")
        return answer.json if answer.status == 200 and answer.json["status"] == status else None

    return await until(look, f"{name} {status}") or {}


async def advance(play: Play, name: str, status: str, **more: Any) -> dict[str, Any]:
    done: dict[str, Any] = await play.act(f"/med/{name}/advance", {"status": status, **more})
    return done


async def of_type(play: Play, name: str, object_type: str) -> dict[str, Any]:
    """The one object of that type of the same recovery, once it is here."""

    async def look() -> dict[str, Any] | None:
        found = (await case(play, name))["related"]
        return next((one for one in found if one["objectType"] == object_type), None)

    return await until(look, object_type) or {}


async def paid(play: Play, value: str) -> dict[str, Any]:
    order = await play.order(value)
    assert (await play.pay(order))["status"] == "SETTLED"
    return await play.becomes(order, "PAID")


async def test_what_came_is_blocked_agreed_to_and_given_back(play: Play) -> None:
    before = await play.balance()
    order = await paid(play, "25.00")
    begun = await play.act("/med", {"endToEndId": order["endToEndId"], "situationType": "SCAM"})
    notice = await becomes(play, begun["referenceId"], "RECEIVED")
    assert (notice["role"], notice["blockedAmount"], notice["awaitingOurAnalysis"]) == ("RECEIVER", "25.00", True)
    assert await play.balance() == before
    refund = {
        "orderId": order["id"], "externalId": f"{play.name}-no", "amount": {"currency": "BRL", "value": "1.00"}, "refundCode": "MD06",
    }  # fmt: skip
    answer = await play.call("POST", "/order/v1/banking/order-refunds", refund, key=f"{play.name}-no")
    assert answer.problem == (409, "orderId", "CONFLICT")
    await advance(play, notice["referenceId"], "ANALYSED", analysisResult="AGREED")
    asked = await of_type(play, notice["referenceId"], "REFUND_REQUEST")
    ended = await becomes(play, asked["referenceId"], "ANALYSED")
    assert (ended["analysisResult"], ended["returnedAmount"], ended["blockedAmount"]) == (
        "TOTALLY_ACCEPTED",
        "25.00",
        "0.00",
    )
    assert (await play.becomes(order, "REFUNDED"))["refundedAmount"]["value"] == "25.00"
    told = await play.told(order, "ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUNDED")
    assert told["refundId"] == asked["referenceId"]
    record = await play.statement(order["endToEndId"])
    assert [(r["amount"], r["status"]) for r in record["returns"]] == [("25.00", "SETTLED")]
    assert await play.balance() == before
    assert (ended["eventType"], ended["history"][-1]["previousStatus"]) == ("STATUS_CHANGED", "OPEN")
    path = f"/order/v1/banking/accounts/{play.account['id']}/statements?endToEndId={order['endToEndId']}"

    async def line() -> dict[str, Any] | None:
        lines = (await play.call("GET", path)).json["data"]
        return next((one for one in lines if one["type"] == "MED_BLOCK"), None)

    blocked = await until(line, "the line of the statement") or {}
    assert (blocked["description"], blocked["orderId"]) == (f"MED {notice['referenceId']}", order["id"])


@in_one_test(("second", "lost"), [({"amount": "300.00"}, 0), ({"analysisResult": "REJECTED"}, 300_00)])
async def test_what_was_sent_is_contested_and_comes_back_by_two_ways(play: Play, second: dict[str, str], lost: int) -> None:
    """Or by one, where the other bank has nothing to give back."""
    before = await play.balance()
    wish = {
        "externalId": f"{play.name}-{lost}-out", "accountId": play.account["id"], "paymentMethod": "PIX", "description": "A shop",
        "amount": {"currency": "BRL", "value": "900.00"}, "paymentData": {"pixKey": "fabio@fora.example"},
    }  # fmt: skip
    made = (await play.call("POST", "/order/v1/banking/order-payouts", wish, key=f"{play.name}-{lost}-out")).json
    path, body = f"{MED}/accounts/{play.account['id']}", {"endToEndId": made["endToEndId"], "situationType": "SCAM"}
    await play.wait_for("SELECT true FROM payouts WHERE end_to_end_id = $1 AND status = 'PAID'", made["endToEndId"])
    await play.fault("med", "lost-answer", times=1)
    assert (await play.call("POST", path, body, key=f"{play.name}-{lost}-c")).status == 503
    opened = await play.call("POST", path, body, key=f"{play.name}-{lost}-c")
    assert opened.status == 201, opened.body
    name = opened.json["referenceId"]
    assert (await play.call("POST", path, body, key=f"{play.name}-{lost}-d")).problem == (409, "endToEndId", "DUPLICATE")
    assert (await advance(play, name, "WAITING_REFUND"))["status"] == "REJECTED"
    await advance(play, name, "TRACED", transactions=2)
    await advance(play, name, "WAITING_ANALYSIS")
    traced = await becomes(play, name, "WAITING_ANALYSIS")
    assert [(t["hop"], t["amount"]) for t in traced["transactions"]] == [(1, "900.00"), (2, "900.00")]
    await until(lambda: _count(play, name, 2), "notices")
    for notice in (await case(play, name))["related"]:
        await advance(play, notice["referenceId"], "RECEIVED")
        await advance(play, notice["referenceId"], "ANALYSED", analysisResult="AGREED")
    await becomes(play, name, "WAITING_REFUND")
    await until(lambda: _count(play, name, 4), "requests")
    asked = [one for one in (await case(play, name))["related"] if one["objectType"] == "REFUND_REQUEST"]
    for request, answered in zip(asked, ({"amount": "600.00"}, second), strict=True):
        await advance(play, request["referenceId"], "ANALYSED", **answered)
        await becomes(play, request["referenceId"], "ANALYSED")
    ended = await becomes(play, name, "COMPLETED")
    assert ended["returnedAmount"] == f"{900 - lost // 100}.00"

    async def back() -> bool:
        return await play.balance() == before - lost

    assert await until(back, "the money")


async def _count(play: Play, name: str, least: int) -> bool:
    return len((await case(play, name))["related"]) >= least
