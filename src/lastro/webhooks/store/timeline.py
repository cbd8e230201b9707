"""The SQL of what happened to an object's events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.timeline import MOST

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

_STORY = f"""
SELECT e.created_at AS at, e.id, e.reference_id, e.type, n.sequence, d.status, d.attempts, d.due_at
  FROM events e
  LEFT JOIN event_numbers n ON n.company_id = e.company_id AND n.event_id = e.id
  LEFT JOIN deliveries d ON d.company_id = e.company_id AND d.id = e.id
 WHERE e.company_id = $1 AND e.reference_id = ANY ($2::uuid[]) ORDER BY e.created_at, e.id LIMIT {MOST}
"""  # noqa: S608
_STORY_ATTEMPTS = f"""
SELECT a.requested_at AS at, a.event_id, a.number, a.status_code, a.message, a.duration_ms
  FROM delivery_attempts a WHERE a.company_id = $1 AND a.event_id = ANY ($2::uuid[])
 ORDER BY a.requested_at, a.event_id, a.number LIMIT {MOST}
"""  # noqa: S608


async def events_of(session: Session, company_id: UUID, ids: Collection[UUID]) -> list[Record]:
    """Reads the events told of these objects, oldest first: at, id, reference_id, type, sequence (None until it is
    numbered); status, attempts and due_at of the delivery, None where it has none.
    """
    return await session.fetch(_STORY, company_id, list(ids))


async def attempts_of(session: Session, company_id: UUID, event_ids: Collection[UUID]) -> list[Record]:
    """Reads every attempt to deliver these events, oldest first: at, event_id, number, status_code, message, duration_ms."""
    return await session.fetch(_STORY_ATTEMPTS, company_id, list(event_ids))
