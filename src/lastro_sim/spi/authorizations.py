"""Authorizations of Pix Automático between the payer's and the receiver's bank.

They are given, declined, or cancelled by either side. Without a payment (journey 2) the receiver's bank is asked, and the
authorization holds from its yes on. With a first payment (journey 3) it rides in the payment's question and takes the
payment's end in the same transaction: both or neither.
"""

import json
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any

from lastro.standards import recurrence_ids
from lastro_sim import amounts, faults
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.network import Network

from . import instructions, mailbox

REFUSED_BY_BANK = "AP13"  # the Central Bank gives it no meaning
NO_SUCH_RECURRENCE = "MIDI"
BY_PAYER, BY_RECEIVER = "SLDB", "SLCR"
ROLES = frozenset({"USUARIO_RECEBEDOR", "PSP_RECEBEDOR"})
# The faults that strike the payer's decision on its way, and those of either side's cancellation.
OF_WORDS = faults.in_process("authorization") - {"down", "reject"}
OF_PAYERS_CANCELLATIONS = frozenset({"late", "twice"})
OF_RECEIVERS_CANCELLATIONS = faults.in_process("cancellation")


@dataclass(frozen=True)
class Consent:
    """A payer's consent to a recurrence. payer: his side of a message. maximum: cents, None where he sets none."""

    id_rec: str
    receiver: str
    payer: dict[str, Any]
    maximum: int | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The recurrence fields of a first payment that authorizes it."""
        return {"idRec": self.id_rec} | _maximum(self.maximum)

    @property
    def about(self) -> dict[str, str | None]:
        """The fields that a fault may match."""
        document: str = self.payer["document"]["number"]
        amount = None if self.maximum is None else amounts.printed(self.maximum)
        return {"idRec": self.id_rec, "payerDocument": document, "amount": amount}


@dataclass(frozen=True)
class AuthorizationAnswer:
    """A receiver's pain.012: yes, or no with a code."""

    original_msg_id: str
    id_rec: str
    accepts: bool
    code: str | None


@dataclass(frozen=True)
class Cancellation:
    """A receiver's pain.011."""

    msg_id: str
    id_rec: str
    reason: str


def unregister(network: Network, id_rec: str, fault: faults.Fault) -> None:
    """Rejects a taken recurrence to its maker, after the fault's delay."""
    named = recurrence_ids.read_recurrence_id(id_rec)
    if named is None:
        return
    told = {"relatedMsgId": id_rec, "reason": "A fault says so"} | ({} if fault.code is None else {"code": fault.code})
    with network.store.writing():
        mailbox.put(network, named.maker, "admi.002", told, available_at=network.clock.business() + fault.delay)


def live(network: Network, id_rec: str) -> sqlite3.Row | None:
    """Returns the newest authorized or pending authorization of a recurrence."""
    return network.store.row(
        "SELECT * FROM authorization WHERE id_rec = ? AND status IN ('PENDING', 'AUTHORIZED') ORDER BY seq DESC", id_rec
    )


def newest(network: Network, id_rec: str) -> sqlite3.Row | None:
    """Returns the newest authorization of a recurrence, of any status."""
    return network.store.find("authorization", id_rec=id_rec)


def held(network: Network, id_rec: str) -> sqlite3.Row | None:
    """Returns the authorization in force of a recurrence."""
    return network.store.find("authorization", id_rec=id_rec, status="AUTHORIZED")


def is_same(row: sqlite3.Row, consent: Consent) -> bool:
    """Tells whether a pending authorization equals the payer's new consent."""
    said = (row["status"], payer_of(row)["document"], row["maximum"], row["end_to_end_id"])
    return said == ("PENDING", consent.payer["document"], consent.maximum, None)


def payer_of(row: sqlite3.Row) -> dict[str, Any]:
    """Returns the payer's side of the messages about an authorization."""
    payer: dict[str, Any] = json.loads(row["payer"])
    return payer


def ask(network: Network, consent: Consent, fault: faults.Fault | None) -> None:
    """Keeps an authorization without payment, and asks the receiver's bank."""
    with network.store.writing():
        _ask(network, _keep(network, consent, "PENDING", fault=fault), fault)


