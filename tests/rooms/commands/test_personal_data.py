"""lastro personal-data: one person is in everything that an installation does; what no law keeps is gone, and the rest stays whole."""

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
from tests.house.office import Office, environment
from tests.laws import broken, connected
from tests.rooms.accounts.openings import Desk
from tests.rooms.laws import paying_out, planning, subscribing
from tests.rooms.laws.collecting import _ADDRESS as ADDRESS
from tests.rooms.laws.world import URL, World

from lastro.config.settings import read
from lastro.rails import port
from lastro.standards.calendar import brasilia_day

NAME, CPF, EMAIL, PHONE = 'Zélia "Zazá" Zanoni', "39053344705", "zelia@example.com", "+5511987651234"
MARKS = ("Zanoni", CPF, EMAIL, PHONE)
# Where the person stays, since what it is of is kept: money that moved, or that a network was asked for.
KEPT = {
    "parties.name", "parties.document_number", "parties.email", "parties.phone", "events.body", "inbox.body",
    "outbox.body",
}  # fmt: skip


async def order(world: World, name: str, method: str = "PIX", *, customer_name: str = NAME) -> UUID:
    customer = {
        "name": customer_name, "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": CPF}, "email": EMAIL, "phone": PHONE,
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


async def places(connection: Any, marks: tuple[str, ...] = MARKS) -> set[str]:
    """Every column of every table in which a mark of the person is."""
    found = set()
    columns = await connection.fetch(
        "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c JOIN information_schema.tables t"
        " USING (table_schema, table_name) WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'"
        " AND c.data_type IN ('text', 'bytea', 'jsonb', 'ARRAY') AND c.table_name !~ '_[0-9]{6,}$'"  # shards, by their own names
    )
    for table, column, kind in columns:
        text = f"encode({column}, 'escape')" if kind == "bytea" else f"{column}::text"
        for mark in marks:
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
        return await asyncio.to_thread(office.asks, "personal-data", *words, "--company", company)

    kept = {(row["thing"], row["id"]): (row["ground"], row["until"]) for row in await asks("find", "390.533.447-05")}
    year = brasilia_day(datetime.now(UTC)).year
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
    assert await broken(admin.fetch, at_rest=False) == {}
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


async def erased(world: World, own_database: Any, tmp_path: Path, document: str = CPF) -> Any:
    office = Office(read(environment(own_database, tmp_path)))
    words = ("erase", document, "--company", str(world.ana.number), "--reference", "LGPD 8", "--yes")
    return await asyncio.to_thread(office.asks, "personal-data", *words)


async def bodies(connection: Any, of: UUID) -> list[bytes]:
    sql = "SELECT body FROM events WHERE reference_id = $1 UNION ALL SELECT body FROM outbox WHERE reference_id = $1"
    return [row["body"] for row in await connection.fetch(sql, of)]


async def bodies_sent(connection: Any, of: UUID) -> list[bytes]:
    return [row["body"] for row in await connection.fetch("SELECT body FROM outbox WHERE reference_id = $1", of)]


async def test_words_of_a_person_are_erased_where_they_are_the_persons(
    world: World, own_database: Any, tmp_path: Path
) -> None:
    """What a client called an order, a status and a currency may be the same text; a key paid to is the person's too."""
    admin = await connected(own_database.admin)
    for code, name in ((CPF, "CANCELED"), ("other", "BRL"), ("more", CPF)):
        await order(world, code, customer_name=name)
        await world.ask("cancel_order", world.names[code], key=f"cancel {code}")
    key = "z.zanoni@work.example"
    await paying_out.make(
        world, "by_key", 500, scheduled=True, receiver={"name": NAME, "document": {"type": "CPF", "number": CPF}}
    )
    await admin.execute(
        "UPDATE payouts SET pix_key = $1, pix_key_type = 'EMAIL', initiation = 'KEY' WHERE id = $2",
        key,
        world.names["by_key"],
    )
    await world.ask("cancel_payout", world.names["by_key"], key="cancel by key")
    assert any(key.encode() in body for body in await bodies(admin, world.names["by_key"]))
    await erased(world, own_database, tmp_path)
    assert not any(key.encode() in body for body in await bodies(admin, world.names["by_key"]))
    (told,) = [msgspec.json.decode(body) for body in await bodies(admin, world.names[CPF])]
    assert (told["code"], told["status"], told["payer"]["name"]) == (CPF, "CANCELED", "NAO IDENTIFICADO")
    assert await broken(admin.fetch, at_rest=False) == {}
    await admin.close()


