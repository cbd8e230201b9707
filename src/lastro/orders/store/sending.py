"""How what was ordered of a network stands in the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.model import Sending

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session

_SENDING = """
SELECT id, sends, lease_token IS NOT NULL AS is_in_hand FROM outbox
 WHERE company_id = $1 AND rail = $2 AND network_id = $3
"""


async def sending(session: Session, company_id: UUID, rail: str, network_id: str) -> Sending | None:
    """How the message stands that the network of this rail knows by this id."""
    row = await session.row(_SENDING, company_id, rail, network_id)
    return None if row is None else Sending(row["id"], row["sends"], row["is_in_hand"])
