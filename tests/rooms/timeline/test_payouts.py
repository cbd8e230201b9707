"""Stories of payouts on real rows: one, a batch, what comes back, and where an id leads."""

from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import Cast, Seller
from tests.rooms.payouts.office import Office
from tests.rooms.payouts.test_debts import back, failed_ted, prove

from lastro.api_kit.routes import Incoming
from lastro.core.db import Database
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply
from lastro.rails import port
from lastro.timeline import by_id, reading

from .test_timeline import charge

ROUTE = reading.routes()[1]


@pytest.fixture
async def office(cast: Cast, ana: Seller) -> Office:
    return await Office.open(cast, ana)


async def read(office: Office, payout_id: str, seller: Seller | None = None) -> Any:
    seller = seller or office.ana
    parsed = ROUTE.parse(Incoming(seller.company_id, {"id": payout_id}, {}, b"", {}, None))
    assert not isinstance(parsed, Refused)
    reply = await office.cast.run(seller.client, parsed, operation=ROUTE.operation, permission=ROUTE.permission)
    return msgspec.json.decode(reply.body) if isinstance(reply, Reply) else reply


def short(entry: dict[str, Any]) -> tuple[str, ...]:
    match entry["kind"]:
        case "state":
            return entry["object"], entry["trigger"], entry["to"]
        case "transfer":
            return entry["entry"], entry["movement"], entry["debit"], entry["credit"], entry["amount"]["value"]
        case "message":
            return entry["direction"], entry["network"], entry["message"]
    return entry["kind"], entry["type"]


