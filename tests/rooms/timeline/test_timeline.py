"""Stories on real rows: what belongs to one, whose it is, and where an id leads."""

import os
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import PLACE, Cast, Seller
from tests.read_only import read_only
from tests.rooms.orders.test_arrivals import arrives, claimed

from lastro.api_kit.routes import Incoming
from lastro.core import timeline as moves
from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.errors import Refused
from lastro.core.runner import Reply
from lastro.core.write import Row, Write
from lastro.orders import ORDERS, Ask, CancelOrder, Settled, root_of
from lastro.standards.pix_ids import base62, dynamic_txid, location_token
from lastro.timeline import by_id, reading
from lastro.timeline.shapes import StateEntry

AT = datetime.now(UTC)
ROUTE = reading.routes()[0]


async def read(cast: Cast, seller: Seller, order_id: str) -> Any:
    parsed = ROUTE.parse(Incoming(seller.company_id, {"id": order_id}, {}, b"", {}, None))
    assert not isinstance(parsed, Refused)
    reply = await cast.run(seller.client, parsed, operation=ROUTE.operation, permission=ROUTE.permission)
    return msgspec.json.decode(reply.body) if isinstance(reply, Reply) else reply


async def charge(cast: Cast, seller: Seller, external_id: str | None = None) -> tuple[UUID, str]:
    """An order of 10.00 and its txid."""
    txid, at = dynamic_txid(seller.number, os.urandom(24)), datetime.now(UTC)
    values: dict[str, Any] = {
        "id": cast.id(), "account_id": seller.account_id, "external_id": external_id or txid, "origin": "TRANSPARENT",
        "payment_method": "PIX", "currency": "BRL", "amount_minor": 1000, "final_amount_minor": 1000, "description": "Flores",
        "txid": txid, "expires_at": at + timedelta(days=1), "created_at": at, "updated_at": at,
    }  # fmt: skip
    await commit(cast.database, Write(seller.company_id, rows=ORDERS.born(values, at)))
    return values["id"], txid


def states(told: Any) -> list[tuple[str, str, str]]:
    return [(e["object"], e["trigger"], e["to"]) for e in told["entries"] if e["kind"] == "state"]


async def test_a_refused_payment_that_named_the_charge_is_part_of_it(cast: Cast, ana: Seller) -> None:
    order_id, txid = await charge(cast, ana)
    asked = await arrives(cast, ana, txid=txid, accepted_at=AT + timedelta(days=2))  # too late
    await cast.runner.act(ana.company_id, Ask(asked, await claimed(cast, ana, asked), PLACE))
    told = await read(cast, ana, str(order_id))
    assert states(told) == [("order", "create", "INITIAL"), ("payment", "refuse", "REFUSED")]
    ways = [(e["direction"], e["message"], e.get("outcome")) for e in told["entries"] if e["kind"] == "message"]
    assert ways == [("in", "pix.ask", "answered"), ("out", "pix.answer", None)]


async def test_one_whose_txid_a_bank_forgot_is_part_of_it_by_its_location(cast: Cast, ana: Seller) -> None:
    """Refused, or in already and given back: neither has the order's id, and both named its charge."""
    order_id, _ = await charge(cast, ana)
    token = base62(ana.number, 5) + location_token(os.urandom(24))[:17]
    async with cast.database.session(ana.company_id) as session:
        await session.fetch("UPDATE orders SET location_token = $1 WHERE id = $2", token, order_id)
    late = {"location_token": token, "accepted_at": AT + timedelta(days=2)}
    asked = await arrives(cast, ana, **late)
    await cast.runner.act(ana.company_id, Ask(asked, await claimed(cast, ana, asked), PLACE))
    paid = await arrives(cast, ana, **late, settled_at=AT, end_to_end_id=f"E12345678202601311200{os.urandom(6).hex()[1:]}")
    await cast.runner.act(ana.company_id, Settled(paid, await claimed(cast, ana, paid), PLACE))
    moves = [
        ("order", "create", "INITIAL"), ("payment", "refuse", "REFUSED"), ("payment", "give_back", "RETURNING"),
        ("refund", "create", "PENDING"),
    ]  # fmt: skip
    assert states(await read(cast, ana, str(order_id))) == moves
    async with cast.database.session(ana.company_id) as session:
        for name in (asked.end_to_end_id, paid.end_to_end_id):
            found = await root_of(session, ana.company_id, None, name)
            assert found is not None
            assert found["order_id"] == order_id, "the payment's own id leads to the order's story"


async def test_another_orders_payments_are_not(cast: Cast, ana: Seller) -> None:
    (order_id, _), (other_id, other) = await charge(cast, ana), await charge(cast, ana)
    asked = await arrives(cast, ana, txid=other)
    await cast.runner.act(ana.company_id, Ask(asked, await claimed(cast, ana, asked), PLACE))
    assert states(await read(cast, ana, str(order_id))) == [("order", "create", "INITIAL")]
    assert len(states(await read(cast, ana, str(other_id)))) == 3


