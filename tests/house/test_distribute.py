"""`lastro distribute`: what it refuses on one server; on a cluster, a database from its spreading to a move beside writes."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.declined import CommandFailed, StartRefused
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.servers import addresses
from lastro.ops import distribute, eras
from lastro.ops.distribute.moving import Address
from lastro.ops.migrate import migrate

from .office import Office, environment
from .tree import MIGRATIONS

on_one = pytest.mark.skipif("LASTRO_CITUS_URL" in os.environ, reason="on a cluster: it is about one server")
on_cluster = pytest.mark.skipif("LASTRO_CITUS_URL" not in os.environ, reason="LASTRO_CITUS_URL names no cluster")
Say = Callable[..., str]


@pytest.fixture
def say(tmp_path: Path) -> Callable[[Any], Say]:
    """What a command prints that is about a database."""

    def about(database: Any) -> Say:
        settings = read(environment(database, tmp_path))

        def types(*words: str) -> str:
            said: list[str] = []
            assert distribute.perform(words, lambda: settings, said.append) == 0
            return "\n".join(said)

        return types

    return about


@pytest.mark.parametrize("text", ["db1", "db1:", ":5432", "db1:0", "db1:65536", "db1:x", "5432"])
def test_a_server_is_a_host_and_a_port(text: str) -> None:
    with pytest.raises(ValueError, match="is not HOST:PORT"):
        Address.of(text)
    assert str(Address.of("db1:5432")) == "db1:5432"


@pytest.mark.parametrize(
    "words",
    [
        ["spread", "--shards", "0"],
        ["spread", "--shards", "many"],
        ["spread", "--shards", "5000"],
        ["add", "db1"],
        ["move", "1"],
        [],
    ],
)
def test_words_that_make_no_sense_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        distribute.syntax().parse_args(words)
    assert ended.value.code == 2


@on_one
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["spread", "--yes"], "lacks the extension citus"),
        (["status"], "is on one server"),
        (["add", "db1:5432"], "lacks the extension citus"),
        (["where", "1"], "is on one server"),
        (["rebalance"], "is on one server"),
        (["move", "1", "db1:5432"], "is on one server"),
        (["repair"], "is on one server"),
    ],
)
def test_one_server_has_nothing_to_distribute(own_database: Any, say: Any, words: list[str], said: str) -> None:
    with pytest.raises(CommandFailed, match=said) as failed:
        say(own_database)(*words)
    assert "\n" not in str(failed.value)


@on_one
def test_a_database_without_a_schema_is_not_spread(empty_database: Any, say: Any) -> None:
    with pytest.raises(CommandFailed, match="run lastro migrate first"):
        say(empty_database)("spread", "--yes")


def test_an_address_is_wanted(tmp_path: Path) -> None:
    settings = read({"LASTRO_HOME": str(tmp_path)})
    with pytest.raises(StartRefused, match="LASTRO_DATABASE_URL is not set"):
        distribute.perform(["status"], lambda: settings, print)


@on_one
def test_a_database_with_companies_is_not_spread(own_database: Any, say: Any, tmp_path: Path) -> None:
    Office(read(environment(own_database, tmp_path))).types("company", "add", "Ana")
    with pytest.raises(CommandFailed, match="has companies"):
        say(own_database)("spread", "--yes")


@on_cluster
def test_a_database_is_spread_grows_and_moves_beside_writes(empty_database: Any, say: Any, tmp_path: Path) -> None:
    coordinator, second, third = (url.rpartition("@")[2].partition("/")[0] for url in _urls(empty_database))
    asyncio.run(_join(empty_database))
    types = say(empty_database)
    types("add", second)
    with pytest.raises(CommandFailed, match=f"4 shards over {coordinator}, {second}, for good"):
        types("spread", "--shards", "4")
    types("spread", "--shards", "4", "--yes")
    with pytest.raises(CommandFailed, match="is spread already"):
        types("spread", "--yes")
    office = Office(read(environment(empty_database, tmp_path)))
    for name in ("Ana", "Dora", "Eva"):
        office.types("company", "add", name)
    types("add", third)
    assert _shards(types) == {coordinator: 0, second: 4, third: 0}
    assert all(server["isSetUp"] for server in json.loads(types("status", "--json"))["servers"])
    assert "moved: 2" in _beside_writes(empty_database, lambda: types("rebalance"))
    assert _shards(types) == {coordinator: 0, second: 2, third: 2}
    assert "Nothing to move" in types("rebalance")
    was = json.loads(types("where", "1", "--json"))["server"]
    other = third if was == second else second
    assert f"server      {other}" in _beside_writes(empty_database, lambda: types("move", "1", other))
    assert json.loads(types("where", json.loads(types("where", "1", "--json"))["companyId"], "--json"))["server"] == other
    with pytest.raises(CommandFailed, match=f"is on {other} already"):
        types("move", "1", other)
    with pytest.raises(CommandFailed, match="is no server of this database"):
        types("move", "1", "127.0.0.1:1")
    with pytest.raises(CommandFailed, match="No such company"):
        types("where", "99")
    assert types("repair") == "none"
    _beside_writes(empty_database, lambda: asyncio.run(_upgrade(empty_database, tmp_path)))
    assert asyncio.run(_later(empty_database)) == 4
    before = asyncio.run(_last_numbers(empty_database))
    said: list[str] = []
    settings = read(environment(empty_database, tmp_path))
    eras.perform(["begin", "--yes"], lambda: settings, said.append)
    after = asyncio.run(_last_numbers(empty_database))
    assert all(now > was + 1_000_000 for was, now in zip(before, after, strict=True)), said


def _urls(database: Any) -> tuple[str, ...]:
    return (*addresses(database.admin.url), *database.others)


_LATER = """
CREATE TABLE later (company_id uuid NOT NULL REFERENCES companies, id uuid NOT NULL, n integer, PRIMARY KEY (company_id, id));
ALTER TABLE later ENABLE ROW LEVEL SECURITY;
ALTER TABLE later FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON later TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
GRANT SELECT, INSERT ON later TO lastro_app;
"""


async def _upgrade(database: Any, home: Path) -> str:
    """A table of companies comes, and one of its columns goes."""
    folder = home / "migrations"
    folder.mkdir()
    for path in MIGRATIONS:
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "9998_later.sql").write_text(_LATER, encoding="utf-8")
    (folder / "9999_less.sql").write_text("ALTER TABLE later DROP COLUMN n CASCADE;", encoding="utf-8")
    return " ".join(await migrate(database.admin.url, folder=folder))


async def _later(database: Any) -> int:
    """Each company writes to it and sees its own row alone; a stranger's is refused."""
    app = Database(database.app, size=1)
    try:
        async with app.session() as session:
            companies = [row[0] for row in await session.fetch("SELECT company_id FROM company_numbers")]
        for company_id in companies:
            async with app.session(company_id) as session:
                await session.fetch("INSERT INTO later (company_id, id) VALUES ($1, $1)", company_id)
                assert len(await session.fetch("SELECT * FROM later")) == 1
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await session.fetch("INSERT INTO later (company_id, id) VALUES ($1, $1)", UUID(int=1))
        return len(companies)
    finally:
        await app.close()


