"""Frees a request's concurrency slot while it waits for others.

Concurrency is limited because processor and database are (`web/admission.py`). A request that waits for a network, a
location or the feed's next number uses neither, and is not refused when it comes back.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Slot(Protocol):
    """A request's place under the concurrency limit."""

    def leave(self) -> None:
        """Lets another have it."""

    async def come_back(self) -> None:
        """Has one again."""

    def give_up(self) -> None:
        """Waits for others no longer, and is not waited for itself: it has one again when it next comes back."""


_present: ContextVar[Slot | None] = ContextVar("lastro_place", default=None)


def hold(place: Slot | None) -> None:
    """Sets the slot of the present task and of those it starts. None: no slot, since the work is done for many."""
    _present.set(place)


@asynccontextmanager
async def without_slot() -> AsyncGenerator[None, None]:
    """Frees the present slot inside the `with`. A worker's task has no slot and frees none."""
    place = _present.get()
    if place is None:
        yield
        return
    place.leave()
    try:
        yield
    except asyncio.CancelledError:
        place.give_up()  # a cancelled task must not wait for a slot first
        raise
    except BaseException:
        await place.come_back()
        raise
    else:
        await place.come_back()


async def rest(seconds: float) -> None:
    """Sleeps without holding a slot."""
    async with without_slot():
        await asyncio.sleep(seconds)