def ask_again(network: Network, authorization: sqlite3.Row, fault: faults.Fault | None) -> None:
    """Sends the payer's same consent again, since no answer came."""
    with network.store.writing():
        network.store.change("authorization", authorization, behaviour=faults.behaviour_of(fault))
        _ask(network, authorization, fault)


def ride(network: Network, consent: Consent, end_to_end_id: str) -> None:
    """Keeps an authorization that waits for its payment's end. The caller's transaction keeps both."""
    _keep(network, consent, "PENDING", end_to_end_id=end_to_end_id)


def payment_ended(network: Network, end_to_end_id: str, code: str | None) -> None:
    """Ends the authorization of an ended payment, in the caller's transaction. code: None when the payment settled."""
    row = network.store.find("authorization", end_to_end_id=end_to_end_id, status="PENDING")
    if row is not None:
        _end(network, row, "AUTHORIZED" if code is None else "REJECTED", code)


def answered(network: Network, ispb: str, answer: AuthorizationAnswer) -> str | None:
    """Takes the receiver's yes or no. A text is the reason why the network refuses to process the message at all."""
    if not mailbox.asked(network, ispb, answer.original_msg_id, answer.id_rec, "pain.012"):
        return "No pain.012 with this msgId asked about this idRec"
    row = live(network, answer.id_rec)
    if row is None or row["status"] != "PENDING" or row["end_to_end_id"] is not None:
        return None
    if row["behaviour"] == "lost-answer":
        ask_again(network, row, None)
    else:
        _end(network, row, "AUTHORIZED" if answer.accepts else "REJECTED", answer.code)
    return None


def decline(network: Network, consent: Consent, reason: str, fault: faults.Fault | None) -> None:
    """Declines a recurrence and tells the receiver's bank."""
    with network.store.writing():
        _tell(network, _keep(network, consent, "DECLINED", code=reason), {"status": "RJCT", "code": reason}, fault)
    network.bells.ring(f"authorization:{consent.id_rec}")


def cancel(network: Network, id_rec: str, receiver: str, payer: dict[str, Any], reason: str) -> None:
    """Cancels for the payer or his bank, and tells the receiver's bank."""
    with network.store.writing():
        about = Consent(id_rec, receiver, payer).about
        fault = faults.strike(network, "cancellation", about, OF_PAYERS_CANCELLATIONS)
        now = network.clock.business()
        _end_all(network, id_rec, reason)
        role = "USUARIO_PAGADOR" if reason == BY_PAYER else "PSP_PAGADOR"
        requester = {"role": role, "document": payer["document"], "name": payer["name"]}
        fields = {"idRec": id_rec, "reason": reason, "requestedBy": requester, "canceledAt": printed(now)}
        mailbox.put_struck(network, receiver, "pain.011", fields, fault)


def cancel_for_receiver(network: Network, ispb: str, asked: Cancellation, magic: faults.Fault | None) -> None:
    """Cancels an authorization for its receiver. A cancelled one stays so; an unknown one is refused."""
    row = newest(network, asked.id_rec)
    about = {"idRec": asked.id_rec}
    if row is not None:
        about["payerDocument"] = payer_of(row)["document"]["number"]
    fault = faults.strike(network, "cancellation", about, OF_RECEIVERS_CANCELLATIONS) or magic
    code, behaviour = None, faults.behaviour_of(fault)
    if row is None or row["receiver"] != ispb or row["status"] in {"REJECTED", "DECLINED"}:
        code = NO_SUCH_RECURRENCE
    elif fault is not None and behaviour == "reject":
        code = fault.code or REFUSED_BY_BANK
    if code is None:
        _end_all(network, asked.id_rec, asked.reason)
    now = network.clock.business()
    late = fault.delay if fault is not None and behaviour == "late" else 0
    network.store.insert(
        "cancellation", **asdict(asked), sender=ispb, status="ACCP" if code is None else "RJCT", code=code,
        decided_at=now, told_at=now + late, withheld=behaviour == "timeout",
    )  # fmt: skip
    tell_cancellation(network, asked.msg_id, is_twice=behaviour == "twice")


def cancellation(network: Network, msg_id: str) -> sqlite3.Row | None:
    """Returns a receiver's cancellation by its message id."""
    return network.store.find("cancellation", msg_id=msg_id)


