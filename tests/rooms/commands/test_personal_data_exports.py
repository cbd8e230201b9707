"""lastro personal-data: who is found by which spelling of a document, and a copy that holds the person's data and nobody else's."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.cast import BENTO, Cast
from tests.house.office import Office, environment
from tests.rooms.laws.world import URL, World
from tests.watched import CLEARED, watched

from lastro.cli.personal_data import _document
from lastro.config.settings import read
from lastro.ops import personal_data
from lastro.rails import port

NAME, CPF = "Zélia Zanoni", "39053344705"
RFC, OTHER, SHORT, OF_LETTERS = "ÑOÑ850101AB1", "AB-123.456", "Z9", "A&B850101AB1"


async def order(world: World, name: str, kind: str = "CPF", number: str = CPF) -> UUID:
    customer = {
        "name": NAME, "entityType": "INDIVIDUAL", "document": {"type": kind, "number": number}, "email": "z@example.com",
    }  # fmt: skip
    of = {"externalId": name, "paymentMethod": "PIX", "description": "Flores", "notificationUrl": URL,
          "amount": {"currency": "BRL", "value": "10.00"}}  # fmt: skip
    reply = await world.ask("create_order", None, {"order": of, "customer": customer}, key=name)
    world.names[name] = UUID(msgspec.json.decode(reply.body)["id"])
    return UUID(str(world.names[name]))


@pytest.fixture
async def world(own_database: Any) -> Any:
    cast = Cast.of(own_database.app, size=2)
    yield World(cast, await cast.ana(), await cast.dora())
    await cast.close()


async def test_every_spelling_that_is_stored_is_found(world: World) -> None:
    for kind, number in (("CPF", CPF), ("RFC", RFC), ("RFC", OF_LETTERS), ("OTHERS", OTHER), ("OTHERS", SHORT)):
        await order(world, f"of {number}".replace(" ", "-").translate({ord("Ñ"): "N", ord("&"): "-"}), kind, number)
    spelled = ("390.533.447-05", CPF, RFC, RFC.lower(), OF_LETTERS, "ÑOÑ-850101-AB1", OTHER, OTHER.lower(), SHORT)
    found = {
        one: len(await personal_data.found(world.cast.database, world.ana.company_id, one, 10)) for one in spelled
    }  # fmt: skip
    assert found == dict.fromkeys(spelled, 1)


@pytest.mark.parametrize("given", ["390.533.447-05", CPF, RFC, OF_LETTERS, OTHER, SHORT, "a", "9" * 40])
def test_what_an_order_takes_is_a_document(given: str) -> None:
    assert _document(type("Given", (), {"document": f" {given}"})())


@pytest.mark.parametrize(
    ("document", "text", "held"),
    [(CPF, "of 390.533.447-05", True), (OTHER, "AB123456/1", True), (CPF, "LGPD-2026-17", False), ("17", "LGPD-2026-17", False)],
)  # fmt: skip
def test_a_reference_with_the_document_in_it_is_seen(document: str, text: str, held: bool) -> None:
    assert personal_data.tells(document, text) is held


async def test_whoever_waits_at_a_terminal_sees_how_far_it_is(
    world: World, own_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        await world.ask("cancel_order", await order(world, name), key=f"cancel {name}")
    office, company = Office(read(environment(own_database, tmp_path))), str(world.ana.number)
    looks = ["looks [########................] 1 of 3  who it is",
             "looks [################........] 2 of 3  what there is, and why it stays",
             "looks [########################] 3 of 3  accounts and their keys", ""]  # fmt: skip
    for words, drawn in (
        (("find", CPF), looks),
        (("erase", CPF, "--reference", "LGPD-1"), looks),
        (
            ("erase", CPF, "--reference", "LGPD-1", "--yes"),
            [*looks, "erased [........................] 0 of 2  all at once", ""],
        ),
    ):
        screen = watched(monkeypatch)
        said = await asyncio.to_thread(office.types, "personal-data", *words, "--company", company)
        assert (screen.drawn, CLEARED in said) == (drawn, False), words
    screen = watched(monkeypatch)
    await asyncio.to_thread(office.types, "personal-data", "export", CPF, "--company", company)
    kinds = [drawn.rpartition("] ")[2] for drawn in screen.drawn]
    assert (kinds[0], kinds[1], kinds[-2:]) == (
        "1 of 12  what there is",
        "2 of 12  people",
        ["12 of 12  defenseDocuments", ""],
    )


async def test_what_another_paid_names_the_other_to_nobody_else(world: World) -> None:
    await order(world, "hers")
    await world.told(port.PIX_ASK, await world.arrival("hers"))
    await world.told(port.PIX_FINAL, port.PixFinal(world.names["hers_e2e"], True, settled_at=world.now()))
    hers, his = [
        await personal_data.exported(world.cast.database, world.ana.company_id, one, 10)
        for one in (CPF, BENTO.document_number)
    ]
    assert [event["event"] for event in hers["events"]] == [event["event"] for event in his["events"]]
    paid = [event["payload"] for event in hers["events"] if event["event"] == "ORDER-PAYIN.PAID"]
    assert [(one["id"], one["amount"]["value"]) for one in paid] == [(str(world.names["hers"]), "10.00")]
    told = msgspec.json.encode(hers).decode()
    assert not [mark for mark in (BENTO.name, BENTO.document_number, f'"{BENTO.account}"') if mark in told]
    told = msgspec.json.encode(his).decode()
    assert BENTO.account in told
    assert not [mark for mark in (NAME, CPF) if mark in told]


@pytest.mark.parametrize(
    ("who", "kept"),
    [
        ({"name": NAME, "document": {"type": "CPF", "number": CPF}}, True),
        ({"name": NAME, "document": {"type": "CPF", "number": BENTO.document_number}}, False),
        # Who has neither CPF nor CNPJ is told of with zeros.
        ({"name": NAME, "document": {"type": "CPF", "number": "00000000000"}}, True),
        ({"name": "Bento", "document": {"type": "CPF", "number": "00000000000"}}, False),
        ({"name": "Bento"}, False),
        ({"name": NAME, "document": "***.813.579-**"}, False),
    ],
)
def test_who_is_somebody_else_is_left_out(who: dict[str, Any], *, kept: bool) -> None:
    told = {"payload": {"data": [{"receiver": who, "amount": "1.00"}]}}
    left = {"payload": {"data": [{"amount": "1.00"}]}}
    assert personal_data._own(told, [CPF], {NAME}) == (told if kept else left)


async def test_a_copy_has_what_hangs_on_an_account(world: World, own_database: Any) -> None:
    """Its claims and closings with what was told of them, and of the account itself."""
    admin, ana, claim = await own_database.connect(own_database.admin), world.ana, uuid4()
    await admin.execute(
        "INSERT INTO key_claims (company_id, id, account_id, role, claim_type, key_type, key, status, other_bank, resolution_at,"
        " created_at, updated_at) VALUES ($1, $2, $3, 'CLAIMER', 'PORTABILITY', 'EMAIL', 'z@example.com', 'OPEN', '12345678',"
        " now(), now(), now())", ana.company_id, claim, ana.account_id,
    )  # fmt: skip
    await admin.execute(
        "INSERT INTO account_close_requests (company_id, id, account_id, status, reason_code, obstacles, created_at, updated_at)"
        " VALUES ($1, $2, $3, 'REFUSED', 'OTHER', '[{}]', now(), now())", ana.company_id, uuid4(), ana.account_id,
    )  # fmt: skip
    for reference in (claim, ana.account_id):
        await admin.execute(
            "INSERT INTO events (company_id, id, type, reference_id, body, created_at) VALUES ($1, $2, 'X', $3, '{}', now())",
            ana.company_id, uuid4(), reference,
        )  # fmt: skip
    told = await personal_data.exported(world.cast.database, ana.company_id, ana.holder.document_number, 10)
    await admin.execute("DELETE FROM events WHERE type = 'X'")
    await admin.close()
    assert {UUID(event["referenceId"]) for event in told["events"]} == {claim, ana.account_id}
    assert [UUID(one["id"]) for one in told["claimsOfKeys"]] == [claim]
    assert [one["status"] for one in told["closings"]] == ["REFUSED"]
