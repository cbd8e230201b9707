"""Many rows of every table that is listed or swept, so that the planner chooses as it would in life."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.conftest import lent
from tests.databases import Database

if TYPE_CHECKING:
    import asyncpg

OURS, OTHERS = "00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"
MANY, FEW = 6_000, 50
FILL = f"""
INSERT INTO companies (company_id, number, name, webhook_secret, created_at)
SELECT company_id, number, 'company', 'x', 'epoch' FROM company_numbers WHERE company_id = tenant();
CREATE TEMPORARY TABLE many AS
SELECT c.company_id, md5(c.company_id::text || n)::uuid AS id, n, '2026-01-01Z'::timestamptz + n * interval '1 minute' AS at
  FROM company_numbers c, generate_series(1, {MANY}) n WHERE c.company_id = tenant();
INSERT INTO account_numbers SELECT company_id || '/' || n, company_id, id FROM many;
INSERT INTO accounts (company_id, id, number, branch, status, holder_type, full_name, document_type, document_number, email, phone, created_at, updated_at)
SELECT company_id, id, company_id || '/' || n, '0001', CASE n % 3 WHEN 0 THEN 'ACTIVE' WHEN 1 THEN 'INACTIVE' ELSE 'CLOSED' END,
       'INDIVIDUAL', 'José ' || n, 'CPF', n / 3, 'ana' || n || '@example.com', '', at, at FROM many;
INSERT INTO account_close_requests (company_id, id, account_id, status, reason_code, created_at, updated_at)
SELECT company_id, id, id, CASE WHEN n <= {FEW} THEN 'REQUESTED' ELSE 'COMPLETED' END, 'x', at, at FROM many;
INSERT INTO pix_keys (company_id, id, account_id, type, key, status, created_at, possessed_at, updated_at)
SELECT company_id, id, md5(company_id::text || (n % 40 + 1))::uuid, 'RANDOM', 'k' || n, CASE n % 3 WHEN 0 THEN 'ACTIVE' ELSE 'DELETED' END,
       at, at, at FROM many;
INSERT INTO pix_key_validations (company_id, id, account_id, type, key, status, request_id, sealed_by, sent_at, expires_at, created_at, updated_at)
SELECT company_id, id, md5(company_id::text || (n % 40 + 1))::uuid, 'EMAIL', 'k' || n, CASE WHEN n <= {FEW} THEN 'PENDING' ELSE 'EXPIRED' END,
       id, 'x', at, at, at, at FROM many;
INSERT INTO key_claims (company_id, id, account_id, role, claim_type, key_type, key, status, other_bank, resolution_at, due_at, created_at, updated_at)
SELECT company_id, id, md5(company_id::text || (n % 40 + 1))::uuid, 'CLAIMER', 'PORTABILITY', 'EMAIL', 'c' || n,
       CASE WHEN n <= {FEW} THEN 'CONFIRMED' ELSE 'CANCELLED' END, '99999030', at, CASE WHEN n <= {FEW} THEN at END, at, at FROM many;
INSERT INTO parties (company_id, id, name, document_number) SELECT company_id, id, 'Bento', n FROM many;
INSERT INTO account_requests (company_id, id, status, external_id, holder_type, party_id, terms_version, terms_accepted_at, missing,
                              expires_at, ask_at, analysis_reference, key_due_at, submissions, created_at, updated_at)
SELECT company_id, id, CASE WHEN n <= {FEW} THEN 'PENDING_DOCUMENTS' WHEN n <= 2 * {FEW} THEN 'ANALYSIS' ELSE 'APPROVED' END, 'x' || n, 'INDIVIDUAL', id, 'x',
       at, CASE WHEN n <= {FEW} THEN ARRAY['x'] ELSE ARRAY[]::text[] END, CASE WHEN n <= {FEW} THEN at END,
       CASE WHEN n > {FEW} AND n <= 2 * {FEW} THEN at END, 'x' || n, CASE WHEN n > 2 * {FEW} AND n <= 3 * {FEW} THEN at END, 1, at, at FROM many;
INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, description, customer_id, created_at, updated_at)
SELECT company_id, id, md5(company_id::text || (n % 40 + 1))::uuid, 'code' || n / 3, 'TRANSPARENT', 'PIX',
       CASE n % 3 WHEN 0 THEN 'EXPIRED' WHEN 1 THEN 'CANCELED' ELSE 'ERROR' END, 'BRL', 'x', id, at, at FROM many;
