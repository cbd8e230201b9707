"""Row-level security, proved by queries that forgot their WHERE: as the app's role, no company sees or writes another's rows."""

import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.conftest import lent

from .test_schema import tenant_tables

if TYPE_CHECKING:
    Connection = asyncpg.Connection[asyncpg.Record]

# Views of the tables that belong to everybody: a number and whose it is, which finds the company of a network's id.
OF_EVERYBODY = frozenset({"law_numbers_lead_to_their_owner"})
# One row of every tenant's table for the company of the session. $number and $account differ from company to company.
FILL = """
INSERT INTO companies (company_id, number, name, webhook_secret, created_at) VALUES (tenant(), {number}, 'company', 'x', now());
INSERT INTO company_fees (company_id, id, payment_method, payer, valid_from, created_at)
  VALUES (tenant(), '{account}', 'PIX', 'RECEIVER', now(), now());
INSERT INTO clients (company_id, client_id, name, secret_hash, permissions, tokens_valid_after, created_at)
  VALUES (tenant(), 'lc_{number}', 'shop', 'x', '{{}}', now(), now());
INSERT INTO parties (company_id, id, name) VALUES (tenant(), '{account}', 'Bento');
INSERT INTO people (id, email, name, roles, created_at)
  VALUES ('{account}', 'rita{number}@example.com', 'Rita', '{{READ}}', now());
INSERT INTO people_acts (id, person_id, act, version, created_at) VALUES ('{account}', '{account}', 'INVITED', 1, now());
INSERT INTO console_acts (company_id, id, person_id, operation, path, status, created_at)
  VALUES (tenant(), '{account}', '{account}', 'x', '/x', 200, now());
INSERT INTO account_numbers (number, company_id, account_id) VALUES ('{number}', tenant(), '{account}');
INSERT INTO accounts (company_id, id, number, branch, status, holder_type, full_name, document_type, document_number, email,
                      phone, created_at, updated_at)
  VALUES (tenant(), '{account}', '{number}', '1', 'ACTIVE', 'INDIVIDUAL', 'Ana', 'CPF', '1', 'a@example.com', '1', now(), now());
INSERT INTO pix_keys (company_id, id, account_id, type, key, status, created_at, updated_at, possessed_at)
  VALUES (tenant(), '{account}', '{account}', 'RANDOM', '{account}', 'ACTIVE', now(), now(), now());
INSERT INTO pix_key_validations (company_id, id, account_id, type, key, status, request_id, sealed_by, sent_at, expires_at,
                                 created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'EMAIL', 'ana@example.com', 'PENDING', '{account}', 'k', now(), now(), now(), now());
INSERT INTO key_claims (company_id, id, account_id, role, claim_type, key_type, key, status, other_bank, resolution_at, created_at,
                        updated_at)
  VALUES (tenant(), '{account}', '{account}', 'CLAIMER', 'PORTABILITY', 'EMAIL', 'bia@example.com', 'OPEN', '99999030', now(), now(),
          now());
INSERT INTO account_requests (company_id, id, status, external_id, holder_type, party_id, terms_version, terms_accepted_at, missing,
                              created_at, updated_at)
  VALUES (tenant(), '{account}', 'ANALYSIS', 'x', 'INDIVIDUAL', '{account}', 'x', now(), '{{}}', now(), now());
INSERT INTO account_documents (company_id, id, request_id, slot, page, content_type, size, digest, kept_digest, created_at)
  VALUES (tenant(), '{account}', '{account}', 'selfieHolder', 1, 'image/png', 1, 'x', 'x', now());
INSERT INTO account_close_requests (company_id, id, account_id, status, reason_code, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'REQUESTED', 'x', now(), now());
INSERT INTO ledger_accounts (company_id, id, code, currency, account_id) VALUES (tenant(), '{account}', 'CUST', 'BRL', '{account}');
INSERT INTO ledger_accounts (company_id, id, code, rail, currency) VALUES (tenant(), '{other}', 'NET', 'pix', 'BRL');
INSERT INTO balances (company_id, ledger_account_id) VALUES (tenant(), '{account}');
INSERT INTO transfers (company_id, id, kind, debit_id, credit_id, amount_minor, currency, type, reference_id, created_at)
  VALUES (tenant(), '{account}', 'moved', '{other}', '{account}', 1, 'BRL', 'PIX_IN', '{account}', now());
INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id, amount_minor,
                     balance_minor, held_minor)
  VALUES (tenant(), '{account}', 1, now(), 1, '{account}', 'PIX_IN', '{account}', 1, 1, 0);
INSERT INTO entry_cursors (company_id) VALUES (tenant());
INSERT INTO entries_behind (company_id, decided_at, watermark) VALUES (tenant(), now(), now());
INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, created_at)
  VALUES (tenant(), '{account}', 1, 'orders', '', 'INITIAL', 'create', now());
INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, description, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'x', 'TRANSPARENT', 'PIX', 'INITIAL', 'BRL', 'Bread', now(), now());
INSERT INTO instruments (company_id, order_id, rail, reference, code, due, payable_until)
  VALUES (tenant(), '{account}', 'boleto', '{number}', 'x', '2026-01-01', '2026-01-02');
INSERT INTO connections (company_id, rail, created_at, updated_at) VALUES (tenant(), 'pix', now(), now());
INSERT INTO connection_keys (company_id, id, rail, type, key, account_id, created_at)
  VALUES (tenant(), '{account}', 'pix', 'EMAIL', 'shop@example.com', '{account}', now());
INSERT INTO pix_payments (company_id, id, end_to_end_id, state, amount_minor, accepted_at, created_at, updated_at)
  VALUES (tenant(), '{account}', 'E{number}', 'SETTLED', 1, now(), now(), now());
INSERT INTO foreign_payments (company_id, id, rail, payment_id, amount_minor, paid_at, state, created_at, updated_at)
  VALUES (tenant(), '{account}', 'efi1', 'E{number}', 1, now(), 'FOUND', now(), now());
INSERT INTO card_payments (company_id, id, order_id, state, charge_id, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'CREATED', 'c{number}', now(), now());
INSERT INTO card_tokens (company_id, name, token, brand, last_four, expiry, order_id, created_at)
  VALUES (tenant(), 'card{number}', 'x', 'VISA', '1111', '12/49', '{account}', now());
INSERT INTO chargebacks (company_id, id, order_id, payment_id, chargeback_id, amount_minor, taken_at, created_at)
  VALUES (tenant(), '{account}', '{account}', '{account}', 'c{number}', 1, now(), now());
INSERT INTO settlements (company_id, id, account_id, rail, currency, amount_minor, reference, created_at)
  VALUES (tenant(), '{account}', '{account}', 'spei', 'MXN', 1, 'T-1', now());
INSERT INTO statements (company_id, id, rail, day, state, created_at, updated_at)
  VALUES (tenant(), '{account}', 'pix', '2026-01-01', 'TAKEN', now(), now());
INSERT INTO statement_lines (company_id, id, statement_id, edition, line_id, rail, day, kind, network_id, amount_minor, currency,
                             settled_at, verdict, created_at)
  VALUES (tenant(), '{account}', '{account}', 1, 'l', 'pix', '2026-01-01', 'IN', 'E{number}', 1, 'BRL', now(), 'MATCHED', now());
INSERT INTO statement_items (company_id, id, statement_id, rail, day, kind, network_id, difference, line_id, state, currency,
                             created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'pix', '2026-01-01', 'IN', 'E{number}', 'TWICE', 'l', 'OPEN', 'BRL', now(), now());
INSERT INTO refunds (company_id, id, origin, payment_id, return_id, reason_code, state, amount_minor, hold_id, created_at, updated_at)
  VALUES (tenant(), '{account}', 'AUTOMATIC', '{account}', 'D{number}', 'MD06', 'PENDING', 1, '{account}', now(), now());
INSERT INTO subscriptions (company_id, id, account_id, external_id, provider_id, type, status, frequency, starts_on, currency,
                           charges_after_due, adjusts, auto_schedule, webhook_url, debtor_id, location_token, lapses_at, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'x', 'R{number}', 'AUTHORIZATION_QRCODE', 'CANCELED', 'MONTHLY', now(), 'BRL',
          true, true, false, 'https://shop.example.com', '{account}', '{number}', now(), now(), now());
INSERT INTO subscription_cancellations (company_id, id, subscription_id, status, idempotency_key, reason, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'ACCEPTED', 'k', 'OTHER', now(), now());
INSERT INTO subscription_payments (company_id, id, subscription_id, external_id, status, order_id, currency, amount_minor, due_on,
                                   settles_on, cycle, cycle_starts_on, next_cycle_starts_on, auto_retry, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'x', 'CANCELED', '{account}', 'BRL', 1, '2026-01-01', '2026-01-01', 0, '2026-01-01',
          '2026-02-01', true, now(), now());
INSERT INTO payment_attempts (company_id, id, payment_id, number, status, kind, collects_on, message_id, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 1, 'CANCELED', 'AGND', '2026-01-01', 'M{number}', now(), now());
INSERT INTO account_limits (company_id, account_id, payment_method, transaction_minor) VALUES (tenant(), '{account}', 'PIX', 1);
INSERT INTO pix_static_qrcodes (company_id, id, account_id, pix_key, txid, qrcode_data, created_at)
  VALUES (tenant(), '{account}', '{account}', 'x', 'x', 'x', now());
INSERT INTO quotas (company_id, owner_id, kind, period, used_minor) VALUES (tenant(), '{account}', 'PIX.day', '2026-01-01', 1);
INSERT INTO payouts (company_id, id, account_id, external_id, idempotency_key, payment_method, rail, initiation, status, currency,
                     amount_minor, description, receiver_id, created_at, updated_at)
  VALUES (tenant(), '{account}', '{account}', 'x', 'k', 'PIX', 'pix', 'KEY', 'PENDING', 'BRL', 1, 'Bread', '{account}', now(), now());
INSERT INTO payout_returns (company_id, id, payout_id, return_id, amount_minor, reason_code, settled_at, created_at)
  VALUES (tenant(), '{account}', '{account}', 'D{number}', 1, 'MD06', now(), now());
INSERT INTO med_objects (company_id, id, object_type, role, account_id, status, end_to_end_id, amount_minor, deadline, created_at, updated_at,
                         occurred_at)
  VALUES (tenant(), '{account}', 'INFRINGEMENT_NOTIFICATION', 'PAYER', '{account}', 'OPEN', 'E{number}', 1, now(), now(), now(), now());
INSERT INTO med_documents (company_id, id, object_id, number, content_type, size, digest, kept_digest, created_at)
  VALUES (tenant(), '{account}', '{account}', 1, 'image/png', 1, 'x', 'x', now());
INSERT INTO payout_plans (company_id, id, status, format, lines, hash, approvals_needed, created_by, created_at, updated_at)
  VALUES (tenant(), '{account}', 'READY', 'CSV', 1, 'x', 1, 'lc_{number}', now(), now());
INSERT INTO payout_plan_bodies (company_id, id, body) VALUES (tenant(), '{account}', 'x');
INSERT INTO payout_plan_lines (company_id, id, plan_id, number, line, request, digest, created_at)
  VALUES (tenant(), '{account}', '{account}', 1, 2, 'x', 'x', now());
INSERT INTO payout_plan_approvals (company_id, plan_id, approver, hash, created_at)
  VALUES (tenant(), '{account}', 'lc_{number}', 'x', now());
INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)
  VALUES (tenant(), '{account}', 'T', '{account}', 'https://shop.example.com', 'x', now());
INSERT INTO event_numbers (company_id, sequence, event_id, created_at) VALUES (tenant(), 1, '{account}', now());
INSERT INTO event_cursors (company_id) VALUES (tenant());
INSERT INTO event_eras (company_id, id, era, last_before, first_sequence)
  SELECT tenant(), '{account}', began_at, 1, 3 FROM eras;
INSERT INTO erasures (company_id, id, reference, erased_by, erased, kept, created_at)
  VALUES (tenant(), '{account}', 'x', 'rita', '{{}}', '{{}}', now());
INSERT INTO erased_bodies (company_id, event_id, number, erasure_id, sha256, left_sha256)
  VALUES (tenant(), '{account}', 1, '{account}', 'x', 'x');
INSERT INTO forgotten_bodies (company_id, event_id, sha256, forgotten_at) VALUES (tenant(), '{account}', 'x', now());
INSERT INTO webhook_settings (company_id, event, active, is_extra, updated_at) VALUES (tenant(), 'ORDER-PAYIN.PAID', true, false, now());
INSERT INTO webhook_circuits (company_id, endpoint, origin, state, opened_at, failure)
  VALUES (tenant(), 1, 'https://shop.example.com', 'CLOSED', now(), 'TIMEOUT');
INSERT INTO deliveries (company_id, id, sequence, reference_id, url, type, status, created_at)
  VALUES (tenant(), '{account}', 1, '{account}', 'https://shop.example.com', 'ORDER-PAYIN.PAID', 'FAILED', now());
INSERT INTO delivery_attempts (company_id, event_id, number, status_code, message, requested_at, duration_ms)
  VALUES (tenant(), '{account}', 1, 500, 'no', now(), 1);
INSERT INTO outbox (company_id, id, rail, kind, network_id, reference_id, body, created_at)
  VALUES (tenant(), '{account}', 'pix', 'x', 'm{number}', '{account}', 'x', now());
INSERT INTO inbox (company_id, id, rail, kind, network_id, subject, body, received_at)
  VALUES (tenant(), '{account}', 'pix', 'x', 'm{number}', 'x', 'x', now());
INSERT INTO answers (company_id, operation, key, fingerprint, status, object_id, keep, created_at)
  VALUES (tenant(), 'create_order', 'k', 'x', 200, '{account}', 'week', now())
"""


