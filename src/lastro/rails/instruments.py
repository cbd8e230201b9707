"""Tells which references of a rail are instruments of orders here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.port.foreign import AskedOf

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from uuid import UUID

    from lastro.core.db import Database

# By the role that sees ids alone, through the index instruments_by_reference.
_KNOWN = """
SELECT i.company_id, i.reference FROM unnest($2::text[]) n(reference)
  JOIN instruments i ON i.rail = $1 AND i.reference = n.reference
"""
_AT_CONNECTIONS = """
SELECT DISTINCT i.reference FROM connections c CROSS JOIN unnest($1::text[]) n(reference)
  JOIN instruments i ON i.rail = c.rail AND i.reference = n.reference
"""
_ASKED = """
SELECT i.reference, o.pix_key, CASE WHEN s.payer_id IS NULL THEN i.details ->> 'recurrenceId' END AS recurrence_id
  FROM instruments i JOIN orders o ON o.company_id = i.company_id AND o.id = i.order_id
  LEFT JOIN subscriptions s ON s.company_id = o.company_id AND s.id = o.subscription_id
 WHERE i.company_id = $1 AND i.rail = $2 AND i.reference = ANY ($3::text[])
"""


class Instruments:
    """The instruments of all companies (`port.KnownInstruments`).

    work: the database as the role that sees ids alone. database: as the role that reads one company's orders.
    """

    def __init__(self, work: Database, database: Database) -> None:
        self._work = work
        self._database = database

    async def known_at_connections(self, txids: Collection[str]) -> frozenset[str]:
        """Returns those of the txids that any connection has instruments of. DatabaseAway: try again later."""
        if not txids:
            return frozenset()
        rows = await self._work.everywhere(_AT_CONNECTIONS, sorted(txids))
        return frozenset(row["reference"] for row in rows)

    async def asked(self, rail: str, txids: Collection[str]) -> Mapping[str, AskedOf]:
        """Returns the order behind each txid, as the port says."""
        asked: dict[str, AskedOf] = {}
        for company_id, found in (await self._found(rail, txids)).items():
            async with self._database.session(company_id) as session:
                rows = await session.fetch(_ASKED, company_id, rail, found)
            asked |= {row["reference"]: AskedOf(row["pix_key"], row["recurrence_id"]) for row in rows}
        return asked

    async def _found(self, rail: str, txids: Collection[str]) -> dict[UUID, list[str]]:
        """Returns the references that have instruments, by company; a connection's are of one."""
        if not txids:
            return {}
        found: dict[UUID, list[str]] = {}
        for row in await self._work.everywhere(_KNOWN, rail, sorted(txids)):
            found.setdefault(row["company_id"], []).append(row["reference"])
        return found
