"""A dispute: a payout is contested, traced, agreed to by the bank that has the money, and comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from lastro_sandbox.demo.stage import Stage

_PAYOUTS, _MED = "/order/v1/banking/order-payouts", "/order/v1/banking/med"
_KEY = "fabio@fora.example"  # of the simulated directory, at another bank
_OPEN = ("CREATED", "TRACED", "WAITING_ANALYSIS", "ANALYSED", "WAITING_REFUND")


async def won(stage: Stage) -> bool:
    """Tells whether all of the money came back."""
    before = await stage.balance()
    payout = await _paid(stage)
    wish = {"endToEndId": payout["endToEndId"], "situationType": "SCAM"}
    case = await stage.api("POST", f"{_MED}/accounts/{stage.account['id']}", wish)
    name = case["referenceId"]
    stage.step(
        f"The payout was a scam, and is contested: a {case['objectType']} is {case['status']}: {name}.",
        f"It may take until {case['deadline']}.",
    )
    await stage.advance(name, status="TRACED")
    await stage.advance(name, status="WAITING_ANALYSIS")
    found = await _related(stage, name, "INFRINGEMENT_NOTIFICATION")
    stage.step("The directory has traced the money; the bank that received it is asked.")
    await stage.advance(found["referenceId"], status="RECEIVED")
    await stage.advance(found["referenceId"], status="ANALYSED", analysisResult="AGREED")
    asked = await _related(stage, name, "REFUND_REQUEST")
    stage.step("It agrees that it was fraud, and lastro orders the refund at once.")
    await stage.advance(asked["referenceId"], status="ANALYSED")
    ended = await stage.becomes(f"{_MED}/{name}", "COMPLETED", among=_OPEN)
    back = await stage.becomes(f"{_PAYOUTS}/{payout['id']}", "REFUNDED", among=("PAID",))
    stage.step(
        f"The dispute is {ended['status']}, the payout {back['status']}: {ended['returnedAmount']} BRL came back.",
        await stage.history(name),
    )
    now = await stage.balance()
    stage.step(f"The account has {now} {now.currency}, as before.")
    return before == now


async def _paid(stage: Stage) -> dict[str, Any]:
    wish = {
        "externalId": f"demo-{uuid4()}", "accountId": stage.account["id"], "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": "7.30"}, "description": "A shop that does not exist",
        "paymentData": {"pixKey": _KEY},
    }  # fmt: skip
    payout = await stage.api("POST", _PAYOUTS, wish)
    done = await stage.becomes(f"{_PAYOUTS}/{payout['id']}", "PAID", among=("INITIAL", "PENDING"))
    stage.step(f"A payout of {payout['amount']} {payout['currency']} to {_KEY} is {done['status']}: {payout['id']}.")
    return done


async def _related(stage: Stage, name: str, object_type: str) -> dict[str, Any]:
    """Returns the object of that type which the dispute has created."""

    def of_it(case: dict[str, Any]) -> list[dict[str, Any]]:
        return [one for one in case["related"] if one["objectType"] == object_type]

    case = await stage.until(f"{_MED}/{name}", lambda seen: bool(of_it(seen)))
    return of_it(case)[0]
