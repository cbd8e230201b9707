"""Makes one empty database the database of several servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.declined import CommandFailed
from lastro.core.schema_files import schema_folder
from lastro.core.shards import IS_SPREAD
from lastro.ops.distribute.logins import refused_logins

if TYPE_CHECKING:
    import asyncpg

SHARDS = 32  # how many parts the companies are divided into; a server has several of them
MOST_SHARDS = 1024
MOST_SERVERS = 64  # each gives out numbers of its own: every so manieth
# Read by companies' statements and by laws: every server has all of them, and they are written by way of the coordinator.
EVERYWHERE = frozenset(
    {
        "account_numbers", "allowed_moves", "bank_lists", "clock", "company_numbers", "eras", "migrations", "own_keys",
        "partner_states", "people_ended", "rails",
    }
)  # fmt: skip
SEQUENCES = ("account_numbers_seq", "network_ids_seq")
_FIRST = "companies"  # beside its rows stands whatever else is the company's
# Behind row-level security is what a company has; of the rest, the coordinator keeps what is not everywhere.
_TABLES = """
SELECT relname::text AS name, relrowsecurity AS is_tenants FROM pg_class
 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname <> $1, relname
"""
_KEYS = """
SELECT conrelid::regclass::text AS table, confrelid::regclass::text AS other, conname::text AS name,
       pg_get_constraintdef(oid) AS text
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY conrelid::regclass::text, conname
"""
# The engine gives each new function to all servers, but not one that takes or returns a table's rows: their type was the
# coordinator's alone.
_FUNCTIONS = """
SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition FROM pg_proc p
 WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND p.proowner = 'lastro_owner'::regrole
   AND EXISTS (SELECT FROM pg_type t WHERE t.typtype = 'c' AND t.oid = ANY (p.proargtypes::oid[] || p.prorettype)) ORDER BY 1
"""
_AGAIN = """{definition};
REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC; GRANT EXECUTE ON FUNCTION {name} TO lastro_app, lastro_work, lastro_audit;"""
_RUN_ON = "SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::integer], ARRAY[$3::text], false)"
# The schema's own words, on a server that was given its functions one by one. Its beats are known to it alone: a server that
# comes back older lacks some (core/heartbeats.py).
_ON_EACH_SERVER = """
DO $$ BEGIN
  SET LOCAL citus.enable_ddl_propagation = off;
  ALTER SCHEMA public OWNER TO lastro_owner;
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
  GRANT USAGE ON SCHEMA public TO lastro_app, lastro_work, lastro_audit;
  REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
  GRANT CREATE ON DATABASE {database} TO lastro_owner;
{sequences}
  IF to_regnamespace('shards') IS NOT NULL THEN
    CREATE TABLE IF NOT EXISTS shards.beats (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      beat bigint NOT NULL DEFAULT 0,
      at timestamptz NOT NULL DEFAULT public.machine_now()
    );
    ALTER TABLE shards.beats OWNER TO lastro_owner;
    INSERT INTO shards.beats DEFAULT VALUES ON CONFLICT DO NOTHING;
  END IF;
END $$
"""
_SEQUENCE = """
  CREATE SEQUENCE IF NOT EXISTS public.{name};
  ALTER SEQUENCE public.{name} OWNER TO lastro_owner;
  GRANT USAGE, SELECT ON SEQUENCE public.{name} TO lastro_app;
  IF (SELECT seqincrement FROM pg_sequence WHERE seqrelid = 'public.{name}'::regclass) <> {most} THEN
    ALTER SEQUENCE public.{name} INCREMENT BY {most} RESTART WITH {first};
  END IF;
"""
_DONE = "SELECT relname::text AS name FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid"
_UNGUARDED = """
SELECT relname::text AS name FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid
 WHERE partmethod = 'h' AND relnamespace = 'public'::regnamespace
   AND (relforcerowsecurity
        OR EXISTS (SELECT FROM pg_policies WHERE schemaname = 'public' AND tablename = relname AND 'lastro_app' = ANY (roles)
                      AND policyname NOT IN ('tenant_select', 'tenant_insert', 'tenant_update', 'tenant_delete')))
"""
_LEAST_VERSION = 150000  # of PostgreSQL: views that ask as who reads them
NO_ENGINE = (
    "This database lacks the extension citus. On every server: citus in shared_preload_libraries, a database of this name,"
    " and in it CREATE EXTENSION citus, as a superuser."
)
NO_COORDINATOR = (
    "The coordinator has no address by which the other servers and lastro find it. Say it as a superuser:"
    " SELECT citus_set_coordinator_host('HOST', 5432)."
)
_FOUND = """
SELECT to_regclass('public.companies') IS NOT NULL AS is_migrated,
       to_regnamespace('shards') IS NOT NULL AS is_spread,
       EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has_engine,
       current_setting('server_version_num')::integer AS version
"""
HAS_COORDINATOR = "SELECT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0 AND isactive)"
_HAS_SERVERS = "SELECT EXISTS (SELECT FROM pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards)"
# Of a database that was migrated alone, the engine takes along what tables, views and policies ask for. The rest, here, is
# called by our statements.
_LEFT = """
DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN SELECT p.oid FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = 'lastro_owner'::regrole
              AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid)
              AND p.proname <> 'begin_era' -- of what the coordinator alone has
            ORDER BY p.oid LOOP
    PERFORM create_distributed_function(f);
  END LOOP;
