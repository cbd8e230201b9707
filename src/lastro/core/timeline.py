"""Moves of objects, read back. Every room tells its own part; `timeline` puts them in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

MOST = 1000  # of one kind in a story: what is told of an object is not bounded by anybody else

_MOVES = f"""
SELECT created_at AS at, machine, reference_id, version, from_state, to_state, trigger, reason, request_id FROM history
 WHERE company_id = $1 AND reference_id = ANY ($2::uuid[]) ORDER BY created_at, version LIMIT {MOST}
"""  # noqa: S608


async def moves(session: Session, company_id: UUID, ids: Collection[UUID]) -> list[Record]:
    """Returns the moves of these objects, oldest first.

    Columns: at, machine, reference_id, version, from_state, to_state, trigger, reason, request_id.
    """
    return await session.fetch(_MOVES, company_id, list(ids))
