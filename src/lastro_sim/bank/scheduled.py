"""A payer's charges to come: listing and cancelling them, for API and page."""

import json
import re
import sqlite3
from typing import Any

from lastro_sim import amounts, logs
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.spi import instructions
from lastro_sim.spi.intake import CHARGE_TX_ID, CODE

from . import charging, recurrences

END_TO_END_ID = re.compile(r"[A-Za-z0-9]{32}")


def listed(network: Network, id_rec: str | None, limit: int) -> list[dict[str, Any]]:
    """Returns the newest charges, oldest first; or those of one recurrence."""
    return [_shown(network, row) for row in network.store.newest("instruction", limit, id_rec=id_rec)]


def cancel(network: Network, form: Form, end_to_end_id: str | None = None) -> dict[str, Any]:
    """Cancels one charge as the payer, or as the bank.

    The reason decides between the two. end_to_end_id: from the path. `force` ignores the hour until which it may be
    cancelled.
    """
    tx_id = None
    if end_to_end_id is None:
        end_to_end_id, tx_id = form.maybe_text("endToEndId", 32, END_TO_END_ID), form.maybe_text("txid", 35, CHARGE_TX_ID)
        if form.given("endToEndId") is None and form.given("txid") is None:
            form.refuse("endToEndId", "REQUIRED", "The endToEndId or the txid of a charge is needed")
        elif form.given("endToEndId") is not None and form.given("txid") is not None:
            form.refuse("txid", "MUTUALLY_EXCLUSIVE", "An endToEndId or a txid, not both")
    reason, force = form.maybe_text("reason", 4, CODE) or instructions.BY_PAYER, form.flag("force")
    form.check()
    row = instructions.named(network, end_to_end_id, tx_id)
    if row is None:
        named = {} if end_to_end_id is None else {"endToEndId": end_to_end_id}
        return named | {"status": "REJECTED", "code": "CHARGE_UNKNOWN"}
    logs.about(row["id_rec"])
    answered = {"idRec": row["id_rec"], "txId": row["tx_id"]}
    answered |= {} if row["end_to_end_id"] is None else {"endToEndId": row["end_to_end_id"]}
    if row["status"] != "SCHEDULED" or row["step"] == "PAYING":
        return answered | {"status": "REJECTED", "code": "NOT_SCHEDULED"}
    if not force and charging.payer_is_late(network, row):
        return answered | {"status": "REJECTED", "code": "TOO_LATE"}
    instructions.cancel(network, row, reason)
    return answered | {"status": "CANCELED"}


def _shown(network: Network, row: sqlite3.Row) -> dict[str, Any]:
    """Returns a charge as the phone lists it, without unknown fields."""
    known = recurrences.known(network, row["id_rec"])
    payer = None if row["payer"] is None else json.loads(row["payer"])
    found: dict[str, Any] = {
        "idRec": row["id_rec"],
        "txId": row["tx_id"],
        "endToEndId": row["end_to_end_id"],
        "kind": row["kind"],
        "amount": amounts.printed(row["amount"]),
        "dueDate": row["due_on"],
        "settlementDate": row["settles_on"],
        "status": _status(row),
        "code": row["code"],
        "unpaid": row["unpaid"] if row["status"] == "SCHEDULED" else None,
        "nextTryAt": None if row["step"] == "CLOSING" else printed_or_none(row["due_at"]),
        "receiver": None if known is None else recurrences.receiver(network, known[1]),
        "payer": None if payer is None else {name: payer[name] for name in ("name", "document")},
        "description": row["remittance"],
        "messageId": row["msg_id"],
        "takenAt": printed(row["taken_at"]),
        "decidedAt": printed(row["decided_at"]),
    }
    return {name: value for name, value in found.items() if value is not None}


def _status(row: sqlite3.Row) -> str:
    """Returns the status word of a charge."""
    if row["status"] == "SCHEDULED":
        return "BEING_PAID" if row["step"] == "PAYING" else "SCHEDULED"
    return "REJECTED" if row["status"] == "RJCT" else str(row["status"])
