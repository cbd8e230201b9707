"""lastro subject: one person is in everything that an installation does; what no law keeps is gone, and the rest stays whole."""

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest
from tests.cast import BENTO, Cast
from tests.house.test_commands import Office, environment
from tests.laws import broken, connected
from tests.rooms.accounts.openings import Desk
from tests.rooms.laws import paying_out
from tests.rooms.laws.collecting import _ADDRESS as ADDRESS
from tests.rooms.laws.world import URL, World

from lastro.doors.settings import read
from lastro.rails import port

pytestmark = pytest.mark.anyio
NAME, CPF, EMAIL, PHONE = 'Zélia "Zazá" Zanoni', "39053344705", "zelia@example.com", "+5511987651234"
MARKS = ("Zanoni", CPF, EMAIL, PHONE)
# Where the person stays, since what it is of is kept: money that moved, or that a network was asked for.
KEPT = {
    "parties.name",
    "parties.document_number",
    "parties.email",
    "parties.phone",
    "events.body",
    "inbox.body",
    "outbox.body",
}


async def order(world: World, name: str, method: str = "PIX") -> UUID:
    customer = {
        "name": NAME, "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": CPF}, "email": EMAIL, "phone": PHONE,
        "address": ADDRESS,
    }  # fmt: skip
    of = {"externalId": name, "paymentMethod": method, "description": "Flores", "notificationUrl": URL,
          "amount": {"currency": "BRL", "value": "10.00"}}  # fmt: skip
    reply = await world.ask("create_order", None, {"order": of, "customer": customer}, key=name)
    order_id = UUID(msgspec.json.decode(reply.body)["id"])
    world.names[name] = order_id
    return order_id


async def played(cast: Cast) -> World:
    """Two orders that nobody paid, one that was paid; a payout that was called off, one that was sent; a refused holder."""
    world = World(cast, await cast.ana(), await cast.dora())
    for name, method in (("free", "PIX"), ("slip", "BOLETO")):
        await world.ask("cancel_order", await order(world, name, method), key=f"cancel {name}")
    await order(world, "bought")
    payer = msgspec.structs.replace(BENTO, name=NAME, document_number=CPF)
    await world.told(port.PIX_ASK, await world.arrival("bought", payer=payer))
    await world.told(port.PIX_FINAL, port.PixFinal(world.names["bought_e2e"], True, settled_at=world.now()))
    await cast.credit(world.ana, 100_000)
    receiver = {"name": NAME, "document": {"type": "CPF", "number": CPF}}
    await paying_out.make(world, "called_off", 500, scheduled=True, receiver=receiver)
    await world.ask("cancel_payout", world.names["called_off"], key="cancel")
    await paying_out.make(world, "sent", 500, receiver=receiver)
    await paying_out.final(world, "sent")
    desk = Desk(cast, world.ana)
    asked = await desk.handed_over(document={"type": "CPF", "number": CPF}, fullName=NAME)
    await desk.judge(asked, "REPROVED", code="FRAUD", fields=[])
    world.names["refused"] = UUID(asked["accountRequestId"])
    return world


async def places(connection: Any) -> set[str]:
    """Every column of every table in which a mark of the person is."""
    found = set()
    columns = await connection.fetch(
        "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c JOIN information_schema.tables t"
        " USING (table_schema, table_name) WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'"
        " AND c.data_type IN ('text', 'bytea', 'jsonb', 'ARRAY')"
    )
    for table, column, kind in columns:
        text = f"encode({column}, 'escape')" if kind == "bytea" else f"{column}::text"
        for mark in MARKS:
            if await connection.fetchval(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {text} LIKE $1)", f"%{mark}%"):
                found.add(f"{table}.{column}")
    return found


@pytest.fixture
async def world(own_database: Any) -> Any:
    cast = Cast.of(own_database.app, size=2)
    made = await played(cast)
    admin = await own_database.connect(own_database.admin)
    await admin.execute(
        "UPDATE outbox SET due_at = NULL, done_at = now(), outcome = 'sent', sends = 1 WHERE due_at IS NOT NULL"
    )
    await admin.close()
    yield made
    await cast.close()


