"""The SQL of one event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.runner import Query
from lastro.webhooks.circuit import HELD_AT_MOST
from lastro.webhooks.model import NONE, Resendable, StoredEvent, Unsent
from lastro.webhooks.rules import EventStatus
from lastro.webhooks.store.lists import past_attempts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

# Until it has its number, an event is told where it would be told now.
_WHERE_TO = """
  FROM events e
  LEFT JOIN deliveries d ON d.company_id = e.company_id AND d.id = e.id
  LEFT JOIN event_numbers n ON n.company_id = e.company_id AND n.event_id = e.id
  LEFT JOIN webhook_settings s ON s.company_id = e.company_id AND s.event = e.type
 CROSS JOIN LATERAL (
   SELECT CASE WHEN n.sequence IS NULL THEN told_url(e.url, s.url, s.active, s.is_extra) ELSE d.url END AS url) told
"""
# Held by its endpoint's circuit, it waits for a probe, or until it has waited for as long as one may.
_NEXT = f"""CASE WHEN c.probe_at > d.due_at
            THEN least(c.probe_at, d.due_at + interval '{HELD_AT_MOST.total_seconds():.0f} seconds') ELSE d.due_at END"""
_EVENT = f"""
SELECT e.id, e.type, e.reference_id, e.body, n.sequence, coalesce(n.created_at, e.created_at) AS created_at, told.url,
       d.status, d.updated_at, {_NEXT} AS due_at, a.messages, a.codes, a.times, a.numbers, a.durations,
       a.failures
  {_WHERE_TO}
  LEFT JOIN webhook_circuits c ON c.company_id = d.company_id AND c.endpoint = d.endpoint AND c.state <> 'CLOSED'
  LEFT JOIN LATERAL (
    SELECT array_agg(message ORDER BY number) AS messages, array_agg(status_code ORDER BY number) AS codes,
           array_agg(requested_at ORDER BY number) AS times, array_agg(number ORDER BY number) AS numbers,
           array_agg(duration_ms ORDER BY number) AS durations, array_agg(failure ORDER BY number) AS failures
      FROM delivery_attempts t WHERE t.company_id = e.company_id AND t.event_id = e.id) a ON true
 WHERE e.company_id = $1 AND e.id = $2
"""  # noqa: S608 parts of our own
_RESENDABLE = f"""
SELECT e.id, d.status, coalesce(d.version, 0) AS version, e.body IS NULL AS is_forgotten, present.url AS now_url,
       d.id IS NULL AND n.sequence IS NOT NULL AS is_unsent, n.sequence, e.reference_id, e.type, n.created_at
  {_WHERE_TO}
 CROSS JOIN LATERAL (SELECT CASE WHEN e.url IS NULL THEN told_url(NULL, s.url, s.active, s.is_extra) END AS url) present
 WHERE e.company_id = $1 AND e.id = $2 AND coalesce(told.url, present.url) IS NOT NULL
"""
_PRESENT_URLS = """
SELECT e.id, s.url FROM events e JOIN webhook_settings s ON s.company_id = e.company_id AND s.event = e.type
 WHERE e.company_id = $1 AND e.id = ANY ($2::uuid[]) AND e.url IS NULL AND s.active AND s.url IS NOT NULL
"""


def event_by_id(event_id: UUID) -> Query[StoredEvent | None]:
    """Returns the query of an event with all attempts, unsent events too."""
    return Query(_EVENT, (event_id,), lambda rows: _event_from(rows[0]) if rows else None)


async def resendable(session: Session, company_id: UUID, event_id: UUID) -> Resendable | None:
    """Reads the event, if it has or had a URL. It was sent to one, or its company has one by now."""
    row = await session.row(_RESENDABLE, company_id, event_id)
    if row is None:
        return None
    status = None if row["status"] is None else EventStatus(row["status"])
    unsent = Unsent(row["sequence"], row["reference_id"], row["type"], row["created_at"]) if row["is_unsent"] else None
    return Resendable(row["id"], status, row["version"], row["is_forgotten"], row["now_url"], unsent)


async def present_urls(session: Session, company_id: UUID, event_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Reads the company's present URLs for events without their own."""
    rows = await session.fetch(_PRESENT_URLS, company_id, list(event_ids)) if event_ids else []
    return {row["id"]: row["url"] for row in rows}


def _event_from(r: Record) -> StoredEvent:
    unsent = NONE if r["url"] is None else EventStatus.PENDING.value
    return StoredEvent(
        r["id"], r["type"], r["reference_id"], r["body"], r["sequence"], r["created_at"], r["url"], r["status"] or unsent,
        r["updated_at"], r["due_at"],
        past_attempts(r["messages"], r["codes"], r["times"], r["numbers"], r["durations"], r["failures"]),
    )  # fmt: skip
