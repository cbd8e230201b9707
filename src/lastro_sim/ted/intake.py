"""Intake of STR0008 and STR0010 within the session, once by NumCtrlIF."""

import re
from typing import Any

from lastro.standards import documents, pix_ids
from lastro_sim import amounts, faults, logs
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away, conflict

from . import incoming, session, transfers
from .returns import TYPES

MESSAGE_ID = re.compile(r"[A-Za-z0-9]{1,35}")
NUM_CTRL_IF = re.compile(r"[A-Za-z0-9]{1,20}")
BRANCH = re.compile(r"\d{1,4}", re.ASCII)
# Numbers of the STR carry no leading zeros.
ACCOUNT = re.compile(r"[1-9]\d{0,12}", re.ASCII)
PURPOSE = re.compile(r"[1-9]\d{0,4}", re.ASCII)
OTHER_PURPOSE = "99999"
TYPE = "STR0008"


def receive(network: Network, ispb: str, raw: bytes) -> str:
    """Takes one transfer, or a return of one; answers its resource id. The same again does nothing new."""
    form = Form.read(raw)
    form.text("msgId", 35, MESSAGE_ID)
    kind = form.choice("type", {TYPE, incoming.RETURN})
    form.instant("createdAt")
    if kind == incoming.RETURN:
        return incoming.receive_return(network, ispb, form)
    transfer = _read(form, ispb)
    form.check()
    logs.about(transfer.num_ctrl_if)
    known = transfers.find(network, transfer.num_ctrl_if)
    if known is not None:
        if not transfers.same(known, transfer):
            raise conflict("numCtrlIf", "DUPLICATE", "This numCtrlIf was used for another transfer")
        transfers.repeat(network, known)
        return str(known["resource_id"])
    fault = faults.strike(network, "ted", transfer.about, faults.at_the_door("ted"))
    if fault is not None and fault.behaviour == "down":
        raise away()
    if not session.is_open(network):
        raise RefusedError(422, "OUTSIDE_STR_SESSION", "Transfers are taken from 06:30 to 17:00 on business days")
    resource_id = transfers.take(network, transfer)
    if fault is not None:
        raise away()
    return resource_id


def _read(form: Form, ispb: str) -> transfers.Transfer:
    amount = form.message_amount("amount")
    if amounts.from_message(str(form.given("amount"))) == 0:
        form.refuse("amount", "OUT_OF_RANGE", "A transfer moves something")
    purpose, history = form.text("purpose", 5, PURPOSE), form.maybe_text("history", 200)
    if purpose == OTHER_PURPOSE and form.given("history") is None:
        form.refuse("history", "REQUIRED", "Purpose 99999 says in the history what it is for")
    creditor = form.child("creditor")
    bank = creditor.text("ispb", 8)
    if bank and (not pix_ids.is_ispb(bank) or bank == ispb):
        creditor.refuse("ispb", "INVALID", "The ISPB of another institution is expected")
    return transfers.Transfer(
        num_ctrl_if=form.text("numCtrlIf", 20, NUM_CTRL_IF),
        sender=ispb,
        amount=amount,
        fields={
            "debtor": _party(form.child("debtor")),
            "creditor": {"ispb": bank} | _party(creditor),
            "purpose": purpose,
        }
        | ({"history": history} if history else {}),
    )


def _party(form: Form) -> dict[str, Any]:
    """Reads one side of a transfer: person and account."""
    document = form.child("document")
    kind, number = document.choice("type", {"CPF", "CNPJ"}), document.text("number", 14)
    if kind and number and not documents.is_document(kind, number):
        document.refuse("number", "INVALID", "The check digits do not fit")
    return {
        "name": form.text("name", 80),
        "document": {"type": kind, "number": number},
        "branch": form.text("branch", 4, BRANCH),
        "account": form.text("account", 13, ACCOUNT),
        "accountType": form.choice("accountType", TYPES),
    }