END $$
"""


async def script(connection: asyncpg.Connection, shards: int = SHARDS, done: frozenset[str] = frozenset()) -> list[str]:
    """Returns the statements that spread an empty database, in order. done: tables that are spread.

    lastro_owner gives them to the coordinator. Citus refuses a foreign key between a distributed table and one that is
    not yet: all are made anew at the end, but for those between a table of the coordinator and one that is elsewhere.
    """
    tables = await connection.fetch(_TABLES, _FIRST)
    spread = [table["name"] for table in tables if table["is_tenants"]]
    new = {table["name"] for table in tables if table["is_tenants"] or table["name"] in EVERYWHERE} - done
    keys = [key for key in await connection.fetch(_KEYS) if not done or {key["table"], key["other"]} & new]
    return [
        *(f"ALTER TABLE {key['table']} DROP CONSTRAINT {key['name']};" for key in keys),
        *(f"SELECT create_reference_table('{name}');" for name in sorted(new & EVERYWHERE)),
        *(_spread(name, shards) for name in spread if name in new),
        *(
            f"ALTER TABLE {key['table']} ADD CONSTRAINT {key['name']} {key['text']};"
            for key in keys
            if _can_hold(key, set(spread))
        ),
        *(_AGAIN.format(**function) for function in await connection.fetch(_FUNCTIONS) if new),
    ]


async def spread_new(connection: asyncpg.Connection) -> None:
    """Spreads the tables that a migration has made.

    It runs in the migration's transaction, as lastro_owner, and does nothing on one server.
    """
    if not await connection.fetchval(IS_SPREAD):
        return
    done = frozenset(row["name"] for row in await connection.fetch(_DONE))
    statements = await script(connection, done=done)
    if statements:
        await connection.execute("SET LOCAL citus.multi_shard_modify_mode = sequential")
    for statement in statements:
        await connection.execute(statement)
    for table in await connection.fetch(_UNGUARDED):
        await connection.fetchval("SELECT shards.guard($1)", table["name"])


def _can_hold(key: asyncpg.Record, spread: set[str]) -> bool:
    """True if both tables' rows are on one server: the companies' in their shards, the coordinator's on it."""
    if key["table"] in spread:
        return key["other"] in spread | EVERYWHERE
    return key["other"] not in spread | EVERYWHERE


def _spread(table: str, shards: int) -> str:
    how = f"shard_count => {shards}" if table == _FIRST else f"colocate_with => '{_FIRST}'"
    return f"SELECT create_distributed_table('{table}', 'company_id', {how});"


async def spread(connection: asyncpg.Connection, shards: int = SHARDS) -> None:
    """Spreads an empty database.

    connection: of a superuser, on the coordinator, whose other servers are added. CommandFailed: what it lacks.
    """
    if (lacks := await lacking(connection)) is not None:
        raise CommandFailed(lacks)
    await set_up_servers(connection)
    async with connection.transaction():  # one of all takes two thirds of the time
        await connection.execute("SET LOCAL citus.multi_shard_modify_mode = sequential; SET LOCAL ROLE lastro_owner")
        for statement in await script(connection, shards):
            await connection.execute(statement)
        await connection.execute((schema_folder() / "shards.sql").read_text(encoding="utf-8"))
        await connection.execute(_LEFT)
    await set_up_servers(connection)  # once more, for the rights to what has come to them


async def lacking(connection: asyncpg.Connection) -> str | None:
    """Returns what a database lacks to be spread, in a sentence; None: nothing."""
    found = await connection.fetchrow(_FOUND)
    assert found is not None
    if not found["is_migrated"]:
        return "This database has no schema yet: run lastro migrate first."
    if found["is_spread"]:
        return "This database is spread already: lastro distribute status shows its servers."
    if await connection.fetchval("SELECT count(*) FROM companies"):
        return "This database has companies: only an empty one can be spread. Found them in the new one."
    if found["version"] < _LEAST_VERSION:
        return "This is PostgreSQL 14 or older: a spread database needs 15."
    if not found["has_engine"]:
        return NO_ENGINE
    if not await connection.fetchval(HAS_COORDINATOR):
        return NO_COORDINATOR
    if not await connection.fetchval(_HAS_SERVERS):
        return "No server may have companies yet: add one with lastro distribute add HOST:PORT."
    return next(iter(await refused_logins(connection)), None)


async def set_up_servers(connection: asyncpg.Connection) -> None:
    """Gives each server what the engine does not: its own numbers and beats, and the right to show shards.

    It may be done again. CommandFailed: why one could not be set up.
    """
    database = await connection.fetchval("SELECT quote_ident(current_database())")
    for server in await connection.fetch("SELECT groupid, nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary'"):
        statements = _of_server(database, server["groupid"])
        done = await connection.fetchrow(_RUN_ON, server["nodename"], server["nodeport"], statements)
        if done is None or not done["success"]:
            said = "it does not answer" if done is None else done["result"].splitlines()[0].removeprefix("ERROR:").strip()
            raise CommandFailed(f"{server['nodename']}:{server['nodeport']} could not be set up: {said}.")


def _of_server(database: str, group: int) -> str:
    if group >= MOST_SERVERS:
        raise CommandFailed(f"A spread database has at most {MOST_SERVERS - 1} servers, those counted that were taken away.")
    sequences = (_SEQUENCE.format(name=name, most=MOST_SERVERS, first=group or MOST_SERVERS) for name in SEQUENCES)
    return _ON_EACH_SERVER.format(database=database, sequences="".join(sequences))
