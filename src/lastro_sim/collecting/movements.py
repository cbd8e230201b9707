"""A partner's stream of movements, in order and at least once.

A movement is kept until it is confirmed. A request for movements after a position confirms that one and all before it. A
request without a position begins behind the last confirmed one, so that a killed process gets again what it had not
stored.
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
MOST_ANSWERED = 60  # the most in one answer: the client asks again
LARGEST_PLACE = 999_999_999
LOOK_AGAIN_SECONDS = 1.0


class Named(Protocol):
    """An owner of movements, which are kept by its name."""

    @property
    def name(self) -> str:
        """The name in rows and paths."""


def put(network: Network, partner: Named, kind: str, fields: dict[str, Any]) -> None:
    """Adds a movement."""
    name = network.chance.uuid()
    body = json.dumps({"id": name, "type": kind} | fields)
    network.store.insert("item_movement", partner=partner.name, movement_id=name, body=body)
    network.bells.ring(_bell(partner))


async def pulled(request: Asked, network: Network, partner: Named) -> list[dict[str, Any]]:
    """Answers a pull, `?after=&wait=&limit=`.

    It confirms the movements up to its position, and waits where there is nothing yet.
    """
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
    """Tells whether all movements have been confirmed."""
    return network.store.number(_confirmed(partner)) >= _newest(network, partner)


def _confirm(network: Network, partner: Named, place: int) -> None:
    """Confirms all movements up to this sequence number. Refused: there never was such a movement."""
    if place > _newest(network, partner):
        raise RefusedError(409, "UNKNOWN_PLACE", "No movement has this sequence number yet")
    if place > network.store.number(_confirmed(partner)):
        network.store.remember(_confirmed(partner), place)


def _after(network: Network, partner: Named, place: int | None, limit: int) -> list[dict[str, Any]]:
    """Returns movements after a position, oldest first; None: after the last confirmed."""
    begin = network.store.number(_confirmed(partner)) if place is None else place
    sql = "SELECT * FROM item_movement WHERE partner = ? AND sequence > ? ORDER BY sequence LIMIT ?"
    rows = network.store.rows(sql, partner.name, begin, limit)
    return [{"sequence": row["sequence"], **json.loads(row["body"])} for row in rows]


def _newest(network: Network, partner: Named) -> int:
    row = network.store.find("item_movement", partner=partner.name)
    return 0 if row is None else int(row["sequence"])


def _bell(partner: Named) -> str:
    return f"movements-{partner.name}"


def _confirmed(partner: Named) -> str:
    return f"movements-confirmed-{partner.name}"
