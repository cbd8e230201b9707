"""The database queries of the console's search: each goes by an index."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro.api_kit.routes import stamp
from lastro.core.money import Money
from lastro.rails.port import RAILS

if TYPE_CHECKING:
    from collections.abc import Collection

    from asyncpg import Record

    from lastro.core.db import Session

MOST = 50  # of what one question finds
WALKED = 20_000  # of the newest: an amount or a name is looked for in so many
WALKED_FOR_KEYS = 5_000  # of the newest payouts: a key paid to
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

PARTIES = f"""
SELECT id FROM parties WHERE company_id = $1 AND document_number = $2 ORDER BY id DESC LIMIT {MOST}
"""  # noqa: S608
# A name has no index, which every order would pay for: it is looked for among the newest people of a company, or of a day.
# Their ids are in the order of time.
NAMES = f"""
SELECT id FROM (
  SELECT id, name FROM parties WHERE company_id = $1 AND id BETWEEN $3 AND $4 ORDER BY id DESC LIMIT {WALKED}) newest
 WHERE strpos(folded(name), (SELECT folded($2))) > 0 ORDER BY id DESC LIMIT {MOST}
"""  # noqa: S608
# Nor has the key that a payout went to.
PAID_KEYS = f"""
SELECT id FROM (
  SELECT id, pix_key, created_at FROM payouts WHERE company_id = $1 AND batch_id IS NULL
   ORDER BY created_at DESC LIMIT {WALKED_FOR_KEYS}) newest
 WHERE pix_key = $2 ORDER BY created_at DESC LIMIT {MOST}
"""  # noqa: S608
# A party is made in the Write of what names it, so their ids are of one millisecond: a short range of the primary key.
# OFFSET 0: each party's range by itself, which the planner would else give up for one look at the whole table.
OF_PARTIES = f"""
SELECT 'order' AS thing, o.id FROM unnest($2::uuid[], $3::uuid[], $4::uuid[]) p(id, first, last), LATERAL (
  SELECT id FROM orders WHERE company_id = $1 AND id BETWEEN p.first AND p.last AND customer_id = p.id OFFSET 0) o
UNION ALL
SELECT CASE WHEN m.order_id IS NULL THEN 'payment' ELSE 'order' END, coalesce(m.order_id, m.id)
  FROM unnest($2::uuid[], $3::uuid[], $4::uuid[]) p(id, first, last), LATERAL (
  SELECT id, order_id FROM pix_payments
   WHERE company_id = $1 AND id BETWEEN p.first AND p.last AND payer_id = p.id OFFSET 0) m
UNION ALL
SELECT 'payout', coalesce(o.batch_id, o.id) FROM unnest($2::uuid[], $3::uuid[], $4::uuid[]) p(id, first, last), LATERAL (
  SELECT id, batch_id FROM payouts WHERE company_id = $1 AND id BETWEEN p.first AND p.last AND receiver_id = p.id OFFSET 0) o
UNION ALL
SELECT 'subscription', s.id FROM unnest($2::uuid[], $3::uuid[], $4::uuid[]) p(id, first, last), LATERAL (
  SELECT id FROM subscriptions WHERE company_id = $1 AND id BETWEEN p.first AND p.last AND debtor_id = p.id OFFSET 0) s
 LIMIT {MOST}
"""  # noqa: S608
# An amount has no index: it is looked for in the newest of a period, a bounded stretch of the index of times.
AMOUNTS = f"""
SELECT * FROM (
  SELECT 'order' AS thing, id FROM (
    SELECT id, created_at, amount_minor, final_amount_minor, paid_minor FROM orders
     WHERE company_id = $1 AND created_at BETWEEN $3 AND $4 ORDER BY created_at DESC LIMIT {WALKED}) o
   WHERE $2 IN (amount_minor, final_amount_minor, paid_minor) ORDER BY created_at DESC LIMIT {MOST}) a
UNION ALL
SELECT * FROM (
  SELECT 'payout', id FROM (
    SELECT id, created_at, amount_minor FROM payouts
     WHERE company_id = $1 AND batch_id IS NULL AND created_at BETWEEN $3 AND $4 ORDER BY created_at DESC LIMIT {WALKED}) p
   WHERE amount_minor = $2 ORDER BY created_at DESC LIMIT {MOST}) b
