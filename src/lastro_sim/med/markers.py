"""Fraud markers: each agreed report makes one (DICT 2.12.1, FraudMarker). It is canceled with the report."""

import json
from typing import Any

from lastro_sim.clock import printed
from lastro_sim.network import Network
from lastro_sim.spi import payments

from .objects import Row, StepError

# "Os valores válidos são APPLICATION_FRAUD, MULE_ACCOUNT, SCAMMER_ACCOUNT e OTHER": UNKNOWN only describes old data.
FRAUDS = frozenset({"APPLICATION_FRAUD", "MULE_ACCOUNT", "SCAMMER_ACCOUNT", "OTHER"})


def find(network: Network, marker_id: str) -> Row | None:
    """Returns a fraud marker by its id."""
    return network.store.find("fraud_marker", id=marker_id)


def of_report(network: Network, report: Row, fraud: str) -> str:
    """Marks the receiver for the participant that agreed; returns the marker's id."""
    payment = payments.find(network, report["transaction_id"])
    receiver = {} if payment is None else json.loads(payment["body"])["receiver"]
    body = {
        "TaxIdNumber": receiver.get("document", {}).get("number"), "Key": receiver.get("key"), "FraudType": fraud,
        "InfractionReport": {"Id": report["id"], "ReporterParticipant": report["opener"]},
    }  # fmt: skip
    said = {name: value for name, value in body.items() if value is not None}
    return str(_make(network, said, report["counterpart"], None)["id"])


def create(network: Network, participant: str, body: dict[str, Any], request_id: str) -> Row:
    """Marks the participant's own customer; the same request answers the same marker.

    Refused: the request id came with other fields.
    """
    before = network.store.find("fraud_marker", request_id=request_id)
    if before is None:
        return _make(network, body, participant, request_id)
    if json.loads(before["body"]) != body:
        raise StepError(400, "RequestIdAlreadyUsed", "The same RequestId came with other fields")
    return before


def cancel(network: Network, marker: Row) -> Row:
    """Cancels a fraud marker. Asked twice, it is canceled once."""
    if marker["status"] != "CANCELLED":
        network.store.change("fraud_marker", marker, status="CANCELLED", changed_at=network.clock.business())
    return network.store.get("fraud_marker", id=marker["id"])


def cancel_of(network: Network, report: Row) -> None:
    """Cancels the fraud marker of a report. "cancelará automaticamente a marcação de fraude associada"."""
    name = json.loads(report["body"]).get("FraudMarkerId")
    if name is not None:
        cancel(network, network.store.get("fraud_marker", id=name))


def shown(row: Row) -> dict[str, Any]:
    """Returns a fraud marker as the directory answers about it."""
    body: dict[str, Any] = json.loads(row["body"])
    times = {"CreationTime": printed(row["created_at"]), "LastModified": printed(row["changed_at"])}
    return {"Id": row["id"], "Status": row["status"], **body, **times}


def _make(network: Network, body: dict[str, Any], registrant: str, request_id: str | None) -> Row:
    name, now = network.chance.uuid(), network.clock.business()
    kept = {"id": name, "request_id": request_id, "registrant": registrant, "body": json.dumps(body)}
    network.store.insert("fraud_marker", **kept, status="REGISTERED", created_at=now, changed_at=now)
    return network.store.get("fraud_marker", id=name)
