"""What accounts have: available, held, blocked, now or at a past moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.base.money import Money

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.base.db import Session

# One statement, one snapshot: the folded part and the tail behind it cannot miss or count a credit twice.
_NOW = """
SELECT l.account_id, l.code, b.held,
       b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held AS free
  FROM ledger_accounts l
  JOIN balances b ON b.company_id = l.company_id AND b.ledger_account_id = l.id
 WHERE l.company_id = $1 AND l.currency = $2 AND l.code IN ('CUST', 'BLOCK') AND l.account_id = ANY ($3::uuid[])
"""

# From the transfers themselves. A hold counts as held from when it was made until it was posted or voided.
_AT = """
SELECT l.account_id, l.code, h.held, c.credits - d.debits - h.held AS free
  FROM ledger_accounts l
 CROSS JOIN LATERAL (SELECT coalesce(sum(amount_minor), 0)::bigint AS credits FROM transfers
    WHERE company_id = l.company_id AND credit_id = l.id AND kind IN ('moved', 'posted') AND created_at <= $4) c
 CROSS JOIN LATERAL (SELECT coalesce(sum(amount_minor), 0)::bigint AS debits FROM transfers
    WHERE company_id = l.company_id AND debit_id = l.id AND kind IN ('moved', 'posted') AND created_at <= $4) d
 CROSS JOIN LATERAL (SELECT coalesce(sum(amount_minor), 0)::bigint AS held FROM transfers t
    WHERE company_id = l.company_id AND debit_id = l.id AND kind = 'held' AND created_at <= $4 AND NOT EXISTS (
      SELECT 1 FROM transfers e WHERE e.company_id = t.company_id AND e.pending_id = t.id AND e.created_at <= $4)) h
 WHERE l.company_id = $1 AND l.currency = $2 AND l.code IN ('CUST', 'BLOCK') AND l.account_id = ANY ($3::uuid[])
"""


@dataclass(frozen=True, slots=True)
class Balance:
    """available never counts held or blocked; it is never below zero."""

    account_id: UUID
    available: Money
    held: Money
    blocked: Money


async def balances_of(session: Session, company_id: UUID, accounts: Iterable[UUID], currency: str) -> list[Balance]:
    """The balance of each account now, in the order given; zero where an account has none in that currency."""
    ids = list(accounts)
    return _balances(await session.fetch(_NOW, company_id, currency, ids), ids, currency)


async def balance_at(
    session: Session, company_id: UUID, accounts: Iterable[UUID], currency: str, at: datetime
) -> list[Balance]:
    """The balance of each account as it was at a past moment of business time."""
    ids = list(accounts)
    return _balances(await session.fetch(_AT, company_id, currency, ids, at), ids, currency)


def company_balances(balances: Iterable[Balance], currency: str) -> tuple[Money, Money, Money]:
    """The sums of available, held and blocked."""
    available = held = blocked = Money(0, currency)
    for b in balances:
        available, held, blocked = available + b.available, held + b.held, blocked + b.blocked
    return available, held, blocked


def _balances(rows: Iterable[Record], ids: list[UUID], currency: str) -> list[Balance]:
    found = {(r["account_id"], r["code"]): r for r in rows}
    nothing = {"held": 0, "free": 0}
    result = []
    for account_id in ids:
        own = found.get((account_id, "CUST"), nothing)
        disputed = found.get((account_id, "BLOCK"), nothing)
        result.append(
            Balance(
                account_id,
                Money(own["free"], currency),
                Money(own["held"], currency),
                Money(disputed["free"] + disputed["held"], currency),
            )
        )
    return result
