"""Reads earlier messages of an instrument from the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session

_WAS_VOIDED = """
SELECT 1 FROM inbox
 WHERE company_id = $1 AND subject = $2 AND rail = $3 AND kind = 'collection.void' AND outcome = 'ignored'
   AND as_json(body) ->> 'payment_id' = $4 LIMIT 1
"""


async def was_voided(session: Session, company_id: UUID, rail: str, reference: str, payment_id: str) -> bool:
    """Tells whether a partner voided a payment before it was announced."""
    return await session.row(_WAS_VOIDED, company_id, reference, rail, payment_id) is not None
