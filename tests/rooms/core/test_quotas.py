"""Limits are used under the lock of their row, and a message is withdrawn only while nobody has had it."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller

from lastro.core import work_queue
from lastro.core.commit import commit
from lastro.core.errors import OverQuota, Stale
from lastro.core.write import Message, Quota, Withdrawn, Write

OUTBOX = work_queue.Queue("outbox")


async def use(cast: Cast, seller: Seller, *quotas: Quota) -> None:
    await commit(cast.database, Write(seller.company_id, quotas=quotas))


def of(seller: Seller, minor: int, most: int | None = None, kind: str = "test", period: str = "today") -> Quota:
    return Quota(seller.account_id, kind, period, minor, most)


async def used(inside: Any) -> dict[tuple[str, str], int]:
    return {(r["kind"], r["period"]): r["used_minor"] for r in await inside.fetch("SELECT * FROM quotas")}


@pytest.mark.parametrize(("before", "minor", "left"), [(0, 101, 100), (100, 1, 0), (60, 41, 40), (150, 1, 0)])
async def test_what_is_left_is_told(cast: Cast, ana: Seller, inside: Any, before: int, minor: int, left: int) -> None:
    if before:
        await use(cast, ana, of(ana, before))
    with pytest.raises(OverQuota) as over:
        await use(cast, ana, of(ana, minor, 100))
    assert (over.value.kind, over.value.left_minor) == ("test", left)
    assert await used(inside) == ({("test", "today"): before} if before else {})


async def test_up_to_the_limit_and_back(cast: Cast, ana: Seller, inside: Any) -> None:
    await use(cast, ana, of(ana, 100, 100))
    await use(cast, ana, of(ana, -40, 100))
    await use(cast, ana, of(ana, 40, 100))
    await use(cast, ana, of(ana, -100, 0))
    assert await used(inside) == {("test", "today"): 0}
    await use(cast, ana, of(ana, 10**15))
    assert await used(inside) == {("test", "today"): 10**15}, "where no limit is set there is none"


async def test_kinds_and_periods_are_counted_apart_and_together_hold_or_not(cast: Cast, ana: Seller, inside: Any) -> None:
    await use(cast, ana, of(ana, 5, 10), of(ana, 5, 5, "night"), of(ana, 7, 10, period="tomorrow"))
    with pytest.raises(OverQuota) as over:
        await use(cast, ana, of(ana, 5, 10), of(ana, 1, 5, "night"))
    assert over.value.kind == "night"
    assert await used(inside) == {("test", "today"): 5, ("night", "today"): 5, ("test", "tomorrow"): 7}
    with pytest.raises(OverQuota):
        await use(cast, ana, of(ana, 3, 10), of(ana, 3, 10))
    await use(cast, ana, of(ana, 3, 10), of(ana, 2, 10))
    assert (await used(inside))[("test", "today")] == 10, "the same one twice in a Write adds up"


async def test_many_at_once_use_what_is_there(cast: Cast, ana: Seller, inside: Any) -> None:
    outcomes = await asyncio.gather(*(use(cast, ana, of(ana, 10, 95)) for _ in range(40)), return_exceptions=True)
    assert sum(o is None for o in outcomes) == 9
    assert {type(o) for o in outcomes if o is not None} <= {OverQuota, Stale}
    assert await used(inside) == {("test", "today"): 90}


async def message(cast: Cast, seller: Seller) -> UUID:
    made = Message(cast.id(), "pix", "x", str(cast.id()), cast.id(), b"", datetime.now(UTC))
    await commit(cast.database, Write(seller.company_id, messages=(made,)))
    return made.id


async def withdraw(cast: Cast, seller: Seller, row_id: UUID, sends: int = 0) -> None:
    await commit(cast.database, Write(seller.company_id, withdrawn=(Withdrawn(row_id, sends, datetime.now(UTC)),)))


async def test_what_nobody_had_is_withdrawn_once(cast: Cast, ana: Seller, inside: Any) -> None:
    row_id = await message(cast, ana)
    await withdraw(cast, ana, row_id)
    (row,) = await inside.fetch("SELECT due_at, outcome, done_at IS NOT NULL AS is_done FROM outbox")
    assert tuple(row) == (None, "withdrawn", True)
    assert await work_queue.claim(cast.database, OUTBOX, ana.company_id, cast.id(), 9) == []
    with pytest.raises(Stale):
        await withdraw(cast, ana, row_id)


async def test_what_somebody_has_or_had_is_not(cast: Cast, ana: Seller) -> None:
    row_id = await message(cast, ana)
    (row,) = await work_queue.claim(cast.database, OUTBOX, ana.company_id, cast.id(), 9)
    for sends in (0, 1):
        with pytest.raises(Stale):
            await withdraw(cast, ana, row_id, sends)
    await work_queue.put_off(cast.database, OUTBOX, row, timedelta(0))
    await withdraw(cast, ana, row_id)


async def test_what_was_sent_and_never_had_is_withdrawn_unless_it_is_sent_again(
    cast: Cast, ana: Seller, inside: Any
) -> None:
    row_id = await message(cast, ana)
    (row,) = await work_queue.claim(cast.database, OUTBOX, ana.company_id, cast.id(), 9)
    never_had = [Withdrawn(row_id, sends, datetime.now(UTC), is_unsent=False) for sends in (0, 1)]
    for one in never_had:
        with pytest.raises(Stale):
            await commit(cast.database, Write(ana.company_id, withdrawn=(one,)))
    await work_queue.finish(cast.database, OUTBOX, ana.company_id, [row_id], row["lease_token"], "sent")
    with pytest.raises(Stale):
        await withdraw(cast, ana, row_id, 1)
    await commit(cast.database, Write(ana.company_id, withdrawn=(never_had[1],)))
    assert await inside.fetchval("SELECT outcome FROM outbox") == "withdrawn"


async def test_what_was_put_off_counts_as_not_taken(cast: Cast, ana: Seller, inside: Any) -> None:
    row_id = await message(cast, ana)
    (row,) = await work_queue.claim(cast.database, OUTBOX, ana.company_id, cast.id(), 9)
    await work_queue.put_off(cast.database, OUTBOX, {**row, "lease_token": cast.id()}, timedelta(0))  # type: ignore[arg-type]
    assert await inside.fetchval("SELECT sends FROM outbox") == 1, "only by who holds it"
    await work_queue.put_off(cast.database, OUTBOX, row, timedelta(0))
    (again,) = await work_queue.claim(cast.database, OUTBOX, ana.company_id, cast.id(), 9)
    assert (again["id"], again["sends"]) == (row_id, 1)
