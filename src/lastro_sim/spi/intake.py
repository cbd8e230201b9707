"""Intake of participants' messages: read, kept once by msgId, carried out. Keeping and carrying out share a transaction."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import msgspec

from lastro.standards import documents, pix_ids, recurrence_ids
from lastro_sim import faults, logs, scenarios
from lastro_sim.bank import charging, recurrences
from lastro_sim.directory.entries import ACCOUNT_TYPES
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import away, conflict

from . import authorizations, instructions, mailbox, payments, payouts, returns

MESSAGE_ID = re.compile(r"[A-Za-z0-9]{1,35}")
BRANCH = re.compile(r"\d{1,4}")
ACCOUNT = re.compile(r"[0-9A-Z]{1,20}")
TX_ID = re.compile(r"[A-Za-z0-9]{1,35}")
CHARGE_TX_ID = re.compile(r"[A-Za-z0-9]{26,35}")
CODE = re.compile(r"[A-Z0-9]{4}")
ISPB = re.compile(r"[0-9A-Z]{8}")
INSTRUMENTS = frozenset({"QRDN", "QRES", "DICT", "MANU", "INIC"})
PURPOSES = frozenset({"IPAY", "GSCB", "OTHR", "REFU", "IPRT"})
DOORS = {
    "pacs.002": "payin", "pacs.004": "return", "pacs.008": "payout", "pain.011": "cancellation", "pain.012": "authorization",
    "pain.013": "charge", "camt.055": "cancellation",
}  # fmt: skip


def receive(network: Network, ispb: str, raw: bytes) -> str:
    """Takes one message and returns its resource id. The same message again does nothing and answers the same."""
    form = Form.read(raw)
    msg_id = form.text("msgId", 35, MESSAGE_ID)
    kind = form.choice("type", DOORS)
    form.instant("createdAt")
    if kind not in DOORS:
        form.check()
    message = _READERS[kind](form, ispb, msg_id)
    form.check()
    logs.about(_subject(message))
    if _is_unseen(network, message):
        raise conflict("endToEndId", "DUPLICATE", "A payment of this endToEndId is there")
    body = msgspec.json.encode(form.data, order="sorted").decode()
    known = network.store.row("SELECT * FROM received WHERE msg_id = ?", msg_id)
    if known is not None:
        if (known["ispb"], known["body"]) != (ispb, body):
            raise conflict("msgId", "DUPLICATE", "This msgId was used for another message")
        _tell_again(network, message)
        return str(known["resource_id"])
    door = DOORS[kind]
    fault = _struck_at_the_door(network, door, message) or _magic_at_the_door(message)
    if fault is not None and fault.behaviour == "down":
        raise away()
    resource_id = network.chance.uuid()
    if fault is not None and fault.behaviour == faults.UNPROCESSED:
        code = {} if fault.code is None else {"code": fault.code}
        with network.store.writing():
            mailbox.put(network, ispb, "admi.002", {"relatedMsgId": msg_id, "reason": "A fault says so"} | code)
        return resource_id
    with network.store.sharing():
        at = network.clock.machine()
        network.store.insert("received", msg_id=msg_id, ispb=ispb, body=body, resource_id=resource_id, received_at=at)
        reason = _act(network, ispb, message)
        if reason is not None:
            mailbox.put(network, ispb, "admi.002", {"relatedMsgId": msg_id, "reason": reason})
    if fault is not None or (faults.may_strike(network, door) and _is_unseen(network, message)):
        raise away()
    return resource_id


Answer = Mapping[str, Any]
OfCharge = instructions.Instruction | instructions.CancellationInstruction
OfRecurrence = authorizations.AuthorizationAnswer | authorizations.Cancellation | OfCharge
Message = Answer | OfRecurrence | payments.Order | returns.Return


def _is_unseen(network: Network, message: Message) -> bool:
    """Tells whether a fault hides this payment from its own bank."""
    return isinstance(message, payments.Order) and payments.is_unseen(payments.find(network, message.end_to_end_id))


def _tell_again(network: Network, message: Message) -> None:
    """Sends the outcome again, since a repeated order missed it."""
    if isinstance(message, authorizations.Cancellation):
        authorizations.tell_cancellation(network, message.msg_id)
    elif isinstance(message, instructions.CancellationInstruction):
        instructions.tell_cancellation(network, message.msg_id)
    elif isinstance(message, instructions.Instruction):
        instructions.tell(network, message.msg_id)


def _struck_at_the_door(network: Network, door: str, message: Message) -> faults.Fault | None:
    """Returns the fault ordered for this request; only where there may be one is the message's subject looked up."""
    if not faults.may_strike(network, door):
        return None
    return faults.strike(network, door, _about(network, message), faults.at_the_door(door))


