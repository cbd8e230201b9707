"""Writes that come together are one statement, and each still has its own outcome."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs
from tests.cast import Cast, Seller
from tests.rooms.core.test_commit import FAILURES, Scene
from tests.rooms.core.verbs import born_order, ended, move_of

from lastro.core.db import Database, Dsn
from lastro.core.errors import DatabaseAway, InsufficientFunds, KeyTaken, Stale
from lastro.core.group_commit import GroupCommit
from lastro.core.statement import statement_of
from lastro.core.write import Caller, Decided, Event, Relied, Stored, Touch, Write
from lastro.orders import ORDERS


def new_order(cast: Cast, seller: Seller, place: int) -> tuple[UUID, Write]:
    """An order of its own microsecond."""
    at = datetime.now(UTC) + timedelta(microseconds=place)
    order_id = cast.id()
    relies = (Relied("accounts", seller.account_id, 1),)
    return order_id, Write(seller.company_id, relies=relies, rows=born_order(seller, order_id, at))


async def together(group: GroupCommit, writes: Sequence[Write]) -> list[BaseException | None]:
    return await asyncio.gather(*(group.commit(Decided(write)) for write in writes), return_exceptions=True)


async def transactions(cast: Cast, seller: Seller, made: Sequence[tuple[UUID, Write]]) -> list[int]:
    """How many of these orders each transaction has made."""
    sql = "SELECT count(*) FROM orders WHERE id = ANY ($1) GROUP BY xmin::text ORDER BY 1"
    async with cast.database.session(seller.company_id) as session:
        return [row["count"] for row in await session.fetch(sql, [order_id for order_id, _ in made])]


async def test_what_comes_together_is_one_transaction(cast: Cast, ana: Seller) -> None:
    group = GroupCommit(cast.database)
    made = [new_order(cast, ana, n) for n in range(16)]
    assert await together(group, [write for _, write in made]) == [None] * 16
    assert await transactions(cast, ana, made) == [16]
    assert group.together == 16


async def test_more_than_a_statement_takes_are_several(cast: Cast, ana: Seller) -> None:
    group = GroupCommit(cast.database)
    made = [new_order(cast, ana, n) for n in range(70)]
    assert set(await together(group, [write for _, write in made])) == {None}
    assert await transactions(cast, ana, made) == [6, 16, 16, 16, 16]


async def test_companies_share_no_transaction(cast: Cast, ana: Seller) -> None:
    bia = await cast.ana()
    group = GroupCommit(cast.database)
    made = [new_order(cast, (ana, bia)[n % 2], n) for n in range(8)]
    assert set(await together(group, [write for _, write in made])) == {None}
    assert [await transactions(cast, seller, made) for seller in (ana, bia)] == [[4], [4]]


async def test_one_that_is_refused_refuses_no_other(cast: Cast) -> None:
    for name, (error, broken) in FAILURES.items():
        ana = await cast.ana()
        scene = Scene(cast, ana)
        await scene.set()
        made = [new_order(cast, ana, n) for n in range(3)]
        outcomes = await together(GroupCommit(cast.database), [made[0][1], broken(scene.write()), made[1][1], made[2][1]])
        assert isinstance(outcomes.pop(1), error), name
        assert outcomes == [None] * 3, name
        assert sum(await transactions(cast, ana, made)) == 3, name


async def test_each_part_of_each_write_takes_effect(cast: Cast, ana: Seller, inside: Any) -> None:
    """Two Writes of every part, in one statement."""
    scenes = [Scene(cast, ana, tag) for tag in ("a", "b")]
    for scene in scenes:
        await scene.set()
    group = GroupCommit(cast.database)
    assert await together(group, [scene.write() for scene in scenes]) == [None, None]
    assert group.together == 2
    for scene in scenes:
        seen = await inside.fetchrow(
            "SELECT o.status, o.version, t.description, i.outcome, i.lease_token, w.outcome AS withdrawn, q.used_minor,"
            " (SELECT count(*) FROM answers WHERE key = $6) AS answers, (SELECT count(*) FROM outbox WHERE network_id = $7) AS sent,"
            " (SELECT count(*) FROM history WHERE reference_id = o.id AND version = 2) AS moves,"
            " (SELECT count(*) FROM events WHERE reference_id = o.id) AS told"
            "  FROM orders o, orders t, inbox i, outbox w, quotas q"
            " WHERE o.id = $1 AND t.id = $2 AND i.id = $3 AND w.id = $4 AND q.owner_id = $5",
            scene.order, scene.other, scene.inbox, scene.open.id, scene.order, f"new{scene.tag}", f"N1{scene.tag}",
        )  # fmt: skip
        assert tuple(seen) == ("CANCELED", 2, "Rosas", "handled", None, "withdrawn", 100, 1, 1, 1, 1)
    assert await inside.fetchval("SELECT debits FROM balances WHERE ledger_account_id = $1", ana.customer.id) == 2000


async def test_two_moves_of_one_row_are_apart(cast: Cast, ana: Seller, inside: Any) -> None:
    order_id, write = new_order(cast, ana, 0)
    group = GroupCommit(cast.database)
    await group.commit(Decided(write))
    at = datetime.now(UTC)
    told = [Event(cast.id(), "ORDER-PAYIN.CANCELED", order_id, None, ended(order_id, "CANCELED"), at) for _ in range(2)]
    move = move_of(ORDERS, order_id, "INITIAL", 1, "cancel", at)
    canceled = [Write(ana.company_id, moves=(move,), events=(event,)) for event in told]
    outcomes = await together(group, canceled)
    assert Counter(map(type, outcomes)) == {type(None): 1, Stale: 1}
    assert await inside.fetchval("SELECT version FROM orders WHERE id = $1", order_id) == 2


async def test_what_cannot_be_in_a_statement_keeps_no_other_out_of_it(cast: Cast, ana: Seller) -> None:
    """A touch leaves the version, so that two of one row both take effect, one after the other."""
    order_id, write = new_order(cast, ana, 0)
    group = GroupCommit(cast.database)
    await group.commit(Decided(write))
    touched = [Write(ana.company_id, touches=(Touch("orders", order_id, 1, {"description": text}),)) for text in ("a", "b")]
    others = [new_order(cast, ana, n)[1] for n in range(1, 4)]
    assert await together(group, [*touched, *others]) == [None] * 5
    assert group.together == 4, "one touch, and the others beside it"


async def test_one_key_is_answered_once(cast: Cast, ana: Seller) -> None:
    at = datetime.now(UTC)
    writes = [
        structs.replace(write, stored=(Stored("act", "the key", b"f", 200, b"{}", order_id, "week", at),))
        for order_id, write in (new_order(cast, ana, n) for n in range(3))
    ]
    outcomes = await together(GroupCommit(cast.database), writes)
    assert Counter(map(type, outcomes)) == {type(None): 1, KeyTaken: 2}


async def test_together_they_take_no_more_than_there_is(cast: Cast, ana: Seller, inside: Any) -> None:
    await cast.credit(ana, 1000)
    writes = [Write(ana.company_id, transfers=(cast.transfer(ana.customer, ana.clearing, 300),)) for _ in range(5)]
    outcomes = await together(GroupCommit(cast.database), writes)
    assert Counter(map(type, outcomes)) == {type(None): 3, InsufficientFunds: 2}
    assert await inside.fetchval("SELECT debits FROM balances WHERE ledger_account_id = $1", ana.customer.id) == 900


async def test_history_names_each_request(cast: Cast, ana: Seller, inside: Any) -> None:
    group = GroupCommit(cast.database)
    made = [new_order(cast, ana, n) for n in range(4)]
    await asyncio.gather(*(group.commit(Decided(w, Caller(request_id=str(i)))) for i, w in made))
    assert group.together == 4
    rows = await inside.fetch(
        "SELECT reference_id, request_id FROM history WHERE reference_id = ANY ($1)", [i for i, _ in made]
    )
    assert {row["reference_id"]: row["request_id"] for row in rows} == {i: str(i) for i, _ in made}


async def test_clients_share_no_statement(cast: Cast, ana: Seller) -> None:
    """Each statement checks one client's version."""
    group = GroupCommit(cast.database)
    made = [new_order(cast, ana, n) for n in range(4)]
    callers = [Caller(ana.client.client_id, 1), Caller(), Caller("lc_nobody", 1), Caller(ana.client.client_id, 1)]
    calls = (group.commit(Decided(w, caller)) for (_, w), caller in zip(made, callers, strict=True))
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), type(None), Stale, type(None)]
    assert group.together == 2


