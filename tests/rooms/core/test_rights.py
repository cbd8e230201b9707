"""What each role may see and do. Every table is taken from the catalog, so that a new one is asked the same."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.cast import Cast, Seller
from tests.rooms.accounts.openings import born_opening
from tests.rooms.core.verbs import born_order, born_payout, born_statement, erased, make_slip, settle_pesos, take_back_a_card
from tests.rooms.keys.proof import asked_claim, asked_proof
from tests.rooms.ledger.test_entries import earn_long_ago
from tests.rooms.med.recovery import disputed
from tests.rooms.people.acting import act_in_the_console

from lastro import ledger
from lastro.api_kit.routes import render, stamp
from lastro.closing import CLOSE_REQUESTS
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.runner import RequestContext
from lastro.core.write import Event, Finished, Row, Stored, Touch, Write
from lastro.orders import ORDERS, PIX_PAYMENTS
from lastro.orders.actions.give_back import ReturnId, give_back
from lastro.plans import PLANS
from lastro.rails.port import PIX_SETTLED, ChargeInstruction, Collector, charge_message
from lastro.standards.pix_ids import base62, dynamic_txid, static_txid
from lastro.standards.recurrence_ids import recurrence_id
from lastro.subscriptions import ATTEMPTS, CANCELLATIONS, PAYMENTS, SUBSCRIPTIONS

SHARED = {"company_numbers", "account_numbers", "own_keys", "rails"}  # they say which company each belongs to
NO_COMPANY = {
    "clock", "allowed_moves", "signing_keys", "sealing_keys", "migrations", "bank_lists", "directory_buckets", "directory_look_ups",
    "directory_unknown", "partner_states", "rail_cursors", "law_checks", "people", "people_acts", "people_ended", "people_links", "people_sessions", "sign_in_tries", "eras", "beats",
}  # fmt: skip
APPENDED = (
    "transfers", "entries", "history", "events", "event_numbers", "delivery_attempts", "ledger_accounts", "allowed_moves", "clock",
    "people_acts", "console_acts", "sealing_keys",
)  # fmt: skip
TABLES = "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
LEAVE_OUT = """WITH c AS (UPDATE event_cursors SET last_sequence = last_sequence + 2 WHERE company_id = $1 RETURNING last_sequence AS n)
INSERT INTO event_eras SELECT $1, $2, began_at, n - 2, n + 1, business_now() FROM c, eras RETURNING 1"""


def _subscription(seller: Seller, subscription: UUID, cancellation: UUID, debtor: UUID, at: datetime) -> tuple[Row, ...]:
    """One that nobody has authorized, and a cancellation that was refused, as if there could be one already."""
    values = {
        "id": subscription, "account_id": seller.account_id, "external_id": "s",
        "provider_id": recurrence_id("12345678", at.date(), seller.number, 1, retries=False), "type": "AUTHORIZATION_QRCODE",
        "frequency": "MONTHLY", "starts_on": at.date(), "currency": "BRL", "charges_after_due": False, "adjusts": False,
        "auto_schedule": False, "webhook_url": "https://ana.example", "debtor_id": debtor,
        "location_token": f"{base62(seller.number, 5)}{subscription.hex[:17]}", "lapses_at": at, "created_at": at,
        "updated_at": at,
    }  # fmt: skip
    of_cancellation = {
        "id": cancellation, "subscription_id": subscription, "idempotency_key": "k", "reason": "OTHER", "created_at": at,
        "updated_at": at,
    }  # fmt: skip
    return (
        *SUBSCRIPTIONS.born(values, at, ("create", "register")),
        *CANCELLATIONS.born(of_cancellation, at, ("ask", "refuse")),
    )


def _payment(cast: Cast, seller: Seller, subscription: UUID, debtor: UUID, at: datetime) -> Write:
    """A charge of it that was called off, as if there could have been one already."""
    payment, order, attempt, day = cast.id(), cast.id(), cast.id(), at.date()
    times = {"created_at": at, "updated_at": at}
    txid, name = dynamic_txid(seller.number, payment.bytes + order.bytes), f"M{payment.hex[1:]}"
    of_order = {
        "id": order, "account_id": seller.account_id, "external_id": "p", "origin": "SUBSCRIPTION", "payment_method": "PIX",
        "currency": "BRL", "amount_minor": 1, "final_amount_minor": 1, "description": "x", "txid": txid,
        "notification_url": "https://ana.example", "customer_id": debtor, "subscription_id": subscription,
        "subscription_code": "s", "scheduled_payment_id": payment, **times,
    }  # fmt: skip
    of_payment = {
        "id": payment, "subscription_id": subscription, "external_id": "p", "order_id": order, "currency": "BRL",
        "amount_minor": 1, "due_on": day, "settles_on": day, "cycle": 0, "cycle_starts_on": day,
        "next_cycle_starts_on": day + timedelta(days=28), "auto_retry": True, "code": "SLCR", **times,
    }  # fmt: skip
    of_attempt = {
        "id": attempt, "payment_id": payment, "number": 1, "kind": "AGND", "collects_on": day, "message_id": name, **times,
    }  # fmt: skip
    rows = (
        *ORDERS.born(of_order, at, ("create", "cancel")),
        *PAYMENTS.born(of_payment, at, ("schedule", "send", "cancel")),
        *ATTEMPTS.born(of_attempt, at, ("request", "cancel")),
    )
    told = {
        "id": str(payment), "externalId": "p", "orderId": str(order), "subscription": {"id": str(subscription), "code": "s"},
        "dueDate": day.isoformat(), "adjustedDueDate": day.isoformat(), "amount": {"currency": "BRL", "value": "0.01"},
    }  # fmt: skip
    events = tuple(
        Event(cast.id(), f"SUBSCRIPTION-PAYMENT.{status}", payment, None,
             render({"event": f"SUBSCRIPTION-PAYMENT.{status}", "occurredAt": stamp(at), "data": {**told, "status": status}}), at)
        for status in ("SCHEDULED", "CANCELED")
    )  # fmt: skip
    instruction = ChargeInstruction(
        name, recurrence_id("12345678", day, seller.number, 1, retries=False), txid, "AGND", Money(1, "BRL"), day, day,
        "99999020", "11144477735", Collector("Ana", "1", "1", "1"),
    )  # fmt: skip
    return Write(
        seller.company_id, rows=rows, events=events, messages=(charge_message(instruction, attempt, cast.id(), at),)
    )


def _plan(seller: Seller, plan: UUID, line: UUID, at: datetime) -> tuple[Row, ...]:
    """A plan that is being checked, one of its two lines so far; and an approval, as if there could be one already."""
    digest = sha256(b"").digest()
    hashed = sha256(digest).hexdigest()
    values = {
        "id": plan, "format": "JSON", "lines": 2, "approvals_needed": 2, "created_by": "another", "due_at": at, "created_at": at, "updated_at": at,
    }  # fmt: skip
    return (
        *PLANS.born(values, at),
        Row("payout_plan_bodies", {"id": plan}),
        Row(
            "payout_plan_lines",
            {"id": line, "plan_id": plan, "number": 1, "line": 1, "request": b"", "digest": digest, "created_at": at},
        ),
        Row(
            "payout_plan_approvals", {"plan_id": plan, "approver": seller.client.client_id, "hash": hashed, "created_at": at}
        ),
    )


async def fill(cast: Cast, seller: Seller) -> None:
    """At least one row in each of a company's tables."""
    at = datetime.now(UTC)
    order, payment, event, inbox, lease = (cast.id() for _ in range(5))
    company, end_to_end_id, one = seller.company_id, f"E{payment.hex[1:]}", Money(1, "BRL")
    unfit = {
        "id": payment, "end_to_end_id": end_to_end_id, "amount_minor": 1, "accepted_at": at, "settled_at": at,
        "created_at": at, "updated_at": at,
    }  # fmt: skip
    back = give_back(
        payment, end_to_end_id, one, PIX_PAYMENTS.born(unfit, at, ("give_back",)), ReturnId("12345678", seller.number, 1),
        RequestContext(company, at, cast.chance),
    )  # fmt: skip
    payout, receiver, subscription = cast.id(), cast.id(), cast.id()
    rows = (
        *born_order(seller, order, at),
        Row("parties", {"id": receiver, "name": "Bento"}),
        *born_payout(seller, payout, receiver, at),
        Row("payout_returns", {"id": cast.id(), "payout_id": payout, "return_id": f"D{payout.hex[1:]}", "amount_minor": 1, "reason_code": "MD06", "is_unfit": True, "settled_at": at, "created_at": at}),
        *born_statement(cast, at),
        Row("account_limits", {"account_id": seller.account_id, "payment_method": "PIX", "transaction_minor": 1}),
        *_plan(seller, cast.id(), cast.id(), at),
        *_subscription(seller, subscription, cast.id(), receiver, at),
        Row("pix_static_qrcodes", {"id": cast.id(), "account_id": seller.account_id, "pix_key": "k", "txid": static_txid(seller.number, payout.bytes + order.bytes), "qrcode_data": "x", "created_at": at}),
        Row("quotas", {"owner_id": seller.account_id, "kind": "PIX.day", "period": "2026-01-01", "used_minor": 0}),
        Row("company_fees", {"id": cast.id(), "payment_method": "PIX", "payer": "RECEIVER", "valid_from": at, "created_at": at}),
        *CLOSE_REQUESTS.born({"id": cast.id(), "account_id": seller.account_id, "reason_code": "x", "obstacles": '[{"type":"HELD"}]', "created_at": at, "updated_at": at}, at, ("request", "refuse")),
        *born_opening(cast, receiver, at),
        Row("webhook_settings", {"event": "TEST", "active": True, "is_extra": False, "updated_at": at}),
        Row("webhook_circuits", {"endpoint": 1, "origin": "https://a.example", "state": "CLOSED", "opened_at": at, "failure": "TIMEOUT"}),
        Row("inbox", {"id": inbox, "rail": "pix", "kind": PIX_SETTLED, "network_id": str(inbox), "subject": end_to_end_id, "body": render({"amount": {"minor": 1}}), "received_at": at, "due_at": at, "lease_token": lease}),
    )  # fmt: skip
    write = Write(
        company, rows=rows, transfers=(replace(cast.transfer(seller.pix, ledger.suspense(company, "BRL"), 1), type="PIX_RETURN_UNFIT", reference_id=payout),),
        events=(Event(event, "TEST", order, "https://ana.example", b"{}", at),),
        stored=(Stored("act", "k", b"", 200, b"", order, "week", at),),
    )  # fmt: skip
    await commit(cast.database, Write(company, events=(Event(cast.id(), "TEST", order, None, b"{}", at),)))
    charge = _payment(cast, seller, subscription, receiver, at + timedelta(microseconds=1))
    others = disputed(cast, seller, at) + asked_proof(cast, seller, at) + asked_claim(cast, seller, at)
    await commit(cast.database, write + back + charge + others)
    await make_slip(cast, seller, at + timedelta(microseconds=2))
    await settle_pesos(cast, seller, at)
    await take_back_a_card(cast, seller)
    await earn_long_ago(cast, seller)
    async with cast.database.session(company) as session:
        left = await session.value("SELECT count(*) FROM events")
        while left:
            left -= await session.value("SELECT greatest(n, -1 - n) FROM number_events($1, 100) n", company)
        assert await session.value("SELECT forget_events($1, '0', 1)", company) == 1
        assert await session.value(LEAVE_OUT, company, cast.id()) == 1
    attempt = {"event_id": event, "number": 1, "status_code": 0, "message": "", "requested_at": at, "duration_ms": 0}
    failed = Touch("deliveries", event, 1, {"status": "RETRYING", "attempts": 1, "plan_attempts": 1})
    finished = Finished("inbox", inbox, lease, "handled", at)
    behind = Row(
        "entries_behind", {"id": cast.id(), "decided_at": at - timedelta(days=2), "watermark": at}
    )  # of no transfer
    rows = (Row("delivery_attempts", attempt), *erased(cast, event, at), behind)
    ended = Write(company, rows=rows, touches=(failed,), finished=(finished,))
    await commit(cast.database, ended)


