"""Many rows touched at once: all that still stand as they were read, and none that went its own way."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import born_order

from lastro.core.commit import commit
from lastro.core.errors import KeyTaken
from lastro.core.write import Stored, TouchMany, Write


async def orders(cast: Cast, seller: Seller, count: int) -> list[UUID]:
    at = datetime.now(UTC)
    ids = [cast.id() for _ in range(count)]
    rows = [born_order(seller, i, at + timedelta(microseconds=n)) for n, i in enumerate(ids)]
    await commit(cast.database, Write(seller.company_id, rows=tuple(row for some in rows for row in some)))
    return ids


def many(ids: list[UUID], versions: list[int] | None = None) -> TouchMany:
    texts = [f"text {n}" for n in range(len(ids))]
    return TouchMany("orders", tuple(ids), tuple(versions or [1] * len(ids)), {"description": texts})


async def described(inside: Any, ids: list[UUID]) -> list[tuple[str, int]]:
    rows = {r["id"]: r for r in await inside.fetch("SELECT id, description, version FROM orders WHERE id = ANY ($1)", ids)}
    return [(rows[i]["description"], rows[i]["version"]) for i in ids]


async def put_back(inside: Any) -> None:
    """So that every law holds of these orders: a version is a move, and these have none."""
    await inside.execute("UPDATE orders SET version = 1")


async def test_each_row_gets_its_own_values_and_its_version_rises(cast: Cast, ana: Seller, inside: Any) -> None:
    ids = await orders(cast, ana, 12)
    await commit(cast.database, Write(ana.company_id, many=(many(ids),)))
    assert await described(inside, ids) == [(f"text {n}", 2) for n in range(12)]
    await put_back(inside)


async def test_what_has_moved_since_it_was_read_stays(cast: Cast, ana: Seller, inside: Any) -> None:
    ids = await orders(cast, ana, 4)
    await commit(cast.database, Write(ana.company_id, many=(many([*ids, cast.id()], [1, 2, 1, 0, 1]),)))
    assert await described(inside, ids) == [("text 0", 2), ("Flores", 1), ("text 2", 2), ("Flores", 1)]
    await put_back(inside)


async def test_what_is_being_moved_is_not_waited_for(cast: Cast, ana: Seller, inside: Any) -> None:
    ids = await orders(cast, ana, 3)
    transaction = inside.transaction()
    await transaction.start()
    await inside.execute("UPDATE orders SET description = 'mine' WHERE id = $1", ids[1])
    async with asyncio.timeout(5):
        await commit(cast.database, Write(ana.company_id, many=(many(ids),)))
    await transaction.commit()
    assert await described(inside, ids) == [("text 0", 2), ("mine", 1), ("text 2", 2)]
    await put_back(inside)


async def test_another_companys_rows_are_not_there(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    ids = await orders(cast, dora, 2)
    await commit(cast.database, Write(ana.company_id, many=(many(ids),)))
    async with cast.database.session(dora.company_id) as session:
        assert {r["version"] for r in await session.fetch("SELECT version FROM orders")} == {1}


async def test_it_is_one_with_the_rest_of_its_write(cast: Cast, ana: Seller, inside: Any) -> None:
    """The answer's key is taken: then no row is touched either."""
    ids = await orders(cast, ana, 2)
    stored = Stored("act", "many", b"f", 200, b"{}", ids[0], "week", datetime.now(UTC))
    await commit(cast.database, Write(ana.company_id, many=(many(ids[:1]),), stored=(stored,)))
    with pytest.raises(KeyTaken):
        await commit(cast.database, Write(ana.company_id, many=(many(ids[1:]),), stored=(stored,)))
    assert await described(inside, ids) == [("text 0", 2), ("Flores", 1)]
    await put_back(inside)


async def test_many_who_touch_the_same_rows_touch_each_once(cast: Cast, ana: Seller, inside: Any) -> None:
    ids = await orders(cast, ana, 50)
    backwards = ids[::-1]
    await asyncio.gather(
        *(commit(cast.database, Write(ana.company_id, many=(many(some),))) for some in (ids, backwards) * 3)
    )
    assert {version for _, version in await described(inside, ids)} <= {1, 2}
    await put_back(inside)
