"""The schema can be spread by company over several servers: nothing in it needs two companies' rows in one place."""

from typing import Any

import asyncpg
import pytest

from lastro.ops.distribute import EVERYWHERE, script

from .test_schema import REFERENCE_TABLES, asked, tenant_tables

# Reference tables that say which company a number, an account or a key belongs to: they are read before it is known.
FINDS_A_COMPANY = frozenset({"company_numbers", "account_numbers", "own_keys", "rails"})

_COLUMNS = """
SELECT c.relname::text AS table, a.attname::text AS column, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS always,
       a.attidentity::text AS identity, coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS value
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
"""
_PRIMARY = """
SELECT i.indrelid::regclass::text AS table, a.attname::text AS first FROM pg_index i
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] WHERE i.indisprimary
   AND i.indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
"""
_UNIQUE = """
SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace
"""
# Which column of the other table stands against ours.
_FOREIGN = """
SELECT c.conrelid::regclass::text AS table, c.conname::text AS name, c.confrelid::regclass::text AS target, c.confdeltype::text AS on_delete,
       c.confupdtype::text AS on_update,
       (SELECT array_agg(ARRAY[a.attname::text, b.attname::text] ORDER BY k.place)
          FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(ours, theirs, place)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.ours
          JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.theirs) AS pairs
  FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
"""
# Things that a distributed table cannot have, or that reach over companies behind a statement's back.
_FORBIDDEN = """
SELECT 'trigger ' || tgname || ' on ' || tgrelid::regclass FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'rule ' || rulename || ' on ' || ev_class::regclass FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
           WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
UNION ALL SELECT 'exclusion ' || conname || ' on ' || conrelid::regclass FROM pg_constraint
           WHERE contype = 'x' AND connamespace = 'public'::regnamespace
UNION ALL SELECT 'inheritance of ' || inhrelid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
           WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
UNION ALL SELECT 'materialized view ' || relname FROM pg_class WHERE relkind = 'm' AND relnamespace = 'public'::regnamespace
UNION ALL SELECT 'type ' || typname FROM pg_type WHERE typtype IN ('e', 'd') AND typnamespace = 'public'::regnamespace
UNION ALL SELECT 'function above row-level security ' || proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace
UNION ALL SELECT 'policy ' || polname || ' of ' || polrelid::regclass || ' asks a query' FROM pg_policy
           WHERE concat(polqual::text, polwithcheck::text) LIKE '%SUBLINK%'
UNION ALL SELECT 'unlogged ' || relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


async def breaches(database: Any) -> list[str]:
    """Everything by which the schema could not be spread, each in a line."""
    tenants = await tenant_tables(database)
    columns, found = await asked(database, _COLUMNS), []
    company = {r["table"]: r for r in columns if r["column"] == "company_id"}
    found += [
        f"{table} has no company_id that is always there"
        for table in sorted(tenants)
        if table not in company or company[table]["type"] != "uuid" or not company[table]["always"]
    ]
    found += [f"{table} has a company_id and is no tenant's" for table in company.keys() - tenants - FINDS_A_COMPANY]
    primary = {r["table"]: r["first"] for r in await asked(database, _PRIMARY)}
    found += [
        f"{table} has no primary key that begins with the company"
        for table in sorted(tenants)
        if primary.get(table) != "company_id"
    ]
    # A sequence of each server's own would give a number twice.
    found += [
        f"{r['table']}.{r['column']} is numbered by one server"
        for r in columns
        if r["table"] in tenants and (r["identity"] or "nextval" in r["value"])
    ]
    for key in await asked(database, _FOREIGN):
        ours, theirs = key["table"] in tenants, key["target"] in tenants
        if theirs and not ours:
            found.append(f"{key['name']}: a table that is everywhere whole refers to one company's")
        if ours and theirs and key["pairs"][0] != ["company_id", "company_id"]:
            found.append(f"{key['name']}: the company does not stand against the company")
        if (key["on_delete"], key["on_update"]) != ("a", "a"):
            found.append(f"{key['name']}: a change of one row changes others")
    return found + [r[0] for r in await asked(database, _FORBIDDEN)]


async def test_the_schema_can_be_spread_by_company(database: Any) -> None:
    assert len(await tenant_tables(database)) > 40
    assert await breaches(database) == []
    assert FINDS_A_COMPANY < REFERENCE_TABLES


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("CREATE TABLE later (id uuid PRIMARY KEY)", "later has no company_id that is always there"),
        (
            "CREATE TABLE later (company_id uuid, id uuid PRIMARY KEY)",
            "later has no primary key that begins with the company",
        ),
        (
            "CREATE TABLE later (company_id uuid, id uuid, n bigserial, PRIMARY KEY (company_id, id))",
            "later.n is numbered by one server",
        ),
        (
            """CREATE TABLE later (id uuid, company_id uuid, account_id uuid, PRIMARY KEY (company_id, id),
                 FOREIGN KEY (account_id, company_id) REFERENCES accounts (id, company_id))""",
            "the company does not stand against the company",
        ),
        ("ALTER TABLE own_keys ADD company uuid REFERENCES companies", "refers to one company's"),
        (
            "CREATE TABLE later (company_id uuid REFERENCES companies ON DELETE CASCADE, id uuid, PRIMARY KEY (company_id, id))",
            "a change of one row changes others",
        ),
        (
            """CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
               CREATE TRIGGER t BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION t()""",
            "trigger t on orders",
        ),
        (
            "CREATE POLICY p ON orders TO lastro_app USING (EXISTS (SELECT 1 FROM companies))",
            "policy p of orders asks a query",
        ),
        (
            "CREATE POLICY p ON orders FOR INSERT TO lastro_app WITH CHECK (EXISTS (SELECT 1 FROM companies))",
            "policy p of orders asks a query",
        ),
        ("CREATE TYPE colour AS ENUM ('red')", "type colour"),
        ("CREATE MATERIALIZED VIEW m AS SELECT 1", "materialized view m"),
    ],
)
async def test_what_could_not_be_spread_is_seen(database: Any, change: str, said: str) -> None:
    """Each change is made, looked at and taken back."""
    connection = await database.connect()
    transaction = connection.transaction()
    await transaction.start()
    try:
        await connection.execute("SET LOCAL ROLE lastro_owner")
        await connection.execute(change)
        assert any(said in line for line in await breaches(_Inside(connection)))
    finally:
        await transaction.rollback()
        await connection.close()


_KEYS = "SELECT conrelid, conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint WHERE contype = 'f'"
# Stand-ins for Citus, which the tests do not have: they write down what they are asked, and refuse what Citus does.
_CITUS = """
CREATE TABLE asked (said text, number serial);
CREATE FUNCTION refuse(spread regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_constraint WHERE contype = 'f' AND spread IN (conrelid, confrelid)) THEN RAISE 'keys of %', spread; END IF;
  IF EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = spread AND concat(polqual::text, polwithcheck::text) LIKE '%SUBLINK%') THEN
    RAISE 'a policy of % asks a query', spread;
  END IF;