@pytest.fixture
async def dora(cast: Cast) -> Seller:
    return await cast.dora()


@pytest.fixture
async def filled(cast: Cast, ana: Seller, dora: Seller) -> None:
    for seller in (ana, dora):
        await fill(cast, seller)
        await act_in_the_console(cast, seller)
        await cast.paid_at_a_bank(seller)


@pytest.fixture
async def app(database: Any) -> AsyncIterator[Any]:
    """A connection of the app's role for which no door was opened."""
    connection = await database.connect(database.app)
    yield connection
    await connection.close()


async def tenant_tables(connection: Any) -> list[str]:
    return sorted({t for (t,) in await connection.fetch(TABLES)} - SHARED - NO_COMPANY)


async def test_every_tenants_table_forces_row_security(app: Any, database: Any) -> None:
    tables = await tenant_tables(app)  # in a cluster not on its owner: so the engine applies what comes while a shard moves
    sql = "SELECT relname::text FROM pg_class WHERE relrowsecurity AND relforcerowsecurity <> $1"
    forced = await app.fetch(sql, bool(database.others))
    assert {t for (t,) in forced} == set(tables)
    keyed = await app.fetch(
        "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indisprimary AND a.attname = 'company_id'"
    )
    assert {t for (t,) in keyed} == set(tables), "company_id comes first in each key"


