"""Payments in the SPI: asked, answered, settled or refused, reported to both.

The receiver's bank is asked first and settles only after its yes; silence is AB03 for both sides. All pending payments stand
in the store with the machine time at which they end by themselves, so that a killed simulator goes on.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

import msgspec

from lastro_sim import amounts, faults
from lastro_sim.api_pix import arrivals
from lastro_sim.clock import SECOND, printed, printed_or_none
from lastro_sim.network import Network
from lastro_sim.outside import charges
from lastro_sim.settings import SIMULATED_BANKS

from . import authorizations, instructions, mailbox, original

TIMED_OUT = "AB03"
SETTLEMENT_FAILED = "ED05"


@dataclass(frozen=True)
class Order:
    """The fields of a pacs.008, as the sending bank writes them."""

    end_to_end_id: str
    sender: str
    receiver: str
    amount: int
    tx_id: str | None
    fields: dict[str, Any]

    @property
    def about(self) -> dict[str, str | None]:
        """The fields that a fault may match."""
        return {
            "endToEndId": self.end_to_end_id,
            "txId": self.tx_id,
            "amount": amounts.printed(self.amount),
            "payerDocument": self.fields["payer"]["document"]["number"],
            "key": self.fields["receiver"].get("key"),
            "idRec": self.fields.get("recurrence", {}).get("idRec"),
        }


def find(network: Network, end_to_end_id: str) -> sqlite3.Row | None:
    """Returns a payment by its id."""
    return network.store.find("payment", end_to_end_id=end_to_end_id)


def ask(network: Network, order: Order, fault: faults.Fault | None) -> sqlite3.Row:
    """Takes a payment for a participant, asks its bank, returns it. It settles without asking when the fault says late."""
    with network.store.writing():
        due_at = network.clock.machine() + int(network.settings.ask_seconds * SECOND)
        payment = _keep(network, order, fault, asked=True, due_at=due_at)
        if fault is not None and fault.behaviour == "late":
            payment = _settle_unasked(network, payment, fault)
        else:
            _send_question(network, payment)
    network.falls_due(due_at)
    return payment


def settle_outside(network: Network, order: Order, code: str | None, fault: faults.Fault | None = None) -> None:
    """Takes a payment to a played bank, which answers at once. code: the bank's refusal, or None where it accepts."""
    with network.store.writing():
        slow = fault is not None and fault.behaviour in faults.SLOW
        if fault is not None and fault.behaviour == "reject":
            code = fault.code or SETTLEMENT_FAILED
        due_at = network.clock.machine() + fault.delay if fault is not None and slow else None
        payment = _keep(network, order, fault, asked=False, due_at=due_at, code=code)
        if not slow:
            _conclude(network, payment, code)
    if slow:
        network.bells.ring("timer")


def is_unseen(payment: sqlite3.Row | None) -> bool:
    """Tells whether a fault still hides a payment from its own bank."""
    return payment is not None and payment["behaviour"] == "unseen" and payment["step"] != "DONE"


def accept(network: Network, payment: sqlite3.Row) -> None:
    """Accepts a payment for its receiver's bank; a late or repeated yes changes nothing."""
    if payment["step"] != "ASKED" or _answer_lost(network, payment):
        return
    if payment["behaviour"] == "reject":
        _conclude(network, payment, payment["fault_code"] or SETTLEMENT_FAILED)
    elif payment["behaviour"] == "timeout":
        _conclude(network, payment, TIMED_OUT)
    elif payment["behaviour"] == "slow":
        due_at = network.clock.machine() + payment["fault_delay"]
        network.store.change("payment", payment, step="FINISHING", due_at=due_at)
        network.bells.ring("timer")
    else:
        _conclude(network, payment, None)


def refuse(network: Network, payment: sqlite3.Row, code: str) -> None:
    """Refuses a payment for its receiver's bank."""
    if payment["step"] == "ASKED" and not _answer_lost(network, payment):
        _conclude(network, payment, code)


def end_due(network: Network, payment: sqlite3.Row) -> None:
    """Ends a due payment: an unanswered one, or a slow settlement."""
    _conclude(network, payment, TIMED_OUT if payment["step"] == "ASKED" else payment["code"])


def release(network: Network, payment: sqlite3.Row) -> None:
    """Sends a withheld outcome, since its sender asks about it."""
    if payment["withheld"] and payment["step"] == "DONE":
        with network.store.writing():
            network.store.change("payment", payment, withheld=0)
            _tell(network, network.store.get("payment", seq=payment["seq"]))


def repeat(network: Network, payment: sqlite3.Row) -> None:
    """Takes a payment sent again: sends a known outcome once more. Nothing is paid twice."""
    if payment["step"] == "DONE":
        with network.store.writing():
            _tell(network, payment)


def about(payment: sqlite3.Row) -> dict[str, str | None]:
    """Returns the fields of a known payment that a fault may match."""
    body = msgspec.json.decode(payment["body"])
    return Order(
        payment["end_to_end_id"], payment["sender"], payment["receiver"], payment["amount"], payment["tx_id"], body
    ).about