INSERT INTO ledger_accounts (company_id, id, code, currency) SELECT company_id, md5(company_id::text || 'ledger' || n)::uuid, 'FEE', 'BRL' FROM many WHERE n <= 2;
INSERT INTO transfers (company_id, id, kind, debit_id, credit_id, amount_minor, currency, type, reference_id, created_at)
SELECT company_id, md5(company_id::text || 'moved' || n)::uuid, 'moved', md5(company_id::text || 'ledger1')::uuid, md5(company_id::text || 'ledger2')::uuid, 1, 'BRL', 'TEST', id, at FROM many;
INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id, amount_minor, balance_minor, held_minor)
SELECT company_id, md5(company_id::text || n % 4)::uuid, n / 4 % 3 - 1, at, n, id, 'PIX_IN', id, 1, n, 0 FROM many;
INSERT INTO instruments (company_id, order_id, rail, reference, code, due, payable_until)
SELECT company_id, id, 'boleto', n, 'x', at, at FROM many;
INSERT INTO card_payments (company_id, id, order_id, state, charge_id, created_at, updated_at)
SELECT company_id, id, id, 'FAILED', 'x', at, at FROM many;
INSERT INTO pix_static_qrcodes (company_id, id, account_id, pix_key, txid, qrcode_data, created_at)
SELECT company_id, id, md5(company_id::text || (n % 40 + 1))::uuid, 'x', 'S' || n, 'x', at FROM many;
INSERT INTO foreign_payments (company_id, id, rail, payment_id, amount_minor, paid_at, state, order_id, created_at, updated_at)
SELECT company_id, id, 'bank' || n % 40, 'E' || n, 1, at, CASE WHEN n % 40 = 7 THEN 'CLAIMED' ELSE 'FOUND' END,
       CASE WHEN n % 40 = 7 THEN id END, at, at FROM many;
INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)
SELECT company_id, id, 'T', id, 'https://shop.example.com/hook', 'x', at FROM many;
INSERT INTO event_numbers (company_id, sequence, event_id, created_at) SELECT company_id, n, id, at FROM many;
INSERT INTO event_cursors (company_id, last_sequence) VALUES (tenant(), {MANY});
INSERT INTO deliveries (company_id, id, sequence, reference_id, url, type, status, due_at, created_at)
SELECT company_id, id, n, id, 'https://shop.example.com/' || CASE WHEN n % 70 = 7 THEN 7 ELSE 0 END, CASE WHEN n % 40 = 7 THEN 'T7' ELSE 'T0' END, CASE n % 5 WHEN 0 THEN 'FAILED' WHEN 1 THEN 'RETRYING' WHEN 2 THEN 'PENDING' ELSE 'DELIVERED' END,
       CASE WHEN n <= {FEW} THEN at END, at FROM many;
INSERT INTO delivery_attempts SELECT company_id, id, 1, 500, 'no', at, 10 FROM many;
INSERT INTO outbox (company_id, id, rail, kind, network_id, reference_id, body, created_at, due_at)
SELECT company_id, id, 'pix', 'x', id, id, 'x', at, CASE WHEN n <= {FEW} THEN at END FROM many;
INSERT INTO inbox (company_id, id, rail, kind, network_id, subject, body, received_at, due_at)
SELECT company_id, id, 'pix', 'x', id, id, 'x', at, CASE WHEN n <= {FEW} THEN at END FROM many;
INSERT INTO pix_payments (company_id, id, end_to_end_id, state, amount_minor, accepted_at, ask_at, created_at, updated_at)
SELECT company_id, id, id, CASE WHEN n <= {FEW} THEN 'ACCEPTED' ELSE 'SETTLED' END, 1, at, CASE WHEN n <= {FEW} THEN at END, at, at FROM many;
INSERT INTO refunds (company_id, id, origin, payment_id, return_id, reason_code, state, amount_minor, hold_id, ask_at, created_at, updated_at, order_id, external_id)
SELECT company_id, id, CASE WHEN n % 7 = 0 THEN 'AUTOMATIC' ELSE 'CLIENT' END, id, id, 'MD06',
       CASE WHEN n <= {FEW} THEN 'PENDING' WHEN n % 3 = 0 THEN 'PAID' ELSE 'ERROR' END, 1, id, CASE WHEN n <= {FEW} THEN at END, at, at,
       CASE WHEN n % 7 > 0 THEN md5(company_id::text || (n % 40 + 1))::uuid END, CASE WHEN n % 7 > 0 THEN 'refund' || n END FROM many;
