"""The SQL of unfit returns of payouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.rows import RowMapper

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session
    from lastro.core.money import Money

# The rest of the payout is counted as of this return: less the returns that had fitted before it.
_UNFIT = """
SELECT r.id, r.version, r.payout_id, r.return_id, r.amount_minor, r.settled_at, r.decision_id, r.is_paid_out,
       p.currency, p.rail, coalesce(p.control_number, p.end_to_end_id) AS network_id,
       a.number AS account_number, r.amount_minor > p.amount_minor - coalesce((
         SELECT sum(b.amount_minor) FROM payout_returns b WHERE b.company_id = r.company_id AND b.payout_id = r.payout_id
            AND NOT b.is_unfit AND b.created_at < r.created_at), 0) AS is_too_much
  FROM payout_returns r
  JOIN payouts p ON p.company_id = r.company_id AND p.id = r.payout_id
  JOIN accounts a ON a.company_id = p.company_id AND a.id = p.account_id
 WHERE r.company_id = $1 AND r.is_unfit AND
"""
_BY_ID = _UNFIT + "r.id = $2"
_WAITING = _UNFIT + "r.decision_id IS NULL ORDER BY r.created_at, r.id LIMIT $2"


@dataclass(frozen=True, slots=True)
class Unfit:
    """An unfit return of a payout.

    network_id: the payout's in its network; account_number: of the account that paid it. state: STRANDED, or people's
    decision, CREDITED or PAID_OUT. is_too_much: it was more than was left of the payout; else the account was closed.
    """

    id: UUID
    version: int
    state: str
    payout_id: UUID
    network_id: str
    return_id: str
    rail: str
    amount: Money
    account_number: str
    is_too_much: bool
    settled_at: datetime


async def unfit_by_id(session: Session, company_id: UUID, return_id: UUID) -> Unfit | None:
    """Reads an unfit return by our id of it, in any state."""
    row = await session.row(_BY_ID, company_id, return_id)
    return None if row is None else _unfit(row)


async def unfit_in(session: Session, company_id: UUID, most: int) -> list[Unfit]:
    """Reads the company's undecided returns, longest waiting first."""
    return [_unfit(row) for row in await session.fetch(_WAITING, company_id, most)]


def _state(row: Record) -> str:
    decided = "PAID_OUT" if row["is_paid_out"] else "CREDITED"
    return "STRANDED" if row["decision_id"] is None else decided


_unfit = RowMapper(Unfit, parts={"state": _state}).of