async def test_a_query_that_forgets_its_where_sees_one_company(app: Any, ana: Seller, dora: Seller, filled: None) -> None:
    for seller in (ana, dora):
        await app.execute("SELECT set_config('lastro.company', $1, false)", str(seller.company_id))
        for table in await tenant_tables(app):
            seen = {r["company_id"] for r in await app.fetch(f"SELECT company_id FROM {table}")}
            assert seen == {seller.company_id}, table


@pytest.mark.parametrize("setting", [None, ""], ids=["never opened", "closed"])
async def test_without_a_door_nothing_is_seen(app: Any, filled: None, setting: str | None) -> None:
    if setting is not None:
        await app.execute("SELECT set_config('lastro.company', $1, false)", setting)
    for table in await tenant_tables(app):
        assert await app.fetchval(f"SELECT count(*) FROM {table}") == 0, table


async def test_nothing_is_written_for_another_company(app: Any, ana: Seller, dora: Seller, filled: None) -> None:
    await app.execute("SELECT set_config('lastro.company', $1, false)", str(ana.company_id))
    for table in await tenant_tables(app):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await app.execute(f"INSERT INTO {table} (company_id) VALUES ($1)", dora.company_id)
        try:
            changed = await app.execute(f"UPDATE {table} SET company_id = company_id WHERE company_id = $1", dora.company_id)
        except asyncpg.InsufficientPrivilegeError:
            continue
        assert changed == "UPDATE 0", table