async def test_a_person_is_found_handed_out_and_erased(world: World, own_database: Any, tmp_path: Path) -> None:
    office = Office(read(environment(own_database, tmp_path)))
    admin = await connected(own_database.admin)
    company = str(world.ana.number)

    async def asks(*words: str) -> Any:
        return await asyncio.to_thread(office.asks, "subject", *words, "--company", company)

    kept = {(row["thing"], row["id"]): (row["ground"], row["until"]) for row in await asks("find", "390.533.447-05")}
    year = datetime.now(UTC).year
    until = f"{year + 11}-01-01T03:00:00Z"
    names = world.names
    for name in ("free", "slip", "bought"):
        assert kept["order", str(names[name])] == (("OPERATION", until) if name == "bought" else (None, None)), name
    for name in ("called_off", "sent"):
        assert kept["payout", str(names[name])] == (("OPERATION", until) if name == "sent" else (None, None)), name
    assert kept["accountRequest", str(names["refused"])] == (None, None)
    told = await asks("export", CPF)
    assert {len(told[kind]) > 0 for kind in ("people", "events", "uploads", "things")} == {True}
    assert all(person["document_number"] == CPF for person in told["people"])
    before, bodies = await places(admin), await admin.fetchval("SELECT count(*) FROM events")
    would = await asks("erase", CPF, "--reference", "LGPD 7")
    assert (would["isErased"], would["erasableThings"], would["keptThings"]) == (False, 4, {"OPERATION": 4})
    assert await places(admin) == before, "nothing is done that is not said yes to"
    done = await asks("erase", CPF, "--reference", "LGPD 7", "--by", "bia", "--yes")
    assert done["erased"]["people"] == 4
    (row,) = await admin.fetch("SELECT * FROM erasures")
    assert (str(row["id"]), row["reference"], row["erased_by"]) == (done["id"], "LGPD 7", "bia")
    assert json.loads(row["erased"]) == done["erased"]
    assert await places(admin) <= KEPT
    gone = {
        "orders": [names["free"], names["slip"]],
        "payouts": [names["called_off"]],
        "account_requests": [names["refused"]],
    }
    for ids in gone.values():
        said = await admin.fetch(
            "SELECT body FROM events WHERE reference_id = ANY ($1::uuid[]) UNION ALL SELECT body FROM outbox"
            " WHERE reference_id = ANY ($1::uuid[]) UNION ALL SELECT body FROM answers WHERE object_id = ANY ($1::uuid[])", ids
        )  # fmt: skip
        assert said
        assert not [mark for (body,) in said for mark in MARKS if mark.encode() in body]
    assert not await admin.fetchval("SELECT count(*) FROM account_documents WHERE sealed IS NOT NULL")
    assert await admin.fetchval("SELECT count(*) FROM events") == bodies
    assert await broken(admin, at_rest=False) == {}
    again = await asks("erase", CPF, "--reference", "LGPD 7", "--yes")
    assert set(again["erased"].values()) == {0}
    await admin.close()
    await stays_in_use(world)
    async with world.cast.database.session(world.ana.company_id) as session:
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await session.fetch("UPDATE events SET body = '{}'")


async def stays_in_use(world: World) -> None:
    """What was erased can still be read, and money that comes late for it still finds its way."""
    shown = msgspec.json.decode((await world.ask("read_order", world.names["free"], key="read")).body)
    assert shown["status"] == "CANCELED"
    assert not [mark for mark in MARKS if mark in json.dumps(shown, ensure_ascii=False)]
    await world.told(port.PIX_ASK, await world.arrival("free"))
    await world.told(port.PIX_SETTLED, await world.arrival("slip", txid=None, settled_at=world.now()))
    payout = msgspec.json.decode((await world.ask("read_payout", world.names["called_off"], key="read")).body)
    assert payout["status"] == "CANCELED"


async def test_when_its_time_is_over_a_payment_is_erased_too(world: World, own_database: Any, tmp_path: Path) -> None:
    office = Office(read(environment(own_database, tmp_path)))
    admin = await connected(own_database.admin)
    await admin.execute("UPDATE clock SET offset_us = $1", timedelta(days=12 * 366) // timedelta(microseconds=1))
    done = await asyncio.to_thread(
        office.asks, "subject", "erase", CPF, "--company", str(world.ana.number), "--reference", "7", "--yes"
    )
    assert done["keptThings"] == {}
    assert await places(admin) <= {"inbox.body"}, "what a network said is its proof, and stays"
    await admin.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("find", "x", "--company", "1"), "That is no document"),
        (("find", "000.000.000-00", "--company", "1"), "That is no document"),
        (("find", CPF, "--company", "1", "--years", "9"), "--years must be from 10"),
        (("find", CPF, "--company", "77"), "There is no company"),
        (("erase", CPF, "--company", "1", "--reference", "of 390.533.447-05"), "holds the document"),
    ],
)
def test_a_no_is_a_sentence(own_database: Any, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    office = Office(read(environment(own_database, tmp_path)))
    assert re.search(said, office.declined("subject", *words))
