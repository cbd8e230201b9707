"""A request that waits for others lets others be served in its place meanwhile, and is not refused when it comes back.

What is done at the same time is limited, because processor and database are (`web/admission.py`). Whoever waits for a
network, a location or the feed's next number uses neither.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Slot(Protocol):
    """What a request holds while it is worked on."""

    def leave(self) -> None:
        """Lets another have it."""

    async def come_back(self) -> None:
        """Has one again."""

    def give_up(self) -> None:
        """Waits for others no longer, and is not waited for itself: it has one again when it next comes back."""


_present: ContextVar[Slot | None] = ContextVar("lastro_place", default=None)


def hold(place: Slot | None) -> None:
    """The present task, and what it starts, works in this place. None: in none, since it is done for many."""
    _present.set(place)


@asynccontextmanager
async def without_slot() -> AsyncGenerator[None, None]:
    """For as long as others are waited for. What works in no place, as a worker's task does, has none to give."""
    place = _present.get()
    if place is None:
        yield
        return
    place.leave()
    try:
        yield
    except asyncio.CancelledError:
        place.give_up()  # whoever is told to end must not wait for a place first
        raise
    except BaseException:
        await place.come_back()
        raise
    else:
        await place.come_back()


async def rest(seconds: float) -> None:
    """Sleeps so long, aside."""
    async with without_slot():
        await asyncio.sleep(seconds)
