"""schema.sql is the database: it equals the sum of the migrations, says what each table is for, and keeps tenants apart."""

import re
import shutil
from pathlib import Path
from typing import Any

import asyncpg

from lastro.ops import migrate as migration

from .tree import SCHEMA

# Small tables that every node has whole. Those with a company_id find a company; the others belong to nobody.
REFERENCE_TABLES = frozenset(
    {
        "account_numbers", "own_keys", "allowed_moves", "bank_lists", "beats", "clock", "eras", "company_numbers", "rails",
        "directory_buckets", "directory_look_ups", "directory_unknown", "migrations", "partner_states", "rail_cursors", "law_checks", "signing_keys", "sealing_keys",
        "people", "people_acts", "people_ended", "people_links", "people_sessions", "sign_in_tries",
    }
)  # fmt: skip
APPEND_ONLY = (
    "transfers", "entries", "history", "events", "event_numbers", "delivery_attempts", "ledger_accounts", "bank_lists",
    "pix_static_qrcodes", "card_tokens", "chargebacks", "erasures", "erased_bodies", "people_acts", "console_acts", "sealing_keys",
)  # fmt: skip
OF_EVERY_PAYMENT = {
    "inbox", "outbox", "orders", "payouts", "pix_payments", "parties", "history", "answers", "transfers", "entries", "events",
    "event_numbers", "deliveries", "delivery_attempts",
}  # fmt: skip

# Everything that makes a schema, one text a thing. Names are kept: errors and code refer to them.
_CATALOG = """
WITH ours AS (SELECT c.* FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'i'))
SELECT 'relation ' || relname || ' ' || relkind::text || ' rls ' || relrowsecurity || relforcerowsecurity || ' options '
       || coalesce(reloptions::text, '') || ' owner ' || pg_get_userbyid(relowner) || ' grants '
       || coalesce((SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(relacl) a), '') FROM ours WHERE relkind <> 'i'
UNION ALL
SELECT 'column ' || relname || '.' || a.attnum || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END || ' generated ' || a.attgenerated::text || ' identity '
       || a.attidentity::text || ' default ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || ' grants '
       || coalesce((SELECT string_agg(g::text, ',' ORDER BY g::text) FROM unnest(a.attacl) g), '')
       || ' collation ' || a.attcollation::regcollation || ' storage ' || a.attstorage::text
  FROM ours JOIN pg_attribute a ON a.attrelid = ours.oid AND a.attnum > 0 AND NOT a.attisdropped AND relkind <> 'i'
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(c.oid) || ' valid ' || convalidated
  FROM pg_constraint c WHERE connamespace = 'public'::regnamespace
UNION ALL
SELECT 'index ' || pg_get_indexdef(indexrelid) || ' valid ' || indisvalid FROM pg_index JOIN ours ON ours.oid = indexrelid
UNION ALL
SELECT 'function ' || pg_get_functiondef(p.oid) || ' owner ' || pg_get_userbyid(proowner) || ' grants '
       || coalesce((SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(proacl) a), '')
  FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
UNION ALL
SELECT 'view ' || relname || ' ' || pg_get_viewdef(oid) FROM ours WHERE relkind IN ('v', 'm')
UNION ALL
SELECT 'policy ' || to_jsonb(p)::text FROM pg_policies p WHERE schemaname = 'public'
UNION ALL
SELECT 'sequence ' || (to_jsonb(s) - 'last_value')::text FROM pg_sequences s WHERE schemaname = 'public'
UNION ALL
SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL
SELECT 'type ' || typname || ' ' || typtype::text FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype <> 'c' AND typelem = 0
UNION ALL
SELECT 'comment ' || classoid::regclass || ' ' || coalesce(objoid::regclass::text, objoid::text) || '.' || objsubid || ' ' || description
  FROM pg_description WHERE objoid IN (SELECT oid FROM ours) OR objoid IN (SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace)
UNION ALL
SELECT 'schema ' || nspname || ' ' || (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(nspacl) a)
  FROM pg_namespace WHERE nspname = 'public'
UNION ALL
SELECT 'default grants ' || defaclobjtype::text || ' ' || defaclacl::text FROM pg_default_acl
UNION ALL
SELECT 'extension ' || extname FROM pg_extension
"""

