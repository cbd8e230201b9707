"""Tells which references of a rail are instruments of orders here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from lastro.core.db import Database

# By the role that sees ids alone, through the index instruments_by_reference.
_OWN = """
SELECT i.reference FROM unnest($2::text[]) n(reference) JOIN instruments i ON i.rail = $1 AND i.reference = n.reference
"""


class Instruments:
    """The instruments of all companies (`port.Own`). work: the database as the role that sees ids alone."""

    def __init__(self, work: Database) -> None:
        self._work = work

    async def own(self, rail: str, txids: Collection[str]) -> frozenset[str]:
        """Returns those of the txids that this rail has instruments of. DatabaseAway: try again later."""
        if not txids:
            return frozenset()
        async with self._work.session() as session:
            rows = await session.fetch(_OWN, rail, sorted(txids))
        return frozenset(row["reference"] for row in rows)
