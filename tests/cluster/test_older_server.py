"""A server of several that comes back older than it was is known by its own beats, and takes nobody else's companies along."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.declined import CommandFailed
from lastro.core.errors import DatabaseAway
from lastro.ops import eras
from lastro.ops.rollback_check import Heart, Memory

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")
_BEAT, _GROUP = "SELECT beat FROM shards.beats", "SELECT groupid FROM pg_dist_local_group"
_OLDER = "UPDATE shards.beats SET beat = beat - 1, at = at - interval '1 hour'"


@pytest.fixture
async def app(own_database: Any) -> AsyncIterator[Database]:
    made = Database(own_database.app, size=2)
    yield made
    await made.close()


@pytest.fixture
async def servers(own_database: Any) -> AsyncIterator[list[Any]]:
    """A superuser's connections to the servers that have companies."""
    coordinator, *others = await own_database.connect_everywhere()
    await coordinator.close()
    yield others
    for other in others:
        await other.close()


async def company_at(app: Database, server: Any) -> UUID:
    """The id of a company whose rows would be at a server."""
    group = await server.fetchval(_GROUP)
    for number in range(1, 1000):
        async with app.session(UUID(int=number)) as session:
            if session.server == group:
                return UUID(int=number)
    raise AssertionError("no shard is there")


async def visit(app: Database, company_id: UUID) -> None:
    async with app.session(company_id) as session:
        await session.fetch("SELECT 1")


async def test_its_companies_wait_for_an_era_while_others_go_on(
    own_database: Any, app: Database, servers: list[Any], tmp_path: Path
) -> None:
    heart, stop = Heart(app, Memory(tmp_path), "sandbox"), asyncio.Event()
    await heart.start()
    app.watch(heart.witness)
    before = [await server.fetchval(_BEAT) for server in servers]
    await heart.round(stop)
    assert [await server.fetchval(_BEAT) for server in servers] == [beat + 1 for beat in before]
    older, other = servers
    lost, kept = await company_at(app, older), await company_at(app, other)
    await older.execute(_OLDER)
    await app.close()  # a server that was put back has none of the connections
    with capture_logs() as lines:
        for _ in range(2):
            with pytest.raises(DatabaseAway, match="an older copy"):
                await visit(app, lost)
            await visit(app, kept)
            await heart.round(stop)
    assert not stop.is_set()
    (told,) = (line for line in lines if line["event"] == "database.went_back")
    assert "Say lastro era begin" in told["reason"]
    assert [await server.fetchval(_BEAT) for server in servers] == [before[0], before[1] + 3]
    begun = await say(own_database, tmp_path, "begin")
    assert begun >= 3600 * 4000, "what was lost is of an hour ago"
    await visit(app, lost)
    await heart.round(stop)
    assert heart.witness.older == {}
    assert await older.fetchval(_BEAT) == before[0] + 1


async def test_a_process_that_starts_knows_it_and_a_file_keeps_every_server(
    own_database: Any, app: Database, servers: list[Any], tmp_path: Path
) -> None:
    older, other = servers
    for _ in range(2):
        await Heart(app, Memory(tmp_path), "sandbox").start()
    lost, kept = await company_at(app, older), await company_at(app, other)
    with pytest.raises(CommandFailed, match="knows of nothing that this database lacks"):
        await say(own_database, tmp_path, "begin")
    await say(own_database, tmp_path, "keep")
    await older.execute(_OLDER)
    with pytest.raises(CommandFailed, match="a copy from before"):
        await say(own_database, tmp_path, "keep")
    for _ in range(2):  # also where the last one has not seen it
        starting = Database(own_database.app, size=2)
        with capture_logs() as lines:
            await Heart(starting, Memory(tmp_path), "sandbox").start()
        assert [line["event"] for line in lines] == ["database.went_back"]
        with pytest.raises(DatabaseAway, match="an older copy"):
            await visit(starting, lost)
        await visit(starting, kept)
        await starting.close()


async def test_a_server_that_does_not_answer_keeps_no_other_from_its_beat(
    app: Database, servers: list[Any], tmp_path: Path
) -> None:
    silent, other = servers
    heart = Heart(app, Memory(tmp_path), "sandbox")
    await heart.start()
    before = await other.fetchval(_BEAT)
    async with silent.transaction():
        await silent.execute("LOCK TABLE shards.beats")
        await heart.beat()
    assert await other.fetchval(_BEAT) == before + 1
    assert heart.witness.older == {}


async def say(own_database: Any, home: Path, word: str) -> int:
    """Says `lastro era`; returns how many numbers for networks the newest era leaves out."""
    settings = read({"LASTRO_HOME": str(home), "LASTRO_DATABASE_URL": own_database.admin.url})
    await asyncio.to_thread(eras.perform, [word], lambda: settings, print)
    admin = await own_database.connect()
    left_out: int = await admin.fetchval(
        "SELECT network_ids_from - network_ids_before FROM eras ORDER BY began_at DESC LIMIT 1"
    )
    await admin.close()
    return left_out
