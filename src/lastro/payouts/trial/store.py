"""The SQL of trials of payouts, many in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.core.db import Session

_TAKEN = "SELECT external_id FROM payouts WHERE company_id = $1 AND external_id = ANY ($2::text[])"
_NUMBERS = "SELECT nextval('network_ids_seq') FROM generate_series(1, $1)"


async def taken(session: Session, company_id: UUID, external_ids: Sequence[str]) -> frozenset[str]:
    """Returns the codes that a payout of the company has already."""
    return frozenset(row["external_id"] for row in await session.fetch(_TAKEN, company_id, list(external_ids)))


async def numbers(session: Session, count: int) -> list[int]:
    """Draws numbers for network ids, each given once."""
    return [row["nextval"] for row in await session.fetch(_NUMBERS, count)]