async def test_what_is_still_to_be_told_keeps_its_words(world: World, own_database: Any, tmp_path: Path) -> None:
    admin = await connected(own_database.admin)
    await admin.execute(
        "UPDATE outbox SET due_at = now(), done_at = NULL, outcome = NULL WHERE reference_id = $1 AND kind = 'collection.send'",
        world.names["slip"],
    )
    office = Office(read(environment(own_database, tmp_path)))
    found = await asyncio.to_thread(office.asks, "personal-data", "find", CPF, "--company", str(world.ana.number))
    assert {row["ground"] for row in found if row["id"] == str(world.names["slip"])} == {"IN_USE"}
    await erased(world, own_database, tmp_path)
    assert any(CPF.encode() in body for body in await bodies(admin, world.names["slip"]))
    await admin.execute("UPDATE outbox SET due_at = NULL, done_at = now(), outcome = 'sent' WHERE due_at IS NOT NULL")
    await erased(world, own_database, tmp_path)
    assert not any(CPF.encode() in body for body in await bodies(admin, world.names["slip"]))
    await admin.close()


async def test_what_partners_were_told_beside_the_words_goes_too(world: World, own_database: Any, tmp_path: Path) -> None:
    """Of a request for an account the birth date, address and trade name; of an order by card the payer's browser."""
    admin, refused = await connected(own_database.admin), world.names["refused"]
    sql = "UPDATE account_requests SET trade_name = 'Flores da Zaza', reproved_description = 'Zaza is no florist' WHERE id = $1"
    await admin.execute(sql, refused)
    (told,) = await bodies_sent(admin, refused)
    was = msgspec.structs.replace(port.analysis_order(told), trade_name="Flores da Zaza")
    assert was.holder.birth_date is not None
    assert was.holder.address
    await admin.execute("UPDATE outbox SET body = $2 WHERE reference_id = $1", refused, port.encode(was))
    slip = "SELECT body FROM outbox WHERE reference_id = $1 AND kind = 'collection.send'"
    browser: dict[str, str | int | bool] = {"userAgent": 'a "} b', "screenHeight": 900, "javaEnabled": False}
    card = port.CardOrder("tok", 1, URL, browser=browser, email=EMAIL, phone=PHONE)
    sold = msgspec.structs.replace(port.collection_order(await admin.fetchval(slip, world.names["slip"])), card=card)
    sql = "UPDATE outbox SET body = $2 WHERE reference_id = $1 AND kind = 'collection.send'"
    await admin.execute(sql, world.names["slip"], port.encode(sold))
    await erased(world, own_database, tmp_path)
    left = port.collection_order(await admin.fetchval(slip, world.names["slip"]))
    assert left.card == msgspec.structs.replace(card, browser=None, email="", phone="")
    (body,) = await bodies_sent(admin, refused)
    sent = port.analysis_order(body)
    assert (sent.holder.birth_date, sent.trade_name) == (None, None)
    assert not any((sent.holder.address or {}).values())
    (row,) = await admin.fetch("SELECT trade_name, reproved_description FROM account_requests WHERE id = $1", refused)
    assert set(row.values()) == {None}
    await admin.close()