_KEYS = """
SELECT c.conrelid::regclass::text AS table, c.conname::text AS name, c.contype::text AS kind, c.confrelid::regclass::text AS target,
       (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(c.conkey) WITH ORDINALITY AS k(number, place)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number) AS columns
  FROM pg_constraint c WHERE c.connamespace = 'public'::regnamespace AND c.contype IN ('p', 'u', 'f')
UNION ALL
SELECT i.indrelid::regclass::text, c.relname::text, 'u', '-',
       (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(number, place)
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number)
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace
"""


async def asked(database: Any, sql: str) -> list[asyncpg.Record]:
    connection = await database.connect()
    try:
        return list(await connection.fetch(sql))
    finally:
        await connection.close()


async def catalog(database: Any) -> set[str]:
    return {r[0] for r in await asked(database, _CATALOG)}


async def tenant_tables(database: Any) -> set[str]:
    rows = await asked(
        database,
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
    )
    tables = {r[0] for r in rows}
    assert tables >= REFERENCE_TABLES
    return tables - REFERENCE_TABLES


async def test_the_migrations_add_up_to_the_schema(
    database: Any, empty_database: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "migrations").mkdir()
    shutil.copy(SCHEMA, tmp_path / "migrations" / "0000_whole.sql")
    monkeypatch.setattr(migration, "schema_folder", lambda: tmp_path)
    assert await migration.migrate(empty_database.admin.url) == ["0000_whole.sql"]
    by_schema, by_migrations = await catalog(empty_database), await catalog(database)
    assert len(by_schema) > 300
    assert not by_schema ^ by_migrations, "\n".join(
        [f"in schema.sql alone: {one}" for one in sorted(by_schema - by_migrations)]
        + [f"by migrations alone: {one}" for one in sorted(by_migrations - by_schema)]
    )


def test_every_table_view_and_function_says_what_it_is_for() -> None:
    """On its own line, or right above it. A law's name is its sentence."""
    lines = SCHEMA.read_text(encoding="utf-8").splitlines()
    made = [
        (n, line) for n, line in enumerate(lines) if re.match(r"CREATE (UNLOGGED )?(TABLE|VIEW|FUNCTION|SEQUENCE)\b", line)
    ]
    silent = [
        line
        for n, line in made
        if "--" not in line and not line.startswith("CREATE VIEW law_") and not _is_comment(lines[n - 1])
    ]
    assert len(made) > 30
    assert not silent, "\n".join(silent)


def _is_comment(line: str) -> bool:
    return line.startswith("-- ") and "────" not in line


def test_columns_that_may_be_misread_are_explained() -> None:
    """Sealed bytes, machine times, lists and JSON never explain themselves."""
    silent = []
    table = ""
    for line in SCHEMA.read_text(encoding="utf-8").splitlines():
        opened = re.match(r"CREATE TABLE (\w+)", line)
        if opened:
            table = opened[1]
        column = re.match(r"  ([a-z]\w*) (bytea|jsonb|\w+\[\])", line)
        if table and column and "--" not in line:
            silent.append(f"{table}.{column[1]}")
        if line.startswith(")"):
            table = ""
    assert not silent, ", ".join(silent)


async def test_the_company_comes_first_in_every_key(database: Any) -> None:
    tenants = await tenant_tables(database)
    wrong = [
        f"{r['table']} {r['name']} {r['columns']}"
        for r in await asked(database, _KEYS)
        if r["table"] in tenants
        and r["columns"][0] != "company_id"
        and not (r["kind"] == "f" and r["target"] in REFERENCE_TABLES)
    ]
    assert not wrong, "\n".join(wrong)


