"""What a partner tells whom it collects for, in order and at least once: kept until it is confirmed.

Whoever asks for what comes after a movement says by this that he has it and everything before it. Who says no place begins
behind the last one that was confirmed, so that a process that was killed is given again what it had not stored.
"""

import asyncio
import json
from typing import Any, Protocol

from lastro_sim import queries
from lastro_sim.answers import Asked
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError

LONGEST_WAIT = 30
LARGEST_BATCH = 100
MOST_ANSWERED = 60  # of more that were asked for: the client asks again
LARGEST_PLACE = 999_999_999
LOOK_AGAIN_SECONDS = 1.0


class Named(Protocol):
    """Whoever tells something: its movements are kept by its name."""

    @property
    def name(self) -> str:
        """As its rows and the paths have it."""


def put(network: Network, partner: Named, kind: str, fields: dict[str, Any]) -> None:
    """Tell one thing more."""
    name = network.chance.uuid()
    network.store.run(
        "INSERT INTO item_movement (partner, movement_id, body) VALUES (?, ?, ?)",
        partner.name,
        name,
        json.dumps({"id": name, "type": kind} | fields),
    )
    network.bells.ring(_bell(partner))


async def pulled(request: Asked, network: Network, partner: Named) -> list[dict[str, Any]]:
    """A pull, `?after=&wait=&limit=`: it confirms what comes before its place, and waits where there is nothing yet."""
    found = queries.read(request, {"after", "wait", "limit"})
    wait = queries.whole(found, "wait", 0, 0, LONGEST_WAIT)
    limit = queries.whole(found, "limit", LARGEST_BATCH, 1, LARGEST_BATCH)
    place = queries.whole(found, "after", 0, 0, LARGEST_PLACE) if "after" in found else None
    if place is not None:
        _confirm(network, partner, place)
    loop = asyncio.get_running_loop()
    until = loop.time() + wait
    while True:
        told = _after(network, partner, place, min(limit, MOST_ANSWERED))
        left = until - loop.time()
        if told or left <= 0:
            return told
        await network.bells.wait(_bell(partner), min(left, LOOK_AGAIN_SECONDS))


def quiet(network: Network, partner: Named) -> bool:
    """Whether everything that was told has been confirmed."""
    return network.store.number(_confirmed(partner)) >= _newest(network, partner)


def _confirm(network: Network, partner: Named, place: int) -> None:
    """Everything up to this sequence number has arrived. Refused: no such movement was ever told."""
    if place > _newest(network, partner):
        raise RefusedError(409, "UNKNOWN_PLACE", "No movement has this sequence number yet")
    if place > network.store.number(_confirmed(partner)):
        network.store.remember(_confirmed(partner), place)


def _after(network: Network, partner: Named, place: int | None, limit: int) -> list[dict[str, Any]]:
    """What follows a place, oldest first; None: what follows the last that was confirmed."""
    begin = network.store.number(_confirmed(partner)) if place is None else place
    sql = "SELECT * FROM item_movement WHERE partner = ? AND sequence > ? ORDER BY sequence LIMIT ?"
    rows = network.store.rows(sql, partner.name, begin, limit)
    return [{"sequence": row["sequence"], **json.loads(row["body"])} for row in rows]


def _newest(network: Network, partner: Named) -> int:
    row = network.store.row("SELECT max(sequence) AS newest FROM item_movement WHERE partner = ?", partner.name)
    return 0 if row is None or row["newest"] is None else int(row["newest"])


def _bell(partner: Named) -> str:
    return f"movements-{partner.name}"


def _confirmed(partner: Named) -> str:
    return f"movements-confirmed-{partner.name}"