@pytest.mark.parametrize("table", APPENDED)
async def test_what_is_appended_is_never_changed(app: Any, ana: Seller, filled: None, table: str) -> None:
    await app.execute("SELECT set_config('lastro.company', $1, false)", str(ana.company_id))
    statements = [f"DELETE FROM {table}", f"TRUNCATE {table}"]
    if table != "clock":
        first = await app.fetchval(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum = 1", table
        )
        statements.append(f"UPDATE {table} SET {first} = {first}")
    for statement in statements:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await app.execute(statement)


async def test_nothing_is_ever_deleted_but_what_is_over(app: Any) -> None:
    rows = await app.fetch(f"SELECT t FROM ({TABLES}) AS all_tables(t) WHERE has_table_privilege('lastro_app', t, 'DELETE')")
    # A key that is given up leads nowhere any more, nor does a write behind that is entered; the directory's look-ups are no company's and are kept for a day, and
    # what let somebody in is forgotten some time after it has ended, and so is the end of somebody who was not ended after all.
    assert {r["t"] for r in rows} == {
        "answers", "own_keys", "directory_buckets", "directory_look_ups", "directory_unknown", "people_ended", "people_links",
        "people_sessions", "sign_in_tries", "entries_behind",
    }  # fmt: skip
    for privilege in ("TRUNCATE", "TRIGGER", "REFERENCES"):
        assert (
            await app.fetch(
                f"SELECT t FROM ({TABLES}) AS all_tables(t) WHERE has_table_privilege('lastro_app', t, '{privilege}')"
            )
            == []
        )


