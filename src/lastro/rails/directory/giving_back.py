"""A payment that was sent gives its payer back some of what the look-up before it had cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from lastro.base.errors import DatabaseAway
from lastro.rails import port

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.directory.budget import Budget
    from lastro.rails.port import Keep, Pending, Rail, Told, Unknown

_log = structlog.get_logger(__name__)


class GivingBack:
    """A Rail: another one, whose payments to keys are noted in the budget."""

    def __init__(self, rail: Rail, budget: Budget) -> None:
        self._rail = rail
        self._budget = budget

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """As the rail does."""
        await self._rail.listen(keep, stop)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """As the rail does. That the budget cannot be written is no reason to send a payment again."""
        await self._rail.send(kind, network_id, body, company_id)
        if kind != port.PAYMENT_SEND or port.payment_order(body).key is None:
            return
        try:
            await self._budget.sent(network_id)
        except DatabaseAway as away:
            _log.warning("directory.nothing_given_back", network_id=network_id, reason=str(away))

    async def became(self, kind: str, network_id: str) -> Told | Pending | Unknown:
        """As the rail says."""
        return await self._rail.became(kind, network_id)

    async def close(self) -> None:
        """Ends the rail's connections."""
        await self._rail.close()
