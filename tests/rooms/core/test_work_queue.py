"""Work is found across companies, leased before anything is done, and settled only by whoever holds the lease."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.apart import EachApart
from tests.cast import Cast, Seller

from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.errors import Stale
from lastro.core.notify import Bell
from lastro.core.queue_worker import QueueWorker
from lastro.core.work_queue import LEASE_SECONDS, Queue, claim, find, finish, release
from lastro.core.write import Finished, Message, Write

OUTBOX = Queue("outbox")


@pytest.fixture(params=["together", "apart"])
async def work(request: Any, database: Any) -> AsyncIterator[Database]:
    """On one server, or as if each company had its own."""
    made = EachApart(database) if request.param == "apart" else Database(database.work, size=1)
    yield made
    await made.close()


async def tell(cast: Cast, seller: Seller, number: int = 1, *, at: datetime | None = None) -> list[UUID]:
    at = at or datetime.now(UTC)
    messages = tuple(Message(cast.id(), "pix", "x", str(cast.id()), cast.id(), b"", at) for _ in range(number))
    await commit(cast.database, Write(seller.company_id, messages=messages))
    return [m.id for m in messages]


async def claimed(
    cast: Cast, seller: Seller, limit: int = 10, *, token: UUID | None = None, lane: Queue = OUTBOX
) -> list[Any]:
    return await claim(cast.database, lane, seller.company_id, token or cast.id(), limit)


async def test_work_is_found_for_whoever_waits_longest(cast: Cast, ana: Seller, work: Database) -> None:
    dora, now = await cast.dora(), datetime.now(UTC)
    await tell(cast, dora, at=now - timedelta(seconds=5))
    await tell(cast, ana, at=now - timedelta(seconds=9))
    found = await find(work, OUTBOX.find_sql)
    assert [c for c in found if c in (ana.company_id, dora.company_id)] == [ana.company_id, dora.company_id]
    await claimed(cast, ana)
    assert ana.company_id not in await find(work, OUTBOX.find_sql), "what is leased waits for nobody"


async def test_what_is_due_later_is_neither_found_nor_claimed(cast: Cast, ana: Seller, work: Database) -> None:
    await tell(cast, ana, at=datetime.now(UTC) + timedelta(hours=1))
    assert ana.company_id not in await find(work, OUTBOX.find_sql)
    assert await claimed(cast, ana) == []


async def test_a_claim_is_counted_and_leased_by_machine_time(cast: Cast, ana: Seller, inside: Any) -> None:
    await tell(cast, ana)
    token = cast.id()
    (row,) = await claimed(cast, ana, token=token)
    assert (row["sends"], row["lease_token"]) == (1, token)
    left = await inside.fetchval("SELECT leased_until - machine_now() FROM outbox")
    assert timedelta(seconds=LEASE_SECONDS - 5) < left <= timedelta(seconds=LEASE_SECONDS)
    assert await claimed(cast, ana) == []


async def test_the_oldest_come_first_and_no_more_than_asked_for(cast: Cast, ana: Seller) -> None:
    now = datetime.now(UTC)
    ids = [(await tell(cast, ana, at=now - timedelta(seconds=n)))[0] for n in (1, 3, 2)]
    assert [r["id"] for r in await claimed(cast, ana, 2)] == [ids[1], ids[2]]
    assert [r["id"] for r in await claimed(cast, ana, 2)] == [ids[0]]


async def test_a_lane_of_some_rows_leaves_the_others(cast: Cast, ana: Seller) -> None:
    await tell(cast, ana)
    assert await claimed(cast, ana, lane=replace(OUTBOX, also="rail = 'other'")) == []
    assert len(await claimed(cast, ana, lane=replace(OUTBOX, also="rail = 'pix'"))) == 1


async def test_a_company_with_much_to_do_lets_others_in_between(cast: Cast, ana: Seller, work: Database) -> None:
    """Ana's two hundred were due long before Dora's two, which are begun in the first round all the same."""
    dora, now, began = await cast.dora(), datetime.now(UTC), list[UUID]()
    for seller, number, age in ((ana, 200, 60), (dora, 2, 1)):
        at = now - timedelta(seconds=age)
        messages = tuple(Message(cast.id(), "fair", "x", str(cast.id()), cast.id(), b"", at) for _ in range(number))
        await commit(cast.database, Write(seller.company_id, messages=messages))

    async def act(row: Any) -> None:
        began.append(row["company_id"])

    lane = QueueWorker(replace(OUTBOX, only="rail = 'fair'"), cast.database, work, cast.chance, act, at_once=64)
    await lane.round()
    await lane.rest()
    assert [began.count(each.company_id) for each in (ana, dora)] == [16, 2]


async def test_a_bell_that_names_a_company_leads_to_it_alone(cast: Cast, ana: Seller, work: Database) -> None:
    """Ana's twenty are taken in two turns, and nobody else's is looked for until the bell rings for any."""
    dora, bell, began = await cast.dora(), Bell(), list[UUID]()
    for seller, number in ((ana, 20), (dora, 1)):
        at = datetime.now(UTC) - timedelta(seconds=9)
        messages = tuple(Message(cast.id(), "bell", "x", str(cast.id()), cast.id(), b"", at) for _ in range(number))
        await commit(cast.database, Write(seller.company_id, messages=messages))

    async def act(row: Any) -> None:
        began.append(row["company_id"])

    lane = QueueWorker(replace(OUTBOX, only="rail = 'bell'"), cast.database, work, cast.chance, act, at_once=64)

    async def turn() -> tuple[int, int, bool]:
        assert not await lane.round(bell) or not bell.is_set()
        await lane.rest()
        return began.count(ana.company_id), began.count(dora.company_id), bell.is_set()

    bell.name(ana.company_id)
    assert await turn() == (16, 0, True), "she may have more"
    assert await turn() == (20, 0, False)
    bell.name(ana.company_id)
    bell.set()
    assert await turn() == (20, 1, False)


async def test_two_workers_never_share_a_row(cast: Cast, ana: Seller) -> None:
    ids = await tell(cast, ana, 200)

    async def worker() -> list[UUID]:
        taken: list[UUID] = []
        while rows := await claimed(cast, ana, 7):
            taken += [r["id"] for r in rows]
        return taken

    shares = await asyncio.gather(*(worker() for _ in range(6)))
    assert sorted(i for share in shares for i in share) == sorted(ids)
    assert sum(bool(share) for share in shares) > 1, "one worker did it all"


async def test_nobody_claims_the_work_of_another_company(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    await tell(cast, ana)
    assert await claimed(cast, dora) == []


async def test_a_lost_lease_is_taken_over_and_the_first_holder_settles_nothing(cast: Cast, ana: Seller, inside: Any) -> None:
    (message_id,) = await tell(cast, ana)
    old, new = cast.id(), cast.id()
    (stale,) = await claimed(cast, ana, token=old)
    await inside.execute("UPDATE outbox SET leased_until = machine_now() - interval '1 microsecond'")
    (fresh,) = await claimed(cast, ana, token=new)
    assert (fresh["id"], fresh["sends"], fresh["lease_token"]) == (message_id, 2, new)

    await finish(cast.database, OUTBOX, ana.company_id, [message_id], old, "sent")
    await release(cast.database, OUTBOX, stale, timedelta(hours=1))
    with pytest.raises(Stale):
        await commit(
            cast.database, Write(ana.company_id, finished=(Finished("outbox", message_id, old, "sent", datetime.now(UTC)),))
        )
    row = await inside.fetchrow("SELECT lease_token, due_at IS NULL AS is_done, outcome FROM outbox")
    assert tuple(row) == (new, False, None)

    await finish(cast.database, OUTBOX, ana.company_id, [message_id], new, "sent")
    row = await inside.fetchrow(
        "SELECT lease_token, leased_until, due_at, outcome, done_at IS NOT NULL AS is_dated FROM outbox"
    )
    assert tuple(row) == (None, None, None, "sent", True)
    assert await claimed(cast, ana) == []


async def test_what_is_given_back_is_due_later(cast: Cast, ana: Seller, inside: Any) -> None:
    await tell(cast, ana)
    (row,) = await claimed(cast, ana)
    await release(cast.database, OUTBOX, row, timedelta(hours=1))
    after = await inside.fetchrow("SELECT lease_token, leased_until, sends, due_at - business_now() AS wait FROM outbox")
    assert (after["lease_token"], after["leased_until"], after["sends"]) == (None, None, 1)
    assert timedelta(minutes=59) < after["wait"] <= timedelta(hours=1)
    (row,) = await _at_once(cast, ana, inside)
    await release(cast.database, OUTBOX, row, timedelta(0))
    (again,) = await claimed(cast, ana)
    assert again["sends"] == 3


async def _at_once(cast: Cast, ana: Seller, inside: Any) -> list[Any]:
    await inside.execute("UPDATE outbox SET due_at = business_now()")
    return await claimed(cast, ana)