@pytest.mark.parametrize("kind", ["keys", "disputed", "closing"])
async def test_what_is_counted_under_a_lock_is_committed_alone(cast: Cast, ana: Seller, kind: str) -> None:
    group = GroupCommit(cast.database)
    version = 0 if kind == "disputed" else 1  # nothing is blocked, and she has one key
    made = [new_order(cast, ana, n) for n in range(3)]
    writes = [structs.replace(write, relies=(Relied(kind, ana.account_id, version),)) for _, write in made]
    await together(group, writes)
    assert group.together == 0


async def test_a_caller_who_goes_away_takes_no_other_along(cast: Cast, ana: Seller, inside: Any) -> None:
    group = GroupCommit(cast.database)
    made = [new_order(cast, ana, n) for n in range(3)]
    tasks = [asyncio.create_task(group.commit(Decided(write))) for _, write in made]
    await asyncio.sleep(0)  # all have asked
    tasks[1].cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), asyncio.CancelledError, type(None)]
    assert await inside.fetchval("SELECT count(*) FROM orders WHERE id = ANY ($1)", [made[0][0], made[2][0]]) == 2


async def test_a_database_that_is_away_is_away_for_all(cast: Cast, ana: Seller) -> None:
    away = Database(Dsn("postgresql://127.0.0.1:1/nowhere"))
    outcomes = await together(GroupCommit(away), [new_order(cast, ana, n)[1] for n in range(3)])
    assert [type(outcome) for outcome in outcomes] == [DatabaseAway] * 3


async def test_any_number_of_a_kind_has_one_text(cast: Cast, ana: Seller) -> None:
    """So that a session plans it once."""

    async def text(count: int) -> str:
        at = datetime.now(UTC)
        writes = [new_order(cast, ana, n)[1] for n in range(count)]
        writes = [w + Write(w.company_id, events=(Event(cast.id(), "X", cast.id(), None, b"{}", at),)) for w in writes]
        writes = [w + Write(w.company_id, moves=(move_of(ORDERS, cast.id(), "INITIAL", 1, "cancel", at),)) for w in writes]
        return (await statement_of(cast.database, [Decided(write, at=at) for write in writes])).sql

    assert await text(2) == await text(5) == await text(16)