INSERT INTO payouts (company_id, id, account_id, external_id, idempotency_key, payment_method, rail, initiation, status, currency,
  amount_minor, description, receiver_id, end_to_end_id, ask_at, start_at, created_at, updated_at)
SELECT company_id, id, md5(company_id::text || (n % 40 + 1))::uuid, 'payout' || n, 'key', 'PIX',
       CASE n % 2 WHEN 0 THEN 'pix' ELSE 'ted' END, 'KEY',
       CASE WHEN n <= {FEW} THEN 'PENDING' WHEN n % 3 = 0 THEN 'EXPIRED' WHEN n % 3 = 1 THEN 'CANCELED' ELSE 'ERROR' END, 'BRL', 1, 'x',
       id, 'E' || n, CASE WHEN n <= {FEW} AND n % 3 > 0 THEN at END, CASE WHEN n <= {FEW} AND n % 3 = 0 THEN at END, at, at FROM many;
INSERT INTO payout_plans (company_id, id, status, format, lines, hash, approvals_needed, created_by, created_at, updated_at, due_at)
SELECT company_id, id, CASE n % 3 WHEN 0 THEN 'EXPIRED' WHEN 1 THEN 'CANCELED' ELSE 'APPLIED' END, 'CSV', 100, 'x', 1, 'x', at, at,
       CASE WHEN n <= {FEW} THEN at END FROM many;
INSERT INTO med_objects (company_id, id, object_type, role, account_id, status, end_to_end_id, amount_minor, deadline, due_at, created_at, updated_at,
  occurred_at)
SELECT company_id, id, 'INFRINGEMENT_NOTIFICATION', 'RECEIVER', md5(company_id::text || (n % 40 + 1))::uuid, CASE WHEN n <= {FEW} THEN 'RECEIVED' ELSE 'ANALYSED' END,
       'E' || n, 1, at, CASE WHEN n <= {FEW} THEN at END, at, at, at FROM many;
INSERT INTO med_documents (company_id, id, object_id, number, content_type, size, digest, kept_digest, created_at)
SELECT company_id, id, id, 1, 'image/png', 1, 'x', 'x', at FROM many;
INSERT INTO payout_plan_lines (company_id, id, plan_id, number, line, request, issues, payout_id, digest, created_at)
SELECT company_id, id, md5(company_id::text || (n % 60 + 1))::uuid, n / 60 + 1, n / 60 + 1, 'x',
       CASE WHEN n % 5 = 0 THEN 'x' END, CASE WHEN n % 5 > 1 THEN id END, 'x', at FROM many;
INSERT INTO subscriptions (company_id, id, account_id, external_id, provider_id, type, status, frequency, starts_on, ends_on, currency,
  charges_after_due, adjusts, auto_schedule, webhook_url, debtor_id, location_token, lapses_at, ends_at, created_at, updated_at)
SELECT company_id, id, md5(company_id::text || (n % 40 + 1))::uuid, 'subscription' || n, 'R' || n, 'AUTHORIZATION_QRCODE',
       CASE WHEN n <= {FEW} THEN 'PENDING_AUTHORIZATION' WHEN n % 3 = 0 THEN 'CANCELED' ELSE 'REJECTED' END, 'MONTHLY',
       '2026-01-01'::date + n % 60, '2027-01-01'::date + n % 60, 'BRL', true, false, false, 'x', id, 'L' || n, at, at, at, at FROM many;
INSERT INTO subscription_cancellations (company_id, id, subscription_id, status, idempotency_key, reason, message_id, ask_at, created_at, updated_at)
SELECT company_id, id, id, CASE WHEN n <= {FEW} THEN 'PENDING' ELSE 'ACCEPTED' END, 'k', 'OTHER', 'M' || n,
       CASE WHEN n <= {FEW} THEN at END, at, at FROM many;
INSERT INTO subscription_payments (company_id, id, subscription_id, external_id, status, order_id, currency, amount_minor, due_on,
  settles_on, cycle, cycle_starts_on, next_cycle_starts_on, auto_retry, due_at, cancel_message_id, cancel_asked_at, ask_at, created_at, updated_at)
SELECT company_id, id, md5(company_id::text || (n % 60 + 1))::uuid, 'payment' || n,
       CASE WHEN n <= {FEW} THEN 'SCHEDULED' WHEN n % 3 = 0 THEN 'CANCELED' ELSE 'ERROR' END, id, 'BRL', 1, '2026-01-01', '2026-01-01', n,
       '2026-01-01', '2026-02-01', true, CASE WHEN n <= {FEW} AND n % 2 = 0 THEN at END, CASE WHEN n <= {FEW} AND n % 2 = 1 THEN 'M' || n END,
       CASE WHEN n <= {FEW} AND n % 2 = 1 THEN at END, CASE WHEN n <= {FEW} AND n % 2 = 1 THEN at END, at, at FROM many;
