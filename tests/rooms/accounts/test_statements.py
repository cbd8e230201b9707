"""Statements: what moved an account, page by page, as clients ask for it; what is young is there at once."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec import structs
from tests.cast import INSTITUTION, Cast, Client, Seller
from tests.in_one import in_one_test
from tests.rooms.ledger.test_entries import enter
from tests.rooms.orders.shop import Shop
from tests.rooms.payouts.office import Office

from lastro.accounts.statements.api import _StatementHandlers
from lastro.api_kit.routes import Incoming
from lastro.core.commit import commit
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply
from lastro.core.write import Transfer, Write

DAY = timedelta(days=1)


async def asked(cast: Cast, client: Client, account_id: object, **query: str) -> Reply | Refused:
    """A request of the operation, behind its door."""
    incoming = Incoming(client.company_id, {"id": str(account_id)}, query, b"", {}, None)
    verb = _StatementHandlers(INSTITUTION).read(incoming)
    if isinstance(verb, Refused):
        return verb
    return await cast.run(client, verb, operation="read_statement", permission="accounts:read")


async def page(cast: Cast, seller: Seller, **query: str) -> dict[str, Any]:
    reply = await asked(cast, seller.client, seller.account_id, **query)
    assert isinstance(reply, Reply), reply
    found: dict[str, Any] = msgspec.json.decode(reply.body)
    return found


async def walked(cast: Cast, seller: Seller, **query: str) -> list[dict[str, Any]]:
    """Every page of a list, one after the other."""
    found: list[dict[str, Any]] = []
    while True:
        part = await page(cast, seller, **query)
        found += part["data"]
        if not part["hasNext"]:
            return found
        query["cursor"] = part["nextCursor"]


def told(entries: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(("-" if e["operation"] == "out" else "") + e["amount"]["value"], e["balanceAfter"]["value"]) for e in entries]


async def moved(cast: Cast, seller: Seller, *cents: int, at: datetime | None = None) -> list[Transfer]:
    """Money in, or out where it is below zero, a second apart from `at` on."""
    at = at or datetime.now(UTC) - DAY
    made = []
    for n, minor in enumerate(cents):
        sides = (seller.clearing, seller.customer) if minor > 0 else (seller.customer, seller.clearing)
        made.append(structs.replace(cast.transfer(*sides, abs(minor)), at=at + n * timedelta(seconds=1)))
        await commit(cast.database, Write(seller.company_id, transfers=(made[-1],)))
    return made


async def test_each_entry_says_what_was_left_and_both_ways_say_the_same(cast: Cast, ana: Seller) -> None:
    await moved(cast, ana, 1000, -250, 33, -783, 5)
    said = [("10.00", "10.00"), ("-2.50", "7.50"), ("0.33", "7.83"), ("-7.83", "0.00"), ("0.05", "0.05")]
    for half in (True, False):
        if not half:
            await enter(cast, ana)
        for limit in ("1", "2", "5"):
            assert told(await walked(cast, ana, limit=limit)) == said[::-1]
        assert told((await page(cast, ana, sort="asc", limit="5"))["data"]) == said
    assert told(await walked(cast, ana, sort="asc", limit="2")) == said
    assert told(await walked(cast, ana, operation="in", limit="1")) == [s for s in said if s[0][0] != "-"][::-1]
    assert told(await walked(cast, ana, operation="out")) == [s for s in said if s[0][0] == "-"][::-1]
    assert (await page(cast, ana, currency="MXN"))["data"] == []


async def test_a_newcomer_sees_his_payment_at_once_and_it_stays_the_same(cast: Cast, ana: Seller) -> None:
    order_id = await Shop(cast, ana).paid(1234)
    (young,) = (await page(cast, ana))["data"]
    assert len(young["txid"]) == 32, "of its charge"
    assert young | {"createdAt": "", "id": "", "endToEndId": "", "txid": ""} == {
        "id": "", "operation": "in", "type": "PIX_IN", "amount": {"currency": "BRL", "value": "12.34"},
        "balanceAfter": {"currency": "BRL", "value": "12.34"}, "description": "Flores", "orderId": str(order_id), "endToEndId": "", "txid": "",
        "counterparty": {"name": "Bento Braga", "document": {"type": "CPF", "number": "***.444.777-**"}}, "createdAt": "",
    }  # fmt: skip
    await enter(cast, ana, datetime.fromisoformat(young["createdAt"]))
    assert (await page(cast, ana))["data"] == [young]
    assert (await page(cast, ana, endToEndId=young["endToEndId"]))["data"] == [young]
    assert (await page(cast, ana, endToEndId="E00000000202601010000aaaaaaaaaaa"))["data"] == []


async def test_a_hold_shows_once_its_money_has_left(cast: Cast, ana: Seller) -> None:
    office = await Office.open(cast, ana, 5000)
    await office.fee(50)
    payout = await office.make(1200)
    assert len((await page(cast, ana))["data"]) == 1
    await office.settle(payout)
    await office.give_back(payout, 200)
    shown = await walked(cast, ana)
    assert [(e["type"], *said) for e, said in zip(shown, told(shown), strict=True)] == [
        ("PIX_RETURNED", "2.00", "39.50"), ("PAYOUT_FEE", "-0.50", "37.50"), ("PIX_OUT", "-12.00", "38.00"), ("TEST", "50.00", "50.00"),
    ] or [e["type"] for e in shown[1:3]] == ["PIX_OUT", "PAYOUT_FEE"]  # fmt: skip
    by_name = await walked(cast, ana, endToEndId=payout["endToEndId"])
    assert {e["type"] for e in by_name} == {"PIX_RETURNED", "PAYOUT_FEE", "PIX_OUT"}
    assert {e["counterparty"]["name"] for e in by_name} == {"Fabio de Fora"}
    await enter(cast, ana, datetime.now(UTC))
    assert await walked(cast, ana) == shown
    assert await walked(cast, ana, endToEndId=payout["endToEndId"]) == by_name


async def test_the_transfers_of_a_batch_are_one_entry(cast: Cast, ana: Seller) -> None:
    office = await Office.open(cast, ana, 9000)
    await office.limit(transaction=1000)
    batch = await office.make(2500)
    parts = batch["batch"]["transactions"]
    await office.settle(parts[1])
    await office.settle(parts[0])
    await cast.credit(ana, 7)
    await office.settle(parts[2])
    await enter(cast, ana, datetime.now(UTC))
    plain = await walked(cast, ana)
    assert told(plain) == [
        ("-5.00", "65.07"), ("0.07", "70.07"), ("-10.00", "70.00"), ("-10.00", "80.00"), ("90.00", "90.00"),
    ]  # fmt: skip
    merged = await walked(cast, ana, mergeBatch="true", limit="1")
    assert told(merged) == [("0.07", "70.07"), ("-25.00", "65.07"), ("90.00", "90.00")]
    assert (merged[1]["id"], merged[1]["createdAt"]) == (batch["id"], plain[3]["createdAt"])
    assert "endToEndId" not in merged[1]
    assert await walked(cast, ana, mergeBatch="true", sort="asc", limit="2") == merged[::-1]
    assert told(await walked(cast, ana, mergeBatch="true", operation="out")) == [("-25.00", "65.07")]


async def test_a_period_is_whole_days_of_brasilia(cast: Cast, ana: Seller) -> None:
    midnight = datetime(2026, 3, 2, 3, tzinfo=UTC)
    await moved(cast, ana, 1, 2, 3, at=midnight - timedelta(seconds=1))
    for entered in (False, True):
        if entered:
            await enter(cast, ana)
        assert told(await walked(cast, ana, startDate="2026-03-01", endDate="2026-03-01")) == [("0.01", "0.01")]
        assert told(await walked(cast, ana, startDate="2026-03-02")) == [("0.03", "0.06"), ("0.02", "0.03")]
        assert told(await walked(cast, ana, endDate="2026-03-01")) == [("0.01", "0.01")]


@pytest.mark.parametrize("sort", ["asc", "desc"])
async def test_a_cursor_lies_in_what_is_final(cast: Cast, ana: Seller, sort: str) -> None:
    """A page of young rows waits for them to be final."""
    await moved(cast, ana, *range(1, 4), at=datetime.now(UTC) - timedelta(seconds=3))
    got = await page(cast, ana, sort=sort, limit="2")
    async with cast.database.session(ana.company_id) as session:
        until = await session.value("SELECT entered_until FROM entry_cursors WHERE company_id = $1", ana.company_id)
    assert got["hasNext"]
    assert datetime.fromisoformat(got["nextCursor"]) < until


async def test_newest_first_what_is_put_off_is_not_passed_over(cast: Cast, ana: Seller) -> None:
    """A debit that was decided before the credit it rests on is entered behind it, where the reader has been already."""
    long_ago = datetime.now(UTC) - DAY
    for minor, seconds in ((10, 0.0), (100, 1.4), (-105, 1.0)):
        await moved(cast, ana, minor, at=long_ago + timedelta(seconds=seconds))
    first = await page(cast, ana, limit="1")
    await enter(cast, ana)
    rest = await walked(cast, ana, limit="1", cursor=first["nextCursor"])
    assert told(first["data"] + rest) == [("-1.05", "0.05"), ("1.00", "1.10"), ("0.10", "0.10")]


async def test_a_page_of_a_busy_account_shows_what_is_final_without_a_wait(cast: Cast, ana: Seller) -> None:
    await moved(cast, ana, 1, 2, 3)
    await enter(cast, ana)
    await cast.credit(ana, 4)
    assert told((await page(cast, ana, limit="5"))["data"])[0] == ("0.04", "0.10")
    for minor in (5, 6):
        await cast.credit(ana, minor)
    got = await page(cast, ana, limit="2")
    async with cast.database.session(ana.company_id) as session:
        until = await session.value("SELECT entered_until FROM entry_cursors WHERE company_id = $1", ana.company_id)
    assert datetime.fromisoformat(got["nextCursor"]) < until
    rest = await walked(cast, ana, limit="2", cursor=got["nextCursor"])
    assert told(got["data"] + rest)[-3:] == [("0.03", "0.06"), ("0.02", "0.03"), ("0.01", "0.01")]


async def test_what_another_company_has_is_not_there(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    await moved(cast, ana, 100)
    for account_id in (ana.account_id, cast.id(), "x"):
        for form in ("json", "csv"):
            refused = await asked(
                cast, dora.client, account_id, format=form, **({"startDate": "2026-01-01"} if form == "csv" else {})
            )
            assert refused == Refused(Kind.NOT_FOUND)


@in_one_test(
    ("query", "problems"),
    [
        ({"startDate": "2026-01-01", "endDate": "2027-01-02"}, [("endDate", "OUT_OF_RANGE")]),
        ({"startDate": "2026-01-02", "endDate": "2026-01-01"}, [("endDate", "OUT_OF_RANGE")]),
        ({"startDate": "2026-01-01T00:00:00Z", "endDate": "2027-01-02T00:00:00Z"}, [("endDate", "OUT_OF_RANGE")]),
        ({"startDate": "2026-01-01T00:00:00"}, [("startDate", "INVALID")]),
        (
            {"format": "ofx", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-01-02T00:00:00Z"},
            [("startDate", "NOT_ALLOWED"), ("endDate", "NOT_ALLOWED")],
        ),
        ({"startDate": "x", "endDate": "2026-02-30"}, [("startDate", "INVALID"), ("endDate", "INVALID")]),
        ({"currency": "USD", "operation": "IN"}, [("currency", "INVALID"), ("operation", "INVALID")]),
        ({"mergeBatch": "yes"}, [("mergeBatch", "INVALID")]),
        ({"mergeBatch": "true", "endToEndId": "E1"}, [("mergeBatch", "MUTUALLY_EXCLUSIVE")]),
        ({"format": "xls"}, [("format", "INVALID")]),
        ({"format": "csv"}, [("startDate", "REQUIRED")]),
        ({"format": "ofx", "startDate": "2026-01-01", "limit": "2", "sort": "asc"}, [("limit", "NOT_ALLOWED"), ("sort", "NOT_ALLOWED")]),
        ({"format": "ofx", "startDate": "9000-01-01"}, [("startDate", "OUT_OF_RANGE")]),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_said(
    cast: Cast, ana: Seller, query: dict[str, str], problems: list[tuple[str, str]]
) -> None:
    refused = await asked(cast, ana.client, ana.account_id, **query)
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems] == problems


async def test_pages_hold_while_money_moves_and_is_entered(cast: Cast, ana: Seller) -> None:
    """What was there when the walk began is in it, once, with the balance that it keeps."""
    await moved(cast, ana, *range(1, 31))
    first = {e["id"] for e in await walked(cast, ana, limit="5000")}

    async def on() -> None:
        for _ in range(10):
            await cast.credit(ana, 1)
            await enter(cast, ana, datetime.now(UTC) - DAY)

    beside = asyncio.create_task(on())
    seen = await walked(cast, ana, limit="3")
    await beside
    ids = [e["id"] for e in seen]
    assert len(set(ids)) == len(ids)
    assert first <= set(ids)
    assert {UUID(i) for i in ids}