@dataclass
class Street:
    """Two companies with a row in every table, and the app's role on a connection of its own."""

    app: "Connection"
    audit: "Connection"
    tables: tuple[str, ...]
    ana: UUID
    dora: UUID

    async def enter(self, company_id: UUID | None) -> None:
        await self.app.execute("SELECT set_config('lastro.company', $1, false)", str(company_id or ""))

    async def seen(self, table: str) -> set[UUID]:
        """Whose rows the app sees when it forgets to say whose."""
        return {row["company_id"] for row in await self.app.fetch(f"SELECT company_id FROM {table}")}

    async def may(self, table: str, right: str) -> bool:
        return bool(await self.app.fetchval("SELECT has_table_privilege(current_user, $1, $2)", table, right))


@pytest.fixture(scope="module")
async def street(request: pytest.FixtureRequest) -> AsyncIterator[Street]:
    for database in lent(request, "clone", secrets.token_hex(4)):
        admin, app, audit = (
            await database.connect(),
            await database.connect(database.app),
            await database.connect(database.audit),
        )
        made = Street(app, audit, tuple(sorted(await tenant_tables(database))), uuid4(), uuid4())
        for number, company_id in ((1, made.ana), (2, made.dora)):
            await admin.execute("INSERT INTO company_numbers VALUES ($1, $2)", number, company_id)
            await made.enter(company_id)
            await app.execute(FILL.format(number=number, account=uuid4(), other=uuid4()))
        yield made
        for connection in (admin, app, audit):
            await connection.close()


