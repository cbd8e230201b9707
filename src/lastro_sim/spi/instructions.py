"""Instructions to collect Pix Automático charges, between the two banks.

An instruction is scheduled or refused (pain.014). A scheduled one ends once: its payment settles, it is refused on its day,
or it is cancelled (camt.055) by either side. The payer's bank decides on collecting it (`bank.charging`).
"""

import json
import sqlite3
from dataclasses import dataclass
from datetime import date
from typing import Any

from lastro_sim import amounts, faults
from lastro_sim.clock import printed
from lastro_sim.network import Network

from . import mailbox, original

FIRST_TRY, NEW_TRY, SENT_AGAIN = "AGND", "NTAG", "RIFL"
KINDS = frozenset({FIRST_TRY, NEW_TRY, SENT_AGAIN})
BY_PAYER, WITH_AUTHORIZATION = "SLBD", "CCLD"
# Of a cancellation; the real network's codes for these are not known.
NOTHING_TO_CANCEL, ALREADY_PAID, TOO_LATE = "NITX", "NIPA", "OTHR"


@dataclass(frozen=True)
class Instruction:
    """The fields of a pain.013. Amount in cents; receiver: his side of the payment."""

    msg_id: str
    id_rec: str
    tx_id: str
    kind: str
    amount: int
    due_on: date
    settles_on: date
    payer_ispb: str
    payer_document: str
    receiver: dict[str, Any]
    remittance: str | None

    @property
    def about(self) -> dict[str, str | None]:
        """The fields that a fault may match."""
        return {
            "idRec": self.id_rec,
            "txId": self.tx_id,
            "amount": amounts.printed(self.amount),
            "payerDocument": self.payer_document,
        }


@dataclass(frozen=True)
class CancellationInstruction:
    """A receiver's camt.055. instruction: the msgId of the instruction."""

    msg_id: str
    instruction: str
    id_rec: str
    tx_id: str

    @property
    def about(self) -> dict[str, str | None]:
        """The fields that a fault may match."""
        return {"idRec": self.id_rec, "txId": self.tx_id}


def find(network: Network, msg_id: str) -> sqlite3.Row | None:
    """Returns an instruction by the id of its message."""
    return network.store.find("instruction", msg_id=msg_id)


def of_charge(network: Network, id_rec: str, tx_id: str) -> list[sqlite3.Row]:
    """Returns all instructions of a charge, oldest first."""
    return network.store.every("instruction", id_rec=id_rec, tx_id=tx_id)


def being_paid(network: Network) -> int:
    """Counts the instructions being paid now."""
    return len(network.store.rows("SELECT 1 FROM instruction WHERE step = 'PAYING'"))


def named(network: Network, end_to_end_id: str | None, tx_id: str | None) -> sqlite3.Row | None:
    """Returns the instruction of an endToEndId or a txid. Of a txid it is the newest scheduled one, else the newest."""
    return network.store.row(
        "SELECT * FROM instruction WHERE end_to_end_id = ?1 OR tx_id = ?2 ORDER BY status = 'SCHEDULED' DESC, seq DESC",
        end_to_end_id,
        tx_id,
    )


def keep_refused(network: Network, ispb: str, asked: Instruction, code: str, fault: faults.Fault | None) -> None:
    """Keeps an instruction that the payer's bank refuses, and answers it."""
    _keep(network, ispb, asked, fault, "RJCT", code=code)
    tell(network, asked.msg_id)


def keep_scheduled(
    network: Network,
    ispb: str,
    asked: Instruction,
    payer: dict[str, Any],
    end_to_end_id: str,
    due_at: int,
    fault: faults.Fault | None,
) -> None:
    """Keeps a scheduled instruction under this endToEndId. due_at: business time of the first try."""
    _keep(network, ispb, asked, fault, "SCHEDULED", payer=payer, end_to_end_id=end_to_end_id, due_at=due_at)
    tell(network, asked.msg_id)


def tell(network: Network, msg_id: str) -> None:
    """Sends the outcome of an instruction again; nothing while withheld."""
    row = find(network, msg_id)
    if row is None or row["withheld"] or row["status"] not in {"SCHEDULED", "RJCT"}:
        return
    fields = {"originalMsgId": msg_id, "idRec": row["id_rec"], "txId": row["tx_id"], **_original(row)}
    if row["status"] == "SCHEDULED":
        fields |= {"status": "ACCP", "endToEndId": row["end_to_end_id"]}
    else:
        fields |= {"status": "RJCT", "code": row["code"]}
    _put(network, row, "pain.014", fields | {"decidedAt": printed(row["decided_at"])})


def wait(network: Network, row: sqlite3.Row, step: str, due_at: int, unpaid: str | None) -> None:
    """Leaves an instruction for a later step.

    step: the next one. unpaid: the reason for not collecting, None where nothing was tried.
    """
    network.store.change("instruction", row, step=step, due_at=due_at, unpaid=unpaid or row["unpaid"])


