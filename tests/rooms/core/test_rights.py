"""What each role may see and do. Every table is taken from the catalog, so that a new one is asked the same."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest
from tests.cast import DORA, Cast, Seller
from tests.rooms.core.filling import fill
from tests.rooms.people.acting import act_in_the_console

from lastro.core.db import Dsn
from lastro.core.session import unsharded

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


@pytest.fixture
async def dora(cast: Cast, ana: Seller, database: Any) -> Seller:
    """Her company's rows are where Ana's are: nothing but row-level security is between them."""
    return await cast.found("Dora", DORA, await database.beside(ana.company_id, cast.id))


@pytest.fixture
async def filled(cast: Cast, ana: Seller, dora: Seller) -> None:
    for seller in (ana, dora):
        await fill(cast, seller)
        await act_in_the_console(cast, seller)
        await cast.paid_at_a_bank(seller)


@pytest.fixture
async def app(database: Any, ana: Seller) -> AsyncIterator[Any]:
    """A connection of the app's role where Ana's rows are, for which no door was opened."""
    connection = await database.connect_beside(ana.company_id, database.app)
    if database.others:  # what anybody may set, so that PostgreSQL alone is in the way
        await connection.execute("SET citus.enable_ddl_propagation = off; SET citus.enable_manual_changes_to_shards = on")
    yield connection
    await connection.close()


@pytest.fixture
async def installation(database: Any) -> AsyncIterator[Any]:
    """A connection of the app's role that is no company's: on a cluster to the coordinator."""
    connection = await database.connect(database.app)
    yield connection
    await connection.close()


async def of_servers(database: Any, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
    """The rows as each server says, as the app's role; a table of a shard by its own name."""
    rows: list[tuple[Any, ...]] = []
    for connection in await database.connect_everywhere("lastro_app"):
        if database.others:
            await connection.execute("SET citus.override_table_visibility = off")
        rows += [(unsharded(name), *others) for name, *others in await connection.fetch(sql, *arguments)]
        await connection.close()
    return rows


async def tenant_tables(connection: Any) -> list[str]:
    return sorted({unsharded(t) for (t,) in await connection.fetch(TABLES)} - SHARED - NO_COMPANY)


async def test_every_tenants_table_forces_row_security(installation: Any, database: Any) -> None:
    tables = set(await tenant_tables(installation))
    # In a cluster not on its owner: so the engine applies what comes while a shard moves.
    sql = "SELECT relname::text, relrowsecurity AND relforcerowsecurity <> $1 FROM pg_class WHERE relkind = 'r' AND relname ~ $2"
    forced = await of_servers(database, sql, bool(database.others), f"^({'|'.join(tables)})(_[0-9]{{6,}})?$")
    assert {t for t, is_forced in forced if is_forced} == tables
    assert {t for t, is_forced in forced if not is_forced} == set()
    keyed = await installation.fetch(
        "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indisprimary AND a.attname = 'company_id'"
    )
    assert {t for (t,) in keyed} == tables, "company_id comes first in each key"


async def test_a_query_that_forgets_its_where_sees_one_company(app: Any, ana: Seller, dora: Seller, filled: None) -> None:
    for seller in (ana, dora):
        await app.execute("SELECT set_config('lastro.company', $1, false)", str(seller.company_id))
        for table in await tenant_tables(app):
            seen = {r["company_id"] for r in await app.fetch(f"SELECT company_id FROM {table}")}
            assert seen == {seller.company_id}, table