def shown(payment: sqlite3.Row) -> dict[str, Any]:
    """Returns a payment as the SPI answers about it."""
    return {
        "endToEndId": payment["end_to_end_id"],
        "status": payment["status"],
        "amount": amounts.printed(payment["amount"]),
        "settledAt": printed_or_none(payment["settled_at"]),
    } | ({"code": payment["code"]} if payment["status"] == "RJCT" else {})


def _keep(
    network: Network, order: Order, fault: faults.Fault | None, *, asked: bool, due_at: int | None, code: str | None = None
) -> sqlite3.Row:
    accepted_at = network.clock.business()
    fields = {
        "endToEndId": order.end_to_end_id,
        **({"txId": order.tx_id} if order.tx_id else {}),
        "amount": amounts.printed(order.amount),
        "acceptedAt": printed(accepted_at),
        **order.fields,
    }
    return network.store.added(
        "payment",
        end_to_end_id=order.end_to_end_id,
        sender=order.sender,
        receiver=order.receiver,
        tx_id=order.tx_id,
        amount=order.amount,
        body=msgspec.json.encode(fields).decode(),
        accepted_at=accepted_at,
        status="PENDING",
        step="ASKED" if asked else "FINISHING",
        asked=asked,
        due_at=due_at,
        behaviour=faults.behaviour_of(fault),
        fault_code=fault.code if fault else None,
        fault_delay=fault.delay if fault else 0,
        code=code,
        withheld=not asked and faults.behaviour_of(fault) == "timeout",
    )


def _send_question(network: Network, payment: sqlite3.Row) -> None:
    is_twice = payment["behaviour"] == "twice"
    mailbox.put(network, payment["receiver"], "pacs.008", msgspec.json.decode(payment["body"]), is_twice=is_twice)


def _answer_lost(network: Network, payment: sqlite3.Row) -> bool:
    """Tells whether the fault loses this answer, and then asks again. The same question goes out in a new message."""
    if payment["behaviour"] != "lost-answer":
        return False
    due_at = network.clock.machine() + int(network.settings.ask_seconds * SECOND)
    network.store.change("payment", payment, behaviour=None, due_at=due_at)
    _send_question(network, payment)
    network.bells.ring("timer")
    return True


def _settle_unasked(network: Network, payment: sqlite3.Row, fault: faults.Fault) -> sqlite3.Row:
    now = network.clock.business()
    network.store.change("payment", payment, status="ACCC", step="DONE", due_at=None, settled_at=now)
    fields = msgspec.json.decode(payment["body"])
    _tell_what_shares_its_end(network, fields, None)
    mailbox.put_struck(network, payment["receiver"], "camt.054", fields | {"settledAt": printed(now)}, fault)
    return network.store.get("payment", end_to_end_id=payment["end_to_end_id"])


def _conclude(network: Network, open_payment: sqlite3.Row, code: str | None) -> None:
    """Ends a payment, once: settled when there is no code."""
    end_to_end_id = open_payment["end_to_end_id"]
    payment = network.store.row(
        "UPDATE payment SET status = ?, step = 'DONE', code = ?, due_at = NULL, settled_at = ?"
        " WHERE end_to_end_id = ? AND step <> 'DONE' RETURNING *",
        "ACCC" if code is None else "RJCT",
        code,
        network.clock.business() if code is None else None,
        end_to_end_id,
    )
    if payment is None:
        return
    if payment["status"] == "ACCC" and payment["receiver"] in SIMULATED_BANKS:
        charges.settled(network, payment)
        arrivals.settled(network, payment)
    _tell_what_shares_its_end(network, msgspec.json.decode(payment["body"]), payment["code"])
    _tell(network, payment)
    network.bells.ring(f"payment:{end_to_end_id}")


def _tell_what_shares_its_end(network: Network, fields: dict[str, Any], code: str | None) -> None:
    """Ends the authorization or instruction that depends on a payment. fields: of its pacs.008."""
    if "recurrence" in fields:
        authorizations.payment_ended(network, fields["endToEndId"], code)
        instructions.payment_ended(network, fields["endToEndId"], code)


def _tell(network: Network, payment: sqlite3.Row) -> None:
    """Sends the final pacs.002 to both sides, except an unasked receiver."""
    if payment["withheld"]:
        return
    settled = payment["status"] == "ACCC"
    fields: dict[str, Any] = {"endToEndId": payment["end_to_end_id"], **original.of_payment(payment)}
    tail = {"settledAt": printed(payment["settled_at"])} if settled else {"code": payment["code"]}
    for side, word in (("sender", "ACSC"), ("receiver", "ACCC")):
        if side == "sender" or payment["asked"]:
            told = fields | {"status": word if settled else "RJCT"} | tail
            mailbox.put(network, payment[side], "pacs.002", told, is_twice=payment["behaviour"] == "twice")
