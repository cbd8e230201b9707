"""All SQL of the accounts room: how its rows are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.accounts.model import Account, Holder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from asyncpg import Record

    from lastro.base.db import Session

_COLUMNS = """id, status, version, number, branch, city, holder_type, full_name, document_type, document_number, email,
  phone, created_at"""
_BY_ID = f"SELECT {_COLUMNS} FROM accounts WHERE company_id = $1 AND id = ANY ($2::uuid[])"  # noqa: S608 columns of our own
_OF_COMPANY = f"SELECT {_COLUMNS} FROM accounts WHERE company_id = $1 ORDER BY created_at"  # noqa: S608
_BY_NUMBER = f"SELECT {_COLUMNS} FROM accounts WHERE company_id = $1 AND branch = $2 AND number = $3"  # noqa: S608


def account_from(row: Record) -> Account:
    """An Account from a row that has its columns."""
    holder = Holder(
        row["holder_type"], row["full_name"], row["document_type"], row["document_number"], row["email"], row["phone"]
    )
    return Account(
        row["id"], row["status"], row["version"], row["number"], row["branch"], row["city"], holder, row["created_at"]
    )


async def accounts_of(session: Session, company_id: UUID, ids: Iterable[UUID] | None = None) -> list[Account]:
    """The company's accounts, oldest first; only those of `ids` where given."""
    if ids is None:
        return [account_from(r) for r in await session.fetch(_OF_COMPANY, company_id)]
    return [account_from(r) for r in await session.fetch(_BY_ID, company_id, list(ids))]


async def account_of_number(session: Session, company_id: UUID, branch: str, number: str) -> Account | None:
    """The account money was sent to by branch and number."""
    row = await session.row(_BY_NUMBER, company_id, branch, number)
    return None if row is None else account_from(row)


async def next_number(session: Session) -> int:
    """The eight digits of the next account's number."""
    return int(await session.value("SELECT nextval('account_numbers_seq')"))
