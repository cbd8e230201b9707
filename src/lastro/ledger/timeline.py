"""Reads the transfers of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.timeline import MOST

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

_TRANSFERS = f"""
SELECT t.created_at AS at, t.id, t.reference_id, t.kind, t.type, d.code AS debit, c.code AS credit, t.amount_minor,
       t.currency
  FROM transfers t
  JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
  JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
 WHERE t.company_id = $1 AND t.reference_id = ANY ($2::uuid[]) ORDER BY t.created_at, t.id LIMIT {MOST}
"""  # noqa: S608


async def transfers(session: Session, company_id: UUID, ids: Collection[UUID]) -> list[Record]:
    """The transfers of these objects, oldest first: at, id, reference_id, kind, type, debit and credit (codes of the chart),
    amount_minor, currency.
    """
    return await session.fetch(_TRANSFERS, company_id, list(ids))
