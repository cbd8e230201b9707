"""The SQL of the feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.webhooks.model import FeedPart, Numbered

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import timedelta
    from uuid import UUID

    from lastro.base.db import Session

# Numbers are given by one session at a time, a whole run of them in one transaction: what is read here has no gap. OFFSET 0
# keeps the event a probe for each number; as a join, a plan made for any limit would read every event there is.
_FEED = """
SELECT c.forgotten_below, n.sequence, n.created_at, e.id, e.type, e.reference_id, e.body
  FROM event_cursors c
  LEFT JOIN LATERAL (
    SELECT sequence, event_id, created_at FROM event_numbers
     WHERE company_id = $1 AND sequence > greatest($2::bigint, c.forgotten_below - 1) ORDER BY sequence LIMIT $3) n ON true
  LEFT JOIN LATERAL (SELECT * FROM events WHERE company_id = $1 AND id = n.event_id OFFSET 0) e ON true
 WHERE c.company_id = $1 ORDER BY n.sequence
"""
_LATEST = "SELECT company_id, last_sequence FROM event_cursors WHERE company_id = ANY ($1::uuid[])"
_FORGET = "SELECT forget_events($1, $2, $3)"


async def feed_after(session: Session, company_id: UUID, after: int, reach: int) -> FeedPart:
    """Up to `reach` events whose numbers follow `after`, and where the feed begins."""
    rows = await session.fetch(_FEED, company_id, after, reach)
    numbered = [
        Numbered(r["sequence"], r["id"], r["type"], r["reference_id"], r["created_at"], r["body"])
        for r in rows
        if r["sequence"] is not None
    ]
    return FeedPart(rows[0]["forgotten_below"] if rows else 1, numbered)


async def latest(work: Session, company_ids: Collection[UUID]) -> dict[UUID, int]:
    """The last number of each of these companies."""
    return {r["company_id"]: r["last_sequence"] for r in await work.fetch(_LATEST, list(company_ids))}


async def forget(session: Session, company_id: UUID, older_than: timedelta, reach: int) -> int:
    """Forgets up to `reach` bodies that are older than so long, oldest first; how many it were."""
    return int(await session.value(_FORGET, company_id, older_than, reach))