def _magic_at_the_door(message: Message) -> faults.Fault | None:
    amount = message.amount if isinstance(message, instructions.Instruction) else None
    fault = scenarios.fault_of(scenarios.BY_CHARGE_AMOUNT, amount)
    return fault if fault is not None and fault.behaviour in faults.at_the_door("charge") else None


def _subject(message: Message) -> str:
    """Returns the id of a message's subject."""
    if isinstance(message, OfRecurrence):
        return message.id_rec
    return str(message["endToEndId"]) if isinstance(message, Mapping) else message.end_to_end_id


def _verdict(form: Form, yes: str) -> tuple[str, str | None]:
    """Reads a yes or a no, and the code of a no."""
    status, code = form.choice("status", {yes, "RJCT"}), form.maybe_text("code", 4, CODE)
    if status == "RJCT" and form.given("code") is None:
        form.refuse("code", "REQUIRED", "A refusal says why")
    return status, code


def _read_answer(form: Form, _ispb: str, _msg_id: str) -> Answer:
    status, code = _verdict(form, "ACSP")
    original, about = form.text("originalMsgId", 35, MESSAGE_ID), form.text("endToEndId", 32)
    return {"originalMsgId": original, "endToEndId": about, "status": status, "code": code}


def _read_authorization_answer(form: Form, _ispb: str, _msg_id: str) -> authorizations.AuthorizationAnswer:
    status, code = _verdict(form, "ACCP")
    original = form.text("originalMsgId", 35, MESSAGE_ID)
    return authorizations.AuthorizationAnswer(original, _id_rec(form), status == "ACCP", code)


def _read_cancellation(form: Form, _ispb: str, msg_id: str) -> authorizations.Cancellation:
    reason = form.text("reason", 4, CODE)
    form.child("requestedBy").choice("role", authorizations.ROLES)
    return authorizations.Cancellation(msg_id, _id_rec(form), reason)


def _read_instruction(form: Form, ispb: str, msg_id: str) -> instructions.Instruction:
    payer = form.child("payer")
    due_on, settles_on = form.day("dueDate"), form.day("settlementDate")
    amount = form.message_amount("amount")
    if form.given("amount") == "0.00":
        form.refuse("amount", "OUT_OF_RANGE", "Nothing is no amount to collect")
    instruction = instructions.Instruction(
        msg_id=msg_id,
        id_rec=_id_rec(form),
        tx_id=form.text("txId", 35, CHARGE_TX_ID),
        kind=form.choice("kind", instructions.KINDS),
        amount=amount,
        due_on=due_on or date.min,
        settles_on=settles_on or date.min,
        payer_ispb=payer.text("ispb", 8, ISPB),
        payer_document=_document(payer.child("document"))["number"],
        receiver=_party(form.child("receiver"), owner_needed=True, ispb=ispb),
        remittance=form.maybe_text("remittance"),
    )
    form.check()
    return instruction


def _read_charge_cancellation(form: Form, _ispb: str, msg_id: str) -> instructions.CancellationInstruction:
    form.text("reason", 4, CODE)
    original, tx_id = form.text("originalMsgId", 35, MESSAGE_ID), form.text("txId", 35, CHARGE_TX_ID)
    return instructions.CancellationInstruction(msg_id, original, _id_rec(form), tx_id)


def _id_rec(form: Form) -> str:
    text = form.text("idRec", 29)
    if text and not recurrence_ids.is_recurrence_id(text):
        form.refuse("idRec", "INVALID", "An idRec is RR or RN, an ISPB, a day and 11 letters or digits")
    return text


def _read_return(form: Form, ispb: str, _msg_id: str) -> returns.Return:
    return_id = form.text("returnId", 32)
    if return_id and not pix_ids.is_return_id(return_id):
        form.refuse("returnId", "INVALID", "A return id is D, an ISPB, the UTC minute and 11 letters or digits")
    return returns.Return(
        return_id=return_id,
        end_to_end_id=form.text("endToEndId", 32),
        sender=ispb,
        amount=form.message_amount("amount"),
        reason=form.choice("reason", returns.REASONS),
        details=form.maybe_text("details", 140),
    )


