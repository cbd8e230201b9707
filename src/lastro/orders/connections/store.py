"""The SQL of connections: what is declared of them, and the accounts that their keys credit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.orders.connections.model import DeclaredConnection, DeclaredKey

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
# Those of the connection, and those of others that the file names for it.
_KEYS = """
SELECT id, rail, key, account_id, version FROM connection_keys
 WHERE company_id = $1 AND ended_at IS NULL AND (rail = $2 OR key = ANY ($3::text[]))
"""
_ACCOUNTS = "SELECT number, id FROM accounts WHERE company_id = $1 AND number = ANY ($2::text[]) AND status = 'ACTIVE'"
_OURS = "SELECT key FROM own_keys WHERE key = ANY ($1::text[])"
# is_needed: it has an order that may still be paid, or whose payment may still be given or taken back.
_LEFT_OUT = """
SELECT n.company_id, n.rail, EXISTS (
         SELECT FROM instruments i JOIN orders o ON o.company_id = i.company_id AND o.id = i.order_id
          WHERE i.company_id = n.company_id AND i.rail = n.rail AND o.expires_at > business_now() - interval '90 days'
       ) AS is_needed
  FROM connections n WHERE n.rail <> ALL ($1::text[]) ORDER BY n.rail
"""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A connection of ours that the file lacks. is_needed: it has an order of the last 90 days."""

    company_id: UUID
    rail: str
    is_needed: bool


async def declared(
    session: Session, company_id: UUID, rail: str, keys: Collection[str], accounts: Collection[str]
) -> DeclaredConnection:
    """Reads what is declared of a connection. keys, accounts: those that the file names, to be looked for here."""
    row = await session.row(_CONNECTION, company_id, rail)
    assert row is not None
    known = [DeclaredKey(*one) for one in await session.fetch(_KEYS, company_id, rail, list(keys))]
    found = {one["number"]: one["id"] for one in await session.fetch(_ACCOUNTS, company_id, list(accounts))}
    ours = {one["key"] for one in await session.fetch(_OURS, list(keys))}
    return DeclaredConnection(
        row["owner"], row["is_there"], row["is_issuing"], row["version"] or 0,
        tuple(one for one in known if one.rail == rail), tuple(one for one in known if one.rail != rail), found, ours,
    )  # fmt: skip


async def left_out(work: Session, rails: Collection[str]) -> list[LeftOut]:
    """Reads every company's connections but those of the file. work: of the role that sees ids alone."""
    return [LeftOut(*row) for row in await work.fetch(_LEFT_OUT, list(rails))]
