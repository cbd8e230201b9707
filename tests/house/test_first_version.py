"""A database of the first version, in which everything has happened once, is brought to today: its laws hold, and it is used."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.cast import ANA, DORA, Cast, Seller
from tests.laws import broken, connected
from tests.rooms.laws.world import World

from lastro.ops import migrate as migration
from lastro.ops.migrate import migrate
from lastro.rails import port

from .tree import MIGRATIONS

_ROWS = Path(__file__).with_name("first_version.sql")
# Transaction ids are of the database that gave them: credits are folded, and events looked for, from the beginning.
_ANEW = (
    "UPDATE balances SET fold_xid = 1, credits_folded = 0",
    "UPDATE event_cursors SET numbered_below_xid = 0",
)


async def first_version(database: Any, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """The schema of the first version, and its rows."""
    (folder / "migrations").mkdir()
    shutil.copy(MIGRATIONS[0], folder / "migrations")
    with patch.context() as before:
        before.setattr(migration, "schema_folder", lambda: folder)
        assert await migrate(database.admin.url) == [MIGRATIONS[0].name]
    admin = await database.connect(database.admin)
    await admin.execute(_ROWS.read_text(encoding="utf-8"))
    for sql in _ANEW:
        await admin.execute(sql)
    await admin.close()


async def test_what_the_first_version_kept_is_there_lawful_and_in_use(
    empty_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await first_version(empty_database, tmp_path, monkeypatch)
    admin = await connected(empty_database.admin)
    orders = {r["id"]: (r["external_id"], r["status"]) for r in await admin.fetch("SELECT * FROM orders")}
    had = await admin.fetch("SELECT debit_id, sum(amount_minor) FROM transfers GROUP BY 1 ORDER BY 1")
    await admin.close()
    assert len(await migrate(empty_database.admin.url)) == len(MIGRATIONS) - 1
    admin = await connected(empty_database.admin)
    assert await broken(admin, at_rest=False) == {}
    assert await admin.fetch("SELECT debit_id, sum(amount_minor) FROM transfers GROUP BY 1 ORDER BY 1") == had
    cast = Cast.of(empty_database.app, size=2)
    world = World(cast, await ana(cast, admin), await cast.found("Eva", DORA))
    for order_id, (code, status) in orders.items():
        shown = msgspec.json.decode((await world.ask("read_order", order_id, key="read")).body)
        assert (shown["externalId"], shown["status"]) == (code, status)
    # A payment that was on its way when the version changed still finds its end, and a new one its order.
    (waits,) = [order_id for order_id, (code, _) in orders.items() if code == "reserved"]
    name = await admin.fetchval("SELECT end_to_end_id FROM pix_payments WHERE order_id = $1", waits)
    await world.told(port.PIX_FINAL, port.PixFinal(name, True, settled_at=world.now()))
    assert await admin.fetchval("SELECT status FROM orders WHERE id = $1", waits) == "PAID"
    fresh = await world.create("fresh")
    await world.told(port.PIX_ASK, await world.arrival("fresh"))
    await world.told(port.PIX_FINAL, port.PixFinal(world.names["fresh_e2e"], True, settled_at=world.now()))
    assert await admin.fetchval("SELECT status FROM orders WHERE id = $1", fresh) == "PAID"
    assert await broken(admin, at_rest=False) == {}
    await cast.close()
    await admin.close()


async def ana(cast: Cast, admin: Any) -> Seller:
    """The company whose orders these are, as a test plays it, with a client of today."""
    row = await admin.fetchrow(
        "SELECT c.company_id, c.number, a.id, a.number AS account, k.key FROM companies c"
        " JOIN accounts a USING (company_id) JOIN pix_keys k ON k.company_id = c.company_id AND k.account_id = a.id"
        " WHERE EXISTS (SELECT 1 FROM orders o WHERE o.company_id = c.company_id)"
    )
    client = await cast.add_client(row["company_id"], "today")
    return Seller(row["company_id"], row["number"], row["id"], row["account"], ANA, row["key"], client)
