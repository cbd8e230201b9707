"""All SQL of settlements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.accounts.settlements.model import Settlement
from lastro.core.rows import RowMapper

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session

_ROW = RowMapper(Settlement)
_settlement = _ROW.of
_BY_REFERENCE = f"SELECT {_ROW.select} FROM settlements WHERE company_id = $1 AND reference = $2"  # noqa: S608 ours
_OF_ACCOUNT = f"""
SELECT {_ROW.select} FROM settlements
 WHERE company_id = $1 AND account_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3
"""  # noqa: S608


async def by_reference(session: Session, company_id: UUID, reference: str) -> Settlement | None:
    """Reads the settlement with this reference."""
    row = await session.row(_BY_REFERENCE, company_id, reference)
    return None if row is None else _settlement(row)


async def settlements_of(session: Session, company_id: UUID, account_id: UUID, most: int) -> list[Settlement]:
    """Reads the account's newest settlements, at most `most`."""
    return [_settlement(row) for row in await session.fetch(_OF_ACCOUNT, company_id, account_id, most)]
