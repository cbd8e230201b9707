"""Tells which references of a rail are instruments of orders here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from uuid import UUID

    from lastro.core.db import Database

# By the role that sees ids alone, through the index instruments_by_reference.
_OWN = """
SELECT i.company_id, i.reference FROM unnest($2::text[]) n(reference)
  JOIN instruments i ON i.rail = $1 AND i.reference = n.reference
"""
_KEYS = """
SELECT i.reference, o.pix_key FROM instruments i JOIN orders o ON o.company_id = i.company_id AND o.id = i.order_id
 WHERE i.company_id = $1 AND i.rail = $2 AND i.reference = ANY ($3::text[])
"""


class Instruments:
    """The instruments of all companies (`port.Own`).

    work: the database as the role that sees ids alone. database: as the role that reads one company's orders.
    """

    def __init__(self, work: Database, database: Database) -> None:
        self._work = work
        self._database = database

    async def own(self, rail: str, txids: Collection[str]) -> frozenset[str]:
        """Returns those of the txids that this rail has instruments of. DatabaseAway: try again later."""
        return frozenset(txid for found in (await self._found(rail, txids)).values() for txid in found)

    async def keys(self, rail: str, txids: Collection[str]) -> Mapping[str, str | None]:
        """Returns the Pix key that the order of each of these txids asked for. DatabaseAway: try again later."""
        keys: dict[str, str | None] = {}
        for company_id, found in (await self._found(rail, txids)).items():
            async with self._database.session(company_id) as session:
                rows = await session.fetch(_KEYS, company_id, rail, found)
            keys |= {row["reference"]: row["pix_key"] for row in rows}
        return keys

    async def _found(self, rail: str, txids: Collection[str]) -> dict[UUID, list[str]]:
        """Returns the references that have instruments, by company; a connection's are of one."""
        if not txids:
            return {}
        async with self._work.session() as session:
            rows = await session.fetch(_OWN, rail, sorted(txids))
        found: dict[UUID, list[str]] = {}
        for row in rows:
            found.setdefault(row["company_id"], []).append(row["reference"])
        return found
