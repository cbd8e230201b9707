"""All SQL of the keys room."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session

_OF_ACCOUNT = """
SELECT key FROM pix_keys WHERE company_id = $1 AND account_id = $2 AND status = 'ACTIVE' ORDER BY created_at
"""


async def keys_of(session: Session, company_id: UUID, account_id: UUID) -> list[str]:
    """The active keys that lead to an account, oldest first."""
    return [row["key"] for row in await session.fetch(_OF_ACCOUNT, company_id, account_id)]
