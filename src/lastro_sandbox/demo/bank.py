"""A company's own bank: its code is asked for, paid, found by polling, given back; a Pix of another system moves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lastro_sandbox.demo.stage import money

if TYPE_CHECKING:
    from lastro_sandbox.demo.stage import Stage

_RETURN_SECONDS = 60.0


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
