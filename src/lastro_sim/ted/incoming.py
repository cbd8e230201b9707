"""Transfers from other banks to accounts at lastro, and their returns.

A bank takes the order at any hour and sends it when the STR opens. It writes numbers as the STR does, without the zeros in
front, and knows the receiver by the fields that the payer typed.
"""

import json
import re
import sqlite3
from typing import Any

from lastro.standards import calendar
from lastro_sim import amounts, faults
from lastro_sim.bank import payers
from lastro_sim.clock import counted, moment, printed, printed_or_none
from lastro_sim.directory import entries
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, RefusedError, away, conflict, malformed
from lastro_sim.settings import LASTRO_ISPB
from lastro_sim.spi import mailbox

from . import session
from .transfers import EFFECTIVE, NO_FUNDS, new_num_ctrl_str

ARRIVED = "STR0008R2"
RETURN = "STR0010"
RESULT = "STR0010R1"
CREDIT_IN_ACCOUNT = "10"
BRANCH = re.compile(r"\d{1,4}", re.ASCII)
ACCOUNT = re.compile(r"\d{1,13}", re.ASCII)
DOCUMENT = re.compile(r"\d{11}|[0-9A-Z]{12}\d{2}", re.ASCII)
CODE = re.compile(r"[1-9][0-9]{0,2}")
NUM_CTRL_IF = re.compile(r"[A-Za-z0-9]{1,20}")
NUM_CTRL_STR = re.compile(r"STR\d{17}", re.ASCII)
COPIES = frozenset({"twice", "late"})
OF_RETURNS = frozenset({"reject", "timeout", "twice", "late"})


def send(network: Network, form: Form) -> dict[str, Any]:
    """Sends a transfer from another bank to lastro; answers when it settles.

    Without a typed document the receiver's comes from the directory, or else is the sender's own.
    """
    amount, payer, history = form.maybe_amount("amount"), payers.chosen(form), form.maybe_text("history", 200)
    if form.given("amount") is None:
        form.refuse("amount", "REQUIRED", "This field is required")
    place = form.child("account")
    branch, account = place.text("branch", 4, BRANCH), place.text("account", 13, ACCOUNT)
    document, name = place.maybe_text("document", 14, DOCUMENT), place.maybe_text("name", 80)
    form.check()
    if payer.refused is not None:
        return {"status": "REJECTED", "code": payer.refused}
    entry = entries.at_account(network, LASTRO_ISPB, branch, account)
    document = document or (payer.document if entry is None else entry["owner_number"])
    body = {
        "debtor": {k: v for k, v in payer.fields.items() if k != "ibgeCode"} | {"accountType": "CC"},
        "creditor": {
            "ispb": LASTRO_ISPB,
            "name": name or (payer.name if entry is None else entry["owner_name"]),
            "document": {"type": "CPF" if len(document) == 11 else "CNPJ", "number": document},
            "branch": branch.lstrip("0") or "0",
            "account": account.lstrip("0") or "0",
            "accountType": "PG",
        },
        "purpose": CREDIT_IN_ACCOUNT,
    } | ({"history": history} if history else {})
    return _take(network, amount or 1, body)


def _take(network: Network, amount: int, body: dict[str, Any]) -> dict[str, Any]:
    number = new_num_ctrl_str(network)
    now = network.clock.business()
    at = counted(calendar.ted_opens_at(moment(now)))
    about = {
        "numCtrlStr": number,
        "amount": amounts.printed(amount),
        "payerDocument": body["debtor"]["document"]["number"],
    }
    fault = faults.strike(network, "ted_in", about, COPIES)
    with network.store.writing():
        network.store.insert(
            "ted_in", num_ctrl_str=number, ispb=LASTRO_ISPB, amount=amount, body=json.dumps(body), settled_at=at
        )
        told = arrival(network.store.get("ted_in", num_ctrl_str=number))
        mailbox.put_struck(network, LASTRO_ISPB, ARRIVED, told, fault, at)
    return {"numCtrlStr": number, "status": "SETTLED" if at <= now else "SCHEDULED", "settledAt": printed(at)}


def arrival(row: sqlite3.Row) -> dict[str, Any]:
    """Returns the message to the receiver's institution about a transfer."""
    return {
        "numCtrlStr": row["num_ctrl_str"],
        "amount": amounts.printed(row["amount"]),
        "settledAt": printed(row["settled_at"]),
        **json.loads(row["body"]),
    }


