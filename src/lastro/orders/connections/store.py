"""The SQL of connections: what is declared of one, and the accounts that its keys credit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.connections.model import Connected, DeclaredKey

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from lastro.core.db import Session

_CONNECTION = """
SELECT r.company_id AS owner, n.is_issuing, n.version, n.rail IS NOT NULL AS is_there
  FROM (SELECT $2::text AS rail) asked
  LEFT JOIN rails r ON r.rail = asked.rail
  LEFT JOIN connections n ON n.company_id = $1 AND n.rail = asked.rail
"""
_KEYS = "SELECT id, key, account_id, version FROM connection_keys WHERE company_id = $1 AND rail = $2 AND ended_at IS NULL"
_ACCOUNTS = "SELECT number, id FROM accounts WHERE company_id = $1 AND number = ANY ($2::text[]) AND status = 'ACTIVE'"
_OURS = "SELECT key FROM own_keys WHERE key = ANY ($1::text[])"


async def declared(
    session: Session, company_id: UUID, rail: str, keys: Collection[str], accounts: Collection[str]
) -> Connected:
    """Reads what is declared of a connection. keys, accounts: those that the file names, to be looked for here."""
    row = await session.row(_CONNECTION, company_id, rail)
    assert row is not None
    known = [DeclaredKey(*one) for one in await session.fetch(_KEYS, company_id, rail)]
    found = {one["number"]: one["id"] for one in await session.fetch(_ACCOUNTS, company_id, list(accounts))}
    ours = {one["key"] for one in await session.fetch(_OURS, list(keys))}
    return Connected(row["owner"], row["is_there"], row["is_issuing"], row["version"] or 0, tuple(known), found, ours)