END $$;
CREATE FUNCTION create_reference_table(spread regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refuse(spread);
  INSERT INTO asked VALUES ('everywhere ' || spread);
END $$;
CREATE FUNCTION create_distributed_table(spread regclass, by text, shard_count integer DEFAULT NULL, colocate_with text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refuse(spread);
  IF colocate_with IS NOT NULL AND NOT EXISTS (SELECT 1 FROM asked WHERE said = 'spread ' || colocate_with) THEN RAISE 'too early'; END IF;
  IF (colocate_with IS NULL) = (shard_count IS NULL) OR by <> 'company_id' THEN RAISE 'not so: %', spread; END IF;
  INSERT INTO asked VALUES ('spread ' || spread);
END $$;
"""


async def test_the_script_that_spreads_it_leaves_nothing_out(database: Any) -> None:
    connection = await database.connect()
    transaction = connection.transaction()
    await transaction.start()
    try:
        await connection.execute("SET LOCAL ROLE lastro_owner")
        inside = _Inside(connection)
        tenants, keys, statements = await tenant_tables(inside), set(await connection.fetch(_KEYS)), await script(connection)
        await connection.execute(_CITUS)
        await connection.execute("\n".join(statements))
        said = [row["said"] for row in await connection.fetch("SELECT said FROM asked ORDER BY number")]
        assert len(said) == len(set(said))
        assert {word.split()[1] for word in said if word.startswith("spread ")} == tenants
        assert {word.split()[1] for word in said if word.startswith("everywhere ")} == EVERYWHERE < REFERENCE_TABLES
        assert len(keys) > 50
        lost = {key["conname"] for key in keys - set(await connection.fetch(_KEYS))}
        assert lost == {"beats_era_fkey", "console_acts_person_id_fkey"}
    finally:
        await transaction.rollback()
        await connection.close()


async def test_a_table_whose_policy_asks_a_query_is_not_spread(database: Any) -> None:
    """As Citus has it, which otherwise would be found out by whoever tries it first."""
    connection = await database.connect()
    transaction = connection.transaction()
    await transaction.start()
    try:
        await connection.execute("SET LOCAL ROLE lastro_owner")
        await connection.execute(
            "CREATE POLICY p ON events FOR INSERT TO lastro_app WITH CHECK (EXISTS (SELECT 1 FROM orders))"
        )
        statements = await script(connection)
        await connection.execute(_CITUS)
        with pytest.raises(asyncpg.RaiseError, match="a policy of events asks a query"):
            await connection.execute("\n".join(statements))
    finally:
        await transaction.rollback()
        await connection.close()


class _Inside:
    """The database as an open transaction sees it."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def connect(self) -> Any:
        return self

    async def fetch(self, sql: str) -> Any:
        return await self._connection.fetch(sql)

    async def close(self) -> None:
        """The transaction goes on."""


async def test_a_shard_has_room_for_its_number_in_the_name_of_a_key(database: Any) -> None:
    """There it is the name with a number behind it, cut at 63 characters; code that compares names takes the number away."""
    rows = await asked(database, _UNIQUE)
    assert len(rows) > 100
    assert not [row["name"] for row in rows if len(row["name"]) > 55]
