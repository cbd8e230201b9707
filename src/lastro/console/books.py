"""The database queries of the ledger's pages. Only the trial balance reads more than a short stretch of an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncpg

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

TRIAL_SECONDS = 10  # so long a page waits for the trial balance: far less than other statements may take
HOLDS_AMONG = 2_000  # of an account's newest debits, holds are looked for in so many
# A held transfer has moved nothing yet; what ends it is a row of its own.
TRIAL = """
SELECT l.code, l.currency, count(DISTINCT l.id) AS accounts, sum(s.debit)::bigint AS debit, sum(s.credit)::bigint AS credit
  FROM (
    SELECT debit_id AS id, sum(amount_minor) AS debit, 0 AS credit FROM transfers
     WHERE company_id = $1 AND kind IN ('moved', 'posted') GROUP BY debit_id
    UNION ALL
    SELECT credit_id, 0, sum(amount_minor) FROM transfers
     WHERE company_id = $1 AND kind IN ('moved', 'posted') GROUP BY credit_id) s
  JOIN ledger_accounts l ON l.company_id = $1 AND l.id = s.id
 GROUP BY l.code, l.currency ORDER BY l.currency, l.code
"""
TRANSFER = """
SELECT t.id, t.kind, t.type, t.amount_minor, t.currency, t.reference_id, t.pending_id, t.created_at, d.code AS debit_code,
       d.account_id AS debit_account, d.rail AS debit_rail, c.code AS credit_code, c.account_id AS credit_account,
       c.rail AS credit_rail, (SELECT e.id FROM transfers e WHERE e.company_id = $1 AND e.pending_id = t.id) AS ended_by
  FROM transfers t
  JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
  JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
 WHERE t.company_id = $1 AND t.id = $2
"""
HOLDS = f"""
SELECT h.id, h.type, h.amount_minor, h.currency, h.reference_id, h.created_at FROM (
  SELECT * FROM transfers WHERE company_id = $1 AND debit_id = $2 ORDER BY created_at DESC LIMIT {HOLDS_AMONG}) h
 WHERE h.kind = 'held' AND NOT EXISTS (
   SELECT FROM transfers e WHERE e.company_id = $1 AND e.pending_id = h.id OFFSET 0)
 ORDER BY h.created_at DESC LIMIT 100
"""  # noqa: S608
MESSAGES = {
    "out": """
SELECT rail, kind, network_id, reference_id::text AS about, body, created_at AS at, sends, outcome, done_at FROM outbox
 WHERE company_id = $1 AND id = $2
""",
    "in": """
SELECT rail, kind, network_id, subject AS about, body, received_at AS at, sends, outcome, done_at FROM inbox
 WHERE company_id = $1 AND id = $2
""",
}
ITEMS = """
SELECT id, rail, day, kind, network_id, difference, line_id, currency, theirs_minor, ours_minor, theirs, ours, ours_state,
       object_id, created_at FROM statement_items WHERE company_id = $1 AND state = 'OPEN' ORDER BY created_at, id LIMIT $2
"""
ITEM = """
SELECT id, rail, day, kind, network_id, difference, state, line_id, currency, theirs_minor, ours_minor, theirs, ours,
       ours_state, object_id, created_at FROM statement_items WHERE company_id = $1 AND id = $2
"""


async def trial(session: Session, company_id: UUID) -> list[Record] | None:
    """Returns the trial balance by code and currency, in minor units.

    Of everything ever moved: accounts (how many), debit, credit. None: it would have taken longer than TRIAL_SECONDS.
    """
    await session.fetch("SELECT set_config('statement_timeout', $1, false)", f"{TRIAL_SECONDS}s")
    try:
        return await session.search(TRIAL, company_id)
    except asyncpg.QueryCanceledError:
        return None
    finally:
        if session.is_usable:
            await session.fetch("RESET statement_timeout")  # to what its connection was made with


async def transfer(session: Session, company_id: UUID, own: UUID) -> Record | None:
    """Returns one booking with both accounts. ended_by: what posted or voided it where it is a hold."""
    return await session.row(TRANSFER, company_id, own)


async def holds(session: Session, company_id: UUID, ledger_id: UUID) -> list[Record]:
    """Returns the open holds among the account's newest debits."""
    return await session.search(HOLDS, company_id, ledger_id)


async def message(session: Session, company_id: UUID, direction: str, own: UUID) -> Record | None:
    """Returns a message to a network or of one, with its bytes. direction: in or out."""
    return await session.row(MESSAGES[direction], company_id, own)


async def items(session: Session, company_id: UUID, most: int) -> list[Record]:
    """Returns open differences, the oldest first."""
    return await session.search(ITEMS, company_id, most)


async def item(session: Session, company_id: UUID, own: UUID) -> Record | None:
    """Returns one difference, open or not."""
    return await session.row(ITEM, company_id, own)