def refuse(network: Network, row: sqlite3.Row, code: str) -> None:
    """Ends an instruction without money, and tells the receiver's bank."""
    _end(network, row, "RJCT", code)
    tell(network, row["msg_id"])


def payment_ended(network: Network, end_to_end_id: str, code: str | None) -> None:
    """Ends the instruction of an ended payment, in the caller's transaction. code: None when the payment settled."""
    row = network.store.find("instruction", end_to_end_id=end_to_end_id, step="PAYING")
    if row is None:
        return
    if code is None:
        _end(network, row, "SETTLED", None)
    else:
        refuse(network, row, code)


def cancel(network: Network, row: sqlite3.Row, reason: str) -> None:
    """Cancels an instruction for the payer's side, and tells the receiver's bank.

    The row must be scheduled, its payment not begun.
    """
    with network.store.writing():
        about = {"idRec": row["id_rec"], "txId": row["tx_id"], "endToEndId": row["end_to_end_id"]}
        fault = faults.strike(network, "cancellation", about, frozenset({"late", "twice"}))
        _end(network, row, "CANCELED", reason)
        fields = {
            "originalMsgId": row["msg_id"],
            "idRec": row["id_rec"],
            "txId": row["tx_id"],
            "reason": reason,
            "canceledAt": printed(network.clock.business()),
            **_original(row),
        }
        _put(network, row, "camt.055", fields, fault)


def cancel_all(network: Network, id_rec: str) -> None:
    """Cancels a recurrence's scheduled instructions; those being paid go on."""
    for row in network.store.rows(
        "SELECT * FROM instruction WHERE id_rec = ? AND status = 'SCHEDULED' AND step <> 'PAYING' ORDER BY seq", id_rec
    ):
        cancel(network, row, WITH_AUTHORIZATION)


def cancel_for_receiver(
    network: Network, ispb: str, asked: CancellationInstruction, *, too_late: bool, fault: faults.Fault | None
) -> None:
    """Cancels an instruction for its receiver; a cancelled one stays so. too_late: its hour is over."""
    row = find(network, asked.instruction)
    if row is not None and (row["sender"], row["id_rec"], row["tx_id"]) != (ispb, asked.id_rec, asked.tx_id):
        row = None
    code = _cannot_cancel(row, too_late=too_late)
    if code is None and fault is not None and fault.behaviour == "reject":
        code = fault.code or TOO_LATE
    if code is None and row is not None and row["status"] == "SCHEDULED":
        _end(network, row, "CANCELED", "SLCR")
    now, behaviour = network.clock.business(), faults.behaviour_of(fault)
    network.store.insert(
        "charge_cancellation",
        msg_id=asked.msg_id,
        instruction=asked.instruction,
        id_rec=asked.id_rec,
        sender=ispb,
        status="ACCP" if code is None else "RJCT",
        code=code,
        decided_at=now,
        told_at=now + (fault.delay if fault is not None and behaviour == "late" else 0),
        behaviour=behaviour,
        withheld=behaviour == "timeout",
    )
    tell_cancellation(network, asked.msg_id)


def _cannot_cancel(row: sqlite3.Row | None, *, too_late: bool) -> str | None:
    """Returns the code for refusing a cancellation; None if it is allowed."""
    if row is None or row["status"] == "RJCT":
        return NOTHING_TO_CANCEL
    if row["status"] == "SETTLED":
        return ALREADY_PAID
    return TOO_LATE if row["status"] == "SCHEDULED" and (too_late or row["step"] == "PAYING") else None


def cancellation(network: Network, msg_id: str) -> sqlite3.Row | None:
    """Returns a receiver's cancellation by its message id."""
    return network.store.find("charge_cancellation", msg_id=msg_id)


def tell_cancellation(network: Network, msg_id: str) -> None:
    """Sends the outcome of a receiver's cancellation again; nothing while withheld."""
    row = cancellation(network, msg_id)
    if row is None or row["withheld"]:
        return
    fields = {"originalMsgId": msg_id, "instructionMsgId": row["instruction"], "idRec": row["id_rec"]}
    fields |= {"status": row["status"]} | ({} if row["code"] is None else {"code": row["code"]})
    fields["decidedAt"] = printed(row["decided_at"])
    of = find(network, row["instruction"])
    if of is not None:
        fields |= _original(of, more=1 if row["behaviour"] == "wrong-amount" else 0)
    is_twice = row["behaviour"] == "twice"
    mailbox.put(network, row["sender"], "camt.029", fields, is_twice=is_twice, available_at=row["told_at"])