INSERT INTO payment_attempts (company_id, id, payment_id, number, status, kind, collects_on, message_id, ask_at, created_at, updated_at)
SELECT company_id, id, id, 1, CASE WHEN n <= {FEW} / 2 THEN 'REQUESTED' WHEN n <= {FEW} THEN 'SCHEDULED' ELSE 'REJECTED' END, 'AGND',
       '2026-01-01', 'M' || n, CASE WHEN n <= {FEW} THEN at END, at, at FROM many;
DROP TABLE many;
"""
# Of OURS alone: moves and bookings beside what lists are made of.
MORE = f"""
INSERT INTO ledger_accounts (company_id, id, code, currency) SELECT company_id, id, 'NET', 'BRL' FROM orders WHERE company_id = '{OURS}';
INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at)
SELECT company_id, id, 1, 'orders', '', 'INITIAL', 'create', created_at FROM orders WHERE company_id = '{OURS}';
INSERT INTO transfers (company_id, id, kind, debit_id, credit_id, amount_minor, currency, type, reference_id, created_at)
SELECT company_id, id, 'moved', id, (SELECT l.id FROM ledger_accounts l WHERE l.company_id = o.company_id AND l.id <> o.id LIMIT 1), 1, 'BRL', 'TEST', id, created_at
  FROM orders o WHERE company_id = '{OURS}' AND status = 'EXPIRED';
INSERT INTO payout_returns (company_id, id, payout_id, return_id, amount_minor, reason_code, settled_at, created_at)
SELECT company_id, id, id, 'D' || id, 1, 'MD06', created_at, created_at FROM payouts WHERE company_id = '{OURS}';
INSERT INTO statements (company_id, id, rail, day, state, due_at, created_at, updated_at)
SELECT company_id, id, 'pix', '2000-01-01'::date + n, CASE WHEN n <= 20 THEN 'TAKING' ELSE 'TAKEN' END,
       CASE WHEN n <= 20 THEN created_at END, created_at, created_at
  FROM (SELECT *, row_number() OVER ()::integer AS n FROM payouts WHERE company_id = '{OURS}') p;
INSERT INTO statement_items (company_id, id, statement_id, rail, day, kind, network_id, difference, state, line_id, currency, created_at, updated_at)
SELECT company_id, id, id, 'pix', '2000-01-01', 'IN', id, 'AMOUNT', CASE WHEN n <= 20 THEN 'OPEN' ELSE 'EXPLAINED' END, 'x', 'BRL',
       created_at, created_at FROM (SELECT *, row_number() OVER () AS n FROM payouts WHERE company_id = '{OURS}') p;
UPDATE outbox SET sends = 1 WHERE company_id = '{OURS}' AND due_at IS NOT NULL
"""


@dataclass
class Filled:
    app: "asyncpg.Connection[asyncpg.Record]"
    work: "asyncpg.Connection[asyncpg.Record]"


@pytest.fixture(scope="session")
def many(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database with many rows of all that is listed, filled once: whoever reads plans changes nothing."""
    for database in lent(request, "clone", secrets.token_hex(4), real_events=False):
        asyncio.run(_fill(database))
        yield database


async def _fill(database: Database) -> None:
    admin = await database.connect()
    await admin.execute("INSERT INTO company_numbers VALUES (1, $1::uuid), (2, $2::uuid)", OURS, OTHERS)
    # A login that is no superuser fills one company at a time.
    for company_id, said in ((OURS, FILL.strip() + "\n" + MORE), (OTHERS, FILL)):
        await admin.execute("SELECT set_config('lastro.company', $1, false)", company_id)
        for statement in said.strip().removesuffix(";").split(";\n"):
            await admin.execute(statement)
    await admin.execute("SET ROLE lastro_owner")
    await admin.execute("ANALYZE")
    await admin.close()


@pytest.fixture(scope="session")
async def filled(many: Database) -> AsyncIterator[Filled]:
    async with AsyncExitStack() as stack:
        app, work = [await many.connect(dsn) for dsn in (many.app, many.work)]
        for connection in (app, work):
            stack.push_async_callback(connection.close)
        await app.execute(f"SELECT set_config('lastro.company', '{OURS}', false)")
        yield Filled(app, work)
