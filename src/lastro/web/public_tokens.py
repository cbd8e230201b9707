"""Finds the order or subscription behind a location or page address. Five digits of the token name the company."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from lastro import orders, subscriptions
from lastro.core.group_read import GroupRead
from lastro.core.runner import RequestContext
from lastro.core.write import OURS, Caller
from lastro.standards import pix_ids
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from uuid import UUID

    from lastro.core.db import Database, Session
    from lastro.core.ids import Chance
    from lastro.core.runner import Query
    from lastro.orders import CheckoutSeen, Installation, OrderShown, Slip, Standing, Voucher

_COMPANY = "SELECT company_id FROM company_numbers WHERE number = $1"
_LENGTH = 22

T = TypeVar("T")


@dataclass
class OrdersByToken:
    """Finds orders and subscriptions by the tokens of their locations and pages.

    companies: those found before, by their numbers, which never change hands.
    """

    database: Database
    chance: Chance
    companies: dict[int, UUID] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reading = GroupRead(self.database)

    async def find(self, token: str) -> tuple[OrderShown, RequestContext] | None:
        """Returns the order behind a location's token, and the business time. It takes one round trip."""
        return await self._found(token, orders.shown_by_location)

    async def pictured(self, token: str) -> tuple[OrderShown, RequestContext] | None:
        """Returns the order behind a picture's token, and the business time."""
        return await self._found(token, orders.shown_by_picture)

    async def _found(
        self, token: str, asked: Callable[[str], Query[OrderShown | None]]
    ) -> tuple[OrderShown, RequestContext] | None:
        company_id = await self._company(token)
        if company_id is None:
            return None
        query = asked(token)
        rows = await self._reading.read(company_id, OURS, query)
        shown = query.shown(rows)
        if shown is None or shown.order.pix_key is None:  # a slip that has no Pix code on it
            return None
        return shown, RequestContext(company_id, rows[0]["door_at"], self.chance, Caller())

    async def slip(self, token: str, place: Installation) -> Slip | None:
        """Returns the slip behind a token."""
        found = await self._behind(token, orders.slip_by_token)
        return None if found is None else orders.slip_of(*found[0], place, brasilia_day(found[1].now))

    async def voucher(self, token: str) -> Voucher | None:
        """Returns the cash voucher behind a token."""
        found = await self._behind(token, orders.voucher_by_token)
        return None if found is None else orders.voucher_of(*found[0], found[1].now)

    async def recurrence(self, token: str, ispb: str) -> tuple[bytes | None] | None:
        """Returns the payload of a recurrence's location. (None,): the recurrence has ended; None: it is not ours."""
        found = await self._behind(token, subscriptions.by_location)
        return None if found is None else (subscriptions.recurrence(found[0], ispb),)

    async def _behind(
        self, token: str, read: Callable[[Session, UUID, str], Awaitable[T | None]]
    ) -> tuple[T, RequestContext] | None:
        company_id = await self._company(token)
        if company_id is None:
            return None
        async with self.database.session(company_id) as session:
            found = await read(session, company_id, token)
            now = await session.value("SELECT business_now()")
        return None if found is None else (found, RequestContext(company_id, now, self.chance, Caller()))

    async def checkout(self, token: str) -> CheckoutSeen | None:
        """Returns the order whose page a token leads to."""
        return await self._inside(token, orders.by_checkout)

    async def standing(self, token: str) -> Standing | None:
        """Returns the standing of that order."""
        return await self._inside(token, orders.standing_by_checkout)

    async def _inside(self, token: str, read: Callable[[Session, UUID, str], Awaitable[T | None]]) -> T | None:
        company_id = await self._company(token)
        if company_id is None:
            return None
        async with self.database.session(company_id) as session:
            return await read(session, company_id, token)

    async def _company(self, token: str) -> UUID | None:
        """Returns the company of a token. None: the token is malformed, or its number is nobody's."""
        if len(token) != _LENGTH or not token.isascii() or not token.isalnum():
            return None
        number = pix_ids.from_base62(token[:5])
        if number not in self.companies:
            async with self.database.session() as session:
                company_id = await session.value(_COMPANY, number)
            if company_id is None:
                return None
            self.companies[number] = company_id
        return self.companies[number]

    async def charge(self, token: str) -> bytes | None:
        """Returns the payload of an order's location. None: nothing can be paid there."""
        found = await self.find(token)
        if found is None:
            return None
        shown, context = found
        return orders.charge(shown, context)
