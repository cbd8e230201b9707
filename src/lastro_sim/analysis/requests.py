"""Requests to the analyst, judged once their last document has come. Each is handed over once under a reference."""

import hashlib
import json
import sqlite3
from typing import Any

from lastro_sim import faults
from lastro_sim.clock import DAY, printed
from lastro_sim.collecting import movements
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away, found, not_found

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
    return found(network.store.find("analysis", reference=reference))


def hand_over(network: Network, reference: str, body: dict[str, Any]) -> bool:
    """Takes a request; tells whether it is new. The same again changes nothing; a reference with other fields is refused."""
    known = network.store.find("analysis", reference=reference)
    if known is not None:
        if json.loads(known["body"]) != body:
            raise RefusedError(409, "REFERENCE_DIFFERS", "Another request was handed over under this reference")
        return False
    about = {"reference": reference, "document": body["holder"]["document"]["number"]}
    fault = faults.strike(network, NAME, about, AT_INTAKE)
    faults.refuse(fault, NOT_TAKEN, "The request is not looked at")
    kept = {"holder_type": body["holderType"], "body": json.dumps(body), "taken_at": network.clock.business()}
    network.store.insert("analysis", **about, **kept, status=WAITING)
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
    network.store.put("analysis_document", reference=reference, document_id=document_id, size=len(content))
    _look(network, reference)


def missing(network: Network, row: sqlite3.Row) -> list[str]:
    """Returns the ids of the missing documents."""
    there = {one["document_id"] for one in network.store.every("analysis_document", reference=row["reference"])}
    return [one["id"] for one in json.loads(row["body"])["documents"] if one["id"] not in there]


def shown(network: Network, row: sqlite3.Row) -> dict[str, Any]:
    """Returns a request as the API shows it."""
    told = {} if row["verdict"] is None else {"verdict": json.loads(row["verdict"])}
    return {"reference": row["reference"], "status": row["status"], "missingDocuments": missing(network, row)} | told


def listed(network: Network, limit: int) -> list[dict[str, Any]]:
    """Returns the newest requests with their documents, oldest first."""
    rows = network.store.newest("analysis", limit)
    return [{**shown(network, row), "document": row["document"], "request": json.loads(row["body"])} for row in rows]


def _look(network: Network, reference: str) -> None:
    """Starts the analysis of a request once its last document is there."""
    row = find(network, reference)
    if row["status"] != WAITING or missing(network, row):
        return
    fault = faults.strike(network, NAME, {"reference": reference, "document": row["document"]}, AT_VERDICT)
    behaviour = faults.behaviour_of(fault)
    play = verdicts.play_of(row["document"])
    after = max(play.after, DAY) if behaviour == "slow" else play.after
    copies = {"timeout": 0, "twice": 2}.get(behaviour or "", play.copies)
    due_at = network.clock.business() + after
    network.store.change("analysis", row, status=RUNNING, due_at=due_at, copies=copies)
    network.bells.ring("timer")


def end_due(network: Network, row: sqlite3.Row) -> None:
    """Judges a due request."""
    play = verdicts.play_of(row["document"])
    is_first = row["reference"].endswith("-1")
    code = None if play.only_first and not is_first else play.code
    said = verdicts.verdict(row["reference"], row["holder_type"], code, printed(network.clock.business()))
    network.store.change("analysis", row, status=JUDGED, due_at=None, verdict=json.dumps(said))
    for _ in range(row["copies"]):
        movements.put(network, ANALYST, "VERDICT", said)