async def test_every_table_has_rows_of_both(street: Street) -> None:
    """Or the rest would prove nothing of it."""
    for table in street.tables:
        whose = {row[0] for row in await street.audit.fetch(f"SELECT company_id FROM {table}")}
        assert whose == {street.ana, street.dora}, f"{table} is empty: give it a row in FILL"


async def test_a_query_without_its_where_shows_ones_own_rows_alone(street: Street) -> None:
    for table in street.tables:
        for company_id in (street.ana, street.dora):
            await street.enter(company_id)
            assert await street.seen(table) == {company_id}, table


async def test_without_a_company_there_are_no_rows(street: Street) -> None:
    await street.enter(None)
    for table in street.tables:
        assert await street.seen(table) == set(), table


async def test_nor_do_views_show_more(street: Street) -> None:
    views = [
        row[0]
        for row in await street.audit.fetch(
            "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'"
        )
    ]
    assert len(views) > 10
    shown = set()
    assert set(views) >= OF_EVERYBODY
    for view in set(views) - OF_EVERYBODY:
        if not await street.may(view, "SELECT"):
            continue
        await street.enter(street.ana)
        seen = await street.seen(view)
        assert seen <= {street.ana}, view
        await street.enter(None)
        assert await street.seen(view) == set(), view
        shown |= {view} if seen else set()
    assert "objects" in shown


