"""Migrations beside traffic: each waits for its tables a moment at a time, and what would stop everybody is refused here."""

import asyncio
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.journeys.stage import until

from lastro.ops import migrate as migration
from lastro.ops.migrate import PATIENCE, Patience, migrate, statements

from .tree import MIGRATIONS, SCHEMA

_BESIDE_TRAFFIC = MIGRATIONS[1:]  # the first makes a database that nobody uses yet
# Tables that payments fill: a lock for as long as one of them is read or written through is an outage.
GROWING = frozenset(
    {
        "answers", "card_payments", "deliveries", "delivery_attempts", "entries", "event_numbers", "events", "forgotten_bodies",
        "history", "inbox", "instruments", "orders", "outbox", "parties", "payment_attempts", "payout_plan_lines",
        "payout_returns", "payouts", "pix_payments", "quotas", "refunds", "statement_lines", "subscription_payments",
        "subscriptions", "transfers",
    }
)  # fmt: skip
_TAKES = re.compile(r"^DROP (FUNCTION|TABLE|VIEW|MATERIALIZED VIEW|TYPE|SEQUENCE)\b|\bDROP COLUMN\b|\bRENAME\b")
_UNUSED = re.compile(r"-- unused: \S.{20,}")
_REASON = re.compile(r"-- blocks: \S.{20,}")
_TABLE = r"(?:ONLY |IF EXISTS )*(?P<table>\w+)"
# What keeps a table from others for longer the more rows it has, and what is done in its place.
_STOPS = (
    (rf"CREATE (UNIQUE )?INDEX (?!CONCURRENTLY).*? ON {_TABLE}", "CREATE INDEX CONCURRENTLY, in a file that begins with -- Outside a transaction"),
    (rf"ALTER TABLE {_TABLE}.* ADD (CONSTRAINT \w+ )?(CHECK|FOREIGN KEY)(?!.*NOT VALID)", "NOT VALID, and VALIDATE CONSTRAINT in a file of its own"),
    (rf"ALTER TABLE {_TABLE}.* ADD (CONSTRAINT \w+ )?(UNIQUE|PRIMARY KEY|EXCLUDE)(?!.*USING INDEX)", "a unique index CONCURRENTLY, then USING INDEX"),
    (rf"ALTER TABLE {_TABLE}.* ADD COLUMN [^,]*(REFERENCES|CHECK|UNIQUE|PRIMARY KEY|STORED|random\(|gen_random_uuid\(|clock_timestamp\()", "a plain column, then a constraint that is NOT VALID at first"),
    (rf"ALTER TABLE {_TABLE}.* (ALTER COLUMN \w+ (SET DATA )?TYPE|SET (UN)?LOGGED|SET TABLESPACE)", "a new column beside it, filled in parts"),
    (rf"ALTER TABLE {_TABLE}.* ALTER COLUMN \w+ SET NOT NULL", "CHECK (… IS NOT NULL) NOT VALID, validated in a file of its own, first"),
    (rf"(UPDATE|DELETE FROM|LOCK TABLE|LOCK|TRUNCATE|CLUSTER|VACUUM FULL|REINDEX TABLE) {_TABLE}\b", "a lane that does it in parts"),
)  # fmt: skip


