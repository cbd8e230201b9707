"""The entries of accounts: every transfer as each account saw it, numbered, with what the account had afterwards.

They are made behind the transfers, below the moment before which nothing can be committed any more; what is younger is read
from the transfers themselves. docs/decisions/statements.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Session

REACH = 5_000  # transfers that one statement enters
_ENTER = "SELECT enter($1, $2)"
_MEND = "SELECT mend_entries($1)"
_MENDED = """
SELECT l.account_id, l.code, e.number, e.created_at, e.side, e.amount_minor, e.balance_minor, e.held_minor, e.type,
       e.reference_id, l.currency, t.created_at AS booked_at
  FROM entries e
  JOIN transfers t ON t.company_id = e.company_id AND t.id = e.transfer_id
  JOIN ledger_accounts l ON l.company_id = e.company_id AND l.id = e.ledger_account_id
 WHERE e.company_id = $1 AND e.transfer_id = ANY ($2::uuid[]) ORDER BY l.account_id, l.code, e.number
"""


async def post_entries(session: Session, company_id: UUID, reach: int = REACH) -> int:
    """Enters what of the company's oldest transfers can be entered. Returns how many it read; `reach`: there may be more.

    It sets the session's company.
    """
    read = int(await session.value(_ENTER, company_id, reach))
    session.company_id = company_id
    return read


async def mend(session: Session, company_id: UUID) -> list[Record]:
    """Makes the entries that an older version left out; returns each as it is now.

    They were left out when the server's clock stepped back. They follow the entries that there were, so that nothing that
    was shown changes. It reads every transfer of the company, so it runs without a time-out.
    """
    await session.set_company(company_id)
    await session.fetch("SELECT set_config('statement_timeout', '0', false)")
    try:
        found = await session.value(_MEND, company_id)
        return await session.fetch(_MENDED, company_id, found) if found else []
    finally:
        if session.is_usable:
            await session.fetch("RESET statement_timeout")  # to what its connection was made with