def _read_order(form: Form, ispb: str, _msg_id: str) -> payments.Order:
    form.instant("acceptedAt")
    receiver = form.child("receiver")
    instrument, purpose = form.choice("localInstrument", INSTRUMENTS), form.choice("purpose", PURPOSES)
    payer_fields = _party(form.child("payer"), owner_needed=True)
    receiver_fields = _party(receiver, owner_needed=False)
    key = receiver.maybe_text("key", 77)
    remittance = form.maybe_text("remittance")
    return payments.Order(
        end_to_end_id=form.text("endToEndId", 32),
        sender=ispb,
        receiver=receiver_fields["ispb"],
        amount=form.message_amount("amount"),
        tx_id=form.maybe_text("txId", 35, TX_ID),
        fields={
            "localInstrument": instrument,
            "purpose": purpose,
            "payer": payer_fields,
            "receiver": receiver_fields | ({"key": key} if key else {}),
        }
        | ({"remittance": remittance} if remittance else {}),
    )


_READERS: Mapping[str, Callable[[Form, str, str], Message]] = {
    "pacs.002": _read_answer, "pacs.004": _read_return, "pacs.008": _read_order, "pain.011": _read_cancellation,
    "pain.012": _read_authorization_answer, "pain.013": _read_instruction, "camt.055": _read_charge_cancellation,
}  # fmt: skip


def _party(form: Form, *, owner_needed: bool, ispb: str | None = None) -> dict[str, Any]:
    """Reads one side of a payment: bank, account and person. ispb: of its bank, where the message need not name it."""
    fields: dict[str, Any] = {
        "ispb": ispb or form.text("ispb", 8),
        "branch": form.maybe_text("branch", 4, BRANCH),
        "account": form.text("account", 20, ACCOUNT),
        "accountType": form.choice("accountType", ACCOUNT_TYPES),
    }
    if fields["ispb"] and not pix_ids.is_ispb(fields["ispb"]):
        form.refuse("ispb", "INVALID", "An ISPB is eight digits or upper-case letters")
    name = form.text("name", 150) if owner_needed else form.maybe_text("name", 150)
    document = form.child("document") if owner_needed else form.maybe_child("document")
    if document is not None:
        fields["document"] = _document(document)
    return fields | ({"name": name} if name else {})


def _document(form: Form) -> dict[str, str]:
    kind, number = form.choice("type", {"CPF", "CNPJ"}), form.text("number", 14)
    if kind and number and not documents.is_document(kind, number):
        form.refuse("number", "INVALID", "The check digits do not fit")
    return {"type": kind, "number": number}


def _about(network: Network, message: Message) -> Mapping[str, str | None]:
    """Returns the fields that a fault may match."""
    if isinstance(message, payments.Order | OfCharge):
        return message.about
    if isinstance(message, returns.Return):
        return returns.about(message)
    if isinstance(message, OfRecurrence):
        return {"idRec": message.id_rec}
    payment = payments.find(network, str(message["endToEndId"]))
    return {} if payment is None else payments.about(payment)


def _act(network: Network, ispb: str, message: Message) -> str | None:
    """Carries out a message. A text is the reason why the network refuses to process it at all (admi.002)."""
    if isinstance(message, payments.Order):
        return payouts.send(network, message)
    if isinstance(message, returns.Return):
        return _act_on_return(network, message)
    if isinstance(message, authorizations.Cancellation):
        magic = recurrences.magic(network, message.id_rec, faults.in_process("cancellation"))
        authorizations.cancel_for_receiver(network, ispb, message, magic)
        return None
    if isinstance(message, instructions.Instruction):
        charging.take(network, ispb, message)
        return None
    if isinstance(message, instructions.CancellationInstruction):
        charging.cancel_for_receiver(network, ispb, message)
        return None
    if isinstance(message, authorizations.AuthorizationAnswer):
        return authorizations.answered(network, ispb, message)
    return _act_on_answer(network, ispb, message)


def _act_on_return(network: Network, asked: returns.Return) -> str | None:
    known = returns.find(network, asked.return_id)
    if known is None:
        ordered = faults.strike(network, "return", returns.about(asked), returns.OF_PARTICIPANTS)
        returns.give_back(network, asked, ordered or scenarios.fault_of(scenarios.BY_RETURN_AMOUNT, asked.amount))
    elif returns.same(known, asked):
        returns.tell(network, known)
    else:
        return "This returnId belongs to another return"
    return None


def _act_on_answer(network: Network, ispb: str, answer: Answer) -> str | None:
    payment = payments.find(network, str(answer["endToEndId"]))
    if payment is None or not mailbox.asked(network, ispb, str(answer["originalMsgId"]), str(answer["endToEndId"])):
        return "No pacs.008 with this msgId asked about this endToEndId"
    if answer["status"] == "ACSP":
        payments.accept(network, payment)
    else:
        payments.refuse(network, payment, str(answer["code"]))
    return None
