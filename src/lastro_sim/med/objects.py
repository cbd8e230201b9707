"""What the directory keeps of disputes, and what it tells a participant of them, by its official names (DICT API 2.12.1)."""

import json
import sqlite3
from typing import Any

from lastro_sim import amounts, faults
from lastro_sim.clock import printed
from lastro_sim.collecting import movements
from lastro_sim.network import Network
from lastro_sim.settings import SIMULATED_BANKS

from . import late

RECOVERY, REPORT, REFUND = "FUNDS_RECOVERY", "INFRACTION_REPORT", "REFUND"
ID_LISTS = {RECOVERY: "FundsRecovery", REPORT: "InfractionReport", REFUND: "Refund"}
# What ends an object, so that no word on it follows.
ENDED = {RECOVERY: {"COMPLETED", "CANCELLED"}, REPORT: {"CLOSED", "CANCELLED"}, REFUND: {"CLOSED", "CANCELLED"}}
Row = sqlite3.Row


class StepError(Exception):
    """A step that the directory refuses. status: of the answer to a participant; code: the directory's word.

    It passes through the store's transaction, which no frozen refusal can.
    """

    def __init__(self, status: int, code: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.code = code
        self.reason = reason


class Events:
    """The stream of disputes, told as every partner's movements are."""

    name = "med"


EVENTS = Events()


def find(network: Network, object_id: str) -> Row | None:
    """An object by its id."""
    return network.store.row("SELECT * FROM med_object WHERE id = ?", object_id)


def of_recovery(network: Network, recovery_id: str, kind: str) -> list[Row]:
    """The reports or refunds of a recovery, oldest first."""
    sql = "SELECT * FROM med_object WHERE recovery_id = ? AND kind = ? ORDER BY seq"
    return network.store.rows(sql, recovery_id, kind)


def recovery_of(network: Network, end_to_end_id: str) -> Row | None:
    """The one recovery that a transaction ever has."""
    sql = "SELECT * FROM med_object WHERE kind = ? AND transaction_id = ?"
    return network.store.row(sql, RECOVERY, end_to_end_id)


def make(network: Network, kind: str, fields: dict[str, Any], *, opener: str, counterpart: str, tell: bool = True) -> Row:
    """A new object in its first status. fields: its own, beside those that every one has."""
    object_id = network.chance.uuid()
    network.store.run(
        "INSERT INTO med_object (id, kind, transaction_id, root_id, recovery_id, status, opener, counterpart, body,"
        " changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        object_id,
        kind,
        fields["transaction_id"],
        fields["root_id"],
        fields.get("recovery_id"),
        "CREATED" if kind == RECOVERY else "OPEN",
        opener,
        counterpart,
        json.dumps({"CreationTime": printed(network.clock.business()), **fields["body"]}),
        network.clock.business(),
    )
    made = known(network, object_id)
    if tell:
        told(network, made)
    return made


def change(network: Network, row: Row, status: str, *, tell: bool = True, **more: Any) -> Row:
    """An object in another status. more: what its body gains."""
    body = json.loads(row["body"]) | more
    network.store.run(
        "UPDATE med_object SET status = ?, body = ?, changed_at = ? WHERE id = ?",
        status,
        json.dumps(body),
        network.clock.business(),
        row["id"],
    )
    changed = known(network, row["id"])
    if tell:
        told(network, changed)
    return changed


def known(network: Network, object_id: str) -> Row:
    """An object that is there."""
    row = find(network, object_id)
    assert row is not None
    return row


def shown(row: Row) -> dict[str, Any]:
    """An object as the directory answers about it (DICT 2.12.1, ExtendedFundsRecovery and its like)."""
    body: dict[str, Any] = json.loads(row["body"])
    both = {"Id": row["id"], "Status": row["status"], "RootTransactionId": row["root_id"], **body}
    both |= {"LastModified": printed(row["changed_at"])}
    if row["kind"] == RECOVERY:
        return both | {"ReporterParticipant": row["opener"]}
    both |= {"TransactionId": row["transaction_id"]}
    both |= {} if row["recovery_id"] is None else {"FundsRecoveryId": row["recovery_id"]}
    if row["kind"] == REPORT:
        return both | {"ReporterParticipant": row["opener"], "CounterpartyParticipant": row["counterpart"]}
    return both | {"RequestingParticipant": row["opener"], "ContestedParticipant": row["counterpart"]}


def told(network: Network, row: Row) -> None:
    """A participant that is no bank of this world's hears of an object of his."""
    mine = {row["opener"]} if row["kind"] == RECOVERY else {row["opener"], row["counterpart"]}
    if mine <= SIMULATED_BANKS:
        return
    fault = faults.strike(network, "med", {"endToEndId": row["transaction_id"]}, {"twice", "late"})
    said = {ID_LISTS[row["kind"]]: shown(row)}
    if fault is not None and fault.behaviour == "late":
        late.hold(network, row["kind"], said, fault)
        return
    for _ in range(1 if fault is None else 2):
        movements.put(network, EVENTS, row["kind"], said)


def amount_of(row: Row) -> int:
    """What an object is about, in cents."""
    body = json.loads(row["body"])
    cents = amounts.from_message(body.get("InfractionAmount") or body.get("RefundAmount") or body["Amount"])
    assert cents is not None
    return cents
