"""An installation on several servers: each login has its password, and a server's standby takes its place.

Its servers are its own, since those of the run let everybody in and keep no log that a standby could follow.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.cast import Cast
from tests.cluster.__main__ import HOST
from tests.cluster.servers import BETWEEN_SERVERS, SHARDS, Installation, Server, installation
from tests.cluster.test_moving import Trade
from tests.laws import breaches
from tests.rooms.orders.shop import Shop

from lastro.config.settings import Settings, read
from lastro.core.db import PLANNED_ONCE, Database
from lastro.core.errors import DatabaseAway
from lastro.core.unowned_rows import WAIT_SECONDS as LOOKS_APART
from lastro.core.unowned_rows import Unowned, UnownedRows
from lastro.ops import distribute, eras
from lastro.ops.backups import back_up
from lastro.ops.distribute.repairing import repair
from lastro.ops.rollback_check import Heart, Memory
from lastro.ops.start_checks import admit

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")
SELLERS, COUNT, WAIT_SECONDS = 3, 20, 30
_NODE = "SELECT nodeid FROM pg_dist_node WHERE (nodename, nodeport) = ($1, $2)"


@pytest.fixture(scope="module")
def installed() -> Iterator[Installation]:
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="lastro-servers-", dir=memory if os.access(memory, os.W_OK) else None)
    with installation(Path(folder), 3) as made:
        yield made


def settings(installed: Installation, home: Path, login: str | None = None) -> Settings:
    """Those of a production in which each role has a login of its own."""
    told = read({"LASTRO_DATABASE_URL": installed.address(login), "LASTRO_DATABASE_LOGIN": "role", "LASTRO_HOME": str(home)})
    return replace(told, mode="production")


@asynccontextmanager
async def trading(installed: Installation, *coordinators: Server) -> AsyncIterator[Trade]:
    """Sellers of one company at work. At the end nothing that they were told is lost, and every law holds."""
    cast = Cast(Database(installed.dsn("lastro_app", *coordinators), size=6, settings=PLANNED_ONCE))
    trade = Trade(Shop(cast, await cast.ana()))
    tasks = [asyncio.ensure_future(act) for act in (trade.work(), *(trade.sell() for _ in range(SELLERS)))]
    try:
        await sold(trade)
        yield trade
    except BaseException:
        for task in tasks:
            task.cancel()
        raise
    trade.is_over = True
    await asyncio.gather(*tasks)
    found = {row["id"]: row["status"] for row in await trade.shop.rows("SELECT id, status FROM orders")}
    assert {found.get(order_id) for order_id in trade.paid} == {"PAID"}, "acknowledged, and lost"
    booked = sum(status == "PAID" for status in found.values())
    assert booked - len(trade.paid) <= trade.refused
    await cast.close()
    assert await breaches(installed.dsn("lastro_audit", *coordinators), at_rest=False) == {}


async def sold(trade: Trade) -> None:
    """Waits until some more is sold."""
    before = len(trade.paid)
    async with asyncio.timeout(WAIT_SECONDS):
        while len(trade.paid) < before + COUNT:
            await asyncio.sleep(0.05)


async def test_no_process_needs_a_superuser(installed: Installation, tmp_path: Path) -> None:
    known = settings(installed, tmp_path)
    app, work = Database(known.app), Database(known.work)
    await admit(app, work, known, None, asyncio.Event())
    async with trading(installed):
        pass
    assert await work.everywhere("SELECT id, due_at FROM outbox LIMIT 1") is not None
    assert await repair(known.app, known.audit) == []
    for database in (app, work):
        await database.close()


def test_a_login_that_servers_refuse_is_named(installed: Installation, tmp_path: Path) -> None:
    known = settings(installed, tmp_path, "postgres")

    def status(*words: str) -> str:
        said: list[str] = []
        assert distribute.perform(["status", *words], lambda: known, said.append) == 0
        return said[0]

    assert json.loads(status("--json"))["refusedLogins"] == []
    for role in BETWEEN_SERVERS[1:]:
        installed.let_in(*(other for other in BETWEEN_SERVERS if other != role))
        (line,) = (line for line in status().splitlines() if line.startswith("lastro_"))
        assert line.startswith(f"{role} cannot log in from {HOST}:")
        assert "and 6 more: it needs a line in pg_hba.conf" in line
    installed.let_in(*BETWEEN_SERVERS)


async def test_a_standby_takes_a_servers_place(installed: Installation, tmp_path: Path) -> None:
    coordinator: Any = await asyncpg.connect(installed.address("postgres"))
    work, app = Database(installed.dsn("lastro_work"), size=2), Database(installed.dsn("lastro_app"), size=2)
    heart = Heart(app, Memory(tmp_path), "sandbox")
    await heart.start()
    known = dict(heart.witness.servers)
    assert len(known) == len(installed.servers) - 1
    async with trading(installed) as trade:
        port = await coordinator.fetchval("SELECT port FROM shards.of($1)", trade.shop.ana.company_id)
        (old,) = (server for server in installed.servers if server.port == port)
        new = await installed.standby(old)
        await sold(trade)
        held = await coordinator.fetchval("SELECT count(*) FROM shards.all() WHERE port = $1", port)
        installed.kill(old)
        # Meanwhile work is found in the other shards.
        assert len(await work.in_reach("SELECT 1")) == SHARDS - held
        with pytest.raises(DatabaseAway):
            await work.everywhere("SELECT 1")
        installed.promote(new)
        installed.servers[installed.servers.index(old)] = new
        node = await coordinator.fetchval(_NODE, HOST, old.port)
        await coordinator.execute("SELECT citus_update_node($1, $2, $3)", node, HOST, new.port)
        await sold(trade)
        assert trade.refused
        assert len(await work.everywhere("SELECT 1")) == SHARDS
        async with asyncio.timeout(WAIT_SECONDS):
            while not all(heart.witness.servers[server] > beat for server, beat in known.items()):
                await heart.beat()
    assert heart.witness.older == {}, "it has every beat"
    for database in (work, app):
        await database.close()
    epochs = await coordinator.fetchval("SELECT count(*) FROM shards.epochs WHERE epoch > 0")
    await coordinator.close()
    assert epochs == 0, "the numbers of the server's transactions go on"


async def test_a_standby_takes_the_coordinators_place(installed: Installation) -> None:
    old = installed.servers[0]
    new = await installed.standby(old)
    async with trading(installed, old, new) as trade:
        installed.kill(old)
        refused = trade.refused
        await sold(trade)
        assert trade.refused == refused, "a company whose place is known goes on without it"
        installed.promote(new)
        installed.servers[0] = new
        await installed.say(new, f"SELECT citus_set_coordinator_host('{HOST}', {new.port})")
        await trade.shop.cast.ana()  # its number and its account's are on every server
        await sold(trade)


async def test_all_servers_come_back_to_one_moment(installed: Installation, tmp_path: Path) -> None:
    backups = [await asyncio.to_thread(backed_up, installed, server, tmp_path) for server in installed.servers]
    cast = Cast(Database(installed.dsn("lastro_app"), size=6, settings=PLANNED_ONCE))
    trade, nobody = Trade(Shop(cast, await cast.ana())), cast.id()
    tasks = [asyncio.ensure_future(act) for act in (trade.work(), *(trade.sell() for _ in range(SELLERS)))]
    await sold(trade)
    # What a crash leaves of a company that was being founded.
    await installed.say(installed.servers[0], f"INSERT INTO company_numbers (number, company_id) VALUES (77777, '{nobody}')")
    kept = set(trade.paid)
    await installed.say(installed.servers[0], "SELECT citus_create_restore_point('noon')")
    known = set(trade.paid)
    await sold(trade)
    trade.is_over = True
    await asyncio.gather(*tasks)
    await cast.close()
    for server in installed.servers:
        await installed.say(server, "SELECT pg_switch_wal()")
        installed.stop(server)
    installed.servers = [
        installed.restored(server, backup, "noon") for server, backup in zip(installed.servers, backups, strict=True)
    ]
    for server in installed.servers:
        await installed.recovered(server)
    known_settings = settings(installed, tmp_path, "postgres")
    await asyncio.to_thread(eras.perform, ["begin", "--yes"], lambda: known_settings, print)
    audit = Database(installed.dsn("lastro_audit"))
    found = {row["id"] for row in await audit.everywhere("SELECT id FROM orders WHERE status = 'PAID'")}
    assert kept <= found
    assert len(set(trade.paid) - found) >= len(set(trade.paid) - known) - SELLERS, "what came after the moment is away"
    assert (await breaches(installed.dsn("lastro_audit"), at_rest=False)).keys() == {"law_numbers_lead_to_their_owner"}
    app, times = Database(installed.dsn("lastro_app")), iter((0.0, 0.0, LOOKS_APART, LOOKS_APART))
    rows = UnownedRows(app, audit, lambda: next(times))
    assert await rows.look() == []
    assert await rows.look() == [Unowned("company_numbers", "77777", nobody)]
    async with trading(installed):
        pass
    for database in (app, audit):
        await database.close()


def backed_up(installed: Installation, server: Server, folder: Path) -> Path:
    """A backup of one server."""
    made, said = folder / server.data.name, list[str]()
    words = [str(made), "--database", installed.address("postgres", server)]
    assert back_up(words, lambda: settings(installed, folder), None, said.append) == 0
    return made