async def test_the_app_cannot_change_the_rules(app: Any, database: Any) -> None:
    statements = [
        "INSERT INTO allowed_moves VALUES ('orders', 'PAID', 'steal', 'INITIAL')", "ALTER TABLE transfers DISABLE ROW LEVEL SECURITY",
        "UPDATE clock SET mode = 'production'", "SET ROLE lastro_owner", "SET ROLE lastro_audit", "CREATE TABLE mine (x int)",
        "DROP VIEW law_feed_is_dense", "CREATE OR REPLACE FUNCTION tenant() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'",
        "SET SESSION AUTHORIZATION lastro_owner",
    ]  # fmt: skip
    if database.is_external:  # there one login takes on every role, and could go back to it
        statements = [s for s in statements if not s.startswith("SET ROLE")]
    for statement in statements:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await app.execute(statement)


WORK = {
    "clock": None, "eras": None, "beats": None, "event_eras": None, "entries_behind": None, "partner_states": None, "rail_cursors": None, "law_checks": None, "company_numbers": None, "account_numbers": None, "event_cursors": None, "entry_cursors": None, "transfers": {"company_id", "created_at"}, "event_numbers": None, "outbox": {"company_id", "id", "due_at", "leased_until", "rail", "sends", "created_at"},
    "inbox": {"company_id", "id", "due_at", "leased_until", "rail", "subject", "kind", "sends", "received_at"},
    "deliveries": {"company_id", "id", "reference_id", "sequence", "endpoint", "status", "due_at", "leased_until"}, "webhook_circuits": {"company_id", "endpoint", "state", "probe_at"},
    "held_deliveries": {"company_id", "id", "due_at"}, "orders": {"company_id", "id", "expires_at", "ends_at", "payment_method", "status", "subscription_id"},
    "instruments": {"company_id", "order_id", "rail", "reference"}, "connections": {"company_id", "rail", "created_at"}, "foreign_payments": {"company_id", "rail", "state", "reason", "created_at"}, "chargebacks": {"company_id", "chargeback_id", "taken_at", "rail"}, "account_close_requests": {"company_id", "id", "account_id", "status", "created_at"},
    "account_requests": {"company_id", "id", "status", "expires_at", "ask_at", "key_due_at"},
    "card_payments": {"company_id", "id", "ask_at", "state"}, "pix_payments": {"company_id", "id", "ask_at", "state", "rail", "end_to_end_id", "settled_at", "created_at"}, "refunds": {"company_id", "id", "ask_at", "state", "rail", "return_id", "updated_at", "origin", "receiver_id", "payment_id", "amount_minor"},
    "payouts": {"company_id", "id", "batch_id", "ask_at", "start_at", "status", "rail", "updated_at", "end_to_end_id", "control_number", "paid_at", "children"},
    "payout_returns": {"company_id", "payout_id", "return_id", "settled_at", "created_at", "is_unfit", "decision_id"}, "own_keys": None, "rails": None, "companies": {"company_id", "number"}, "accounts": {"company_id", "id", "number"}, "pix_keys": {"company_id", "key", "account_id", "status"}, "statements": {"company_id", "id", "rail", "day", "state", "due_at", "leased_until"},
    "statement_lines": {"company_id", "rail", "kind", "network_id", "is_current", "statement_id"},
    "statement_items": {"company_id", "rail", "kind", "network_id", "day", "difference", "state", "created_at"}, "payout_plans": {"company_id", "id", "due_at", "leased_until"}, "med_objects": {"company_id", "id", "due_at", "deadline", "object_type", "role", "status", "created_at", "reason"}, "key_claims": {"company_id", "id", "account_id", "due_at", "ask_at", "status"},
    "subscriptions": {"company_id", "id", "lapses_at", "ends_at", "charge_at", "status"},
    "subscription_payments": {"company_id", "id", "subscription_id", "due_at", "ask_at", "cancel_message_id", "status"},
    "pix_key_validations": {"company_id", "id", "expires_at", "status"},
    "payment_attempts": {"company_id", "id", "ask_at", "status"}, "subscription_cancellations": {"company_id", "id", "ask_at", "status", "created_at"},
    "events": {"company_id", "id", "xid", "created_at"}, "answers": {"company_id", "keep", "created_at"},
}  # fmt: skip
COLUMNS = """
SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relkind IN ('r', 'p', 'v') AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
   AND has_column_privilege('lastro_work', c.oid, a.attname, $1)
"""


