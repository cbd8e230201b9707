"""A company's own bank: an order is paid and given back there, and a subscription is charged."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lastro_sandbox.demo import subscriptions
from lastro_sandbox.demo.stage import money

if TYPE_CHECKING:
    from lastro_sandbox.demo.stage import Stage

_RETURN_SECONDS = 60.0
_FIRST_IN_DAYS, _WEEK_DAYS, _TWO = 4, 7, 2  # a charge can be made three days ahead at the latest


async def paid(stage: Stage) -> bool:
    """Tells whether money came in by the company's bank, and went back."""
    stage = await stage.as_other()
    order = await stage.api("PUT", "/order/v2/transparent", _wish(stage))
    code, asked = order["pix"]["qrcodeData"], money(order["amount"])
    stage.step(
        f"An order of {asked} BRL is created, and the company's bank makes its code (PUT /cob/{{txid}}):",
        f"{order['id']}, {order['status']}, txid {order['pix']['conciliationId']}.", f"Its QR says {code}",
    )  # fmt: skip
    done = await stage.phone("pay", qrcodeData=code)
    stage.step(f"Paid on the phone: {done['status']}, {done['endToEndId']}. lastro is told nothing; it polls the bank.")
    path = f"/order/v2/transparent/{order['id']}"
    after = await stage.becomes(path, "PAID", among=("INITIAL",))
    stage.step(f"The order is {after['status']}.", await stage.history(order["id"]))
    await stage.ledger(order["id"])
    refund = await stage.api("POST", "/order/v1/banking/order-refunds", _refund(order["id"]))
    stage.step(f"A refund of {money(refund['amount'])} BRL is asked for. The bank is asked about it 10 seconds later.")
    back = f"/order/v1/banking/order-refunds/{refund['id']}"
    ended = await stage.becomes(back, "PAID", among=("PENDING",), patience_seconds=_RETURN_SECONDS)
    stage.step(f"It is {ended['status']}: the bank has given the money back (PUT /pix/{{e2eid}}/devolucao/{{id}}).")
    await stage.ledger(refund["id"])
    return await stage.webhook("ORDER-PAYIN.PAID", order["id"])


async def subscribed(stage: Stage) -> bool:
    """Tells whether the company's bank has charged a subscription twice. It moves the clock."""
    stage = await stage.as_other()
    today = date.fromisoformat((await stage.api("GET", "/sandbox/clock"))["now"][:10])
    asked = subscriptions.wish(
        stage, today + timedelta(days=_FIRST_IN_DAYS), type="AUTHORIZATION_QRCODE", frequencyType="WEEKLY",
        autoSchedule=True,
    )  # fmt: skip
    made = await stage.api("POST", subscriptions.PATH, asked)
    stage.step(
        f"A weekly subscription is {made['status']}. The company's bank has made its id and code (POST /rec):",
        f"{made['id']}, {made['providerId']}.", f"Its QR says {made['qrcodeData']}",
    )  # fmt: skip
    said = await stage.phone("authorize", qrcodeData=made["qrcodeData"])
    path = f"{subscriptions.PATH}/{made['id']}"
    stage.step(f"The payer agrees on the phone: {said['status']}. lastro asks the bank about it 10 seconds later.")
    after = await stage.becomes(path, "ACCEPTED", subscriptions.WAITING, _RETURN_SECONDS)
    stage.step(f"The subscription is {after['status']}.", await stage.history(made["id"]))
    told = await stage.webhook("SUBSCRIPTION.ACCEPTED", made["id"])
    await stage.api("PUT", "/sandbox/clock", {"advance": f"P{_FIRST_IN_DAYS + _WEEK_DAYS + 1}D"})
    stage.step(f"The clock of the sandbox goes {_FIRST_IN_DAYS + _WEEK_DAYS + 1} days on: a charge falls due each week.")
    found = await stage.until(path, _are_two_paid)
    for one in found["payments"]:
        stage.step(f"The charge of {one['dueDate']} is {one['status']}: {money(one['amount'])} BRL (PUT /cobr/{{txid}}).")
    return told


def _are_two_paid(found: dict[str, Any]) -> bool:
    return [one["status"] for one in found["payments"]].count("PAID") >= _TWO


def _refund(order_id: str) -> dict[str, Any]:
    amount = {"currency": "BRL", "value": "4.00"}
    return {"orderId": order_id, "externalId": f"demo-{uuid4()}", "amount": amount, "refundCode": "MD06"}


def _wish(stage: Stage) -> dict[str, Any]:
    return {
        "order": {
            "externalId": f"demo-{uuid4()}",
            "paymentMethod": "PIX",
            "financialPartner": "SIMBANK",
            "amount": {"currency": "BRL", "value": "12.00"},
            "description": "A print",
            "notificationUrl": stage.listens_at,
        },
    }
