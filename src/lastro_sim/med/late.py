"""Dispute events that a fault holds back and sends later. Events that came since may go first."""

import json
from typing import Any

from lastro_sim.clock import MINUTE
from lastro_sim.collecting import movements
from lastro_sim.faults import Fault
from lastro_sim.network import Network

from . import objects


def hold(network: Network, kind: str, fields: dict[str, Any], fault: Fault) -> None:
    """Keeps an event for later, one business minute unless the fault says."""
    due = network.clock.business() + (fault.delay or MINUTE)
    network.store.run("INSERT INTO med_late (due_at, kind, fields) VALUES (?, ?, ?)", due, kind, json.dumps(fields))
    network.bells.ring("timer")


def run_due(network: Network) -> None:
    """Sends the due events, oldest first."""
    now = network.clock.business()
    for row in network.store.rows("SELECT * FROM med_late WHERE due_at <= ? ORDER BY due_at, seq", now):
        with network.store.writing():
            network.store.run("DELETE FROM med_late WHERE seq = ?", row["seq"])
            movements.put(network, objects.EVENTS, row["kind"], json.loads(row["fields"]))


def wakes_at(network: Network) -> int | None:
    """Returns the business time of the next held event."""
    row = network.store.row("SELECT min(due_at) AS due FROM med_late")
    return None if row is None else row["due"]
