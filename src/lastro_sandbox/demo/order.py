"""An order: created, read by the payer's bank, paid, booked, and the webhook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lastro_sandbox.demo.stage import money

if TYPE_CHECKING:
    from lastro_sandbox.demo.stage import Stage


async def paid(stage: Stage) -> bool:
    """Tells whether the money came in, to the cent, with a webhook."""
    before = await stage.balance()
    stage.step(f"The account has {before} {before.currency}.")
    order = await stage.api("PUT", "/order/v2/transparent", _wish(stage))
    code, asked = order["pix"]["qrcodeData"], money(order["amount"])
    stage.step(f"An order of {asked} BRL is created: {order['id']}, {order['status']}.", f"Its QR says {code}")
    seen = await stage.phone("read", qrcodeData=code)
    stage.step(
        f"The payer's bank fetches the location and verifies its signature: {seen['receiver']['name']} asks",
        f"{seen['amount']} BRL, until {seen['expiresAt']}.",
    )
    done = await stage.phone("pay", qrcodeData=code)
    stage.step(f"Paid on the phone: {done['status']}, {done['endToEndId']}.")
    after = await stage.becomes(f"/order/v2/transparent/{order['id']}", "PAID", among=("INITIAL",))
    stage.step(f"The order is {after['status']}, paid by {after['payer']['name']}.", await stage.history(order["id"]))
    await stage.ledger(order["id"])
    now = await stage.balance()
    stage.step(f"The account has {now} {now.currency}.")
    return await stage.webhook("ORDER-PAYIN.PAID", order["id"]) and now.minor - before.minor == asked.minor


def _wish(stage: Stage) -> dict[str, Any]:
    return {
        "customer": {
            "name": "Bento",
            "entityType": "INDIVIDUAL",
            "document": {"type": "CPF", "number": "12345678909"},
            "email": "bento@example.com",
        },
        "order": {
            "externalId": f"demo-{uuid4()}",
            "accountId": stage.account["id"],
            "paymentMethod": "PIX",
            "amount": {"currency": "BRL", "value": "10.50"},
            "description": "A book",
            "notificationUrl": stage.listens_at,
        },
    }
