"""The entries of accounts: every transfer as each account saw it, numbered, with what the account had afterwards.

They are made behind the transfers, below the moment before which nothing can be committed any more; what is younger is read
from the transfers themselves. docs/decisions/statements.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session

REACH = 5_000  # transfers that one statement enters
_ENTER = "SELECT enter($1, $2)"


async def enter(session: Session, company_id: UUID, reach: int = REACH) -> int:
    """Enters what of the company's oldest transfers can be entered. Returns how many it read; `reach`: there may be more.

    It sets the session's company.
    """
    read = int(await session.value(_ENTER, company_id, reach))
    session.company_id = company_id
    return read
