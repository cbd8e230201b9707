"""The SQL of connections: what is declared of them, and the accounts that their keys credit."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from lastro.orders.connections.model import DeclaredConnection, DeclaredKey, LeftOut, ShownConnection, ShownKey

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from lastro.core.db import Database, Session

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
_HAS = "SELECT true AS has FROM connections WHERE company_id = $1 AND rail = $2"
_OURS = "SELECT key FROM own_keys WHERE key = ANY ($1::text[])"
# is_needed: it has an order that may still be paid, or whose payment may still be given or taken back, or a subscription.
LEFT_OUT = """
SELECT n.company_id, n.rail, EXISTS (
         SELECT FROM instruments i JOIN orders o ON o.company_id = i.company_id AND o.id = i.order_id
          WHERE i.company_id = n.company_id AND i.rail = n.rail AND o.expires_at > business_now() - interval '90 days'
         UNION ALL SELECT FROM subscriptions s WHERE s.company_id = n.company_id AND s.rail = n.rail
            AND s.status IN ('PENDING_AUTHORIZATION', 'ACCEPTED')
         UNION ALL SELECT FROM subscription_payments p WHERE p.company_id = n.company_id AND p.rail = n.rail
            AND p.status IN ('SCHEDULED', 'PENDING')
       ) AS is_needed
  FROM connections n WHERE n.rail <> ALL ($1::text[])
"""
CONNECTIONS_COUNTED = 10_000  # open orders, and foreign payments, of a company are counted so far
_MOST = 100
_SHOWN = f"SELECT rail, is_issuing FROM connections WHERE company_id = $1 ORDER BY rail LIMIT {_MOST}"  # noqa: S608 our own
# `pix` is the stream of payments; a connection that no worker has polled yet has no cursor.
_POLLED = "SELECT rail, until FROM rail_cursors WHERE rail = ANY ($1::text[]) AND stream = 'pix'"
_SHOWN_KEYS = f"""
SELECT k.rail, k.key, a.id AS account_id, a.number FROM connection_keys k
  JOIN accounts a ON a.company_id = k.company_id AND a.id = k.account_id
 WHERE k.company_id = $1 AND k.ended_at IS NULL ORDER BY k.rail, k.key LIMIT {10 * _MOST}
"""  # noqa: S608
_OPEN = f"""
SELECT i.rail, count(*) AS count FROM (
  SELECT id FROM orders WHERE company_id = $1 AND status IN ('INITIAL', 'PENDING') LIMIT {CONNECTIONS_COUNTED}) o
  LEFT JOIN instruments i ON i.company_id = $1 AND i.order_id = o.id GROUP BY i.rail
"""  # noqa: S608
_FOUND = f"""
SELECT f.rail, count(*) AS count FROM (
  SELECT rail FROM foreign_payments WHERE company_id = $1 AND state = 'FOUND' LIMIT {CONNECTIONS_COUNTED}) f GROUP BY f.rail
"""  # noqa: S608


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


async def has_connection(session: Session, company_id: UUID, rail: str) -> bool:
    """Tells whether a company has a connection, or had it: its rows stay."""
    return await session.row(_HAS, company_id, rail) is not None


async def left_out(work: Database, rails: Collection[str]) -> list[LeftOut]:
    """Reads every company's connections but those of the file, by name. work: of the role that sees ids alone."""
    found = [LeftOut(*row) for row in await work.everywhere(LEFT_OUT, list(rails))]
    return sorted(found, key=lambda one: one.rail)


async def shown_connections(database: Database, company_id: UUID) -> tuple[list[ShownConnection], bool]:
    """Reads a company's connections, with their keys and what is open there.

    Tells too whether all was counted: not more than CONNECTIONS_COUNTED orders and foreign payments are looked at.
    """
    async with database.session(company_id) as session:
        rows = await session.fetch(_SHOWN, company_id)
        if not rows:
            return [], True
        keys: dict[str, list[ShownKey]] = defaultdict(list)
        for key in await session.fetch(_SHOWN_KEYS, company_id):
            keys[key["rail"]].append(ShownKey(key["key"], key["account_id"], key["number"]))
        opened, found = [
            {one["rail"]: one["count"] for one in await session.fetch(sql, company_id)} for sql in (_OPEN, _FOUND)
        ]
    async with database.session() as session:
        polled = {one["rail"]: one["until"] for one in await session.fetch(_POLLED, [row["rail"] for row in rows])}
    shown = [
        ShownConnection(
            row["rail"], row["is_issuing"], polled.get(row["rail"]), tuple(keys[row["rail"]]), opened.get(row["rail"], 0),
            found.get(row["rail"], 0),
        )
        for row in rows
    ]  # fmt: skip
    return shown, all(sum(one.values()) < CONNECTIONS_COUNTED for one in (opened, found))
