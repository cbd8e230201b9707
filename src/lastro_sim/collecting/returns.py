"""Returns to payers: once under a return id, never more than was paid."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
    return network.store.row("SELECT * FROM item_return WHERE partner = ? AND return_id = ?", partner.name, return_id)


def of_payment(network: Network, partner: Partner, payment_id: str) -> list[Row]:
    """Returns the returns of a payment, oldest first."""
    sql = "SELECT * FROM item_return WHERE partner = ? AND payment_id = ? ORDER BY seq"
    return network.store.rows(sql, partner.name, payment_id)


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
    behaviour = fault.behaviour if fault else None
    if behaviour == "down":
        raise away()
    payment = _judged(network, partner, asked)
    slow = fault is not None and behaviour == "slow"
    with network.store.writing():
        network.store.run(
            "INSERT INTO item_return (partner, return_id, payment_id, reference, amount, reason, status, code, due_at,"
            " copies) VALUES (?, ?, ?, ?, ?, ?, 'PENDING', ?, ?, ?)",
            partner.name,
            asked.return_id,
            asked.payment_id,
            payment["reference"],
            asked.amount,
            asked.reason,
            (fault.code or PAYER_ACCOUNT_CLOSED) if fault is not None and behaviour == "reject" else None,
            network.clock.business() + fault.delay if fault is not None and slow else None,
            {"timeout": 0, "twice": 2}.get(behaviour or "", 1),
        )
        if not slow:
            _end(network, partner, asked.return_id)
    network.bells.ring("timer")
    if behaviour == "lost-answer":
        raise away()
    return True


def run_due(network: Network, partners: Mapping[str, Partner]) -> None:
    """Ends the slow returns that are due."""
    now = network.clock.business()
    for row in network.store.rows("SELECT * FROM item_return WHERE due_at <= ? ORDER BY due_at, seq", now):
        with network.store.writing():
            _end(network, partners[row["partner"]], row["return_id"])


def dues(network: Network) -> Iterable[int]:
    """Returns the business time of the next end, if any."""
    row = network.store.row("SELECT min(due_at) AS due FROM item_return WHERE due_at IS NOT NULL")
    return () if row is None or row["due"] is None else (row["due"],)


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


def _end(network: Network, partner: Partner, return_id: str) -> None:
    """Ends a return as decided on request. An end that makes no movement is shown on request."""
    network.store.run(
        "UPDATE item_return SET status = CASE WHEN code IS NULL THEN 'SETTLED' ELSE 'REJECTED' END, due_at = NULL,"
        " settled_at = CASE WHEN code IS NULL THEN ? END WHERE partner = ? AND return_id = ? AND status = 'PENDING'",
        network.clock.business(),
        partner.name,
        return_id,
    )
    known = find(network, partner, return_id)
    assert known is not None
    for _ in range(known["copies"]):
        word = RETURNED if known["status"] == SETTLED else RETURN_REJECTED
        movements.put(network, partner, word, told(partner, known))
