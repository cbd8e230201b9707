"""The SQL of first payouts to a receiver, shown to a reviewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from lastro.core.db import Session

# A receiver is a document at an account of an institution, however it was named: a person's new account is a new receiver.
# A party is made in the Write of its payout, so their ids are of one millisecond: a short range of the primary key.
# OFFSET 0: each party's range by itself. A payout that came back whole has reached no receiver.
_FIRST = """
SELECT p.id FROM payouts p JOIN parties r ON r.company_id = p.company_id AND r.id = p.receiver_id
 WHERE p.company_id = $1 AND p.id = ANY ($2::uuid[]) AND NOT EXISTS (
   SELECT 1 FROM parties s, LATERAL (
     SELECT 1 FROM payouts o
      WHERE o.company_id = $1
        AND o.id BETWEEN (left(s.id::text, 13) || '-0000-0000-000000000000')::uuid
                     AND (left(s.id::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
        AND o.receiver_id = s.id AND o.batch_id IS NULL AND o.created_at < p.created_at
        AND o.status IN ('PAID', 'PARTIALLY_PAID', 'PARTIAL_REFUNDED') OFFSET 0) o
    WHERE s.company_id = $1 AND s.document_number = r.document_number AND s.bank ->> 'ispb' = r.bank ->> 'ispb'
      AND ltrim(s.bank ->> 'account', '0') = ltrim(r.bank ->> 'account', '0'))
"""


async def first_to_receiver(session: Session, company_id: UUID, payout_ids: Collection[UUID]) -> frozenset[UUID]:
    """Returns the payouts before which nothing was paid to their receiver: same document, bank, account."""
    rows = await session.search(_FIRST, company_id, list(payout_ids))
    return frozenset(row["id"] for row in rows)
