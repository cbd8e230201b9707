"""GET /order/v2/transparent, on real rows."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.cast import Cast, Client, Seller
from tests.in_one import in_one_test
from tests.rooms.lists import ROUTES, answered, ask, problems, walked
from tests.rooms.orders.test_arrivals import PLACE, arrives, claimed

from lastro.api_kit.routes import Incoming, stamp
from lastro.core.commit import commit
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Done, RequestContext, Verb
from lastro.orders import CancelOrder, Expire, Fail, Settled

LIST, READ = "list_orders", "read_order"
ENDS: dict[str, Callable[[UUID], Verb[Any]]] = {
    "CANCELED": lambda order_id: CancelOrder(order_id, PLACE),
    "EXPIRED": lambda order_id: Expire(order_id, PLACE, before_its_time=True),
    "ERROR": lambda order_id: Fail(order_id, "no", PLACE),
}
AN_HOUR_AGO = datetime.now(UTC) - timedelta(hours=1)


def ids(shown: list[dict[str, Any]]) -> list[str]:
    return [order["id"] for order in shown]


async def done_at(cast: Cast, company_id: UUID, verb: Verb[Any], at: datetime) -> dict[str, Any]:
    """A verb as it would have been done at that time; its answer."""
    context = RequestContext(company_id, at, cast.chance)
    async with cast.database.session(company_id) as session:
        known = await verb.read(session, context)
    outcome = verb.decide(known, context)
    assert isinstance(outcome, Done), outcome
    assert outcome.write is not None
    await commit(cast.database, outcome.write)
    return dict(msgspec.json.decode(outcome.body or b"{}"))


async def create(cast: Cast, client: Client, external_id: str, at: datetime = AN_HOUR_AGO, **order: Any) -> dict[str, Any]:
    """An order made as a client makes it."""
    body = {
        "order": {"externalId": external_id, "paymentMethod": "PIX", "description": "Flores",
                  "notificationUrl": "https://shop.example.com/hook", **order},
        "customer": {"name": "Bento", "entityType": "INDIVIDUAL", "email": "bento@example.com",
                     "document": {"type": "CPF", "number": "11144477735"}},
    }  # fmt: skip
    verb = ROUTES["create_order"].parse(Incoming(client.company_id, {}, {}, msgspec.json.encode(body), body, None))
    assert not isinstance(verb, Refused), verb
    return await done_at(cast, client.company_id, verb, at)


async def test_an_order_is_shown_as_by_id_without_its_picture(cast: Cast, ana: Seller) -> None:
    fixed = await create(
        cast, ana.client, "fixed", amount={"currency": "BRL", "value": "10.50"}, returnUrl="https://a.example/"
    )
    await create(cast, ana.client, "open", AN_HOUR_AGO + timedelta(seconds=1))
    answer = await answered(cast, ana.client, LIST)
    assert {k: v for k, v in answer.items() if k != "data"} == {"limit": 20, "sort": "desc", "hasNext": False}
    assert [order["externalId"] for order in answer["data"]] == ["open", "fixed"]
    for order in answer["data"]:
        by_id = await answered(cast, ana.client, READ, id=order["id"])
        assert by_id["pix"].pop("qrcodeImageBase64")
        assert order == by_id
    assert answer["data"][1]["pix"]["qrcodeData"] == fixed["pix"]["qrcodeData"]


async def test_orders_of_money_that_came_unasked_are_there_too(cast: Cast, ana: Seller) -> None:
    await create(cast, ana.client, "asked")
    told = await arrives(cast, ana, settled_at=AN_HOUR_AGO, instrument="MANU")
    assert isinstance(await cast.runner.act(ana.company_id, Settled(told, await claimed(cast, ana, told), PLACE)), Done)
    unasked, asked = (await answered(cast, ana.client, LIST))["data"]
    assert (asked["externalId"], asked["status"]) == ("asked", "INITIAL")
    assert (unasked["externalId"], unasked["status"], unasked["endToEndId"]) == (
        told.end_to_end_id,
        "PAID",
        told.end_to_end_id,
    )
    assert (unasked["payer"]["name"], unasked["paidAmount"]) == ("Bento", {"currency": "BRL", "value": "10.00"})
    assert "pix" not in unasked
    assert unasked == await answered(cast, ana.client, READ, id=unasked["id"])
    assert ids((await answered(cast, ana.client, LIST, {"status": "PAID"}))["data"]) == [unasked["id"]]


async def test_another_companys_orders_are_not_there(cast: Cast, ana: Seller) -> None:
    made, dora = await create(cast, ana.client, "one"), await cast.dora()
    nothing = {"limit": 20, "sort": "desc", "hasNext": False, "data": []}
    assert await answered(cast, dora.client, LIST) == nothing
    assert await answered(cast, dora.client, LIST, {"externalId": "one"}) == nothing
    accounts = (str(ana.account_id), str(uuid4()), "x", "", str(dora.account_id).upper(), "\x00", "%")
    shown = [await answered(cast, dora.client, LIST, {"accountId": account}) for account in accounts]
    assert shown == [nothing] * len(accounts)
    assert ids((await answered(cast, ana.client, LIST, {"accountId": str(ana.account_id)}))["data"]) == [made["id"]]


async def test_who_may_not_read_orders_is_refused(cast: Cast, ana: Seller) -> None:
    client = await cast.add_client(ana.company_id, "shop", ("orders:write", "accounts:read"))
    assert await ask(cast, client, LIST) == Refused(Kind.FORBIDDEN)


@in_one_test(
    ("name", "value", "issue"),
    [("status", "paid", "INVALID"), ("status", "", "INVALID"), ("status", "ACCEPTED", "INVALID"),
     ("externalId", "", "INVALID"), ("externalId", "x" * 65, "TOO_LONG"), ("externalId", "a\x00", "INVALID"),
     ("externalId", "a\u2029", "INVALID"), ("externalId", "\ud800", "INVALID"),
     ("paymentMethod", "", "INVALID"), ("paymentMethod", "pix", "INVALID"), ("paymentMethod", "CASH", "INVALID"),
     ("from", "yesterday", "INVALID"), ("to", "2026-02-30", "INVALID"), ("limit", "5001", "OUT_OF_RANGE"),
     ("limit", "-1", "OUT_OF_RANGE"), ("sort", "DESC", "INVALID"), ("cursor", "1", "INVALID")],
)  # fmt: skip
async def test_a_value_that_cannot_be_is_refused(cast: Cast, ana: Seller, name: str, value: str, issue: str) -> None:
    assert problems(await ask(cast, ana.client, LIST, {name: value})) == [(name, issue)]


async def test_the_methods_are_told(cast: Cast, ana: Seller) -> None:
    said = await ask(cast, ana.client, LIST, {"paymentMethod": "CASH"})
    assert isinstance(said, Refused)
    (problem,) = said.problems
    words = "BOLETO, CREDIT_CARD, DEPOSIT, OXXO, OXXOPAY, PAYNET, PIX, SPEI, TED, <BRAND>_PAY"
    assert problem.description == f"must be one of {words}"


async def test_all_that_is_wrong_is_said_at_once(cast: Cast, ana: Seller) -> None:
    query = dict.fromkeys(("limit", "sort", "cursor", "from", "to", "status", "externalId", "paymentMethod"), "")
    wrong = problems(await ask(cast, ana.client, LIST, {**query, "accountId": "x"}))
    assert wrong == [(name, "INVALID") for name in query]


async def test_methods_that_no_order_has_find_nothing(cast: Cast, ana: Seller) -> None:
    await create(cast, ana.client, "one")
    found = [
        len((await answered(cast, ana.client, LIST, {"paymentMethod": method}))["data"])
        for method in ("PIX", "BOLETO", "USDT_PAY")
    ]
    assert found == [1, 0, 0]


@dataclass(frozen=True)
class Row:
    """What the plain filter of Python looks at."""

    id: str
    status: str
    external_id: str
    account_id: str
    created_at: datetime


def fits(row: Row, query: dict[str, str]) -> bool:
    return (
        query.get("status", row.status) == row.status
        and query.get("externalId", row.external_id) == row.external_id
        and query.get("accountId", row.account_id) == row.account_id
        and query.get("from", stamp(row.created_at)) <= stamp(row.created_at) <= query.get("to", stamp(row.created_at))
    )


async def written(cast: Cast, seller: Seller, accounts: list[str], at: datetime, chance: random.Random) -> Row:
    """An order of few values, so that much is alike; one that is still open has a code of its own."""
    status = chance.choice([*ENDS, "INITIAL"])
    external_id = chance.choice(["a", "A", "á", "%", "a_"]) if status in ENDS else str(cast.id())
    account_id = chance.choice(accounts)
    made = await create(cast, seller.client, external_id, at, accountId=account_id)
    if status in ENDS:
        await done_at(cast, seller.company_id, ENDS[status](UUID(made["id"])), at)
    return Row(made["id"], status, external_id, account_id, at)


@pytest.mark.parametrize("seed", range(2))
async def test_every_filter_is_the_plain_one(cast: Cast, ana: Seller, seed: int) -> None:
    chance = random.Random(seed)
    accounts = [str(ana.account_id)]
    for _ in range(2):
        accounts.append((await cast.open_account(ana.company_id))["id"])
        await cast.add_key(ana.company_id, UUID(accounts[-1]))
    ticks = sorted(chance.sample(range(1000), 50))
    times = [AN_HOUR_AGO + timedelta(microseconds=tick) for tick in ticks]
    rows = [await written(cast, ana, accounts, at, chance) for at in times]
    dora = await cast.dora()
    await written(cast, dora, [str(dora.account_id)], times[0], chance)
    found = 0
    for _ in range(60):
        some = chance.choice(rows)
        values = {
            "status": chance.choice(["INITIAL", "CANCELED", "EXPIRED", "ERROR", "PENDING"]), "externalId": some.external_id,
            "accountId": chance.choice([*accounts, str(dora.account_id)]), "paymentMethod": "PIX",
            "from": stamp(chance.choice(times)), "to": stamp(chance.choice(times)),
        }  # fmt: skip
        query = {name: value for name, value in values.items() if chance.random() < 0.3}
        wanted = [row.id for row in rows if fits(row, query)]
        found += len(wanted)
        descending = chance.random() < 0.5
        shown = await walked(
            cast, ana.client, LIST, {"sort": "desc" if descending else "asc", **query}, (chance.randint(1, 9), 30)
        )
        assert ids(shown) == (wanted[::-1] if descending else wanted), query
    assert found > 100


async def test_a_large_page_is_whole(cast: Cast, ana: Seller) -> None:
    chance, account = random.Random(0), [str(ana.account_id)]
    rows = [await written(cast, ana, account, AN_HOUR_AGO + timedelta(seconds=n), chance) for n in range(210)]
    assert ids((await answered(cast, ana.client, LIST, {"limit": "5000"}))["data"]) == [row.id for row in rows[::-1]]
    assert ids(await walked(cast, ana.client, LIST, {"sort": "asc"}, (201,))) == [row.id for row in rows]
