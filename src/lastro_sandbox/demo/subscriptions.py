"""Pix Automático by QR code: journey 2 authorizes and is charged later, journey 3 pays and authorizes in one act."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lastro_sandbox.demo.stage import money

if TYPE_CHECKING:
    from lastro_sandbox.demo.stage import Stage

PATH = "/order/v1/banking/subscriptions"
_PRICE = {"currency": "BRL", "value": "29.90"}
WAITING = ("INITIAL", "PENDING_AUTHORIZATION")
_LEAST_DAYS = 3  # from today until a charge may be settled


async def authorized(stage: Stage) -> bool:
    """Plays journey 2; tells whether the payer's consent was received, and his bank has the first charge."""
    today = date.fromisoformat((await stage.api("GET", "/sandbox/clock"))["now"][:10])
    made = await stage.api("POST", PATH, wish(stage, today, type="AUTHORIZATION_QRCODE", allowAdjustToBusinessDay=False))
    await _shown(stage, made)
    said = await stage.phone("authorize", qrcodeData=made["qrcodeData"])
    stage.step(f"The payer agrees on the phone: {said['status']}. Nothing is paid yet.")
    after = await stage.becomes(f"{PATH}/{made['id']}", "ACCEPTED", among=WAITING)
    stage.step(f"The subscription is ACCEPTED by {after['payer']['name']}.", await stage.history(made["id"]))
    told = await stage.webhook("SUBSCRIPTION.ACCEPTED", made["id"])
    due = today + timedelta(days=_LEAST_DAYS + 1)
    charge = {"externalId": f"{due:%Y-%m}", "dueDate": due.isoformat()}
    payment = await stage.api("PUT", f"{PATH}/{made['id']}/payments", charge)
    stage.step(f"Its first charge is {payment['status']}: {money(payment['amount'])} BRL on {payment['adjustedDueDate']}.")
    stage.step(
        "The payer's bank collects it on its day. To see that now, move the clock of the sandbox and look at the merchant:",
        f'curl -s -X PUT {stage.sandbox["baseUrl"]}/sandbox/clock -d \'{{"advance":"P{_LEAST_DAYS + 2}D"}}\'',
        f"{stage.sandbox['simulatorUrl']}/merchant",
    )
    return told


async def paid_at_once(stage: Stage) -> bool:
    """Plays journey 3; tells whether the first charge was paid and the subscription accepted, both or neither."""
    today = date.fromisoformat((await stage.api("GET", "/sandbox/clock"))["now"][:10])
    charge = {"pixKey": stage.account["pixKey"], "amount": _PRICE}
    made = await stage.api(
        "POST", PATH, wish(stage, today, type="AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT", initialCharge=charge)
    )
    await _shown(stage, made)
    done = await stage.phone("pay", qrcodeData=made["qrcodeData"])
    stage.step(f"The payer pays, and by that agrees: {done['status']}, {done['endToEndId']}.")
    order_id = made["initialCharge"]["orderId"]
    after = await stage.becomes(f"{PATH}/{made['id']}", "ACCEPTED", among=WAITING)
    order = await stage.api("GET", f"/order/v2/transparent/{order_id}")
    stage.step(f"The subscription is {after['status']} and its first charge {order['status']}, in one commit.")
    await stage.ledger(order_id)
    paid = await stage.webhook("ORDER-PAYIN.PAID", order_id)
    return await stage.webhook("SUBSCRIPTION.ACCEPTED", made["id"]) and paid and order["status"] == "PAID"


async def _shown(stage: Stage, made: dict[str, Any]) -> None:
    stage.step(f"A monthly subscription is {made['status']}: {made['id']}.", f"Its QR says {made['qrcodeData']}")
    seen = (await stage.phone("read", qrcodeData=made["qrcodeData"]))["recurrence"]
    stage.step(f"The payer's bank fetches the terms and verifies their signature: {seen['idRec']}.")


def wish(stage: Stage, today: date, **given: Any) -> dict[str, Any]:
    """Returns the body of a subscription. given: what differs from a monthly one from today on."""
    return {
        "accountId": stage.account["id"],
        "frequencyType": "MONTHLY",
        "startDate": today.isoformat(),
        "fixedAmount": _PRICE,
        "externalId": f"demo-{uuid4()}",
        "description": "The bread club",
        "allowChargeAfterDueDate": True,
        "allowAdjustToBusinessDay": True,
        "webhookUrl": stage.listens_at,
        "debtor": {"name": "Bento", "document": {"type": "CPF", "number": "12345678909"}},
        **given,
    }
