"""Which order or subscription of ours a location leads to: its five digits name the company, whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lastro import orders, subscriptions
from lastro.base.commit import Caller
from lastro.base.run import Door
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.base.db import Database, Session
    from lastro.base.ids import Chance
    from lastro.orders import Order

_COMPANY = "SELECT company_id FROM company_numbers WHERE number = $1"
_LENGTH = 22

T = TypeVar("T")


@dataclass(frozen=True)
class Located:
    """Finds orders and subscriptions by the tokens of their locations."""

    database: Database
    chance: Chance

    async def find(self, token: str) -> tuple[Order, Account, Door] | None:
        """The order behind a token, its account, and the moment at which that is so."""
        found = await self._behind(token, orders.by_location)
        return None if found is None else (*found[0], found[1])

    async def recurrence(self, token: str, ispb: str) -> tuple[bytes | None] | None:
        """What a recurrence's location says inside the signature: (None,) once it has ended; None for nothing of ours."""
        found = await self._behind(token, subscriptions.by_location)
        return None if found is None else (subscriptions.recurrence(found[0], ispb),)

    async def _behind(self, token: str, read: Callable[[Session, UUID, str], Awaitable[T | None]]) -> tuple[T, Door] | None:
        if len(token) != _LENGTH or not token.isascii() or not token.isalnum():
            return None
        async with self.database.session() as session:
            company_id: UUID | None = await session.value(_COMPANY, pix_ids.from_base62(token[:5]))
            if company_id is None:
                return None
            await session.enter(company_id)
            found = await read(session, company_id, token)
            now = await session.value("SELECT business_now()")
        return None if found is None else (found, Door(company_id, now, self.chance, Caller()))

    async def charge(self, token: str) -> bytes | None:
        """What its location says inside the signature; None where nothing can be paid there."""
        found = await self.find(token)
        if found is None:
            return None
        order, _, door = found
        return orders.charge(order, door)
