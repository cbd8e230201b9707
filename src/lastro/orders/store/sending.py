"""Reads the state of an outbox message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.returns import Sending
from lastro.rails.port import RETURN_DOUBTED, payment_doubted

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session

_SENDING = f"""
SELECT o.id, o.sends, o.lease_token IS NOT NULL AS is_in_hand, o.answered, d.doubts, d.doubt
  FROM outbox o
 CROSS JOIN LATERAL (
   SELECT count(*) AS doubts, (array_agg(i.body ORDER BY i.id DESC))[1] AS doubt FROM inbox i
    WHERE i.company_id = $1 AND i.subject = $3 AND i.kind = '{RETURN_DOUBTED}') d
 WHERE o.company_id = $1 AND o.rail = $2 AND o.network_id = $3
"""  # noqa: S608 a kind of ours


async def sending(session: Session, company_id: UUID, rail: str, network_id: str) -> Sending | None:
    """Reads the message with this network id, and the network's doubts."""
    row = await session.row(_SENDING, company_id, rail, network_id)
    if row is None:
        return None
    code = None if row["doubt"] is None else payment_doubted(bytes(row["doubt"])).code
    return Sending(row["id"], row["sends"], row["is_in_hand"], row["answered"], row["doubts"], code)
