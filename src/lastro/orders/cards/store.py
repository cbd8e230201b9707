"""The SQL of cards: tokens that clients keep, what a company takes, and what issuers took back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.cards.model import StoredCard
from lastro.orders.refunds.store import QUOTA
from lastro.standards.cards import Expiry

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session

_KEPT = "SELECT name, token, brand, last_four, expiry FROM card_tokens WHERE company_id = $1 AND name = $2"
_NUMBER = "SELECT number FROM companies WHERE company_id = $1"
_TAKES = "SELECT takes_unauthenticated_cards FROM companies WHERE company_id = $1"
_ASKED_BACK = """
SELECT (SELECT coalesce(sum(used_minor), 0)::bigint FROM quotas
         WHERE company_id = $1 AND owner_id = $2 AND kind = $3) AS asked,
       (SELECT coalesce(sum(amount_minor), 0)::bigint FROM refunds
         WHERE company_id = $1 AND order_id = $2 AND origin = 'CLIENT' AND state = 'PENDING') AS leaving
"""
_CHARGEBACK = "SELECT 1 FROM chargebacks WHERE company_id = $1 AND chargeback_id = $2"


async def kept(session: Session, company_id: UUID, name: str) -> StoredCard | None:
    """Reads the card that a token of this company stands for."""
    row = await session.row(_KEPT, company_id, name)
    if row is None:
        return None
    return StoredCard(row["name"], row["token"], row["brand"], row["last_four"], Expiry.parse(row["expiry"]))


async def company_number(session: Session, company_id: UUID) -> int:
    """Reads the company's number, which stands in its tokens."""
    return int(await session.value(_NUMBER, company_id))


async def takes_unauthenticated(session: Session, company_id: UUID) -> bool:
    """Tells whether the company takes cards without authentication by the issuer."""
    return bool(await session.value(_TAKES, company_id))


async def asked_back(session: Session, company_id: UUID, order_id: UUID) -> tuple[int, int]:
    """Returns sums of an order's unfailed and open refunds, in minor units."""
    row = await session.row(_ASKED_BACK, company_id, order_id, QUOTA)
    assert row is not None, "sums have a row"
    return row["asked"], row["leaving"]


async def is_charged_back(session: Session, company_id: UUID, chargeback_id: str) -> bool:
    """Tells whether this chargeback is booked already."""
    return await session.row(_CHARGEBACK, company_id, chargeback_id) is not None