"""  # noqa: S608
KEY = """
SELECT account_id FROM pix_keys WHERE company_id = $1 AND key = $2 AND status = 'ACTIVE'
"""
REFUNDS = """
SELECT id FROM refunds WHERE company_id = $1 AND origin = 'CLIENT' AND (id = $2 OR external_id = $3)
"""
EVENT = """
SELECT id FROM events WHERE company_id = $1 AND id = $2
"""
TRANSFER = """
SELECT id FROM transfers WHERE company_id = $1 AND id = $2
"""
ACCOUNTS = """
SELECT 'account' AS thing, id FROM accounts WHERE company_id = $1 AND id = $2
UNION ALL
SELECT 'account', account_id FROM account_numbers WHERE company_id = $1 AND number = $3
"""
# Keys and claims are read by their account, which a link does not name.
OWNERS = {
    "keys": "SELECT account_id FROM pix_keys WHERE company_id = $1 AND id = $2",
    "claims": "SELECT account_id FROM key_claims WHERE company_id = $1 AND id = $2",
}
# Objects that the API shows in no answer of its own, with the API's names.
ROWS = {
    "keys": """
SELECT id, account_id AS "accountId", type, key, status, created_at AS "createdAt" FROM pix_keys
 WHERE company_id = $1 AND id = $2
""",
    "payments": """
SELECT id, end_to_end_id AS "endToEndId", state AS status, amount_minor, rail, account_id AS "accountId", txid,
       code AS "errorCode", created_at AS "createdAt", settled_at AS "paidAt"
  FROM pix_payments WHERE company_id = $1 AND id = $2
""",
}
REFERENCE = """
SELECT coalesce((SELECT order_id FROM refunds WHERE company_id = $1 AND id = $2),
                (SELECT reference_id FROM events WHERE company_id = $1 AND id = $2)) AS id
"""
# The description of each found object, in a line.
_PESOS = ", ".join(f"'{rail}'" for rail, currency in RAILS.items() if currency == "MXN")
_OF_RAIL = f"CASE WHEN rail IN ({_PESOS}) THEN 'MXN' ELSE 'BRL' END"
_TEXTS = {  # table, name, state, minor units, currency
    "order": ("orders", "external_id", "status", "coalesce(final_amount_minor, paid_minor)", "currency"),
    "payment": ("pix_payments", "end_to_end_id", "state", "amount_minor", _OF_RAIL),
    "refund": ("refunds", "coalesce(external_id, return_id)", "state", "amount_minor", _OF_RAIL),
    "payout": ("payouts", "external_id", "status", "amount_minor", "currency"),
    "plan": ("payout_plans", "NULL", "status", "NULL", "NULL"),
    "subscription": ("subscriptions", "external_id", "status", "NULL", "NULL"),
    "dispute": ("med_objects", "end_to_end_id", "status", "amount_minor", "'BRL'"),
    "account": ("accounts", "full_name", "status", "NULL", "NULL"),
    "accountRequest": ("account_requests", "external_id", "status", "NULL", "NULL"),
    "key": ("pix_keys", "key", "status", "NULL", "NULL"),
    "event": ("events", "type", "NULL", "NULL", "NULL"),
    "transfer": ("transfers", "type", "NULL", "amount_minor", "currency"),
}
DESCRIBED = "\nUNION ALL ".join(
    f"SELECT '{thing}' AS thing, id, {name} AS name, {state} AS state, {minor} AS minor, {currency} AS currency, created_at"  # noqa: S608
    f" FROM {table} WHERE company_id = $1 AND id = ANY ($2::uuid[])"
    for thing, (table, name, state, minor, currency) in _TEXTS.items()
)


def around(party_id: UUID) -> tuple[UUID, UUID]:
    """Returns the first and the last possible UUIDv7 of the id's millisecond."""
    low = party_id.int >> 80 << 80
    return UUID(int=low), UUID(int=low | (1 << 80) - 1)


def first_id(at: datetime) -> UUID:
    """Returns the first possible UUIDv7 of that time."""
    return UUID(int=_milliseconds(at) << 80)


def last_id(at: datetime) -> UUID:
    """Returns the last possible UUIDv7 of that time."""
    return UUID(int=_milliseconds(at) << 80 | (1 << 80) - 1)


