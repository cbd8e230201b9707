"""Fills the books of a company with paid orders: one that the processes themselves made, took the money of and told of, and
copies of it.

A copy has every row that the first one left, under names of its own and at times of its own: order, people, payment, moves,
bookings, event, the network's messages both ways, the stored answer, the attempt to tell. Numbers, deliveries, entries and
folded balances are made by lastro's own functions, so that the laws have something to find.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import asyncpg
from bench.journey import Street, Told

if TYPE_CHECKING:
    from uuid import UUID

    from bench.house import House

_AT_ONCE = 5_000  # copies that one transaction makes
_PATIENCE_SECONDS = 120.0
_ORDER = "SELECT company_id, id FROM orders WHERE external_id = $1"
_DONE = """
SELECT EXISTS (SELECT 1 FROM deliveries WHERE status = 'DELIVERED')
   AND NOT EXISTS (SELECT 1 FROM inbox WHERE due_at IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM outbox WHERE due_at IS NOT NULL)
"""
# What the first order left, by table.
_LEFT = {
    "orders": "id = '{order}'",
    "parties": "id IN (SELECT unnest(ARRAY[customer_id, payer_id]) FROM first_orders)",
    "pix_payments": "order_id = '{order}'",
    "history": "reference_id = '{order}' OR reference_id IN (SELECT id FROM first_pix_payments)",
    "transfers": "reference_id = '{order}'",
    "answers": "object_id = '{order}'",
    "events": "reference_id = '{order}'",
    "delivery_attempts": "event_id IN (SELECT id FROM first_events)",
    "inbox": "subject IN (SELECT end_to_end_id FROM first_pix_payments)",
    "outbox": "reference_id IN (SELECT id FROM first_pix_payments)",
}
# Every name that another order may not have. A copy's has the same beginning and ends in its number, so that rows come to
# where the newest of each index are, as in use.
_WORDS = """
CREATE TEMPORARY TABLE words AS SELECT word, row_number() OVER (ORDER BY word) AS place FROM (
  SELECT unnest(ARRAY[id::text, external_id, txid, location_token, order_token, end_to_end_id]) AS word FROM first_orders
  UNION SELECT id::text FROM first_parties UNION SELECT id::text FROM first_pix_payments
  UNION SELECT id::text FROM first_transfers UNION SELECT id::text FROM first_events UNION SELECT key FROM first_answers
  UNION SELECT unnest(ARRAY[id::text, network_id]) FROM first_inbox
  UNION SELECT unnest(ARRAY[id::text, network_id]) FROM first_outbox) w WHERE word IS NOT NULL;
CREATE TEMPORARY TABLE shift AS SELECT clock_timestamp() - created_at AS until_now FROM first_orders
"""
# Ten thousand a second is faster than they are made: none is of a time that has not come.
_MADE = """
CREATE TEMPORARY TABLE made AS
SELECT n, until_now + n * interval '100 microseconds' AS later, array_agg(word ORDER BY place) AS words,
       array_agg(other ORDER BY place) AS instead, jsonb_object_agg(word, other) AS names
  FROM shift, generate_series({first}, {last}) n
 CROSS JOIN LATERAL (SELECT word, place, left(word, -11) || lpad(to_hex(n * 64 + place), 11, '0') AS other FROM words) w
 GROUP BY n, until_now
"""
_COLUMNS = """
SELECT attname::text AS name, atttypid::regtype::text AS type FROM pg_attribute
 WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
_NUMBER = "SELECT number_events($1, 100000)"
_DELIVERED = """
UPDATE deliveries SET status = 'DELIVERED', attempts = 1, plan_attempts = 1, sends = 1, due_at = NULL,
       updated_at = created_at + interval '20 milliseconds', version = version + 1
 WHERE company_id = $1 AND status = 'PENDING'
"""
_ENTER = "SELECT enter($1, 100000)"
_BEHIND = """
SELECT (SELECT count(*) FROM transfers t JOIN entry_cursors c ON c.company_id = t.company_id
         WHERE t.company_id = $1 AND t.created_at >= c.entered_until)
     + (SELECT count(*) FROM events e WHERE e.company_id = $1
           AND NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = e.company_id AND n.event_id = e.id))
"""


async def fill(house: House, size: float) -> None:
    """Until the database has so many bytes."""
    name = await _paid(house)
    connection = await asyncpg.connect(house.dsn("postgres"))
    try:
        await connection.execute("SET session_replication_role = replica; SET synchronous_commit = off")
        (found,) = await connection.fetch(_ORDER, name)
        company, order = found
        for table, which in _LEFT.items():
            await connection.execute(
                f"CREATE TEMPORARY TABLE first_{table} AS SELECT * FROM {table} WHERE {which.format(order=order)}"
            )
        await connection.execute(_WORDS)
        copies = [_copy(table, await connection.fetch(_COLUMNS, table)) for table in _LEFT]
        made = 0
        while await connection.fetchval("SELECT pg_database_size('lastro')") < size:
            text = (_MADE.format(first=made + 1, last=made + _AT_ONCE), *copies, "DROP TABLE made")
            await connection.execute(";\n".join(text))
            await connection.fetchval(_NUMBER, company)
            await connection.execute(_DELIVERED, company)
            made += _AT_ONCE
        await _settle(connection, company)
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


async def _paid(house: House) -> str:
    """An order that is made, paid by telephone and told of; its external id."""
    receiver = await asyncio.get_running_loop().create_server(lambda: Told({}), "127.0.0.1", 0)
    webhook_url = f"http://127.0.0.1:{receiver.sockets[0].getsockname()[1]}/webhooks"
    try:
        async with house.api(), house.process("worker", "lastro.cli.main", "worker"), asyncio.timeout(_PATIENCE_SECONDS):
            street = Street(house.settings, house.payees, webhook_url)
            name, code = await street.order()
            await street.pay(name, code)
            await _done(house)
    finally:
        receiver.close()
    return name


async def _done(house: House) -> None:
    """Waits until nothing of it is on its way any more."""
    while not (await house.as_superuser(_DONE))[0][0]:  # noqa: ASYNC110 the database tells nobody here
        await asyncio.sleep(0.1)


def _copy(table: str, columns: list[Any]) -> str:
    """The statement that copies what the first order left in a table, once for each row of `made`."""
    names = ", ".join(column["name"] for column in columns)
    values = ", ".join(_value(column["name"], column["type"]) for column in columns)
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM made m, first_{table} t"


def _value(name: str, kind: str) -> str:
    """What a copy has in a column."""
    if name == "xid":
        return "pg_current_xact_id()::text::bigint"
    if (name, kind) == ("body", "bytea"):
        return "worded_anew(t.body, m.words, m.instead)"
    if kind == "timestamp with time zone":
        return f"t.{name} + m.later"
    if kind in ("uuid", "text"):
        return f"coalesce(m.names ->> t.{name}::text, t.{name}::text)::{kind}"
    return f"t.{name}"


async def _settle(connection: asyncpg.Connection, company: UUID) -> None:
    """As a worker leaves it: everything has its number and its entry, and balances are folded."""
    async with asyncio.timeout(_PATIENCE_SECONDS):
        await connection.fetchval(_ENTER, company)  # says from when on nothing older can come
        while await connection.fetchval(_BEHIND, company):
            await connection.fetchval(_NUMBER, company)
            await connection.fetchval(_ENTER, company)
            await asyncio.sleep(0.1)
    await connection.execute(_DELIVERED, company)
    await connection.fetchval("SELECT fold($1, 1, 100)", company)