async def test_whoever_holds_a_table_is_waited_for_a_moment_at_a_time(
    own_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the migration waits, others wait behind it; between two tries they go on."""
    names = {path.name: path.read_text(encoding="utf-8") for path in MIGRATIONS}
    names["9999_wider.sql"] = "ALTER TABLE parties ADD COLUMN nickname text;"
    (tmp_path / "migrations").mkdir()
    for name, sql in names.items():
        (tmp_path / "migrations" / name).write_text(sql, encoding="utf-8")
    monkeypatch.setattr(migration, "schema_folder", lambda: tmp_path)
    reader, other = [await own_database.connect(own_database.admin) for _ in range(2)]
    held = reader.transaction()
    await held.start()
    await reader.fetch("SELECT 1 FROM parties LIMIT 1")
    with pytest.raises(SystemExit, match="could not have its tables in 2 tries"):
        await migrate(own_database.admin.url, patience=Patience(lock_ms=10, tries=2, pause_seconds=0.01))
    going = asyncio.ensure_future(migrate(own_database.admin.url, patience=Patience(lock_ms=200, pause_seconds=0.2)))
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'parties'::regclass"

    async def is_waiting() -> bool:
        return bool(await other.fetchval(waits))

    await until(is_waiting)
    await other.execute("SET lock_timeout = '5s'")
    assert await other.fetch("SELECT 1 FROM parties LIMIT 1") == [], "it was let through once the try was over"
    assert not going.done()
    await held.rollback()
    assert await going == ["9999_wider.sql"]
    for connection in (reader, other):
        await connection.close()


async def test_a_try_lasts_until_the_server_ends_an_autovacuum_that_is_in_the_way(own_database: Any) -> None:
    """It does so for whoever has waited for deadlock_timeout; whoever gives up by then finds it there the next time, too."""
    reader = await own_database.connect(own_database.admin)
    ends_ms = await reader.fetchval("SELECT setting::int FROM pg_settings WHERE name = 'deadlock_timeout'")
    assert PATIENCE.lock_ms > ends_ms * 1.25
    await reader.close()


async def test_an_index_is_made_outside_a_transaction_and_begun_anew_where_it_was_cut_off(
    own_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "migrations").mkdir()
    for path in MIGRATIONS:
        (tmp_path / "migrations" / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    file = tmp_path / "migrations" / "9999_index.sql"
    file.write_text(
        "-- Outside a transaction: written to while it is made.\n"
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS parties_named ON parties (company_id, name);"
    )
    monkeypatch.setattr(migration, "schema_folder", lambda: tmp_path)
    admin = await own_database.connect(own_database.admin)
    # As a cut-off run leaves it: an index of that name that is not valid. Two of one key make a unique one fail.
    await admin.execute("INSERT INTO company_numbers (number, company_id) VALUES (1, $1)", UUID(int=1))
    await admin.execute(
        "INSERT INTO companies (company_id, number, name, webhook_secret, created_at) VALUES ($1, 1, 'Ana', 'x', now())",
        UUID(int=1),
    )
    for number in (1, 2):
        await admin.execute(
            "INSERT INTO parties (company_id, id, name) VALUES ($1, $2, 'Ana')", UUID(int=1), UUID(int=number)
        )
    await admin.execute("SET ROLE lastro_owner")
    with pytest.raises(Exception, match="could not create unique index"):
        await admin.execute("CREATE UNIQUE INDEX CONCURRENTLY parties_named ON parties (company_id, name)")
    assert await migrate(own_database.admin.url) == ["9999_index.sql"]
    assert await admin.fetchval("SELECT indisvalid FROM pg_index WHERE indexrelid = 'parties_named'::regclass")
    (tmp_path / "migrations" / "99991_more.sql").write_text("-- Outside a transaction: no.\nDROP TABLE parties;")
    with pytest.raises(SystemExit, match="may make and drop indexes alone: DROP TABLE parties"):
        await migrate(own_database.admin.url)
    await admin.close()


def unexcused(sql: str, reason: re.Pattern[str]) -> list[str]:
    """The statements of a migration, without comments and bodies of functions, above which no such reason stands."""
    excused = {found.end() for found in reason.finditer(sql)}
    plain = re.sub(r"(AS )?\$(\w*)\$.*?\$\2\$", lambda found: " " * len(found[0]), sql, flags=re.DOTALL)
    plain = re.sub(r"--[^\n]*", lambda found: " " * len(found[0]), plain)
    found_here = []
    for statement in re.finditer(r"[^;]+", plain):
        begins = statement.start() + len(statement[0]) - len(statement[0].lstrip())
        if all(sql[end:begins].strip() for end in excused):
            found_here.append(" ".join(statement[0].split()))
    return found_here


def stops(sql: str) -> list[str]:
    """What of a migration's statements would stop everybody at a growing table, and what is done in its place."""
    made = set(re.findall(r"CREATE TABLE (\w+)", sql))
    found_here = []
    for words in unexcused(sql, _REASON):
        for pattern, instead in _STOPS:
            hit = re.match(pattern, words)
            if hit and hit["table"] in GROWING - made:
                found_here.append(f"{words[:100]}: {instead}")
    return found_here


def takes(sql: str) -> list[str]:
    """What a migration takes away that a process of the version before may still ask for."""
    return [words[:100] for words in unexcused(sql, _UNUSED) if _TAKES.search(words)]


def test_what_goes_takes_the_views_of_the_shards_along() -> None:
    """On several servers each shard shows its tables by views, made anew by the next session (schema/shards.sql)."""
    gone = re.compile(r"(^DROP (FUNCTION|TABLE|TYPE)|\bDROP COLUMN)\b(?!.*\bCASCADE\b)")
    left = [words for path in _BESIDE_TRAFFIC for words in unexcused(path.read_text(encoding="utf-8"), re.compile("^$"))]
    assert not [words for words in left if gone.search(words)], "say CASCADE"


@pytest.mark.parametrize(
    ("sql", "taken"),
    [
        ("DROP FUNCTION put_off(uuid);", True),
        ("ALTER TABLE orders DROP COLUMN a;", True),
        ("ALTER TABLE orders RENAME COLUMN a TO b;", True),
        ("DROP VIEW law_x;", True),
        ("-- unused: since 0.1.3 no statement of a process names it\nALTER TABLE orders DROP COLUMN a;", False),
        ("-- unused: why\nALTER TABLE orders DROP COLUMN a;", True),
        ("CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE x $$;", False),
        ("ALTER TABLE orders DROP CONSTRAINT c;", False),
        ("DROP INDEX CONCURRENTLY IF EXISTS x;", False),
    ],
)
def test_what_an_older_process_may_ask_for_is_known(sql: str, *, taken: bool) -> None:
    assert bool(takes(sql)) == taken


def test_no_migration_takes_away_what_an_older_process_asks_for() -> None:
    """One that does says why nobody asks any more, in a line above it: -- unused: …"""
    wrong = [f"{path.name}: {one}" for path in _BESIDE_TRAFFIC for one in takes(path.read_text(encoding="utf-8"))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("sql", "is_stopped"),
    [
        ("CREATE INDEX x ON orders (company_id);", True),
        ("CREATE UNIQUE INDEX x ON orders (company_id);", True),
        ("CREATE INDEX CONCURRENTLY IF NOT EXISTS x ON orders (company_id);", False),
        ("CREATE INDEX x ON accounts (company_id);", False),
        ("CREATE TABLE orders (id uuid); CREATE INDEX x ON orders (id);", False),
        ("-- blocks: there are a few hundred rows of this kind at most\nCREATE INDEX x ON orders (company_id);", False),
        ("-- blocks: why\nCREATE INDEX x ON orders (company_id);", True),
        ("ALTER TABLE orders ADD COLUMN a text;", False),
        ("ALTER TABLE orders ADD COLUMN a integer NOT NULL DEFAULT 0;", False),
        ("ALTER TABLE orders ADD COLUMN a text CHECK (a <> '');", True),
        ("ALTER TABLE orders ADD COLUMN a uuid DEFAULT gen_random_uuid();", True),
        ("ALTER TABLE orders ADD CONSTRAINT c CHECK (a <> '');", True),
        ("ALTER TABLE orders ADD CONSTRAINT c CHECK (a <> '') NOT VALID;", False),
        ("ALTER TABLE orders VALIDATE CONSTRAINT c;", False),
        ("ALTER TABLE orders ALTER COLUMN a TYPE bigint;", True),
        ("ALTER TABLE orders ALTER COLUMN a SET NOT NULL;", True),
        ("UPDATE orders SET a = 1;", True),
        ("CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE orders SET a = 1 $$;", False),
        ("DELETE FROM history;", True),
    ],
)
def test_what_stops_everybody_is_known(sql: str, *, is_stopped: bool) -> None:
    assert bool(stops(sql)) == is_stopped


def test_no_migration_stops_everybody() -> None:
    """One that must says why, in a line above it: -- blocks: …"""
    assert set(re.findall(r"CREATE TABLE (\w+)", SCHEMA.read_text(encoding="utf-8"))) >= GROWING
    wrong = [f"{path.name}: {one}" for path in _BESIDE_TRAFFIC for one in stops(path.read_text(encoding="utf-8"))]
    assert not wrong, "\n".join(wrong)


def test_statements_are_taken_apart() -> None:
    assert statements("-- a; b\nSELECT 1; -- c\n\nSELECT\n2;\n") == ["SELECT 1", "SELECT\n2"]
    body = "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $$ SELECT ';'; -- two\nSELECT 'b' $$"
    said = "COMMENT ON FUNCTION f() IS 'it''s; -- so'"
    assert statements(f'{body};\n{said};\nSELECT 2 - 1 AS "a;"') == [body, said, 'SELECT 2 - 1 AS "a;"']
