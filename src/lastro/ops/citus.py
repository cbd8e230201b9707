"""Prints SQL that distributes a database by company, with Citus. `python -m lastro.ops.citus URL`

It is made of the schema that is there, so that no table is forgotten. Results, and the statements of lastro's that Citus
refuses, are in docs/decisions/distribution.md: it is for trying, not yet for money.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from lastro.core.servers import Servers

if TYPE_CHECKING:
    import asyncpg

_FIRST = "companies"  # beside its rows stands whatever else is the company's
# Behind row-level security is what a company has; every server has all of the rest.
_TABLES = """
SELECT relname::text AS name, relrowsecurity AS is_tenants FROM pg_class
 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname <> $1, relname
"""
_KEYS = """
SELECT conrelid::regclass::text AS table, conname::text AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
 WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY conrelid::regclass::text, conname
"""
# A function that acts for one company runs on the server of its rows, and sets the company there: row-level security reads
# it there.
_FUNCTIONS = """
SELECT oid::regprocedure::text AS name FROM pg_proc
 WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND provolatile = 'v' AND proargnames[1] = 'company'
   AND proargtypes[0] = 'uuid'::regtype ORDER BY 1
"""
_BEFORE = (
    "-- Before this, as superuser. On every server: a database that the login which migrates owns; CREATE EXTENSION citus.",
    "-- On the coordinator: citus_set_coordinator_host, citus_add_node for each other server. Roles then go to all of them.",
    "-- On every server: SET citus.enable_ddl_propagation = off; ALTER SCHEMA public OWNER TO lastro_owner.",
    "-- Then lastro migrate on the coordinator, this, and only then the first company.",
)


async def script(connection: asyncpg.Connection, shards: int = 32) -> list[str]:
    """Returns the statements, in order.

    shards: into how many parts the companies are divided; a server has several of them. Citus refuses a foreign key between
    a distributed table and one that is not yet: all are made anew at the end.
    """
    tables = await connection.fetch(_TABLES, _FIRST)
    keys = await connection.fetch(_KEYS)
    return [
        *(f"ALTER TABLE {key['table']} DROP CONSTRAINT {key['name']};" for key in keys),
        *(f"SELECT create_reference_table('{table['name']}');" for table in tables if not table["is_tenants"]),
        *(_spread(table["name"], shards) for table in tables if table["is_tenants"]),
        *(f"ALTER TABLE {key['table']} ADD CONSTRAINT {key['name']} {key['text']};" for key in keys),
        *(
            f"SELECT create_distributed_function('{function['name']}', 'company', colocate_with => '{_FIRST}');"
            for function in await connection.fetch(_FUNCTIONS)
        ),
    ]


def _spread(table: str, shards: int) -> str:
    how = f"shard_count => {shards}" if table == _FIRST else f"colocate_with => '{_FIRST}'"
    return f"SELECT create_distributed_table('{table}', 'company_id', {how});"


async def _told(url: str) -> list[str]:
    connection = await Servers(url).connect()
    try:
        return [*_BEFORE, *(await script(connection))]
    finally:
        await connection.close()


if __name__ == "__main__":
    sys.stdout.write("\n".join(asyncio.run(_told(sys.argv[1]))) + "\n")
