"""What the collecting bank tells whom it collects for, in order and at least once: kept until it is confirmed.

Whoever asks for what comes after a movement says by this that he has it and everything before it. Who says no place begins
behind the last one that was confirmed, so that a process that was killed is given again what it had not stored.
"""

import json
from typing import Any

from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError

BELL = "slip-movements"
CONFIRMED = "slip-movements-confirmed"


def put(network: Network, kind: str, fields: dict[str, Any]) -> None:
    """Tell one thing more."""
    name = network.chance.uuid()
    network.store.run(
        "INSERT INTO slip_movement (movement_id, body) VALUES (?, ?)", name, json.dumps({"id": name, "type": kind} | fields)
    )
    network.bells.ring(BELL)


def confirm(network: Network, place: int) -> None:
    """Everything up to this sequence number has arrived. Refused: no such movement was ever told."""
    if place > _newest(network):
        raise RefusedError(409, "UNKNOWN_PLACE", "No movement has this sequence number yet")
    if place > network.store.number(CONFIRMED):
        network.store.remember(CONFIRMED, place)


def after(network: Network, place: int | None, limit: int) -> list[dict[str, Any]]:
    """What follows a place, oldest first; None: what follows the last that was confirmed."""
    begin = network.store.number(CONFIRMED) if place is None else place
    rows = network.store.rows("SELECT * FROM slip_movement WHERE sequence > ? ORDER BY sequence LIMIT ?", begin, limit)
    return [{"sequence": row["sequence"], **json.loads(row["body"])} for row in rows]


def quiet(network: Network) -> bool:
    """Whether everything that was told has been confirmed."""
    return network.store.number(CONFIRMED) >= _newest(network)


def _newest(network: Network) -> int:
    row = network.store.row("SELECT max(sequence) AS newest FROM slip_movement")
    return 0 if row is None or row["newest"] is None else int(row["newest"])