def listed(network: Network, limit: int) -> list[dict[str, Any]]:
    """Lists the newest transfers from other banks with returns, oldest first."""
    return [arrival(row) | {"returned": _returned(network, row)} for row in network.store.newest("ted_in", limit)]


def _returned(network: Network, row: sqlite3.Row) -> dict[str, Any] | None:
    back = network.store.find("ted_in_return", original=row["num_ctrl_str"], status=EFFECTIVE)
    return None if back is None else {"numCtrlIf": back["num_ctrl_if"], "code": back["code"]}


def receive_return(network: Network, ispb: str, form: Form) -> str:
    """Takes a return of such a transfer; answers its resource id.

    It is whole and comes once; the same again does nothing new.
    """
    number = form.text("numCtrlIf", 20, NUM_CTRL_IF)
    original = form.text("originalNumCtrlStr", 20, NUM_CTRL_STR)
    code = form.text("code", 3, CODE)
    form.message_amount("amount")
    form.check()
    amount = amounts.from_message(str(form.given("amount"))) or 0
    known = return_of(network, number)
    if known is not None:
        if (known["ispb"], known["original"], known["code"]) != (ispb, original, code):
            raise conflict("numCtrlIf", "DUPLICATE", "This numCtrlIf was used for another return")
        with network.store.writing():
            _tell(network, known, None)
        return str(known["resource_id"])
    about: dict[str, str | None] = {"numCtrlIf": number, "numCtrlStr": original, "amount": amounts.printed(amount)}
    fault = faults.strike(network, "ted", about, faults.at_the_door("ted"))
    if fault is not None and fault.behaviour == "down":
        raise away()
    if not session.is_open(network):
        raise RefusedError(422, "OUTSIDE_STR_SESSION", "Transfers are taken from 06:30 to 17:00 on business days")
    row = network.store.find("ted_in", num_ctrl_str=original, ispb=ispb)
    if row is None:
        raise malformed(Problem("originalNumCtrlStr", "INVALID", "There is no such transfer"))
    if row["amount"] != amount:
        raise malformed(Problem("amount", "INVALID", "A transfer is given back whole"))
    if _returned(network, row) is not None:
        raise conflict("originalNumCtrlStr", "DUPLICATE", "This transfer was given back")
    resource_id = _end(network, row, number, code, about)
    if fault is not None:
        raise away()
    return resource_id


def _end(network: Network, row: sqlite3.Row, number: str, code: str, about: dict[str, str | None]) -> str:
    fault = faults.strike(network, "ted", about, OF_RETURNS)
    behaviour = faults.behaviour_of(fault)
    status = ((fault and fault.code) or NO_FUNDS) if behaviour == "reject" else EFFECTIVE
    resource_id = network.chance.uuid()
    with network.store.writing():
        network.store.insert(
            "ted_in_return",
            num_ctrl_if=number,
            num_ctrl_str=new_num_ctrl_str(network),
            ispb=row["ispb"],
            original=row["num_ctrl_str"],
            amount=row["amount"],
            code=code,
            resource_id=resource_id,
            status=status,
            settled_at=network.clock.business() if status == EFFECTIVE else None,
            withheld=behaviour == "timeout",
        )
        _tell(network, network.store.get("ted_in_return", num_ctrl_if=number), fault)
    return resource_id


def return_of(network: Network, num_ctrl_if: str) -> sqlite3.Row | None:
    """Returns a return by its sender's number."""
    return network.store.find("ted_in_return", num_ctrl_if=num_ctrl_if)


def answered(network: Network, known: sqlite3.Row) -> dict[str, Any]:
    """Returns a return as the STR answers about it, and releases it."""
    if known["withheld"]:
        with network.store.writing():
            network.store.change("ted_in_return", known, withheld=0)
    return result(known)


def result(known: sqlite3.Row) -> dict[str, Any]:
    """Returns the result message of a return."""
    settled_at = printed_or_none(known["settled_at"])
    return {
        "numCtrlIf": known["num_ctrl_if"],
        "numCtrlStr": known["num_ctrl_str"],
        "status": known["status"],
        "originalNumCtrlStr": known["original"],
        "amount": amounts.printed(known["amount"]),
    } | ({"settledAt": settled_at} if settled_at else {})


def _tell(network: Network, known: sqlite3.Row, fault: faults.Fault | None) -> None:
    if not known["withheld"]:
        mailbox.put_struck(network, known["ispb"], RESULT, result(known), fault)
