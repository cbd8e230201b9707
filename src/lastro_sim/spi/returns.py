"""Returns by the receiver: pacs.004, judged against their payment.

A participant asks for it by message and is told its outcome. A bank played here gives back by itself. Either way the bank
that had sent the payment is told of the money, which is there by then.
"""

import json
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any

from lastro_sim import amounts, faults
from lastro_sim.clock import DAY, printed, printed_or_none
from lastro_sim.network import Network

from . import mailbox, original
from .payments import SETTLEMENT_FAILED

REASONS = frozenset({"MD06", "SL02", "BE08", "FR01"})
# Of a withdrawal or of the change of a purchase (API Pix 2.9.0, DevolucaoNatureza RETIRADA), and the purposes of a payment
# that has such a part (pacs.008 1.16: OTHR, GSCB). Any other is no such transaction (code SL02).
WITHDRAWAL = "SL02"
OF_A_WITHDRAWAL = frozenset({"OTHR", "GSCB"})
WINDOW = 90 * DAY
# The faults that strike a participant's return, and those of a played bank's own return.
OF_PARTICIPANTS = faults.in_process("return") - {"late"}
OF_BANKS = faults.in_process("return") - {"timeout"}


@dataclass(frozen=True)
class Return:
    """A return by its pacs.004."""

    return_id: str
    end_to_end_id: str
    sender: str
    amount: int
    reason: str
    details: str | None


def left(network: Network, payment: sqlite3.Row) -> int:
    """Returns a payment's amount not yet returned; pending returns count as returned."""
    given = sum(row["amount"] for row in of_payment(network, payment["end_to_end_id"]) if row["status"] != "RJCT")
    rest: int = payment["amount"] - given
    return rest


def find(network: Network, return_id: str) -> sqlite3.Row | None:
    """Returns a return by its id."""
    return network.store.find("giveback", return_id=return_id)


def of_payment(network: Network, end_to_end_id: str) -> list[sqlite3.Row]:
    """Returns all returns of a payment, oldest first."""
    return network.store.every("giveback", end_to_end_id=end_to_end_id)


def about(asked: Return) -> dict[str, str | None]:
    """Returns the fields that a fault may match."""
    return {
        "returnId": asked.return_id,
        "endToEndId": asked.end_to_end_id,
        "amount": amounts.printed(asked.amount),
    }


def same(known: sqlite3.Row, asked: Return) -> bool:
    """Tells whether a repeated pacs.004 equals the first one."""
    return (known["end_to_end_id"], known["sender"], known["amount"], known["reason"]) == (
        asked.end_to_end_id,
        asked.sender,
        asked.amount,
        asked.reason,
    )


def give_back(network: Network, asked: Return, fault: faults.Fault | None) -> None:
    """Judges a new return and carries it out. A slow one counts against the payment from the start."""
    code = _judged(network, asked)
    behaviour = fault.behaviour if fault else None
    late = fault.delay if fault is not None and behaviour == "late" else 0
    if fault is not None and behaviour == "reject" and code is None:
        code = fault.code or SETTLEMENT_FAILED
    due_at = network.clock.machine() + fault.delay if fault is not None and behaviour == "slow" else None
    network.store.insert(
        "giveback", **asdict(asked), status="PENDING", code=code, due_at=due_at, behaviour=behaviour,
        withheld=behaviour == "timeout",
    )  # fmt: skip
    if due_at is None:
        _conclude(network, asked.return_id, code, late)
    network.bells.ring("timer")


def tell(network: Network, known: sqlite3.Row) -> None:
    """Sends the final pacs.002 about a return; nothing while withheld."""
    if known["status"] == "PENDING" or known["withheld"]:
        return
    settled = known["status"] == "ACCC"
    fields: dict[str, Any] = {
        "endToEndId": known["end_to_end_id"],
        "returnId": known["return_id"],
        "status": "ACSC" if settled else "RJCT",
        "amount": amounts.printed(known["amount"]),
    }
    fields |= {"settledAt": printed(known["settled_at"])} if settled else {"code": known["code"]}
    mailbox.put(network, known["sender"], "pacs.002", fields, is_twice=known["behaviour"] == "twice")


def release(network: Network, known: sqlite3.Row) -> None:
    """Sends a withheld outcome, since its sender asks about it."""
    if known["withheld"]:
        with network.store.writing():
            network.store.change("giveback", known, withheld=0)
            tell(network, network.store.get("giveback", seq=known["seq"]))


def end_due(network: Network, row: sqlite3.Row) -> None:
    """Ends a slow return that is due."""
    _conclude(network, row["return_id"], row["code"])


def shown(known: sqlite3.Row) -> dict[str, Any]:
    """Returns a return as the SPI answers about it."""
    return {
        "returnId": known["return_id"],
        "endToEndId": known["end_to_end_id"],
        "status": known["status"],
        "amount": amounts.printed(known["amount"]),
        "settledAt": printed_or_none(known["settled_at"]),
    } | ({"code": known["code"]} if known["status"] == "RJCT" else {})


def _judged(network: Network, asked: Return) -> str | None:
    """Returns the code of the first broken rule; None if none."""
    if asked.end_to_end_id.startswith("D"):
        return "AG13"
    if asked.amount == 0:
        return "AM01"
    payment = network.store.find("payment", end_to_end_id=asked.end_to_end_id)
    if payment is None or payment["status"] != "ACCC" or payment["receiver"] != asked.sender:
        return SETTLEMENT_FAILED
    if network.clock.business() - payment["settled_at"] > WINDOW:
        return "DT05"
    if asked.reason == WITHDRAWAL and json.loads(payment["body"]).get("purpose") not in OF_A_WITHDRAWAL:
        return WITHDRAWAL
    return "AM09" if asked.amount > left(network, payment) else None


def _conclude(network: Network, return_id: str, code: str | None, late: int = 0) -> None:
    network.store.run(
        "UPDATE giveback SET status = ?, code = ?, due_at = NULL, settled_at = ? WHERE return_id = ? AND status = 'PENDING'",
        "ACCC" if code is None else "RJCT",
        code,
        network.clock.business() if code is None else None,
        return_id,
    )
    known = network.store.get("giveback", return_id=return_id)
    tell(network, known)
    if known["status"] == "ACCC":
        _announce(network, known, late)


def _announce(network: Network, known: sqlite3.Row, late: int) -> None:
    """Sends a pacs.004 to the bank that had sent the payment. It is available after `late` microseconds of business time."""
    payment = network.store.get("payment", end_to_end_id=known["end_to_end_id"])
    fields = {
        "returnId": known["return_id"],
        "endToEndId": known["end_to_end_id"],
        "amount": amounts.printed(known["amount"]),
        "reason": known["reason"],
        **({"details": known["details"]} if known["details"] else {}),
        "settledAt": printed(known["settled_at"]),
        **original.of_payment(payment),
    }
    is_twice, available_at = known["behaviour"] == "twice", known["settled_at"] + late
    mailbox.put(network, payment["sender"], "pacs.004", fields, is_twice=is_twice, available_at=available_at)
