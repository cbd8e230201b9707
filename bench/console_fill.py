"""Fills the books of a company with orders as if they had come six seconds apart until now: two of three were paid, told
and delivered, the others ended; each with its people, moves, bookings and statement lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import asyncpg

from lastro import ledger

if TYPE_CHECKING:
    from uuid import UUID

    from bench.house import House, Payee

_OTHERS = 2_000  # orders of each other company: what is looked for is of one among many
_DEEP = 0.9  # of a list is before what is called deep
_PEOPLE = 50_000  # have ordered, again and again
_TABLES = (
    "parties", "orders", "history", "pix_payments", "transfers", "entries", "events", "event_numbers", "deliveries",
    "delivery_attempts",
)  # fmt: skip
_SESSION = """
SET session_replication_role = replica;
SET synchronous_commit = off;
SET maintenance_work_mem = '512MB';
SET work_mem = '128MB';
CREATE FUNCTION pg_temp.id_at(at timestamptz, kind integer, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
  'SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, ''0'') || ''7'' || lpad(to_hex(kind), 3, ''0'')
           || ''8000'' || lpad(to_hex(n), 12, ''0''))::uuid'
"""
# One row of `made` is one order with the ids of all that hangs on it. What names a party is of its party's millisecond.
_FILL = """
CREATE TEMPORARY TABLE made AS
SELECT n, at, at + interval '30 seconds' AS later, n % 3 <> 0 AS is_paid, pg_temp.id_at(at, 1, n) AS id,
       pg_temp.id_at(at, 2, n) AS customer, pg_temp.id_at(at + interval '30 seconds', 3, n) AS payer,
       pg_temp.id_at(at + interval '30 seconds', 4, n) AS payment,
       pg_temp.id_at(at + interval '30 seconds', 5, n) AS transfer,
       pg_temp.id_at(at + interval '30 seconds', 6, n) AS event, 1000 + n % 999 AS minor,
       'E99999010' || to_char(at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MI') || lpad(n::text, 11, '0') AS end_to_end_id,
       (ARRAY[{accounts}]::uuid[])[1 + n % {count}] AS account, (ARRAY[{ledgers}]::uuid[])[1 + n % {count}] AS ledger
  FROM (SELECT n, now() - ({rows} - n + 10) * interval '6 seconds' AS at FROM generate_series(1, {rows}) n) t;
INSERT INTO parties (company_id, id, name, document_type, document_number, entity_type)
SELECT '{company}', customer, 'Maria ' || n, 'CPF', lpad((n % {people})::text, 11, '0'), 'INDIVIDUAL' FROM made;
INSERT INTO parties (company_id, id, name, document_type, document_number, entity_type)
SELECT '{company}', payer, 'Maria ' || n, 'CPF', lpad((n % {people})::text, 11, '0'), 'INDIVIDUAL' FROM made WHERE is_paid;
INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, amount_minor,
                    final_amount_minor, description, customer_id, payer_id, txid, location_token, end_to_end_id, paid_minor,
                    paid_at, expires_at, created_at, updated_at, version)
SELECT '{company}', id, account, 'pedido-' || n, 'TRANSPARENT', 'PIX',
       CASE WHEN is_paid THEN 'PAID' WHEN n % 2 = 0 THEN 'EXPIRED' ELSE 'CANCELED' END, 'BRL', minor, minor, 'Dois bolos',
       customer, CASE WHEN is_paid THEN payer END, 'many' || lpad(n::text, 26, '0'), 'many' || lpad(n::text, 18, '0'),
       CASE WHEN is_paid THEN end_to_end_id END, CASE WHEN is_paid THEN minor END, CASE WHEN is_paid THEN later END,
       at + interval '1 hour', at, later, 2 FROM made;
INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at)
SELECT '{company}', id, v, 'orders', CASE v WHEN 1 THEN '-' ELSE 'INITIAL' END,
       CASE WHEN v = 1 THEN 'INITIAL' WHEN is_paid THEN 'PAID' WHEN n % 2 = 0 THEN 'EXPIRED' ELSE 'CANCELED' END,
       CASE WHEN v = 1 THEN 'create' WHEN is_paid THEN 'pay' WHEN n % 2 = 0 THEN 'expire' ELSE 'cancel' END,
       CASE v WHEN 1 THEN at ELSE later END FROM made, generate_series(1, 2) v;
INSERT INTO pix_payments (company_id, id, end_to_end_id, order_id, account_id, state, amount_minor, txid, payer_id,
                          accepted_at, settled_at, created_at, updated_at, version)
SELECT '{company}', payment, end_to_end_id, id, account, 'SETTLED', minor, 'many' || lpad(n::text, 26, '0'), payer, later,
       later, later, later, 2 FROM made WHERE is_paid;
INSERT INTO transfers (company_id, id, kind, debit_id, credit_id, amount_minor, currency, type, reference_id, created_at)
SELECT '{company}', transfer, 'moved', '{net}', ledger, minor, 'BRL', 'PIX_IN', id, later FROM made WHERE is_paid;
INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id, amount_minor,
                     balance_minor, held_minor)
SELECT '{company}', ledger, 1, later, row_number() OVER w, transfer, 'PIX_IN', id, minor, sum(minor) OVER w, 0
  FROM made WHERE is_paid WINDOW w AS (PARTITION BY ledger ORDER BY n);
INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)
SELECT '{company}', event, 'ORDER-PAYIN.PAID', id, 'https://shop.example.com/hook',
       convert_to('{{"id":"' || event || '","type":"ORDER-PAYIN.PAID","data":{{"id":"' || id || '"}}}}', 'UTF8'), later
  FROM made WHERE is_paid;
INSERT INTO event_numbers (company_id, sequence, event_id, created_at)
SELECT '{company}', row_number() OVER (ORDER BY n), event, later FROM made WHERE is_paid;
INSERT INTO deliveries (company_id, id, sequence, reference_id, url, type, status, attempts, plan_attempts, sends,
                        created_at, updated_at, version)
SELECT '{company}', event, row_number() OVER (ORDER BY n), id, 'https://shop.example.com/hook', 'ORDER-PAYIN.PAID',
       CASE WHEN n % 1000 = 1 THEN 'FAILED' ELSE 'DELIVERED' END, 1, 1, 1, later, later, 2 FROM made WHERE is_paid;
INSERT INTO delivery_attempts (company_id, event_id, number, status_code, message, requested_at, duration_ms, failure)
SELECT '{company}', event, 1, CASE WHEN n % 1000 = 1 THEN 500 ELSE 200 END, '', later, 40,
       CASE WHEN n % 1000 = 1 THEN 'BAD_STATUS' END FROM made WHERE is_paid;
INSERT INTO entry_cursors (company_id, entered_until, proven_until) VALUES ('{company}', now(), now())
    ON CONFLICT (company_id) DO UPDATE SET entered_until = now(), proven_until = now();
INSERT INTO event_cursors (company_id, last_sequence, last_created_at, numbered_below_xid)
SELECT '{company}', max(sequence), max(created_at), pg_current_xact_id()::text::bigint FROM event_numbers
 WHERE company_id = '{company}'
    ON CONFLICT (company_id) DO UPDATE SET last_sequence = excluded.last_sequence,
       last_created_at = excluded.last_created_at, numbered_below_xid = excluded.numbered_below_xid;
DROP TABLE made
"""
_LEDGER = """
INSERT INTO ledger_accounts (company_id, id, code, rail, currency, account_id) VALUES ($1, $2, $3, $4, 'BRL', $5)
    ON CONFLICT DO NOTHING