@pytest.mark.parametrize("setting", [None, ""], ids=["never opened", "closed"])
async def test_without_a_door_nothing_is_seen(app: Any, installation: Any, filled: None, setting: str | None) -> None:
    for connection in (app, installation):
        if setting is not None:
            await connection.execute("SELECT set_config('lastro.company', $1, false)", setting)
        for table in await tenant_tables(connection):
            assert await connection.fetchval(f"SELECT count(*) FROM {table}") == 0, table


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
async def test_what_is_appended_is_never_changed(
    app: Any, installation: Any, database: Any, ana: Seller, filled: None, table: str
) -> None:
    if table in NO_COMPANY:
        app = installation
    else:
        await app.execute("SELECT set_config('lastro.company', $1, false)", str(ana.company_id))
    rows = await app.fetch(f"SELECT t FROM ({TABLES}) AS all_tables(t) WHERE t ~ $1", f"^{table}(_[0-9]{{6,}})?$")
    tables = {t for (t,) in rows}  # on a cluster those of each shard that is here
    statements = [f"DELETE FROM {table}", *(f"TRUNCATE public.{t}" for t in tables)]
    if table != "clock":
        first = await app.fetchval(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum = 1", table
        )
        statements += [f"UPDATE {t} SET {first} = {first}" for t in {table} | tables]
    for statement in statements:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await app.execute(statement)


async def test_nothing_is_ever_deleted_but_what_is_over(database: Any) -> None:
    may = f"SELECT t FROM ({TABLES}) AS all_tables(t) WHERE has_table_privilege('lastro_app', t, $1)"
    # A key that is given up leads nowhere any more, nor does a write behind that is entered; the directory's look-ups are no company's and are kept for a day, and
    # what let somebody in is forgotten some time after it has ended, and so is the end of somebody who was not ended after all.
    over = {
        "answers", "own_keys", "directory_buckets", "directory_look_ups", "directory_unknown", "people_ended", "people_links",
        "people_sessions", "sign_in_tries", "entries_behind",
    }  # fmt: skip
    # What was put on every server for a write that was refused is taken back.
    taken_back = {"company_numbers", "account_numbers", "rails"} if database.others else set()
    assert {t for (t,) in await of_servers(database, may, "DELETE")} == over | taken_back
    for privilege in ("TRUNCATE", "TRIGGER", "REFERENCES"):
        assert await of_servers(database, may, privilege) == []


async def test_the_app_cannot_change_the_rules(app: Any, installation: Any, database: Any) -> None:
    statements = [
        "INSERT INTO allowed_moves VALUES ('orders', 'PAID', 'steal', 'INITIAL')", "ALTER TABLE transfers DISABLE ROW LEVEL SECURITY",
        "UPDATE clock SET mode = 'production'", "SET ROLE lastro_owner", "SET ROLE lastro_audit", "CREATE TABLE mine (x int)",
        "DROP VIEW law_feed_is_dense", "CREATE OR REPLACE FUNCTION tenant() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'",
        "SET SESSION AUTHORIZATION lastro_owner",
    ]  # fmt: skip
    if database.is_external:  # there one login takes on every role, and could go back to it
        statements = [s for s in statements if not s.startswith("SET ROLE")]
    for statement in statements:
        for connection in (app, installation):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)


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
    "subscriptions": {"company_id", "id", "lapses_at", "ends_at", "charge_at", "ask_at", "status", "rail"},
    "subscription_payments": {"company_id", "id", "subscription_id", "due_at", "ask_at", "cancel_message_id", "status", "rail"},
    "pix_key_validations": {"company_id", "id", "expires_at", "status"},
    "payment_attempts": {"company_id", "id", "ask_at", "status", "rail"}, "subscription_cancellations": {"company_id", "id", "ask_at", "status", "created_at", "rail"},
    "events": {"company_id", "id", "xid", "created_at"}, "answers": {"company_id", "keep", "created_at"},
}  # fmt: skip
# What an extension made is its own matter: Citus shows everybody where its tables are.
OURS = "NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')"
COLUMNS = f"""
SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relkind IN ('r', 'p', 'v') AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
   AND has_column_privilege('lastro_work', c.oid, a.attname, $1) AND {OURS}
"""


