"""Dispute events that a fault holds back and sends later. Events that came since may go first."""

import json
import sqlite3
from typing import Any

from lastro_sim.clock import MINUTE
from lastro_sim.collecting import movements
from lastro_sim.faults import Fault
from lastro_sim.network import Network

from . import objects


def hold(network: Network, kind: str, fields: dict[str, Any], fault: Fault) -> None:
    """Keeps an event for later, one business minute unless the fault says."""
    due = network.clock.business() + (fault.delay or MINUTE)
    network.store.insert("med_late", due_at=due, kind=kind, fields=json.dumps(fields))
    network.bells.ring("timer")


def end_due(network: Network, row: sqlite3.Row) -> None:
    """Sends a due event."""
    network.store.run("DELETE FROM med_late WHERE seq = ?", row["seq"])
    movements.put(network, objects.EVENTS, row["kind"], json.loads(row["fields"]))
