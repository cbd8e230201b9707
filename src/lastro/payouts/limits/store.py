"""The SQL of an account's limits and their usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.payouts.model import PERSON, Limits, OwnLimits, Raise, usual_limits

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

_LIMITS = """
SELECT a.holder_type, l.* FROM accounts a LEFT JOIN account_limits l ON l.company_id = a.company_id AND l.account_id = a.id
 WHERE a.company_id = $1 AND a.id = $2
"""
_USED = "SELECT kind, used_minor FROM quotas WHERE company_id = $1 AND owner_id = $2 AND period = $3"


def limits_from(row: Record, method: str) -> Limits:
    """Limits from a row of account_limits beside its account; nothing of the former: the usual ones."""
    if row["transaction_minor"] is None:
        return usual_limits(row["holder_type"], method)
    day, night = [
        None if row[f"raised_{name}_at"] is None else Raise(row[f"raised_{name}_minor"], row[f"raised_{name}_at"])
        for name in ("day", "night")
    ]
    return Limits(row["transaction_minor"], row["day_minor"], row["night_minor"], day, night)


async def limits_of(session: Session, company_id: UUID, account_id: UUID, period: str) -> dict[str, tuple[Limits, int, int]]:
    """Reads an account's limits by method, with day and night usage."""
    rows = await session.fetch(_LIMITS, company_id, account_id)
    used = {row["kind"]: row["used_minor"] for row in await session.fetch(_USED, company_id, account_id, period)}
    return {
        method: (_limits_of(rows, method)[0], used.get(f"{method}.day", 0), used.get(f"{method}.night", 0))
        for method in ("PIX", "TED")
    }


async def own_limits(session: Session, company_id: UUID, account_id: UUID, method: str) -> OwnLimits:
    """Reads the account's limits of one method."""
    rows = await session.fetch(_LIMITS, company_id, account_id)
    return OwnLimits(*_limits_of(rows, method), is_persons=bool(rows) and rows[0]["holder_type"] == PERSON)


def _limits_of(rows: list[Record], method: str) -> tuple[Limits, int | None]:
    """Reads a method's limits and their version; None: the usual ones of the account's holder."""
    for row in rows:
        if row["payment_method"] == method:
            return limits_from(row, method), row["version"]
    return usual_limits(rows[0]["holder_type"] if rows else None, method), None