def release(network: Network, row: sqlite3.Row) -> None:
    """Sends a withheld outcome, since its receiver asks about it."""
    if row["withheld"]:
        with network.store.writing():
            network.store.change("instruction", row, withheld=0)
            tell(network, row["msg_id"])


def release_cancellation(network: Network, row: sqlite3.Row) -> None:
    """Sends a cancellation's withheld outcome."""
    if row["withheld"]:
        with network.store.writing():
            network.store.run("UPDATE charge_cancellation SET withheld = 0 WHERE msg_id = ?", row["msg_id"])
            tell_cancellation(network, row["msg_id"])


def answered(network: Network, row: sqlite3.Row) -> dict[str, Any]:
    """Returns an instruction as the network answers about it. A collected one comes with its whole payment."""
    found = {"msgId": row["msg_id"], "idRec": row["id_rec"], "txId": row["tx_id"], **_original(row)}
    if row["told_at"] > network.clock.business():
        return found | {"status": "PENDING", "decidedAt": None}
    found |= {"status": row["status"]} | ({} if row["code"] is None else {"code": row["code"]})
    found |= {} if row["end_to_end_id"] is None else {"endToEndId": row["end_to_end_id"]}
    found["decidedAt"] = printed(row["decided_at"])
    if row["status"] != "SETTLED":
        return found
    payment = network.store.get("payment", end_to_end_id=row["end_to_end_id"])
    return found | {"payment": json.loads(payment["body"]) | {"settledAt": printed(payment["settled_at"])}}


def answered_cancellation(network: Network, row: sqlite3.Row) -> dict[str, Any]:
    """Returns a cancellation as the network answers about it."""
    found = {"msgId": row["msg_id"], "instructionMsgId": row["instruction"], "idRec": row["id_rec"]}
    of = find(network, row["instruction"])
    found |= {} if of is None else _original(of)
    if row["told_at"] > network.clock.business():
        return found | {"status": "PENDING", "decidedAt": None}
    found |= {"status": row["status"]} | ({} if row["code"] is None else {"code": row["code"]})
    return found | {"decidedAt": printed(row["decided_at"])}


def _original(row: sqlite3.Row, *, more: int = 0) -> dict[str, Any]:
    """Returns the instruction's fields that messages about it repeat.

    Its payer is known by its bank alone, until that has found him. more: centavos that a fault adds.
    """
    payer = {} if row["payer"] is None else json.loads(row["payer"])
    return original.of(row["amount"] + more, payer, json.loads(row["receiver"]), row["tx_id"])


def _keep(
    network: Network,
    ispb: str,
    asked: Instruction,
    fault: faults.Fault | None,
    status: str,
    *,
    code: str | None = None,
    payer: dict[str, Any] | None = None,
    end_to_end_id: str | None = None,
    due_at: int | None = None,
) -> None:
    now, behaviour = network.clock.business(), faults.behaviour_of(fault)
    delay = 0 if fault is None else fault.delay
    values = {
        "msg_id": asked.msg_id, "id_rec": asked.id_rec, "tx_id": asked.tx_id, "sender": ispb, "kind": asked.kind,
        "amount": asked.amount, "due_on": asked.due_on.isoformat(), "settles_on": asked.settles_on.isoformat(),
        "receiver": json.dumps(asked.receiver), "remittance": asked.remittance,
        "payer": None if payer is None else json.dumps(payer), "end_to_end_id": end_to_end_id, "status": status,
        "code": code, "step": "FIRST" if status == "SCHEDULED" else "DONE", "due_at": due_at, "taken_at": now,
        "decided_at": now, "told_at": now + (delay if behaviour in {"late", "reject"} else 0), "behaviour": behaviour,
        "fault_delay": delay, "withheld": behaviour == "timeout",
    }  # fmt: skip
    network.store.insert("instruction", **values)
    network.bells.ring("timer")


def _end(network: Network, row: sqlite3.Row, status: str, code: str | None) -> None:
    network.store.run(
        "UPDATE instruction SET status = ?, code = ?, step = 'DONE', due_at = NULL, decided_at = ? WHERE seq = ?"
        " AND status = 'SCHEDULED'",
        status,
        code,
        network.clock.business(),
        row["seq"],
    )
    network.bells.ring("timer")


def _put(network: Network, row: sqlite3.Row, kind: str, fields: dict[str, Any], fault: faults.Fault | None = None) -> None:
    """Sends a message about an instruction.

    It is not available before the first message about it; a fault may send it twice.
    """
    behaviour = faults.behaviour_of(fault)
    late = fault.delay if fault is not None and behaviour == "late" else 0
    is_twice = "twice" in {behaviour, row["behaviour"]}
    available_at = max(row["told_at"], network.clock.business() + late)
    mailbox.put(network, row["sender"], kind, fields, is_twice=is_twice, available_at=available_at)