async def test_who_represents_takes_own_pages_alone(world: World, own_database: Any, tmp_path: Path) -> None:
    """The holder of the refused request is the erased person's company, which stays."""
    admin, refused = await connected(own_database.admin), world.names["refused"]
    await admin.execute(
        "WITH holder AS (INSERT INTO parties (company_id, id, name, document_type, document_number)"
        " SELECT company_id, gen_random_uuid(), 'Zaza Ltda', 'CNPJ', '12345678000195' FROM account_requests WHERE id = $1 RETURNING id)"
        " UPDATE account_requests r SET representative_ids = ARRAY[r.party_id], party_id = holder.id, holder_type = 'ORGANIZATION'"
        " FROM holder WHERE r.id = $1", refused,
    )  # fmt: skip
    for slot, was in (("socialContract", "pepDeclaration"), ("selfieRepresentative", "selfieHolder")):
        await admin.execute("UPDATE account_documents SET slot = $2 WHERE request_id = $1 AND slot = $3", refused, slot, was)
    await erased(world, own_database, tmp_path)
    left = await admin.fetch("SELECT slot, sealed IS NOT NULL FROM account_documents WHERE request_id = $1", refused)
    assert {slot: kept for slot, kept in left if slot != "documentHolder"} == {
        "socialContract": True, "selfieRepresentative": False,
    }  # fmt: skip
    await admin.close()


async def test_lines_of_a_plan_are_the_persons_where_they_say_so(world: World, own_database: Any, tmp_path: Path) -> None:
    admin = await connected(own_database.admin)
    lines = [planning.line(world, str(n), n) for n in range(1, 6)]
    for line in lines:
        line["amount"]["value"] = "0"  # so that the plan is INVALID
    lines[0]["receiver"] = {"name": "Zaza", "document": {"type": "CPF", "number": CPF}}
    for place, key in ((1, EMAIL), (2, CPF)):
        lines[place] |= {"paymentData": {"pixKey": key}}
        del lines[place]["receiver"]
    lines[3]["description"] = f"Rent of {CPF}"
    lines[4]["externalId"] = CPF
    await world.ask("create_payout_plan", None, {"payouts": lines}, key="plan")
    await planning.work(world)
    done = await erased(world, own_database, tmp_path)
    left = await admin.fetch("SELECT number FROM payout_plan_lines WHERE request <> '{}' ORDER BY number")
    assert ([row["number"] for row in left], done["erased"]["planLines"]) == ([4, 5], 3)
    await admin.close()


async def test_a_subscription_loses_what_was_told_of_its_charges(world: World, own_database: Any, tmp_path: Path) -> None:
    admin = await connected(own_database.admin)
    await subscribing.play(world)
    await admin.execute(
        "UPDATE outbox SET due_at = NULL, done_at = now(), outcome = 'sent', sends = 1 WHERE due_at IS NOT NULL"
    )
    # What goes on is over by then.
    await admin.execute(
        "UPDATE subscriptions SET status = 'CANCELED' WHERE status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED')"
    )
    await admin.execute("UPDATE clock SET offset_us = $1", timedelta(days=12 * 366) // timedelta(microseconds=1))
    sql = "SELECT count(*) FROM outbox WHERE kind = 'charge.send' AND position('11144477735'::bytea IN body) > 0"
    assert await admin.fetchval(sql) > 0
    await erased(world, own_database, tmp_path, "11144477735")
    assert await admin.fetchval(sql) == 0
    await admin.close()


async def test_when_its_time_is_over_a_payment_is_erased_too(world: World, own_database: Any, tmp_path: Path) -> None:
    office = Office(read(environment(own_database, tmp_path)))
    admin = await connected(own_database.admin)
    await admin.execute("UPDATE clock SET offset_us = $1", timedelta(days=12 * 366) // timedelta(microseconds=1))
    done = await asyncio.to_thread(
        office.asks, "personal-data", "erase", CPF, "--company", str(world.ana.number), "--reference", "7", "--yes"
    )
    assert done["keptThings"] == {}
    assert await places(admin) <= {"inbox.body"}, "what a network said is its proof, and stays"
    await admin.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("find", "?", "--company", "1"), "That is no document"),
        (("find", "000.000.000-00", "--company", "1"), "That is no document"),
        (("find", CPF, "--company", "1", "--years", "9"), "--years must be from 10"),
        (("find", CPF, "--company", "77"), "There is no company"),
        (("erase", CPF, "--company", "1", "--reference", "of 390.533.447-05"), "holds the document"),
    ],
)
def test_a_no_is_a_sentence(own_database: Any, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    office = Office(read(environment(own_database, tmp_path)))
    assert re.search(said, office.declined("personal-data", *words))