async def test_every_tenant_table_is_behind_row_level_security(database: Any) -> None:
    tables = {
        r["relname"]: r["relrowsecurity"] and r["relforcerowsecurity"]
        for r in await asked(
            database, "SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        )
    }
    policies = {
        (r["tablename"], role): (r["permissive"], r["cmd"], r["qual"], r["with_check"])
        for r in await asked(database, "SELECT * FROM pg_policies WHERE schemaname = 'public' AND permissive = 'PERMISSIVE'")
        for role in r["roles"]
    }
    own = ("PERMISSIVE", "ALL", "(company_id = tenant())", "(company_id = tenant())")
    for table in await tenant_tables(database):
        assert tables[table], f"{table} is not behind row-level security"
        assert policies.get((table, "lastro_app")) == own, table
        assert (table, "public") not in policies, table
    assert {table for (table, role) in policies if role == "lastro_app"} == await tenant_tables(database)


async def test_no_role_passes_by_row_level_security(database: Any) -> None:
    mighty = await asked(
        database,
        "SELECT rolname FROM pg_roles WHERE rolname LIKE 'lastro\\_%' AND (rolsuper OR rolbypassrls OR rolcreaterole)"
        " AND rolname = ANY (ARRAY['lastro_owner', 'lastro_app', 'lastro_work', 'lastro_audit'])",
    )
    assert not mighty
    views = await asked(
        database,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'v'"
        " AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)",
    )
    assert not [r["relname"] for r in views], "a view without security_invoker shows every company's rows"
    definers = await asked(database, "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef")
    assert not [r["proname"] for r in definers]


async def test_what_has_happened_cannot_be_rewritten(database: Any) -> None:
    for table in APPEND_ONLY:
        rights = await asked(
            database,
            "SELECT r.rolname, p.privilege FROM pg_roles r, unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE']) p(privilege)"
            f" WHERE r.rolname IN ('lastro_app', 'lastro_work', 'lastro_audit') AND has_table_privilege(r.oid, '{table}', p.privilege)",
        )
        columns = await asked(
            database,
            "SELECT r.rolname FROM pg_roles r WHERE r.rolname IN ('lastro_app', 'lastro_work', 'lastro_audit')"
            f" AND has_any_column_privilege(r.oid, '{table}', 'UPDATE')",
        )
        # What is old is forgotten: an event's body, what a receiver said to it. Row-level security lets nothing else be made of it.
        if table in {"events", "delivery_attempts"}:
            assert [tuple(r) for r in (*rights, *columns)] == [("lastro_app",)]
            continue
        assert not [tuple(r) for r in (*rights, *columns)], table


async def test_of_an_event_nothing_is_changed_but_that_its_body_is_forgotten(database: Any) -> None:
    columns = await asked(
        database,
        "SELECT attname::text FROM pg_attribute WHERE attrelid = 'events'::regclass AND attnum > 0"
        " AND has_column_privilege('lastro_app', attrelid, attname, 'UPDATE')",
    )
    assert [r[0] for r in columns] == ["body"]
    checks = await asked(
        database,
        "SELECT with_check FROM pg_policies WHERE tablename = 'events' AND cmd = 'UPDATE' AND permissive = 'RESTRICTIVE'",
    )
    (check,) = [r[0] for r in checks]
    # Or a person was erased from it, which says so beside it and what was left.
    assert check == "((body IS NULL) OR is_left_by_erasure(company_id, id, body))"
    (allows,) = await asked(
        database, "SELECT prosrc, provolatile::text, prosecdef FROM pg_proc WHERE proname = 'is_left_by_erasure'"
    )
    assert "b.company_id = company AND b.event_id = event AND b.left_sha256 = sha256(bytes)" in allows["prosrc"]
    assert (allows["provolatile"], allows["prosecdef"]) == ("s", False)


async def test_only_migrations_write_what_belongs_to_everybody(database: Any) -> None:
    rights = await asked(
        database,
        "SELECT r.rolname || ' may ' || p.privilege || ' ' || t.name AS found FROM pg_roles r,"
        " unnest(ARRAY['INSERT', 'DELETE', 'TRUNCATE']) p(privilege), unnest(ARRAY['clock', 'allowed_moves', 'migrations']) t(name)"
        " WHERE r.rolname IN ('lastro_app', 'lastro_work', 'lastro_audit') AND has_table_privilege(r.oid, t.name, p.privilege)",
    )
    assert not [r["found"] for r in rights]


async def test_statistics_of_what_every_payment_writes_are_taken_seldom(database: Any) -> None:
    rows = await asked(
        database,
        "SELECT relname::text, option_value::numeric AS factor FROM pg_class, pg_options_to_table(reloptions)"
        " WHERE option_name = 'autovacuum_analyze_scale_factor'",
    )
    factors = {row["relname"]: row["factor"] for row in rows}
    assert factors.keys() >= OF_EVERY_PAYMENT
    assert min(factors.values()) > 0.2