async def test_who_finds_work_sees_ids_and_times_alone(
    app: Any, database: Any, ana: Seller, dora: Seller, filled: None
) -> None:
    seen: dict[str, set[str]] = {}
    for table, column in await of_servers(database, COLUMNS, "SELECT"):
        seen.setdefault(table, set()).add(column)
    assert set(seen) == set(WORK)
    for table, columns in WORK.items():
        assert columns is None or seen[table] == columns, table
    for privilege in ("INSERT", "UPDATE"):
        assert await of_servers(database, COLUMNS, privilege) == []

    work = await database.connect_beside(ana.company_id, database.work)
    of_all = {"clock", "eras", "beats", "held_deliveries", "partner_states", "rail_cursors", "rails", "law_checks"}
    for table in set(WORK) - of_all:
        companies = {r["company_id"] for r in await work.fetch(f"SELECT company_id FROM {table}")}
        assert {ana.company_id, dora.company_id} <= companies, f"{table} is seen across companies"
    for table in set(await tenant_tables(app)) - set(WORK):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await work.fetch(f"SELECT 1 FROM {table}")
    await work.close()
    await _sees_no_keys(database, database.work)


async def _sees_no_keys(database: Any, dsn: Dsn) -> None:
    connection = await database.connect(dsn)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.fetch("SELECT 1 FROM signing_keys")
    await connection.close()


async def test_who_verifies_reads_everything_but_keys_and_changes_nothing(
    app: Any, database: Any, ana: Seller, dora: Seller, filled: None
) -> None:
    audit = await database.connect_beside(ana.company_id, database.audit)
    for table in await tenant_tables(app):
        companies = {r["company_id"] for r in await audit.fetch(f"SELECT company_id FROM {table}")}
        assert {ana.company_id, dora.company_id} <= companies, table
    await audit.close()
    await _sees_no_keys(database, database.audit)
    for privilege in ("INSERT", "UPDATE", "DELETE", "TRUNCATE"):
        granted = await of_servers(
            database,
            f"SELECT t FROM ({TABLES}) AS all_tables(t) WHERE has_table_privilege('lastro_audit', t, $1)",
            privilege,
        )
        assert granted == []


async def test_nothing_is_for_everybody(database: Any) -> None:
    for sql in (
        "SELECT c.relname::text FROM pg_class c, aclexplode(c.relacl) x WHERE c.relnamespace = 'public'::regnamespace"
        " AND x.grantee = 0 AND " + OURS,
        (
            "SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace"
            " AND (p.proacl IS NULL OR EXISTS (SELECT 1 FROM aclexplode(p.proacl) x WHERE x.grantee = 0))"
        ),
        "SELECT n.nspname::text FROM pg_namespace n, aclexplode(n.nspacl) x WHERE n.nspname ~ '^(public$|shard)' AND x.grantee = 0",
        "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef",
        # A view of its owner's rights would see past row-level security.
        (
            "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v'"
            f" AND n.nspname ~ '^(public$|shard)' AND NOT coalesce(c.reloptions, '{{}}') && '{{security_invoker=true,security_invoker=on}}'"
            f" AND {OURS}"
        ),
    ):
        assert await of_servers(database, sql) == [], sql


async def test_laws_show_a_company_its_own_alone(app: Any, ana: Seller, dora: Seller, cast: Cast, filled: None) -> None:
    await app.execute("SELECT set_config('lastro.company', $1, false)", str(ana.company_id))
    assert {r["company_id"] for r in await app.fetch("SELECT company_id FROM ledger_sides")} == {ana.company_id}


async def test_a_client_id_of_one_company_opens_no_door_of_another(app: Any, ana: Seller, dora: Seller) -> None:
    sql = "SELECT client_version FROM door_open($1, $2, 'act', NULL)"
    assert await app.fetchval(sql, ana.company_id, ana.client.client_id) == 1
    assert await app.fetchval(sql, ana.company_id, replace(dora.client).client_id) is None
