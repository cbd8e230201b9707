"""All SQL of the hosted page: one row by the index of order tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.checkout.model import OrderSeen
from lastro.orders.checkout.rules import standing
from lastro.orders.methods import PIX
from lastro.orders.store import BY_TOKEN, LEADS_HERE, shown_from

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.orders.checkout.model import Standing

_PAGE = f"SELECT s.*, business_now() AS now FROM ({BY_TOKEN}) s"  # noqa: S608 a statement of our own
_STATE = f"""
SELECT status, payment_method, expires_at, business_now() AS now, {LEADS_HERE} AS leads_here
  FROM orders o WHERE company_id = $1 AND order_token = $2
"""  # noqa: S608 a statement of our own


async def seen_by_token(session: Session, company_id: UUID, token: str) -> OrderSeen | None:
    """Reads the order whose page this is."""
    row = await session.row(_PAGE, company_id, token)
    return None if row is None else OrderSeen(shown_from(row), row["now"])


async def standing_by_token(session: Session, company_id: UUID, token: str) -> Standing | None:
    """Reads the standing of the order with this page token."""
    row = await session.row(_STATE, company_id, token)
    if row is None:
        return None
    key_left = row["payment_method"] == PIX and not row["leads_here"]
    return standing(row["status"], row["expires_at"], row["now"], key_left=key_left)