async def columns(street: Street, table: str) -> str:
    """Those that can be given."""
    rows = await street.app.fetch(
        "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attgenerated = '' AND attname <> 'company_id'", table,
    )  # fmt: skip
    return ", ".join(row[0] for row in rows)


async def refused(street: Street, statement: str, *arguments: Any) -> str:
    """Why a statement is refused; it must be."""
    transaction = street.app.transaction()
    await transaction.start()
    try:
        with pytest.raises(asyncpg.InsufficientPrivilegeError) as caught:
            await street.app.execute(statement, *arguments)
        return str(caught.value)
    finally:
        await transaction.rollback()


async def test_nothing_is_inserted_for_another_company(street: Street) -> None:
    """Whichever company the session is for, and for none."""
    for table in street.tables:
        given = await columns(street, table)
        assert await street.may(table, "INSERT"), table
        await street.enter(street.ana)
        row = f"INSERT INTO {table} (company_id, {given}) SELECT $1, {given} FROM {table} LIMIT 1"
        assert "row-level security" in await refused(street, row, street.dora), table
        assert "row-level security" in await refused(street, row, uuid4()), table
        one = f"INSERT INTO {table} (company_id) VALUES ($1)"
        await street.enter(None)
        assert "row-level security" in await refused(street, one, street.dora), table


