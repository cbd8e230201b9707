"""Objects of disputes at the directory, and events about them. Both carry their official names (DICT API 2.12.1)."""

import json
import sqlite3
from typing import Any

from lastro_sim import amounts, faults
from lastro_sim.clock import printed
from lastro_sim.collecting import movements
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError
from lastro_sim.settings import SIMULATED_BANKS

from . import late

RECOVERY, REPORT, REFUND = "FUNDS_RECOVERY", "INFRACTION_REPORT", "REFUND"
ID_LISTS = {RECOVERY: "FundsRecovery", REPORT: "InfractionReport", REFUND: "Refund"}
# The final statuses of an object; no event follows them.
ENDED = {RECOVERY: {"COMPLETED", "CANCELLED"}, REPORT: {"CLOSED", "CANCELLED"}, REFUND: {"CLOSED", "CANCELLED"}}
Row = sqlite3.Row


class StepError(RefusedError):
    """A step that the directory refuses, with a code of its own."""


class Events:
    """The stream of dispute events, kept like partners' movements."""

    name = "med"


EVENTS = Events()


def find(network: Network, object_id: str) -> Row | None:
    """Returns an object by its id."""
    return network.store.find("med_object", id=object_id)


def of_recovery(network: Network, recovery_id: str, kind: str) -> list[Row]:
    """Returns the reports or refunds of a recovery, oldest first."""
    return network.store.every("med_object", recovery_id=recovery_id, kind=kind)


def recovery_of(network: Network, end_to_end_id: str) -> Row | None:
    """Returns the one recovery of a transaction."""
    return network.store.find("med_object", kind=RECOVERY, transaction_id=end_to_end_id)


def make(network: Network, kind: str, fields: dict[str, Any], *, opener: str, counterpart: str, tell: bool = True) -> Row:
    """Makes an object in its first status. fields: its own, beside those that every one has."""
    object_id, now = network.chance.uuid(), network.clock.business()
    status = "CREATED" if kind == RECOVERY else "OPEN"
    body = json.dumps({"CreationTime": printed(now), **fields.pop("body")})
    both = {"id": object_id, "kind": kind, "status": status, "opener": opener, "counterpart": counterpart}
    network.store.insert("med_object", **both, **fields, body=body, changed_at=now)
    made = known(network, object_id)
    if tell:
        told(network, made)
    return made


def change(network: Network, row: Row, status: str, **more: Any) -> Row:
    """Sets an object's status. more: fields to add to its body."""
    body = json.dumps(json.loads(row["body"]) | more)
    network.store.change("med_object", row, status=status, body=body, changed_at=network.clock.business())
    changed = known(network, row["id"])
    told(network, changed)
    return changed


def known(network: Network, object_id: str) -> Row:
    """Returns an object that must exist."""
    return network.store.get("med_object", id=object_id)


def shown(row: Row) -> dict[str, Any]:
    """Returns an object in the directory's form (DICT 2.12.1, ExtendedFundsRecovery etc.)."""
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
    """Sends an object's event to participants that are not simulated banks."""
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
    """Returns the amount of an object in cents."""
    body = json.loads(row["body"])
    cents = amounts.from_message(body.get("InfractionAmount") or body.get("RefundAmount") or body["Amount"])
    assert cents is not None
    return cents
