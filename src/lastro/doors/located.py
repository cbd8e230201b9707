"""Which order of ours a location leads to: its five digits name the company, whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import orders
from lastro.base.commit import Caller
from lastro.base.run import Door
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.base.db import Database
    from lastro.base.ids import Chance
    from lastro.orders import Order

_COMPANY = "SELECT company_id FROM company_numbers WHERE number = $1"
_LENGTH = 22


@dataclass(frozen=True)
class Located:
    """Finds orders by the token of their location."""

    database: Database
    chance: Chance

    async def find(self, token: str) -> tuple[Order, Account, Door] | None:
        """The order behind a token, its account, and the moment at which that is so."""
        if len(token) != _LENGTH or not token.isascii() or not token.isalnum():
            return None
        async with self.database.session() as session:
            company_id: UUID | None = await session.value(_COMPANY, pix_ids.from_base62(token[:5]))
            if company_id is None:
                return None
            await session.enter(company_id)
            found = await orders.by_location(session, company_id, token)
            now = await session.value("SELECT business_now()")
        if found is None:
            return None
        return (*found, Door(company_id, now, self.chance, Caller()))

    async def charge(self, token: str) -> bytes | None:
        """What its location says inside the signature; None where nothing can be paid there."""
        found = await self.find(token)
        if found is None:
            return None
        order, _, door = found
        return orders.charge(order, door)
