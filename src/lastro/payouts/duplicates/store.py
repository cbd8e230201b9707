"""The SQL that finds equal payouts, alone or many in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.payouts.model import Likeness

# Equal payouts have the same receiver, however it was named; two dynamic QRs are two charges, each paid once by its bank.
# The values to compare are put in by name: a single create gives arguments, a trial of many a row each.
SAME = """
SELECT p.id FROM payouts p JOIN parties r ON r.company_id = p.company_id AND r.id = p.receiver_id
 WHERE p.company_id = $1 AND p.likeness = {likeness} AND p.created_at > {since}
   AND p.account_id = {account_id} AND p.batch_id IS NULL AND p.payment_method = {payment_method}
   AND p.amount_minor = {amount_minor} AND p.status NOT IN ('ERROR', 'CANCELED', 'EXPIRED')
   AND r.document_number = {document_number} AND r.bank ->> 'ispb' = {ispb} AND ltrim(r.bank ->> 'account', '0') = {account}
   AND NOT (p.initiation = 'DYNAMIC_QR' AND {is_charge})
 ORDER BY p.created_at DESC LIMIT 1
"""
_WISHED = (
    "place", "account_id", "amount_minor", "payment_method", "document_number", "ispb", "account", "is_charge", "likeness",
)  # fmt: skip
# Equal by the same rule as for a single create, each to a row of the trial.
_SAME = f"""
SELECT w.place, s.id
  FROM unnest($3::integer[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::boolean[], $11::bigint[]) w({", ".join(_WISHED)})
 CROSS JOIN LATERAL ({SAME.format(since="$2", **{name: f"w.{name}" for name in _WISHED})}) s
"""  # noqa: S608 statements of our own


async def sames(session: Session, company_id: UUID, wished: Mapping[int, Likeness], since: datetime) -> dict[int, UUID]:
    """Finds the newest equal payout since `since`, by place. wished: the likeness at each place."""
    if not wished:
        return {}
    columns = zip(*(_row(place, like) for place, like in wished.items()), strict=True)
    rows = await session.fetch(_SAME, company_id, since, *map(list, columns))
    return {row["place"]: row["id"] for row in rows}


def _row(place: int, like: Likeness) -> tuple[object, ...]:
    return (
        place, like.account_id, like.amount.minor, like.method, like.document, like.ispb, like.account, like.is_charge,
        like.number,
    )  # fmt: skip