def _milliseconds(at: datetime) -> int:
    """Returns the milliseconds since 1970, within the 48 bits of an id."""
    return min(max((at - _EPOCH) // timedelta(milliseconds=1), 0), (1 << 48) - 1)


async def by_document(session: Session, company_id: UUID, number: str) -> list[tuple[str, UUID]]:
    """Finds the objects of the newest parties with this document: thing and id. number: without punctuation."""
    return await _of_parties(session, company_id, [row["id"] for row in await session.search(PARTIES, company_id, number)])


async def by_name(session: Session, company_id: UUID, name: str, since: datetime, until: datetime) -> list[tuple[str, UUID]]:
    """Finds the objects of people with this in their name: thing and id. Among the newest WALKED people of the period."""
    rows = await session.search(NAMES, company_id, name, first_id(since), last_id(until))
    return await _of_parties(session, company_id, [row["id"] for row in rows])


async def _of_parties(session: Session, company_id: UUID, parties: list[UUID]) -> list[tuple[str, UUID]]:
    if not parties:
        return []
    ranges = [around(one) for one in parties]
    rows = await session.search(OF_PARTIES, company_id, parties, [low for low, _ in ranges], [high for _, high in ranges])
    return [(row["thing"], row["id"]) for row in rows]


async def by_amount(
    session: Session, company_id: UUID, minor: int, since: datetime, until: datetime
) -> list[tuple[str, UUID]]:
    """Finds orders and payouts of an amount in minor units: thing and id. Among the newest WALKED of the period."""
    return [(row["thing"], row["id"]) for row in await session.search(AMOUNTS, company_id, minor, since, until)]


async def paid_to(session: Session, company_id: UUID, key: str) -> list[tuple[str, UUID]]:
    """Finds the newest payouts to a Pix key: thing and id."""
    return [("payout", row["id"]) for row in await session.search(PAID_KEYS, company_id, key)]


async def by_key(session: Session, company_id: UUID, key: str) -> UUID | None:
    """Returns the account of an active Pix key."""
    found: UUID | None = await session.value(KEY, company_id, key)
    return found


async def others(session: Session, company_id: UUID, text: str, own_id: UUID | None) -> list[tuple[str, UUID]]:
    """Finds objects that begin no timeline: refunds, events, transfers and accounts.

    By this id, number or code of the client.
    """
    found = [("refund", row["id"]) for row in await session.search(REFUNDS, company_id, own_id, text)]
    found += [(row["thing"], row["id"]) for row in await session.search(ACCOUNTS, company_id, own_id, text)]
    if own_id is not None:
        found += [("event", row["id"]) for row in await session.fetch(EVENT, company_id, own_id)]
        found += [("transfer", row["id"]) for row in await session.fetch(TRANSFER, company_id, own_id)]
    return found


async def described(session: Session, company_id: UUID, ids: Collection[UUID]) -> dict[UUID, Record]:
    """Returns a description of each object, by id.

    Each with thing, name, state, minor and currency (None where it has none) and created_at.
    """
    return {row["id"]: row for row in await session.fetch(DESCRIBED, company_id, list(ids))}


async def account_of(session: Session, company_id: UUID, kind: str, own: UUID) -> UUID | None:
    """Returns the account of a key or a claim."""
    found: UUID | None = await session.value(OWNERS[kind], company_id, own)
    return found


async def row_of(session: Session, company_id: UUID, kind: str, own: UUID) -> dict[str, Any] | None:
    """Returns a key or a payment in the shape of an answer."""
    row = await session.row(ROWS[kind], company_id, own)
    if row is None:
        return None
    found = {name: _plain(value) for name, value in row.items() if value is not None}
    if "amount_minor" in found:
        amount = Money(found.pop("amount_minor"), RAILS.get(found["rail"], "BRL"))
        found["amount"] = amount.wire()
    return found


def _plain(value: Any) -> Any:
    return stamp(value) if isinstance(value, datetime) else str(value) if isinstance(value, UUID) else value


async def reference_of(session: Session, company_id: UUID, own: UUID) -> UUID | None:
    """Returns a refund's payment, or the object of an event."""
    found: UUID | None = await session.value(REFERENCE, company_id, own)
    return found
