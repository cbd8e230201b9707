"""Dispute requests at the directory: faults, one transaction, and the answer."""

import asyncio
from collections.abc import Callable
from typing import Any

from litestar import Response

from lastro_sim import faults
from lastro_sim.answers import answer
from lastro_sim.clock import SECOND
from lastro_sim.network import Network
from lastro_sim.refusals import away

from . import objects
from .objects import Row


def done(network: Network, step: Callable[[], Row]) -> Row:
    """Carries out a step in one transaction."""
    with network.store.writing():
        return step()


async def struck(network: Network, end_to_end_id: str) -> faults.Fault | None:
    """Applies an ordered fault before a request; raises a refusal."""
    fault = faults.strike(network, "med", {"endToEndId": end_to_end_id}, {"reject", "lost-answer", "slow", "down"})
    if fault is not None and fault.behaviour == "slow":
        await asyncio.sleep(fault.delay / SECOND)
        return None
    faults.refuse(fault, "Rejected", "The directory refuses it")
    return fault


def answered(row: Row, fault: faults.Fault | None, status: int = 200) -> Response[bytes]:
    """Answers with an object, or loses the answer."""
    if fault is not None:
        raise away()
    body: dict[str, Any] = objects.shown(row)
    return answer(body, status)