async def test_nothing_of_another_company_is_changed(street: Street) -> None:
    """Its rows are not found; one's own cannot be given to it."""
    changeable = []
    for table in street.tables:
        for right, statement in (
            ("UPDATE", f"UPDATE {table} SET company_id = company_id WHERE company_id = $1"),
            ("DELETE", f"DELETE FROM {table} WHERE company_id = $1"),
        ):
            for company_id in (street.ana, None):
                await street.enter(company_id)
                if await street.may(table, right):
                    assert await street.app.execute(statement, street.dora) == f"{right} 0", table
                else:
                    assert "permission denied" in await refused(street, statement, street.dora), table
        if await street.may(table, "UPDATE"):
            changeable.append(table)
            await street.enter(street.ana)
            assert "row-level security" in await refused(street, f"UPDATE {table} SET company_id = $1", street.dora), table
    assert {"accounts", "balances", "clients", "orders"} <= set(changeable)


async def test_a_row_is_not_found_by_its_id_either(street: Street) -> None:
    """A lock and a clash of ids would tell of it as much as its text."""
    theirs = await street.audit.fetchval("SELECT id FROM orders WHERE company_id = $1", street.dora)
    await street.enter(street.ana)
    assert await street.app.fetch("SELECT 1 FROM orders WHERE id = $1 FOR UPDATE", theirs) == []
    assert await street.app.fetchval("SELECT count(*) FROM orders WHERE id = $1 OR true", theirs) == 1
