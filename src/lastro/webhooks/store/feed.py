"""The SQL of the feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.webhooks.model import BegunEra, FeedPart, Numbered

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import timedelta
    from uuid import UUID

    from lastro.core.db import Database, Session

# Numbers are given by one session at a time, a whole run of them in one transaction: what is read here has no gap but those
# that eras left out. OFFSET 0 keeps the event a probe for each number; as a join, a plan made for any limit would read every
# event there is.
_FEED = """
SELECT c.forgotten_below, c.last_sequence, (SELECT max(began_at) FROM eras) AS era, g.befores, g.firsts,
       n.sequence, n.created_at, e.id, e.type, e.reference_id, e.body
  FROM event_cursors c
 CROSS JOIN LATERAL (
    SELECT array_agg(last_before ORDER BY era) AS befores, array_agg(first_sequence ORDER BY era) AS firsts
      FROM event_eras WHERE company_id = $1) g
  LEFT JOIN LATERAL (
    SELECT sequence, event_id, created_at FROM event_numbers
     WHERE company_id = $1 AND sequence > greatest($2::bigint, c.forgotten_below - 1) ORDER BY sequence LIMIT $3) n ON true
  LEFT JOIN LATERAL (SELECT * FROM events WHERE company_id = $1 AND id = n.event_id OFFSET 0) e ON true
 WHERE c.company_id = $1 ORDER BY n.sequence
"""
_UNTOLD = """
SELECT a.version, a.era, a.last_before, a.first_sequence, e.lost_from FROM event_eras a JOIN eras e ON e.began_at = a.era
 WHERE a.company_id = $1 AND a.id = $2 AND a.told_at IS NULL
"""
_LATEST = "SELECT company_id, last_sequence FROM event_cursors WHERE company_id = ANY ($1::uuid[])"
_FORGET = "SELECT forget_events($1, $2, $3)"


async def feed_after(session: Session, company_id: UUID, after: int, reach: int) -> FeedPart:
    """Reads up to `reach` events whose numbers follow `after`.

    It reads also the first and last number of the feed, and the numbers that eras left out.
    """
    rows = await session.fetch(_FEED, company_id, after, reach)
    numbered = [
        Numbered(r["sequence"], r["id"], r["type"], r["reference_id"], r["created_at"], r["body"])
        for r in rows
        if r["sequence"] is not None
    ]
    if not rows:
        return FeedPart(1, 0, None, (), numbered)
    r = rows[0]
    left_out = tuple(zip(r["befores"] or (), r["firsts"] or (), strict=True))
    return FeedPart(r["forgotten_below"], r["last_sequence"], r["era"], left_out, numbered)


async def untold_era(session: Session, company_id: UUID, era_id: UUID) -> BegunEra | None:
    """Reads an era that the company has not been told of; None: it has."""
    row = await session.row(_UNTOLD, company_id, era_id)
    return None if row is None else BegunEra(**row)


async def latest(work: Database, company_ids: Collection[UUID]) -> dict[UUID, int]:
    """Reads the last number of each of these companies. work: as the role that sees ids across companies."""
    return {r["company_id"]: r["last_sequence"] for r in await work.everywhere(_LATEST, list(company_ids))}


async def forget(session: Session, company_id: UUID, older_than: timedelta, reach: int) -> int:
    """Forgets up to `reach` older bodies, oldest first, and returns their number."""
    return int(await session.value(_FORGET, company_id, older_than, reach))