"""
_LATER = """
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS made FROM pg_index
 WHERE indrelid = ANY ($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
_FOUND = """
SELECT o.id AS order_id, o.external_id, o.txid, o.end_to_end_id, o.created_at, p.document_number AS document,
       (SELECT id FROM transfers t WHERE t.company_id = o.company_id AND t.reference_id = o.id) AS transfer_id,
       (SELECT key FROM pix_keys k WHERE k.company_id = o.company_id AND k.account_id = o.account_id LIMIT 1) AS pix_key
  FROM orders o JOIN parties p ON p.company_id = o.company_id AND p.id = o.customer_id
 WHERE o.company_id = $1 AND o.external_id = $2
"""


@dataclass(frozen=True, slots=True)
class Found:
    """What pages are asked for: an order in the middle that was paid, and what leads to it. day: ISO 8601.

    deep_cursor: of a list of which nine tenths are read.
    """

    company_id: UUID
    account_id: UUID
    order_id: UUID
    external_id: str
    txid: str
    end_to_end_id: str
    document: str
    transfer_id: UUID
    pix_key: str
    day: str
    deep_cursor: str


async def fill(house: House, rows: int) -> Found:
    """So many orders of the first company, some of each other one."""
    connection = await asyncpg.connect(house.dsn("postgres"))
    try:
        for statement in _SESSION.split(";"):
            await connection.execute(statement)
        later = await connection.fetch(_LATER, list(_TABLES))
        for index in later:
            await connection.execute(f"DROP INDEX {index['name']}")
        first = house.payees[0].company_id
        for company in dict.fromkeys(payee.company_id for payee in house.payees):
            await _company(
                connection, [p for p in house.payees if p.company_id == company], rows if company == first else _OTHERS
            )
        for index in later:
            await connection.execute(index["made"], timeout=3600)
        for table in (*_TABLES, "balances", "ledger_accounts"):
            await connection.execute(f"VACUUM ANALYZE {table}", timeout=3600)
        for company in {payee.company_id for payee in house.payees}:
            await connection.execute("SELECT fold($1, 1, 100)", company, timeout=3600)
        await connection.execute("CHECKPOINT")
        return await _found(connection, house.payees[0], rows)
    finally:
        await connection.close()


async def _company(connection: asyncpg.Connection, payees: list[Payee], rows: int) -> None:
    company = payees[0].company_id
    owed = [ledger.customer(company, payee.account_id, "BRL").id for payee in payees]
    net = ledger.clearing(company, "pix", "BRL").id
    await connection.execute(_LEDGER, company, net, "NET", "pix", None)
    for payee, own in zip(payees, owed, strict=True):
        await connection.execute(_LEDGER, company, own, "CUST", None, payee.account_id)
        await connection.execute(
            "INSERT INTO balances (company_id, ledger_account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", company, own
        )
    text = _FILL.format(
        company=company, rows=rows, net=net, people=_PEOPLE, count=len(payees),
        accounts=", ".join(f"'{payee.account_id}'" for payee in payees), ledgers=", ".join(f"'{own}'" for own in owed),
    )  # fmt: skip
    for statement in text.split(";"):
        await connection.execute(statement, timeout=3600)


async def _found(connection: asyncpg.Connection, payee: Payee, rows: int) -> Found:
    middle = next(n for n in range(rows // 2, rows) if n % 3)
    deep = round(rows * (1 - _DEEP))
    row = await connection.fetchrow(_FOUND, payee.company_id, f"pedido-{middle}")
    cursor = await connection.fetchval(
        "SELECT created_at FROM orders WHERE company_id = $1 AND external_id = $2", payee.company_id, f"pedido-{deep}"
    )
    assert row is not None, "it was filled in"
    told = {name: value for name, value in row.items() if name != "created_at"}
    return Found(
        payee.company_id, payee.account_id, **told, day=f"{row['created_at']:%Y-%m-%d}",
        deep_cursor=f"{cursor:%Y-%m-%dT%H:%M:%S.%fZ}",
    )  # fmt: skip
