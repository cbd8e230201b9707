"""A payout: held, sent once, settled, booked; its receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from lastro.core.money import Money

if TYPE_CHECKING:
    from lastro_sandbox.demo.stage import Stage

_PATH = "/order/v1/banking/order-payouts"
_KEY = "fabio@fora.example"  # of the simulated directory, at another bank


async def sent(stage: Stage) -> bool:
    """Tells whether the money went out, to the cent."""
    before = await stage.balance()
    wish = {
        "externalId": f"demo-{uuid4()}",
        "accountId": stage.account["id"],
        "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": "4.20"},
        "description": "A commission",
        "paymentData": {"pixKey": _KEY},
    }
    payout = await stage.api("POST", _PATH, wish)
    amount = Money.parse(payout["amount"], payout["currency"])
    stage.step(
        f"A payout of {amount} BRL to {_KEY} is {payout['status']}: {payout['id']}.",
        f"Its money is held, and its id in the network is fixed before anything is sent: {payout['endToEndId']}",
    )
    after = await stage.becomes(f"{_PATH}/{payout['id']}", "PAID", among=("INITIAL", "PENDING"))
    stage.step(f"The network has settled it: {after['status']}.", await stage.history(payout["id"]))
    await stage.ledger(payout["id"])
    now = await stage.balance()
    receipt = await stage.api("GET", f"{_PATH}/{payout['id']}/receipt")
    stage.step(
        f"The account has {now} {now.currency}.", f"The receipt says {receipt['receiver']['name']}; it is there as PDF, too."
    )
    return before.minor - now.minor == amount.minor
