"""Returns to payers: once under a return id, never more than was paid."""

from dataclasses import asdict, dataclass
from typing import Any

from lastro_sim import amounts, faults
from lastro_sim.clock import printed_or_none
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

from . import movements, payments
from .partner import RETURN_REJECTED, RETURNED, SETTLED, Partner, Row

PENDING, REJECTED = "PENDING", "REJECTED"
STRIKES = frozenset({"reject", "timeout", "slow", "lost-answer", "down", "twice"})
PAYER_ACCOUNT_CLOSED = "PAYER_ACCOUNT_CLOSED"


@dataclass(frozen=True)
class Return:
    """A requested return. Amount in minor units."""

    return_id: str
    payment_id: str
    amount: int
    reason: str


def find(network: Network, partner: Partner, return_id: str) -> Row | None:
    """Returns a return by its id."""
    return network.store.find("item_return", partner=partner.name, return_id=return_id)


def of_payment(network: Network, partner: Partner, payment_id: str) -> list[Row]:
    """Returns the returns of a payment, oldest first."""
    return network.store.every("item_return", partner=partner.name, payment_id=payment_id)


def give_back(network: Network, partner: Partner, asked: Return) -> bool:
    """Judges a return and carries it out; tells whether it is new.

    A slow one is carried out later. The same again changes nothing.
    """
    known = find(network, partner, asked.return_id)
    if known is not None:
        if (known["payment_id"], known["amount"], known["reason"]) != (asked.payment_id, asked.amount, asked.reason):
            raise RefusedError(409, "RETURN_DIFFERS", "This return id was used for another return")
        return False
    about = {"returnId": asked.return_id, "amount": amounts.printed(asked.amount)}
    fault = faults.strike(network, "return", about, STRIKES)
    behaviour = faults.behaviour_of(fault)
    if behaviour == "down":
        raise away()
    payment = _judged(network, partner, asked)
    due_at = network.clock.business() + fault.delay if fault is not None and behaviour == "slow" else None
    with network.store.writing():
        network.store.insert(
            "item_return",
            partner=partner.name,
            **asdict(asked),
            reference=payment["reference"],
            status=PENDING,
            code=(fault.code or PAYER_ACCOUNT_CLOSED) if fault is not None and behaviour == "reject" else None,
            due_at=due_at,
            copies={"timeout": 0, "twice": 2}.get(behaviour or "", 1),
        )
        if due_at is None:
            end_due(network, partner, network.store.get("item_return", partner=partner.name, return_id=asked.return_id))
    network.bells.ring("timer")
    if behaviour == "lost-answer":
        raise away()
    return True


def shown(partner: Partner, known: Row) -> dict[str, Any]:
    """Returns a return as the partner answers about it."""
    return {
        "returnId": known["return_id"], "paymentId": known["payment_id"], "reference": known["reference"],
        "amount": amounts.printed(known["amount"]), "currency": partner.currency, "status": known["status"],
        "settledAt": printed_or_none(known["settled_at"]),
        **({"code": known["code"]} if known["status"] == REJECTED else {}),
    }  # fmt: skip


def told(partner: Partner, known: Row) -> dict[str, Any]:
    """Returns a return as in its movement."""
    fields = {name: value for name, value in shown(partner, known).items() if value is not None}
    del fields["status"]
    return fields


def _judged(network: Network, partner: Partner, asked: Return) -> Row:
    """Returns the payment that may be given back so much of. Refused: each reason has a code of its own."""
    payment = payments.find(network, partner, asked.payment_id)
    if payment is None:
        raise RefusedError(422, "UNKNOWN_PAYMENT", "No such payment was taken")
    if payment["status"] != SETTLED:
        raise RefusedError(422, "PAYMENT_NOT_SETTLED", "Only what has settled can be given back")
    given = sum(row["amount"] for row in of_payment(network, partner, asked.payment_id) if row["status"] != REJECTED)
    if given + asked.amount > payment["amount"]:
        raise RefusedError(422, "MORE_THAN_PAID", "Returns together would be more than was paid")
    return payment


def end_due(network: Network, partner: Partner, row: Row) -> None:
    """Ends a pending return as decided on request. An end that makes no movement is shown on request."""
    is_settled = row["code"] is None
    settled_at, status = (network.clock.business(), SETTLED) if is_settled else (None, REJECTED)
    network.store.change("item_return", row, status=status, due_at=None, settled_at=settled_at)
    known = network.store.get("item_return", seq=row["seq"])
    for _ in range(known["copies"]):
        movements.put(network, partner, RETURNED if is_settled else RETURN_REJECTED, told(partner, known))
