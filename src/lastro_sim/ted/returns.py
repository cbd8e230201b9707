"""Returns of whole transfers, once, by the receiver's bank or a person."""

import json
import sqlite3
from typing import Any

from lastro_sim import amounts, faults, scenarios
from lastro_sim.bank import payers
from lastro_sim.clock import MINUTE, printed
from lastro_sim.directory import entries
from lastro_sim.network import Network
from lastro_sim.settings import PAYER_BANK_ISPB
from lastro_sim.spi import mailbox, original

AFTER = 5 * MINUTE
RETURN = "STR0010R2"
CLOSED = "1"
NO_SUCH_ACCOUNT = "2"
OTHER_DOCUMENT = "3"
UNFIT_TYPE = "84"
# The STR's account types, and the directory's names for them. A salary account takes no transfer.
TYPES = {"CC": "CACC", "PP": "SVGS", "PG": "TRAN"}
STRIKES = frozenset({"twice", "late"})


def of(network: Network, transfer: sqlite3.Row) -> sqlite3.Row | None:
    """Returns a transfer's return, due or to come."""
    return network.store.find("ted_return", num_ctrl_if=transfer["num_ctrl_if"])


def shown(network: Network, transfer: sqlite3.Row) -> dict[str, Any] | None:
    """Returns a transfer's return once it has happened."""
    known = of(network, transfer)
    if known is None or known["settled_at"] > network.clock.business():
        return None
    return {
        "numCtrlStr": known["num_ctrl_str"],
        "amount": amounts.printed(transfer["amount"]),
        "code": known["code"],
        "settledAt": printed(known["settled_at"]),
    }


def for_creditor(network: Network, creditor: dict[str, Any], amount: int) -> str | None:
    """Returns the CodDevTransf for not crediting; None if the bank credits."""
    magic = scenarios.ted_return(amount)
    if magic is not None:
        return magic
    branch, account = creditor["branch"].zfill(4), creditor["account"]
    if creditor["ispb"] == PAYER_BANK_ISPB:
        customer = payers.by_account(branch, account)
        found = None if customer is None else (customer.document, "CACC", "ACTIVE")
    else:
        entry = entries.at_account(network, creditor["ispb"], branch, account)
        found = None if entry is None else (entry["owner_number"], entry["account_type"], entry["status"])
    if found is None:
        return NO_SUCH_ACCOUNT
    holder, kind, status = found
    if status == "ACCOUNT_CLOSED":
        return CLOSED
    if holder != creditor["document"]["number"]:
        return OTHER_DOCUMENT
    return None if kind == TYPES[creditor["accountType"]] else UNFIT_TYPE


def give_back(network: Network, transfer: sqlite3.Row, num_ctrl_str: str, code: str, at: int) -> None:
    """Returns a transfer at a business instant and then tells its sender."""
    about = {
        "numCtrlIf": transfer["num_ctrl_if"],
        "numCtrlStr": transfer["num_ctrl_str"],
        "amount": amounts.printed(transfer["amount"]),
    }
    fault = faults.strike(network, "return", about, STRIKES)
    with network.store.writing():
        number = transfer["num_ctrl_if"]
        network.store.insert("ted_return", num_ctrl_str=num_ctrl_str, num_ctrl_if=number, code=code, settled_at=at)
        body = json.loads(transfer["body"])
        fields = {
            "numCtrlStr": num_ctrl_str,
            "originalNumCtrlStr": transfer["num_ctrl_str"],
            "originalNumCtrlIf": transfer["num_ctrl_if"],
            "amount": amounts.printed(transfer["amount"]),
            "code": code,
            "settledAt": printed(at),
            **original.of(transfer["amount"], {"ispb": transfer["ispb"], **body["debtor"]}, body["creditor"]),
        }
        mailbox.put_struck(network, transfer["ispb"], RETURN, fields, fault, at)
