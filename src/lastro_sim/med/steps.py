"""How the directory's doors to disputes carry a step out: struck by faults, all of it or nothing, and answered."""

import asyncio
from collections.abc import Callable
from typing import Any

from litestar import Response

from lastro_sim import faults
from lastro_sim.answers import answer
from lastro_sim.clock import SECOND
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

from . import objects
from .objects import Row, StepError


def done(network: Network, step: Callable[[], Row]) -> Row:
    """A step, all of it or nothing. Refused: the directory's own no."""
    try:
        with network.store.writing():
            return step()
    except StepError as no:
        raise RefusedError(no.status, no.code, no.reason) from no


async def struck(network: Network, end_to_end_id: str) -> faults.Fault | None:
    """What goes wrong with a request about this transaction, before it is carried out. Refused: it is not at all."""
    fault = faults.strike(network, "med", {"endToEndId": end_to_end_id}, {"reject", "lost-answer", "slow", "down"})
    if fault is not None and fault.behaviour == "slow":
        await asyncio.sleep(fault.delay / SECOND)
        return None
    if fault is not None and fault.behaviour == "down":
        raise away()
    if fault is not None and fault.behaviour == "reject":
        raise RefusedError(422, fault.code or "Rejected", "The directory refuses it")
    return fault


def answered(row: Row, fault: faults.Fault | None, status: int = 200) -> Response[bytes]:
    """Answer with an object, or lose the answer."""
    if fault is not None:
        raise away()
    body: dict[str, Any] = objects.shown(row)
    return answer(body, status)
