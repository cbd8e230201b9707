"""All SQL of closing: obstacles, requests, and the open objects of a closed account."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from lastro.closing.model import OBSTACLES, CloseRequest, Obstacle
from lastro.closing.rendering import InTheWay
from lastro.core.money import Money

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

_OBSTACLES = "SELECT kind, currency, minor, items FROM account_obstacles($1, $2)"
_REQUEST = """
SELECT id, status, version, account_id, reason_code, reason, obstacles, created_at, updated_at
  FROM account_close_requests WHERE company_id = $1
"""
_BY_ID = _REQUEST + " AND id = $2"
_PAGE = _REQUEST + " ORDER BY created_at DESC OFFSET $2 LIMIT $3"
_NUMBER = "SELECT count(*) FROM account_close_requests WHERE company_id = $1"
# Of an order that belongs to a subscription the end is that of the subscription.
_ORDERS = """
SELECT id FROM orders WHERE company_id = $1 AND account_id = $2 AND status = 'INITIAL' AND subscription_id IS NULL
 ORDER BY created_at LIMIT $3
"""
_SUBSCRIPTIONS = """
SELECT id FROM subscriptions WHERE company_id = $1 AND account_id = $2
   AND status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED')
 ORDER BY created_at LIMIT $3
"""
_KEYS = """
SELECT id FROM pix_keys WHERE company_id = $1 AND account_id = $2 AND status = 'ACTIVE' AND claim_id IS NULL
 ORDER BY created_at
"""


async def obstacles_of(session: Session, company_id: UUID, account_id: UUID) -> tuple[Obstacle, ...]:
    """Reads all obstacles to closing an account: money by currency, then unfinished objects."""
    rows = await session.search(_OBSTACLES, company_id, account_id)
    found = [
        Obstacle(row["kind"], None if row["minor"] is None else Money(row["minor"], row["currency"]), row["items"])
        for row in rows
    ]
    return tuple(sorted(found, key=_place))


def _place(one: Obstacle) -> tuple[int, str]:
    return OBSTACLES.index(one.kind), "" if one.amount is None else one.amount.currency


async def request_by_id(session: Session, company_id: UUID, request_id: UUID) -> CloseRequest | None:
    """A request; None: there is none."""
    row = await session.row(_BY_ID, company_id, request_id)
    return None if row is None else _request(row)


async def requests_of(session: Session, company_id: UUID, skip: int, take: int) -> list[CloseRequest]:
    """Reads the company's requests, newest first, without the first `skip` of them."""
    return [_request(row) for row in await session.search(_PAGE, company_id, skip, take)]


async def number_of_requests(session: Session, company_id: UUID) -> int:
    """Counts the company's requests."""
    return int(await session.value(_NUMBER, company_id))


def _request(row: Record) -> CloseRequest:
    kept = msgspec.json.decode(row["obstacles"], type=list[InTheWay])
    obstacles = tuple(
        Obstacle(one.type, None if one.amount is None else Money.parse(one.amount.value, one.amount.currency), one.count)
        for one in kept
    )
    return CloseRequest(
        row["id"], row["status"], row["version"], row["account_id"], row["reason_code"], row["reason"], obstacles,
        row["created_at"], row["updated_at"],
    )  # fmt: skip


async def open_orders(session: Session, company_id: UUID, account_id: UUID, most: int) -> list[UUID]:
    """Orders of the account that wait for money, the oldest first."""
    return [row["id"] for row in await session.fetch(_ORDERS, company_id, account_id, most)]


async def open_subscriptions(session: Session, company_id: UUID, account_id: UUID, most: int) -> list[UUID]:
    """Subscriptions of the account that have not ended, the oldest first."""
    return [row["id"] for row in await session.fetch(_SUBSCRIPTIONS, company_id, account_id, most)]


async def active_keys(session: Session, company_id: UUID, account_id: UUID) -> list[UUID]:
    """Returns the account's unclaimed keys, oldest first. They are all of them, as an account has few."""
    return [row["id"] for row in await session.fetch(_KEYS, company_id, account_id)]
