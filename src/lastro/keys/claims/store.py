"""All SQL of claims."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lastro.api_kit.paging import mapped
from lastro.core.rows import RowMapper
from lastro.keys.claims.model import MOST_NAMED, PROOF_HOLDS, Affected, ClaimRoom, KeyClaim
from lastro.keys.store import validation_from

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.keys.model import Validation

_OPEN = "status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED')"
# ordered: true where the directory is told the next step, and does not refuse it; NULL where it is told nothing.
_COLUMNS = """c.*, (SELECT bool_or(m.outcome IS DISTINCT FROM 'refused') FROM outbox m WHERE m.company_id = c.company_id
                       AND m.reference_id = c.id
                       AND (m.kind = 'claim.cancel' OR m.kind = 'claim.confirm' AND c.status <> 'CONFIRMED')) AS ordered"""
_BY_ID = f"SELECT {_COLUMNS} FROM key_claims c WHERE c.company_id = $1 AND c.id = $2"  # noqa: S608 ours
_OPEN_OF_KEY = f"SELECT {_COLUMNS} FROM key_claims c WHERE c.company_id = $1 AND c.key = $2 AND c.{_OPEN}"  # noqa: S608
_OPEN_OF_ACCOUNT = (
    f"SELECT {_COLUMNS} FROM key_claims c WHERE c.company_id = $1 AND c.account_id = $2 AND c.{_OPEN}"  # noqa: S608
    " ORDER BY c.created_at"
)
# The count against the room for keys, and the number of earlier claims of this key.
_ROOM = f"""
SELECT key_count($1, $2) AS active,
       (SELECT count(*) FROM key_claims WHERE company_id = $1 AND account_id = $2 AND key = $3 AND NOT {_OPEN}) AS before,
       EXISTS (SELECT 1 FROM own_keys o WHERE o.key = $3 AND (o.company_id <> $1 OR EXISTS (
                 SELECT 1 FROM pix_keys k WHERE k.company_id = $1 AND k.key = $3 AND k.status = 'ACTIVE'))) AS is_ours,
       EXISTS (SELECT 1 FROM connection_keys WHERE company_id = $1 AND key = $3 AND ended_at IS NULL) AS is_at_bank
"""  # noqa: S608
_PROOF = """
SELECT * FROM pix_key_validations
 WHERE company_id = $1 AND account_id = $2 AND key = $3 AND status = 'CONFLICT' AND updated_at > $4
 ORDER BY updated_at DESC LIMIT 1
"""
# The objects that name a key: unpaid orders; of them the first charges of subscriptions; codes. Counts, and the newest.
_AFFECTED = """
WITH o AS MATERIALIZED (SELECT id, subscription_id FROM orders
                         WHERE company_id = $1 AND status = 'INITIAL' AND account_id = $2 AND pix_key = $3),
     q AS MATERIALIZED (SELECT id FROM pix_static_qrcodes WHERE company_id = $1 AND account_id = $2 AND pix_key = $3)
SELECT (SELECT count(*) FROM o) AS orders, (SELECT count(subscription_id) FROM o) AS subscriptions,
       (SELECT count(*) FROM q) AS codes,
       ARRAY(SELECT id FROM o ORDER BY id DESC LIMIT $4) AS order_ids,
       ARRAY(SELECT subscription_id FROM o WHERE subscription_id IS NOT NULL ORDER BY id DESC LIMIT $4) AS subscription_ids,
       ARRAY(SELECT id FROM q ORDER BY id DESC LIMIT $4) AS code_ids
"""


async def claim_by_id(session: Session, company_id: UUID, claim_id: UUID) -> KeyClaim | None:
    """A claim by the directory's id."""
    row = await session.row(_BY_ID, company_id, claim_id)
    return None if row is None else claim_from(row)


async def claim_of(session: Session, company_id: UUID, account_id: UUID, claim_id: UUID | None) -> KeyClaim | None:
    """A claim of the account; None also where there is no id."""
    found = None if claim_id is None else await claim_by_id(session, company_id, claim_id)
    return found if found is not None and found.account_id == account_id else None


async def open_of(session: Session, company_id: UUID, account_id: UUID) -> list[KeyClaim]:
    """The claims of the account that have not ended, oldest first: an account has few."""
    return [claim_from(row) for row in await session.fetch(_OPEN_OF_ACCOUNT, company_id, account_id)]


async def open_of_key(session: Session, company_id: UUID, key: str) -> KeyClaim | None:
    """The company's open claim of the key, by it or of it: there is one at most."""
    row = await session.row(_OPEN_OF_KEY, company_id, key)
    return None if row is None else claim_from(row)


async def room_for(session: Session, company_id: UUID, account_id: UUID, key: str) -> ClaimRoom:
    """Counts the account's keys and claims, and those of this key."""
    row = await session.row(_ROOM, company_id, account_id, key)
    assert row is not None
    known = await open_of_key(session, company_id, key)
    return ClaimRoom(row["active"], row["before"], row["is_ours"], known, row["is_at_bank"])


async def proof_of(session: Session, company_id: UUID, account_id: UUID, key: str, now: datetime) -> Validation | None:
    """Returns the proof that opens a claim of a key held elsewhere."""
    row = await session.row(_PROOF, company_id, account_id, key, now - PROOF_HOLDS)
    return None if row is None else validation_from(row)


async def affected_by(session: Session, company_id: UUID, account_id: UUID, key: str) -> Affected:
    """Counts and names the account's objects with a claimed key. A claim takes or has taken its own key."""
    row = await session.row(_AFFECTED, company_id, account_id, key, MOST_NAMED)
    assert row is not None, "it counts"
    ids = (tuple(row[name]) for name in ("order_ids", "code_ids", "subscription_ids"))
    return Affected(row["orders"], row["codes"], row["subscriptions"], *ids)


@cache
def page_sql(*, is_descending: bool, has_status: bool) -> str:
    """The statement of a page of an account's claims."""
    status = " AND c.status = $6" if has_status else ""
    return (
        f"SELECT {_COLUMNS} FROM key_claims c WHERE c.company_id = $1 AND c.account_id = $5"  # noqa: S608 ours
        f"{status} AND c.created_at >= $2 AND c.created_at <= $3"
        f" ORDER BY c.created_at {'DESC' if is_descending else 'ASC'} LIMIT $4"
    )


async def claims_in(session: Session, company_id: UUID, account_id: UUID, page: Page, status: str | None) -> list[KeyClaim]:
    """Reads the account's claims of the page, up to its reach. status: a filter; None: all."""
    sql = page_sql(is_descending=page.is_descending, has_status=status is not None)
    also = () if status is None else (status,)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, account_id, *also)
    return await mapped(rows, claim_from)


async def claims_of(session: Session, company_id: UUID, account_id: UUID, most: int) -> list[KeyClaim]:
    """The account's claims, the newest first, so many at most."""
    sql = (
        f"SELECT {_COLUMNS} FROM key_claims c WHERE c.company_id = $1 AND c.account_id = $2"  # noqa: S608 ours
        " ORDER BY c.created_at DESC LIMIT $3"
    )
    return [claim_from(row) for row in await session.fetch(sql, company_id, account_id, most)]


claim_from = RowMapper(
    KeyClaim,
    columns={"type": "claim_type"},
    parts={"is_ordered": lambda row: row["ordered"] is True, "is_told": lambda row: row["ordered"] is not None},
).of