def tell_cancellation(network: Network, msg_id: str, *, is_twice: bool = False) -> None:
    """Sends the outcome of a receiver's cancellation again; nothing while withheld."""
    row = cancellation(network, msg_id)
    if row is None or row["withheld"]:
        return
    fields = {"originalMsgId": msg_id, "idRec": row["id_rec"], "status": row["status"]}
    fields |= {} if row["code"] is None else {"code": row["code"]}
    fields["decidedAt"] = printed(row["decided_at"])
    mailbox.put(network, row["sender"], "pain.012", fields, is_twice=is_twice, available_at=row["told_at"])


def release_cancellation(network: Network, row: sqlite3.Row) -> None:
    """Sends a withheld decision, since its receiver asks about it."""
    if row["withheld"]:
        with network.store.writing():
            network.store.run("UPDATE cancellation SET withheld = 0 WHERE msg_id = ?", row["msg_id"])
            tell_cancellation(network, row["msg_id"])


def shown_cancellation(network: Network, row: sqlite3.Row) -> dict[str, Any]:
    """Returns a cancellation as the network answers about it."""
    if row["told_at"] > network.clock.business():
        return {"msgId": row["msg_id"], "idRec": row["id_rec"], "status": "PENDING", "decidedAt": None}
    found = {"msgId": row["msg_id"], "idRec": row["id_rec"], "status": row["status"]}
    found |= {} if row["code"] is None else {"code": row["code"]}
    return found | {"decidedAt": printed(row["decided_at"])}


def shown(row: sqlite3.Row) -> dict[str, Any]:
    """Returns an authorization as the phone lists it, without unknown fields."""
    payer = payer_of(row)
    found: dict[str, Any] = {
        "idRec": row["id_rec"],
        "status": row["status"],
        "code": row["code"],
        "payer": {name: payer[name] for name in ("name", "document", "ispb", "branch", "account", "ibgeCode")},
        "maximumAmount": None if row["maximum"] is None else amounts.printed(row["maximum"]),
        "endToEndId": row["end_to_end_id"],
        "acceptedAt": printed(row["accepted_at"]),
        "decidedAt": printed_or_none(row["decided_at"]),
    }
    return {name: value for name, value in found.items() if value is not None}


def _keep(
    network: Network,
    consent: Consent,
    status: str,
    *,
    code: str | None = None,
    end_to_end_id: str | None = None,
    fault: faults.Fault | None = None,
) -> sqlite3.Row:
    now = network.clock.business()
    network.store.insert(
        "authorization",
        id_rec=consent.id_rec,
        receiver=consent.receiver,
        payer=json.dumps(consent.payer),
        maximum=consent.maximum,
        end_to_end_id=end_to_end_id,
        status=status,
        code=code,
        accepted_at=now,
        decided_at=None if status == "PENDING" else now,
        behaviour=faults.behaviour_of(fault),
    )
    return network.store.get("authorization", id_rec=consent.id_rec)


def _ask(network: Network, row: sqlite3.Row, fault: faults.Fault | None) -> None:
    _tell(network, row, {"status": "ACCP"} | _maximum(row["maximum"]), fault)


def _tell(network: Network, row: sqlite3.Row, word: dict[str, Any], fault: faults.Fault | None) -> None:
    """Sends the payer's decision to the receiver's bank; `timeout` loses it."""
    if fault is not None and fault.behaviour == "timeout":
        return
    fields = {"idRec": row["id_rec"]} | word | {"decidedAt": printed(row["accepted_at"]), "payer": payer_of(row)}
    mailbox.put_struck(network, row["receiver"], "pain.012", fields, fault)


def _end(network: Network, row: sqlite3.Row, status: str, code: str | None) -> None:
    now = network.clock.business()
    network.store.change("authorization", row, status=status, code=code, decided_at=now, behaviour=None)
    network.bells.ring(f"authorization:{row['id_rec']}")


def _end_all(network: Network, id_rec: str, reason: str) -> None:
    """Cancels a recurrence's authorizations and instructions in progress."""
    for row in network.store.rows(
        "SELECT * FROM authorization WHERE id_rec = ? AND status IN ('PENDING', 'AUTHORIZED')", id_rec
    ):
        _end(network, row, "CANCELED", reason)
    instructions.cancel_all(network, id_rec)


def _maximum(cents: int | None) -> dict[str, Any]:
    return {} if cents is None else {"maximumAmount": amounts.printed(cents)}
