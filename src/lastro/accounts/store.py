"""All SQL of the accounts room: how its rows are read."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from lastro.accounts.model import Account, Holder
from lastro.api_kit.paging import mapped
from lastro.core.rows import RowMapper

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from asyncpg import Record

    from lastro.accounts.model import AccountFilter
    from lastro.api_kit.paging import Page
    from lastro.core.db import Part, Session

_HOLDER = RowMapper(Holder, columns={"type": "holder_type"})
_ACCOUNT = RowMapper(Account, parts={"holder": _HOLDER.of})
ACCOUNT_COLUMNS = (*_ACCOUNT.select.split(", "), *_HOLDER.select.split(", "))
_COLUMNS = ", ".join(ACCOUNT_COLUMNS)
_BY_ID = f"SELECT {_COLUMNS} FROM accounts WHERE company_id = $1 AND id = ANY ($2::uuid[])"  # noqa: S608 columns of our own
_OF_COMPANY = f"SELECT {_COLUMNS} FROM accounts WHERE company_id = $1 ORDER BY created_at"  # noqa: S608
_RELATED = "SELECT 'account' AS kind, id, NULL::text AS network_id FROM accounts WHERE company_id = $1 AND id = $2"
_OWNER = "SELECT company_id, account_id FROM account_numbers WHERE number = $1 OR account_id = $2"

_OWNER_OF_KEY = "SELECT company_id, account_id FROM own_keys WHERE key = $1"
_OWN_KEYS = "SELECT key FROM own_keys WHERE key = ANY ($1::text[])"

# A statement for each set of filters, so that it says what it wants and the planner can choose the index: one that leaves a
# filter open with OR would have to walk. The search text is folded by a query of its own, once and not for each
# row. strpos: in LIKE, characters of a client's text would be wildcards.
_FILTERS = {
    "status": "status = {}",
    "document": "document_number = {}",
    "email": "strpos(email_folded, (SELECT folded({}))) > 0",
    "full_name": "strpos(full_name_folded, (SELECT folded({}))) > 0",
}


def account_from(row: Record | Part, account_id: UUID | None = None) -> Account:
    """Maps a row to an Account. account_id: where the row's id is another's."""
    account = _ACCOUNT.of(row)
    return account if account_id is None else replace(account, id=account_id)


async def owner_of_key(session: Session, key: str) -> Record | None:
    """Reads company_id and account_id by an active Pix key, of any company."""
    return await session.row(_OWNER_OF_KEY, key)


async def own_keys_among(session: Session, keys: Iterable[str]) -> frozenset[str]:
    """Returns the keys that lead to accounts of ours, of any company."""
    return frozenset(row["key"] for row in await session.fetch(_OWN_KEYS, list(keys)))


async def accounts_of(session: Session, company_id: UUID, ids: Iterable[UUID] | None = None) -> list[Account]:
    """Reads the company's accounts, oldest first; only those of `ids` where given."""
    if ids is None:
        return [account_from(r) for r in await session.fetch(_OF_COMPANY, company_id)]
    return [account_from(r) for r in await session.fetch(_BY_ID, company_id, list(ids))]


async def account_by_id(session: Session, company_id: UUID, account_id: UUID | None) -> Account | None:
    """Reads an account; None: the company has no such account."""
    found = [] if account_id is None else await accounts_of(session, company_id, [account_id])
    return found[0] if found else None


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Builds the statement of a page. filters: those given, in the order of their arguments after the page's four."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=5))
    return (
        f"SELECT {_COLUMNS} FROM accounts WHERE company_id = $1 AND created_at >= $2 AND created_at <= $3{wanted}"  # noqa: S608
        f" ORDER BY created_at {'DESC' if is_descending else 'ASC'} LIMIT $4"
    )


async def accounts_in(session: Session, company_id: UUID, wanted: AccountFilter, page: Page) -> list[Account]:
    """Reads the company's accounts of the page, up to its reach."""
    given = {name: value for name in _FILTERS if (value := getattr(wanted, name)) is not None}
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    return await mapped(rows, account_from)


async def related(session: Session, company_id: UUID, account_id: UUID) -> list[Record]:
    """Reads the records of an account's timeline: the account alone."""
    return await session.fetch(_RELATED, company_id, account_id)


async def owner_of(session: Session, number: str | None, account_id: UUID | None) -> tuple[UUID, UUID] | None:
    """Reads the company and id of any company's account: by number or id."""
    row = await session.row(_OWNER, number, account_id)
    return None if row is None else (row["company_id"], row["account_id"])


async def next_number(session: Session) -> int:
    """Draws the eight digits of the next account's number."""
    return int(await session.value("SELECT nextval('account_numbers_seq')"))
