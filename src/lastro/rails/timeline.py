"""The messages about objects, to and from networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.timeline import MOST
from lastro.rails.port import OWN

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

# Out by the object it was told about, in by the payment's or return's id in the network; not what rooms tell themselves.
_MESSAGES = f"""
SELECT * FROM (
  SELECT created_at AS at, 'out' AS direction, id, reference_id, rail, kind, network_id, NULL AS subject, sends, outcome,
         done_at
    FROM outbox WHERE company_id = $1 AND reference_id = ANY ($2::uuid[])
  UNION ALL
  SELECT received_at, 'in', id, NULL, rail, kind, network_id, subject, sends, outcome, done_at
    FROM inbox WHERE company_id = $1 AND subject = ANY ($3::text[]) AND rail <> '{OWN}') m
 ORDER BY at, id LIMIT {MOST}
"""  # noqa: S608


async def messages(session: Session, company_id: UUID, ids: Collection[UUID], subjects: Collection[str]) -> list[Record]:
    """Reads the messages about these objects, oldest first. subjects: their endToEndIds and return ids.

    at, direction (in, out), id, reference_id (None of what came in), rail, kind, network_id, subject (None of what went
    out), sends, outcome and done_at (None while it is open).
    """
    return await session.fetch(_MESSAGES, company_id, list(ids), list(subjects))