async def test_who_finds_work_sees_ids_and_times_alone(
    app: Any, database: Any, ana: Seller, dora: Seller, filled: None
) -> None:
    seen: dict[str, set[str]] = {}
    for table, column in await app.fetch(COLUMNS, "SELECT"):
        seen.setdefault(table, set()).add(column)
    assert set(seen) == set(WORK)
    for table, columns in WORK.items():
        assert columns is None or seen[table] == columns, table
    for privilege in ("INSERT", "UPDATE"):
        assert await app.fetch(COLUMNS, privilege) == []

    work = await database.connect(database.work)
    of_all = {"clock", "eras", "beats", "held_deliveries", "partner_states", "rail_cursors", "rails", "law_checks"}
    for table in set(WORK) - of_all:
        companies = {r["company_id"] for r in await work.fetch(f"SELECT company_id FROM {table}")}
        assert {ana.company_id, dora.company_id} <= companies, f"{table} is seen across companies"
    for table in set(await tenant_tables(app)) - set(WORK) | {"signing_keys"}:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await work.fetch(f"SELECT 1 FROM {table}")
    await work.close()


async def test_who_verifies_reads_everything_but_keys_and_changes_nothing(
    app: Any, database: Any, ana: Seller, dora: Seller, filled: None
) -> None:
    audit = await database.connect(database.audit)
    for table in await tenant_tables(app):
        companies = {r["company_id"] for r in await audit.fetch(f"SELECT company_id FROM {table}")}
        assert {ana.company_id, dora.company_id} <= companies, table
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await audit.fetch("SELECT 1 FROM signing_keys")
    for privilege in ("INSERT", "UPDATE", "DELETE", "TRUNCATE"):
        granted = await app.fetch(
            f"SELECT t FROM ({TABLES}) AS all_tables(t) WHERE has_table_privilege('lastro_audit', t, '{privilege}')"
        )
        assert granted == []
    await audit.close()


async def test_nothing_is_for_everybody(app: Any) -> None:
    tables = await app.fetch(
        "SELECT c.relname FROM pg_class c, aclexplode(c.relacl) x WHERE c.relnamespace = 'public'::regnamespace AND x.grantee = 0"
    )
    functions = await app.fetch(
        "SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace"
        " AND (p.proacl IS NULL OR EXISTS (SELECT 1 FROM aclexplode(p.proacl) x WHERE x.grantee = 0))"
    )
    schema = await app.fetch(
        "SELECT 1 FROM pg_namespace n, aclexplode(n.nspacl) x WHERE n.nspname = 'public' AND x.grantee = 0"
    )
    assert (tables, functions, schema) == ([], [], [])
    assert await app.fetch("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef") == []
    views = await app.fetch(
        "SELECT relname FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace"
        " AND NOT coalesce(reloptions, '{}') @> '{security_invoker=true}'"
    )
    assert views == [], "a view of its owner's rights would see past row-level security"


async def test_laws_show_a_company_its_own_alone(app: Any, ana: Seller, dora: Seller, cast: Cast, filled: None) -> None:
    await app.execute("SELECT set_config('lastro.company', $1, false)", str(ana.company_id))
    assert {r["company_id"] for r in await app.fetch("SELECT company_id FROM ledger_sides")} == {ana.company_id}


async def test_a_client_id_of_one_company_opens_no_door_of_another(app: Any, ana: Seller, dora: Seller) -> None:
    sql = "SELECT client_version FROM door_open($1, $2, 'act', NULL)"
    assert await app.fetchval(sql, ana.company_id, ana.client.client_id) == 1
    assert await app.fetchval(sql, ana.company_id, replace(dora.client).client_id) is None
