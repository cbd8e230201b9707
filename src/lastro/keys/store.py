"""All SQL of the keys room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.api_kit.paging import mapped
from lastro.core.rows import RowMapper
from lastro.keys.model import Key, Room, Validation

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session

_OF_ACCOUNT = """
SELECT key FROM pix_keys WHERE company_id = $1 AND account_id = $2 AND status = 'ACTIVE' ORDER BY created_at
"""
_ACTIVE = """
SELECT * FROM pix_keys WHERE company_id = $1 AND account_id = $2 AND status = 'ACTIVE' ORDER BY created_at
"""
_KEY = RowMapper(Key)
key_from = _KEY.of
_BY_ID = f"SELECT {_KEY.select} FROM pix_keys WHERE company_id = $1 AND account_id = $2 AND id = $3"  # noqa: S608 ours
_HERE = f"SELECT {_KEY.select} FROM pix_keys WHERE company_id = $1 AND key = $2 AND status = 'ACTIVE'"  # noqa: S608 ours
_VALIDATION = "SELECT * FROM pix_key_validations WHERE company_id = $1 AND account_id = $2 AND id = $3"
_VALIDATION_BY_ID = "SELECT * FROM pix_key_validations WHERE company_id = $1 AND id = $2"
# A company's open orders, slips with a Pix code among them: few, found by the indexes that end them.
_IS_ASKED_FOR = """
SELECT EXISTS (SELECT 1 FROM orders WHERE company_id = $1 AND status = 'INITIAL' AND payment_method = 'PIX' AND pix_key = $2)
    OR EXISTS (SELECT 1 FROM orders WHERE company_id = $1 AND status = 'INITIAL' AND ends_at IS NOT NULL AND pix_key = $2)
"""
# The number of keys, with those of open claims; the times that the account had this one; if it is here now. Each server
# knows a key a moment before the company has it, and for longer where that was cut off.
_ROOM = """
SELECT key_count($1, $2) AS active,
       count(*) FILTER (WHERE key = $3) AS before,
       EXISTS (SELECT 1 FROM own_keys o WHERE o.key = $3 AND (o.company_id <> $1 OR EXISTS (
                 SELECT 1 FROM pix_keys k WHERE k.company_id = $1 AND k.key = $3 AND k.status = 'ACTIVE'))) AS is_ours,
       EXISTS (SELECT 1 FROM connection_keys WHERE company_id = $1 AND key = $3 AND ended_at IS NULL) AS is_at_bank
  FROM pix_keys WHERE company_id = $1 AND account_id = $2
"""


_RELATED = """
WITH own AS (SELECT id, key_id, claim_id FROM pix_key_validations WHERE company_id = $1 AND (id = $2 OR key_id = $2)),
claim AS (SELECT id, key_id FROM key_claims
           WHERE company_id = $1 AND (id = $2 OR key_id = $2 OR id = ANY (ARRAY(SELECT claim_id FROM own)))),
proof AS (SELECT id, key_id FROM own UNION SELECT id, key_id FROM pix_key_validations
           WHERE company_id = $1 AND claim_id = ANY (ARRAY(SELECT id FROM claim)))
SELECT 'keyValidation' AS kind, id, NULL::text AS network_id FROM proof
UNION ALL
SELECT 'keyClaim', id, id::text FROM claim
UNION ALL
SELECT 'key', id, NULL FROM pix_keys
 WHERE company_id = $1 AND (id = $2 OR id = ANY (ARRAY(SELECT key_id FROM proof UNION ALL SELECT key_id FROM claim)))
"""


async def keys_of(session: Session, company_id: UUID, account_id: UUID) -> list[str]:
    """The active keys that lead to an account, oldest first."""
    return [row["key"] for row in await session.fetch(_OF_ACCOUNT, company_id, account_id)]


async def active_keys(session: Session, company_id: UUID, account_id: UUID) -> list[Key]:
    """The same, whole."""
    return [key_from(row) for row in await session.fetch(_ACTIVE, company_id, account_id)]


async def related(session: Session, company_id: UUID, any_id: UUID) -> list[Record]:
    """Reads a key's records with its claims and all validations: kind, id, network_id. None: no key."""
    return await session.fetch(_RELATED, company_id, any_id)


async def key_of(session: Session, company_id: UUID, account_id: UUID, key_id: UUID) -> Key | None:
    """A key of the account, also one that it has no longer."""
    row = await session.row(_BY_ID, company_id, account_id, key_id)
    return None if row is None else key_from(row)


async def key_here(session: Session, company_id: UUID, key: str) -> Key | None:
    """Returns the company's own key that leads to its account now."""
    row = await session.row(_HERE, company_id, key)
    return None if row is None else key_from(row)


async def is_asked_for(session: Session, company_id: UUID, key: str) -> bool:
    """Tells whether an order that can still be paid names the key."""
    return await session.value(_IS_ASKED_FOR, company_id, key) is True


async def room_of(session: Session, company_id: UUID, account_id: UUID, key: str | None) -> Room:
    """Counts the account's keys, and how often it had this one."""
    row = await session.row(_ROOM, company_id, account_id, key)
    assert row is not None
    return Room(row["active"], row["before"], row["is_ours"], row["is_at_bank"])


def page_sql(*, is_descending: bool) -> str:
    """The statement of a page of an account's keys."""
    return (
        f"SELECT {_KEY.select} FROM pix_keys WHERE company_id = $1 AND account_id = $5 AND status = 'ACTIVE'"  # noqa: S608
        f" AND created_at >= $2 AND created_at <= $3 ORDER BY created_at {'DESC' if is_descending else 'ASC'} LIMIT $4"
    )


async def keys_in(session: Session, company_id: UUID, account_id: UUID, page: Page) -> list[Key]:
    """The account's active keys of the page, up to its reach."""
    sql = page_sql(is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, account_id)
    return await mapped(rows, key_from)


async def validation_of(
    session: Session, company_id: UUID, validation_id: UUID, account_id: UUID | None = None
) -> Validation | None:
    """A proof of the account; of any account of the company where none is named."""
    if account_id is None:
        row = await session.row(_VALIDATION_BY_ID, company_id, validation_id)
    else:
        row = await session.row(_VALIDATION, company_id, account_id, validation_id)
    return None if row is None else validation_from(row)


validation_from = RowMapper(Validation).of
