"""A cluster as the server of a run: each database is one on every node, its tables spread by company.

A node finds the others' part of a database by its name, and what a database knows of its nodes and shards stands in its own
tables. So a copy of all parts under another name is a whole database again.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
from tests.databases import RunServer

from lastro.core.servers import elsewhere
from lastro.ops import distribute
from lastro.ops.migrate import ROLES, migrate

_ROOT = Path(__file__).parents[2]
# The template is made of these alone.
_MADE_OF = ("schema/**/*.sql", "src/lastro/ops/**/*.py", "src/lastro/**/states*.py", "tests/cluster/run_cluster.py")
_SHARDS = 4  # two a node: a company's neighbours are on its own and on the other


async def spread(url: str) -> None:
    """Spreads the tables of a migrated database. url: its address at the coordinator."""
    connection = await asyncpg.connect(url)
    try:
        await distribute.spread(connection, _SHARDS)
        for shard, host, port in await connection.fetch("SELECT * FROM shards.all()"):
            there = await asyncpg.connect(elsewhere(url, host, port))
            await there.execute("SELECT shards.open($1)", shard)  # what the first session makes, each copy has already
            await there.close()
    finally:
        await connection.close()


async def join(urls: Sequence[str]) -> None:
    """Makes one empty database of its parts. urls: their addresses, that at the coordinator first."""
    for url in urls:
        node = await asyncpg.connect(url)
        try:
            present = {name for (name,) in await node.fetch("SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)", ROLES)}
            for role in (one for one in ROLES if one not in present):
                await node.execute(f"CREATE ROLE {role} LOGIN")
            await node.execute("CREATE EXTENSION citus")
            await node.execute("SET citus.enable_ddl_propagation = off; ALTER SCHEMA public OWNER TO lastro_owner")
        finally:
            await node.close()
    (host, port), *others = [(one.hostname, one.port) for one in map(urlsplit, urls)]
    coordinator = await asyncpg.connect(urls[0])
    try:
        await coordinator.execute("SELECT citus_set_coordinator_host($1, $2)", host, port)
        for other in others:
            await coordinator.execute("SELECT citus_add_node($1, $2)", *other)
    finally:
        await coordinator.close()


class RunCluster(RunServer):
    """A cluster for the length of a run. It keeps the template for the next one, since that takes up to two minutes."""

    switches_roles = False  # every login is trusted

    def _create(self, name: str, template: str = "template0") -> None:
        super()._create(name, template)
        if template != "template0":  # a copy has its tables' rights, not those of the database itself
            self._run(f'GRANT CREATE ON DATABASE "{name}" TO lastro_owner')

    def _make_template(self) -> str:
        digest = _digest()
        kept = self._run(f"SELECT datname::text FROM pg_database WHERE datname LIKE 'lastro\\_template\\_%\\_{digest}'")
        if len(kept) >= len(self._urls):
            return max(str(name) for (name,) in kept)
        made = f"{self._prefix}_template"
        self._drop(made)  # an attempt that failed may have left it
        self._create(made)
        asyncio.run(self._fill(self._places(made)))
        # Citus has a worker of its own in each database, and one that somebody is in is not copied.
        self._run(f'ALTER DATABASE "{made}" ALLOW_CONNECTIONS false')
        self._run(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{made}'")
        name = f"{made.replace('_test_', '_template_').removesuffix('_template')}_{digest}"
        self._run(f'ALTER DATABASE "{made}" RENAME TO "{name}"')
        return name

    async def _fill(self, urls: Sequence[str]) -> None:
        await join(urls)
        await migrate(urls[0])
        await spread(urls[0])


def _digest() -> str:
    files = sorted({file for pattern in _MADE_OF for file in _ROOT.glob(pattern)})
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:12]
