"""Gives tokens back to payer and participant after a payment is sent.

They are some of those that the look-up before it had cost.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import asyncpg
import structlog

from lastro.core.errors import DatabaseAway, Stale
from lastro.rails import port

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.rails.directory.budget import Budget
    from lastro.rails.port import Keep, NetworkMessage, Pending, Rail, Unknown

EVERY_SECONDS = 0.5  # so often what was sent is noted: the payer's next look-up seldom needs it sooner
_log = structlog.get_logger(__name__)


class GivingBack:
    """A Rail: another one, whose payments to keys are noted in the budget, many in one statement.

    A process that dies gives nothing back for what it has not noted yet: buckets fill by themselves.
    """

    def __init__(self, rail: Rail, budget: Budget) -> None:
        self._rail = rail
        self._budget = budget
        self._sent: set[str] = set()

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Listens as the rail does, and notes the sent payments. It notes them meanwhile, and once more at the end."""
        noting = asyncio.ensure_future(self._note_until(stop))
        try:
            await self._rail.listen(keep, stop)
        finally:
            noting.cancel()
            with suppress(asyncio.CancelledError):
                await noting
            await self.note()

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Sends as the rail does."""
        await self._rail.send(kind, network_id, body, company_id)
        if kind == port.PAYMENT_SEND and port.payment_order(body).key is not None:
            self._sent.add(network_id)

    async def note(self) -> None:
        """Writes down the payments sent to keys; a failed write is logged and not retried."""
        sent, self._sent = self._sent, set()
        if not sent:
            return
        try:
            await self._budget.sent(sent)
        except (DatabaseAway, Stale, asyncpg.PostgresError) as error:
            _log.warning("directory.nothing_given_back", count=len(sent), reason=str(error))

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the status that the rail tells."""
        return await self._rail.status_of(kind, network_id)

    async def close(self) -> None:
        """Ends the rail's connections."""
        await self._rail.close()

    async def _note_until(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), EVERY_SECONDS)
            await self.note()
