"""All SQL of static codes: how their rows are read. None of them ever changes, but its key may leave."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lastro.api_kit.paging import mapped
from lastro.core.rows import RowMapper
from lastro.core.runner import Query
from lastro.orders.model import StaticCode

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session

_CODE = """
SELECT q.*, EXISTS (SELECT FROM pix_keys k WHERE k.company_id = q.company_id AND k.key = q.pix_key
                                             AND k.account_id = q.account_id AND k.status = 'ACTIVE') AS leads_here
  FROM pix_static_qrcodes q WHERE q.company_id = $1 AND """
_OF_TXID = _CODE + "q.txid = $2 AND q.account_id = $3"


def code_by_id(code_id: UUID) -> Query[StaticCode | None]:
    """Reads one code."""
    return Query(_CODE + "q.id = $2", (code_id,), lambda rows: code_from(rows[0]) if rows else None)


async def code_of_txid(session: Session, company_id: UUID, account_id: UUID, txid: str) -> StaticCode | None:
    """Reads the code of an account by its txid; None: the account has none such."""
    row = await session.row(_OF_TXID, company_id, txid, account_id)
    return None if row is None else code_from(row)


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Returns the SELECT of a page. filters: account_id or none, the page's fifth argument."""
    wanted = " AND q.account_id = $5" if filters else ""
    direction = "DESC" if is_descending else "ASC"
    return f"{_CODE}q.created_at >= $2 AND q.created_at <= $3{wanted} ORDER BY q.created_at {direction} LIMIT $4"


async def codes_in(session: Session, company_id: UUID, account_id: UUID | None, page: Page) -> list[StaticCode]:
    """Reads the page's codes, up to its reach. account_id: of this account; None: of all of the company."""
    given = {} if account_id is None else {"account_id": account_id}
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    return await mapped(rows, code_from)


code_from = RowMapper(StaticCode, currency="BRL").of
