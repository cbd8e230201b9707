"""Reads balances of accounts: available, held, blocked and owed, now or at a past moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.money import Money

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

# One statement, one snapshot: the folded part and the tail behind it cannot miss or count a credit twice.
_NOW = """
SELECT l.account_id, l.code, b.held, b.owed, b.watched,
       b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held AS free
  FROM ledger_accounts l
  JOIN balances b ON b.company_id = l.company_id AND b.ledger_account_id = l.id
 WHERE l.company_id = $1 AND l.currency = $2 AND l.code IN ('CUST', 'BLOCK') AND l.account_id = ANY ($3::uuid[])
"""

# The last entry of each account, and what the transfers behind the entries have moved since. A hold counts as held from when
# it was made until it was posted or voided.
_AT = """
WITH own AS MATERIALIZED (
  SELECT id, account_id, code FROM ledger_accounts
   WHERE company_id = $1 AND currency = $2 AND account_id = ANY ($3::uuid[])),
tail AS MATERIALIZED (
  SELECT s.ledger_account_id, sum(s.change)::bigint AS changed, sum(s.held)::bigint AS held
    FROM transfers t
   CROSS JOIN LATERAL (VALUES
     (t.credit_id, CASE WHEN t.kind IN ('moved', 'posted') THEN t.amount_minor ELSE 0 END, 0),
     (t.debit_id, CASE WHEN t.kind IN ('moved', 'posted') THEN -t.amount_minor ELSE 0 END,
      CASE t.kind WHEN 'held' THEN t.amount_minor WHEN 'moved' THEN 0 ELSE -t.amount_minor END))
     s(ledger_account_id, change, held)
   WHERE t.company_id = $1 AND t.created_at <= $4
     AND t.created_at >= (SELECT coalesce(max(entered_until), '-infinity') FROM entry_cursors WHERE company_id = $1)
   GROUP BY s.ledger_account_id),
had AS MATERIALIZED (
  SELECT o.account_id, o.code, coalesce(e.balance_minor, 0) + coalesce(t.changed, 0) AS balance,
         coalesce(e.held_minor, 0) + coalesce(t.held, 0) AS held
    FROM own o LEFT JOIN LATERAL last_entry($1, o.id, $4) e ON true LEFT JOIN tail t ON t.ledger_account_id = o.id)
SELECT c.account_id, c.code, c.held, coalesce(-x.balance, 0) AS owed, 0::bigint AS watched, c.balance - c.held AS free
  FROM had c LEFT JOIN had x ON x.account_id = c.account_id AND x.code = 'LOSS' AND c.code = 'CUST'
 WHERE c.code IN ('CUST', 'BLOCK')
"""
# Accounts that are watched and have something of it beyond what they owe, found by the index of those that are watched.
_WATCHED = """
SELECT l.account_id FROM balances b
  JOIN ledger_accounts l ON l.company_id = b.company_id AND l.id = b.ledger_account_id
 WHERE b.company_id = $1 AND b.watched > 0
   AND b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held
       > b.floor_minor + b.owed
 ORDER BY b.ledger_account_id LIMIT $2
"""
# Accounts that owe and have something of it, found by the index of those that owe.
_COVERED = """
SELECT l.account_id, l.currency FROM balances b
  JOIN ledger_accounts l ON l.company_id = b.company_id AND l.id = b.ledger_account_id
 WHERE b.company_id = $1 AND b.owed > 0
   AND b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held
       > b.floor_minor
 ORDER BY b.ledger_account_id LIMIT $2
"""


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance of an account in one currency.

    available never counts held, blocked, or what is to pay what the account owes; it is never below zero. owed: what was
    booked on its LOSS and not paid back. covered: the part of that which the account has. kept: what has come in for who
    watches the account and is not booked as blocked yet; blocked counts it. At a past moment it is not known.
    """

    account_id: UUID
    available: Money
    held: Money
    blocked: Money
    owed: Money
    covered: Money
    kept: Money


async def balances_of(session: Session, company_id: UUID, accounts: Iterable[UUID], currency: str) -> list[Balance]:
    """The balance of each account now, in the order given; zero where an account has none in that currency."""
    ids = list(accounts)
    return _balances(await session.fetch(_NOW, company_id, currency, ids), ids, currency)


async def balance_at(
    session: Session, company_id: UUID, accounts: Iterable[UUID], currency: str, at: datetime
) -> list[Balance]:
    """Returns the accounts' balances at a past moment of business time."""
    ids = list(accounts)
    return _balances(await session.fetch(_AT, company_id, currency, ids, at), ids, currency)


async def covered_debts(session: Session, company_id: UUID, most: int) -> list[tuple[UUID, str]]:
    """Returns accounts that owe and can pay, each with the currency; at most `most`."""
    return [(row["account_id"], row["currency"]) for row in await session.fetch(_COVERED, company_id, most)]


async def watched_accounts(session: Session, company_id: UUID, most: int) -> list[UUID]:
    """Returns watched accounts that have received something to block; at most `most`."""
    return [row["account_id"] for row in await session.fetch(_WATCHED, company_id, most)]


def company_balances(balances: Iterable[Balance], currency: str) -> tuple[Money, Money, Money]:
    """The sums of available, held and blocked."""
    available = held = blocked = Money(0, currency)
    for b in balances:
        available, held, blocked = available + b.available, held + b.held, blocked + b.blocked
    return available, held, blocked


def _balances(rows: Iterable[Record], ids: list[UUID], currency: str) -> list[Balance]:
    found = {(r["account_id"], r["code"]): r for r in rows}
    nothing = {"held": 0, "free": 0, "owed": 0, "watched": 0}
    result = []
    for account_id in ids:
        own = found.get((account_id, "CUST"), nothing)
        disputed = found.get((account_id, "BLOCK"), nothing)
        covered = min(own["free"], own["owed"])
        kept = min(own["free"] - covered, own["watched"])
        blocked = disputed["free"] + disputed["held"] + kept
        parts = (own["free"] - covered - kept, own["held"], blocked, own["owed"], covered, kept)
        result.append(Balance(account_id, *(Money(minor, currency) for minor in parts)))
    return result
