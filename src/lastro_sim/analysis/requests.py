"""Requests to the analyst, judged once their last document has come. Each is handed over once under a reference."""

import hashlib
import json
import sqlite3
from typing import Any

from lastro_sim import faults
from lastro_sim.clock import DAY, printed
from lastro_sim.collecting import movements
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away, not_found

from . import verdicts

NAME = "analysis"
WAITING, RUNNING, JUDGED = "WAITING", "RUNNING", "JUDGED"
AT_INTAKE = frozenset({"reject", "down", "lost-answer"})
AT_VERDICT = frozenset({"timeout", "twice", "slow"})
NOT_TAKEN = "REQUEST_NOT_TAKEN"


class Analyst:
    """The analyst as a partner in the movement stream."""

    name = NAME


ANALYST = Analyst()


def find(network: Network, reference: str) -> sqlite3.Row:
    """Returns a request; raises a refusal for an unknown one."""
    row = network.store.row("SELECT * FROM analysis WHERE reference = ?", reference)
    if row is None:
        raise not_found()
    return row


def hand_over(network: Network, reference: str, body: dict[str, Any]) -> bool:
    """Takes a request; tells whether it is new. The same again changes nothing; a reference with other fields is refused."""
    known = network.store.row("SELECT body FROM analysis WHERE reference = ?", reference)
    if known is not None:
        if json.loads(known["body"]) != body:
            raise RefusedError(409, "REFERENCE_DIFFERS", "Another request was handed over under this reference")
        return False
    about = {"reference": reference, "document": body["holder"]["document"]["number"]}
    fault = faults.strike(network, NAME, about, AT_INTAKE)
    if fault is not None and fault.behaviour == "down":
        raise away()
    if fault is not None and fault.behaviour == "reject":
        raise RefusedError(422, fault.code or NOT_TAKEN, "The request is not looked at")
    network.store.run(
        "INSERT INTO analysis (reference, holder_type, document, body, status, taken_at) VALUES (?, ?, ?, ?, ?, ?)",
        reference,
        body["holderType"],
        about["document"],
        json.dumps(body),
        WAITING,
        network.clock.business(),
    )
    _look(network, reference)
    if fault is not None:
        raise away()
    return True


def take_document(network: Network, reference: str, document_id: str, content: bytes) -> None:
    """Takes a document that the request names.

    Refused: the request names none such, or the content is not of the named kind.
    """
    asked = {one["id"]: one for one in json.loads(find(network, reference)["body"])["documents"]}
    if document_id not in asked:
        raise not_found()
    if hashlib.sha256(content).hexdigest() != asked[document_id]["sha256"]:
        raise RefusedError(422, "DIGEST_DIFFERS", "The file is not the one that was announced")
    network.store.run(
        "INSERT INTO analysis_document (reference, document_id, size) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        reference,
        document_id,
        len(content),
    )
    _look(network, reference)


def missing(network: Network, row: sqlite3.Row) -> list[str]:
    """Returns the ids of the missing documents."""
    rows = network.store.rows("SELECT document_id FROM analysis_document WHERE reference = ?", row["reference"])
    there = {one["document_id"] for one in rows}
    return [one["id"] for one in json.loads(row["body"])["documents"] if one["id"] not in there]


def shown(network: Network, row: sqlite3.Row) -> dict[str, Any]:
    """Returns a request as the API shows it."""
    told = {} if row["verdict"] is None else {"verdict": json.loads(row["verdict"])}
    return {"reference": row["reference"], "status": row["status"], "missingDocuments": missing(network, row)} | told


def listed(network: Network, limit: int) -> list[dict[str, Any]]:
    """Returns the newest requests with their documents, oldest first."""
    rows = network.store.rows("SELECT * FROM analysis ORDER BY seq DESC LIMIT ?", limit)
    return [{**shown(network, row), "document": row["document"], "request": json.loads(row["body"])} for row in rows[::-1]]


def run_due(network: Network) -> None:
    """Judges the due requests."""
    now = network.clock.business()
    for row in network.store.rows("SELECT * FROM analysis WHERE due_at <= ? ORDER BY due_at, seq", now):
        with network.store.writing():
            _judge(network, row)


def wakes_at(network: Network) -> int | None:
    """Returns the business time of the next verdict."""
    row = network.store.row("SELECT min(due_at) AS due FROM analysis WHERE due_at IS NOT NULL")
    return None if row is None else row["due"]


def _look(network: Network, reference: str) -> None:
    """Starts the analysis of a request once its last document is there."""
    row = find(network, reference)
    if row["status"] != WAITING or missing(network, row):
        return
    fault = faults.strike(network, NAME, {"reference": reference, "document": row["document"]}, AT_VERDICT)
    behaviour = None if fault is None else fault.behaviour
    play = verdicts.play_of(row["document"])
    after = max(play.after, DAY) if behaviour == "slow" else play.after
    copies = {"timeout": 0, "twice": 2}.get(behaviour or "", play.copies)
    network.store.run(
        "UPDATE analysis SET status = ?, due_at = ?, copies = ? WHERE reference = ?",
        RUNNING,
        network.clock.business() + after,
        copies,
        reference,
    )
    network.bells.ring("timer")


def _judge(network: Network, row: sqlite3.Row) -> None:
    play = verdicts.play_of(row["document"])
    is_first = row["reference"].endswith("-1")
    code = None if play.only_first and not is_first else play.code
    said = verdicts.verdict(row["reference"], row["holder_type"], code, printed(network.clock.business()))
    network.store.run(
        "UPDATE analysis SET status = ?, due_at = NULL, verdict = ? WHERE reference = ?",
        JUDGED,
        json.dumps(said),
        row["reference"],
    )
    for _ in range(row["copies"]):
        movements.put(network, ANALYST, "VERDICT", said)