async def _last_numbers(database: Any) -> list[int]:
    """The last number for networks that each server gave out."""
    found = []
    for url in _urls(database):
        node = await asyncpg.connect(url)
        found.append(await node.fetchval("SELECT last_value FROM network_ids_seq"))
        await node.close()
    return found


async def _join(database: Any) -> None:
    """As an operator does it, before there is a schema on any of them."""
    for url in _urls(database):
        node = await asyncpg.connect(url)
        await node.execute("CREATE EXTENSION citus")
        await node.close()
    node = await asyncpg.connect(database.admin.url)
    host, _, port = database.admin.url.rpartition("@")[2].partition("/")[0].partition(":")
    await node.execute("SELECT citus_set_coordinator_host($1, $2)", host, int(port))
    await node.close()
    await migrate(database.admin.url)


def _shards(types: Say) -> dict[str, int]:
    return {server["server"]: server["shards"] for server in json.loads(types("status", "--json"))["servers"]}


def _beside_writes(database: Any, act: Callable[[], str]) -> str:
    """What the act says, while each company is written to; none of what was acknowledged is lost."""
    return asyncio.run(_written_beside(database, act))


async def _written_beside(database: Any, act: Callable[[], str]) -> str:
    app = Database(database.app, size=2)
    acting = asyncio.ensure_future(asyncio.to_thread(act))
    async with app.session() as session:
        companies = [row[0] for row in await session.fetch("SELECT company_id FROM company_numbers")]
    try:
        await asyncio.gather(*(_write(app, company_id, acting) for company_id in companies))
        return await acting
    finally:
        await app.close()


_WRITE = "UPDATE companies SET version = version + 1 WHERE company_id = $1 RETURNING 1"


async def _write(app: Database, company_id: Any, acting: "asyncio.Future[str]") -> None:
    async with app.session(company_id) as session:
        before = await session.value("SELECT version FROM companies WHERE company_id = $1", company_id)
    written = 0
    while not acting.done():
        try:
            async with app.session(company_id) as session:
                made = await session.fetch(_WRITE, company_id)
            assert len(made) == 1
            written += 1
        except (Stale, DatabaseAway):  # its shard has moved: it is tried again
            continue
    async with app.session(company_id) as session:
        after = await session.value("SELECT version FROM companies WHERE company_id = $1", company_id)
    assert after >= before + written  # one that nobody answered may have been done
    assert written