async def test_one_that_is_paid_and_comes_back_in_part(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(1000)
    await office.settle(payout)
    await office.give_back(payout, 400)
    told = await read(office, payout["id"])
    assert (told["id"], told["object"], told["isWhole"]) == (payout["id"], "payout", True)
    steps = [short(e) for e in told["entries"]]
    assert sorted(steps[2:4]) == [
        ("PAYOUT_FEE", "held", "CUST", "FEE", "0.50"), ("PIX_OUT", "held", "CUST", "NET", "10.00"),
    ]  # fmt: skip
    assert steps[:2] == [("payout", "create", "INITIAL"), ("payout", "accept", "PENDING")]
    assert steps[4:7] == [("out", "pix", "payment.send"), ("in", "pix", "payment.final"), ("payout", "settle", "PAID")]
    assert sorted(steps[7:9]) == [
        ("PAYOUT_FEE", "posted", "CUST", "FEE", "0.50"), ("PIX_OUT", "posted", "CUST", "NET", "10.00"),
    ]  # fmt: skip
    assert steps[9:] == [
        ("event", "ORDER-PAYOUT.PAID"),
        ("in", "pix", "payment.returned"),
        ("payout", "return part", "PARTIAL_REFUNDED"),
        ("PIX_RETURNED", "moved", "NET", "CUST", "4.00"),
        ("event", "ORDER-PAYOUT.PARTIAL_REFUNDED"),
    ]
    back = next(e for e in told["entries"] if e.get("trigger") == "return part")
    assert back["reason"] == "MD06"


async def test_a_batch_and_each_of_its_transfers_tell_one_story(office: Office) -> None:
    await office.limit(transaction=1000)
    batch = await office.make(2500)
    parts = batch["batch"]["transactions"]
    await office.settle(parts[0])
    await office.refuse(parts[1])
    told = await read(office, batch["id"])
    assert told["id"] == batch["id"]
    for part in parts:
        assert await read(office, part["id"]) == told
    states = [(e["id"], e["trigger"]) for e in told["entries"] if e["kind"] == "state"]
    everybody = [batch["id"], *(p["id"] for p in parts)]
    born = [(one, trigger) for one in everybody for trigger in ("create", "accept")]
    assert states == [*born, (parts[0]["id"], "settle"), (parts[1]["id"], "refuse")]
    ways = [(e["direction"], e.get("subject") or e["networkId"]) for e in told["entries"] if e["kind"] == "message"]
    assert sorted(ways) == sorted(
        [("out", p["endToEndId"]) for p in parts] + [("in", p["endToEndId"]) for p in parts[:2]]
    ), "of what children tell their batch here no network knows"
    holds = [e["referenceId"] for e in told["entries"] if e.get("movement") == "held"]
    assert sorted(holds) == sorted(everybody[1:])


async def test_anothers_payout_has_another_story(office: Office) -> None:
    one, other = await office.make(1000), await office.make(1001)
    told = await read(office, one["id"])
    assert {e["referenceId"] for e in told["entries"] if e["kind"] == "transfer"} == {one["id"]}
    assert (await read(office, other["id"]))["id"] == other["id"]


async def test_an_order_is_no_payout(office: Office, cast: Cast) -> None:
    told = await read(office, str((await charge(cast, office.ana))[0]))
    assert (told.kind, told.problems) == (Kind.NOT_FOUND, ())


async def test_row_level_security_holds_where_a_where_is_wrong(office: Office, cast: Cast) -> None:
    """Told in Dora's session for Ana's company, there is nothing."""
    payout, dora = await office.make(1000), await cast.dora()
    for company_id, is_there in ((dora.company_id, False), (office.ana.company_id, True)):
        async with cast.database.session(company_id) as session:
            told = await reading.tell(session, office.ana.company_id, reading.Root("payout", UUID(payout["id"])))
        assert (told is not None) is is_there


async def test_every_id_leads_to_it(office: Office, audit: Database) -> None:
    await office.limit(transaction=1000)
    batch = await office.make(1900, external_id=f"salary {office.ana.number}")
    first, second = batch["batch"]["transactions"]
    for part in (first, second):
        await office.settle(part)
    return_id = f"D999990302026013112{second['id'][:13].replace('-', '')}a"
    await office.give_back(second, 100, return_id)
    root = (office.ana.company_id, reading.Root("payout", UUID(batch["id"])))
    told = await read(office, batch["id"])
    parts = [e["id"] for e in told["entries"] if e["kind"] in ("transfer", "message", "event")]
    assert len(parts) > 8
    (moved,) = await office.column("SELECT id::text FROM inbox WHERE kind = 'payout.child_moved' LIMIT 1")
    names = [batch["id"], first["id"], second["id"].upper(), second["endToEndId"], batch["externalId"], return_id, moved]
    for name in (*names, *parts):
        assert await by_id.find(audit, name) == [root], name


async def test_a_ted_is_found_by_its_control_number(office: Office, audit: Database) -> None:
    payout = await office.make(1000, method="TED")
    (number,) = await office.column("SELECT control_number FROM payouts")
    assert await by_id.find(audit, number) == [(office.ana.company_id, reading.Root("payout", UUID(payout["id"])))]
    told = await read(office, payout["id"])
    assert ("out", "ted", "ted.send") in [short(e) for e in told["entries"]]


async def test_what_we_say_ourselves_of_a_ted_no_network_has_said(office: Office) -> None:
    """Its proof is ours, and what came back too early is taken up by a message of ours: the STR has told it once."""
    payout, number = await failed_ted(office)
    await office.told(port.PAYMENT_RETURNED, back(number, 1000))
    await prove(office, number)
    await office.work()
    told = await read(office, payout["id"])
    steps = [short(e) for e in told["entries"]]
    assert [step for step in steps if step[0] == "in"] == [
        ("in", "pix", "payment.final"), ("in", "pix", "payment.returned"),
    ], "as the office's network tells it, of whichever rail"  # fmt: skip
    assert [step for step in steps if step[0] == "payout"][-2:] == [
        ("payout", "prove", "PAID"), ("payout", "return rest", "REFUNDED"),
    ]  # fmt: skip


async def test_a_code_of_an_order_and_of_a_payout_leads_to_both(office: Office, cast: Cast, audit: Database) -> None:
    code = f"both {office.ana.number}"
    order_id, _ = await charge(cast, office.ana, code)
    payout = await office.make(1000, external_id=code)
    of = office.ana.company_id
    assert await by_id.find(audit, code) == [
        (of, reading.Root("order", order_id)),
        (of, reading.Root("payout", UUID(payout["id"]))),
    ]