async def test_row_level_security_holds_where_a_where_is_wrong(cast: Cast, ana: Seller) -> None:
    """Told in Ana's session for Dora's company, there is nothing."""
    dora = await cast.dora()
    order_id, _ = await charge(cast, dora)
    async with cast.database.session(ana.company_id) as session:
        assert await reading.tell(session, dora.company_id, reading.Root("order", order_id)) is None
    async with cast.database.session(dora.company_id) as session:
        assert await reading.tell(session, dora.company_id, reading.Root("order", order_id)) is not None


async def test_a_story_without_end_is_cut(cast: Cast, ana: Seller) -> None:
    order_id, _ = await charge(cast, ana)
    at = datetime.now(UTC)
    rows = tuple(
        Row("outbox", {"id": cast.id(), "rail": "pix", "kind": "x", "network_id": str(cast.id()), "reference_id": order_id,
                       "body": b"", "created_at": at + timedelta(seconds=n), "done_at": at, "outcome": "sent"})
        for n in range(moves.MOST)
    )  # fmt: skip
    await commit(cast.database, Write(ana.company_id, rows=rows[1:]))
    assert (await read(cast, ana, str(order_id)))["isWhole"] is True
    await commit(cast.database, Write(ana.company_id, rows=rows[:1]))
    told = await read(cast, ana, str(order_id))
    assert (told["isWhole"], len(told["entries"])) == (False, 1 + moves.MOST)


async def test_money_that_has_no_order_has_a_story_too(cast: Cast, ana: Seller, audit: Database) -> None:
    told = await arrives(cast, ana, settled_at=AT, receiver_document="52998224725")  # another holder's: it goes back
    await cast.runner.act(ana.company_id, Settled(told, await claimed(cast, ana, told), PLACE))
    ((company_id, root),) = await by_id.find(audit, told.end_to_end_id)
    assert (company_id, root.thing) == (ana.company_id, "payment")
    async with cast.database.session(ana.company_id) as session:
        whole = await reading.tell(session, ana.company_id, root)
    assert whole is not None
    assert (whole.object, whole.id) == ("payment", str(root.id))
    assert [(e.object, e.trigger) for e in whole.entries if isinstance(e, StateEntry)] == [
        ("payment", "give_back"), ("refund", "create"),
    ]  # fmt: skip
    refund = next(e.id for e in whole.entries if isinstance(e, StateEntry) and e.object == "refund")
    assert await by_id.find(audit, refund) == [(company_id, root)]
    assert await by_id.find(audit, refund.upper()) == [(company_id, root)]


async def shown(database: Any, text: str) -> list[str]:
    """What the command says: the head of the story, and what stands behind it."""
    said: list[str] = []
    assert await by_id.show(database.audit, text, as_json=False, say=lambda line: said.extend(str(line).split("\n"))) == 0
    behind = [n for n, line in enumerate(said) if line.startswith("This is the newest")]
    return [said[0], *said[behind[0] :]] if behind else [said[0]]


async def test_the_newest_order_of_a_code_is_told(cast: Cast, ana: Seller, database: Any, audit: Database) -> None:
    code = f"code {ana.number}"
    older, _ = await charge(cast, ana, code)
    await cast.runner.act(ana.company_id, CancelOrder(older, PLACE))
    newest, _ = await charge(cast, ana, code)
    assert await by_id.find(audit, code) == [(ana.company_id, reading.Root("order", newest))]
    assert await shown(database, str(newest)) == [f"order {newest}"]
    told = await shown(database, code)
    assert told == [f"order {newest}", f"This is the newest order known as {code}. 1 older, the newest first:", f"  {older}"]


async def test_of_very_many_orders_of_a_code_the_newest_are_named(cast: Cast, ana: Seller, database: Any) -> None:
    code, made = f"auto {ana.number}", []
    for _ in range(22):
        order_id, _ = await charge(cast, ana, code)
        await cast.runner.act(ana.company_id, CancelOrder(order_id, PLACE))
        made.append(order_id)
    _, head, *others = await shown(database, code)
    assert head == f"This is the newest order known as {code}. More than 20 older, the newest first:"
    assert others == [f"  {one}" for one in made[-2:0:-1]]


async def test_a_code_of_two_companies_is_asked_back(cast: Cast, ana: Seller, database: Any) -> None:
    dora, code = await cast.dora(), f"shared {ana.number}"
    made = [await charge(cast, seller, code) for seller in (ana, dora)]
    said: list[str] = []
    assert await by_id.show(database.audit, code, as_json=False, say=lambda line: said.append(str(line))) == 2
    assert [str(order_id) in line for (order_id, _), line in zip(made[::-1], said[1:], strict=True)] == [True, True]


async def test_a_replica_tells_it(own_database: Any) -> None:
    cast = Cast.of(own_database.app, size=1)
    order_id, _ = await charge(cast, await cast.ana())
    await cast.close()
    async with read_only(own_database):
        assert await by_id.show(own_database.audit, str(order_id), as_json=True, say=lambda _: None) == 0
