"""The nights of one connection: each sweep is made once after two in the morning, by one process."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import time, timedelta
from typing import TYPE_CHECKING, Protocol

from lastro.core.errors import DatabaseAway
from lastro.rails.cursors import LEASE_SECONDS
from lastro.rails.pulling import pull_until, unless_stopped
from lastro.standards.calendar import brasilia_day, instant

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.rails.cursors import RailCursor

BEGINS_AT = time(2)  # of Brasilia
_LOOK_SECONDS = 60.0


class Sweep(Protocol):
    """One thing that is looked for each night. The same night again changes nothing."""

    async def __call__(self, since: datetime, now: datetime, /) -> None:
        """Looks for it. since: when it was looked for last. Transient: not all was seen."""


class Nightly:
    """Makes one sweep each night. cursor: of its stream, whose place is when the last one began.

    renew_seconds: after which the lease is renewed meanwhile, far shorter than it lasts.
    """

    def __init__(self, cursor: RailCursor, sweep: Sweep, renew_seconds: float = LEASE_SECONDS / 3) -> None:
        self._cursor = cursor
        self._sweep = sweep
        self._renew_seconds = renew_seconds

    async def run(self, stop: asyncio.Event) -> None:
        """Makes a sweep when a night is due, until stop. A failed one is made again, by whichever process looks next."""
        await pull_until(stop, lambda: self._turn(stop), _LOOK_SECONDS)
        await self._cursor.give_up()

    async def once(self) -> bool:
        """Makes the sweep of this night, unless another process has it. Transient: it is made again.

        After a failure the lease is given up: the bank may answer another process, which has another route to it.
        """
        place = await self._cursor.take()
        if place is None or place.until >= night_of(place.now):
            return False
        sweeping = asyncio.ensure_future(self._sweep(place.until, place.now))
        try:
            while not (await asyncio.wait({sweeping}, timeout=self._renew_seconds))[0]:
                await self._cursor.move(place.until)  # it goes on for longer than a lease
            await sweeping
        except Exception:
            with suppress(DatabaseAway):
                await self._cursor.give_up()
            raise
        finally:
            sweeping.cancel()
            await asyncio.gather(sweeping, return_exceptions=True)
        await self._cursor.move(place.now)
        return True

    async def _turn(self, stop: asyncio.Event) -> bool:
        if await unless_stopped(stop, self.once()) is False:
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _LOOK_SECONDS)
        return True


def night_of(now: datetime) -> datetime:
    """Returns the last two o'clock of Brasilia's night, in UTC."""
    day = brasilia_day(now)
    begins = instant(day, BEGINS_AT)
    return begins if begins <= now else instant(day - timedelta(days=1), BEGINS_AT)
