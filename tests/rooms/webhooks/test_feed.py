"""The feed: every event, in order, without a gap; and waiting for the next one."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest
from tests.rooms.webhooks.conftest import Company, Scene, until

from lastro.core.errors import DatabaseAway, Kind, Refused, Wait
from lastro.core.runner import Reply, RequestContext
from lastro.webhooks import Arrivals
from lastro.webhooks.actions.feed import ReadFeed

PATH = "/order/v1/events"


def numbers(answer: Mapping[str, Any]) -> list[int]:
    return [event["sequence"] for event in answer["data"]]


async def tell_many(scene: Scene, company: Company, count: int) -> list[UUID]:
    told = [await scene.tell(company, "https://a.example/" if n % 2 else None, n=n) for n in range(count)]
    await scene.number_all()
    return told


async def waiting(scene: Scene, company: Company, **asked: Any) -> "asyncio.Task[Reply | Refused]":
    """A request that has found nothing and waits."""
    before = scene.arrivals.waiting
    task = asyncio.create_task(scene.ask(company, "GET", PATH, **asked))

    async def begun() -> bool:
        return scene.arrivals.waiting > before

    await until(begun)
    return task


async def test_every_event_is_told_with_its_bytes_whether_it_has_a_url_or_not(scene: Scene) -> None:
    ana = await scene.company()
    told = await tell_many(scene, ana, 3)
    answer = await scene.fed(ana)
    assert (answer["limit"], answer["hasNext"]) == (100, False)
    rows = await scene.admin.fetch(
        "SELECT n.*, e.* FROM event_numbers n JOIN events e ON e.id = n.event_id ORDER BY sequence"
    )
    times = await scene.admin.fetch("SELECT created_at FROM event_numbers ORDER BY sequence")
    assert answer["data"] == [
        {
            "sequence": n + 1, "id": str(told[n]), "event": "ORDER-PAYIN.PAID", "referenceId": str(row["reference_id"]),
            "createdAt": at["created_at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "payload": {"n": n},
        }
        for n, (row, at) in enumerate(zip(rows, times, strict=True))
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
async def test_one_walks_through_it_by_numbers_with_any_limit(scene: Scene, seed: int) -> None:
    chance = random.Random(seed)
    ana, dora = await scene.company(), await scene.company()
    await tell_many(scene, dora, 5)
    await tell_many(scene, ana, 23)
    seen: list[int] = []
    while True:
        limit = chance.randint(1, 7)
        answer = await scene.fed(ana, after=str(seen[-1] if seen else 0), limit=str(limit))
        assert len(answer["data"]) <= limit == answer["limit"]
        seen += numbers(answer)
        if not answer["hasNext"]:
            break
    assert seen == list(range(1, 24))
    assert numbers(await scene.fed(ana)) == seen, "without a number it begins with the first"
    last = await scene.fed(ana, after="23")
    assert (last["limit"], last["hasNext"], last["data"], last["lastSequence"]) == (100, False, [], 23)


async def test_what_has_no_number_yet_is_not_told(scene: Scene) -> None:
    ana = await scene.company()
    assert await scene.fed(ana) == {"limit": 100, "hasNext": False, "lastSequence": 0, "data": []}
    await scene.tell(ana, None)
    assert (await scene.fed(ana))["data"] == []
    await scene.number_all()
    assert numbers(await scene.fed(ana)) == [1]


async def test_a_large_part_is_whole(scene: Scene) -> None:
    ana = await scene.company()
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, gen_random_uuid(), 'T', gen_random_uuid(), NULL, '{\"a\": 1}', '2026-03-04Z' FROM generate_series(1, 1203)",
        ana.id,
    )  # fmt: skip
    await scene.number_all()
    answer = await scene.fed(ana, limit="1200")
    assert numbers(answer) == list(range(1, 1201))
    assert answer["hasNext"]


# ── waiting ──


async def test_who_waits_is_told_as_soon_as_there_is_something(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    await tell_many(scene, ana, 2)
    task = await waiting(scene, ana, query={"after": "2", "wait": "30"})
    await tell_many(scene, dora, 5)
    assert not task.done(), "what another company is told is nothing to wait for"
    told = await tell_many(scene, ana, 1)
    reply = await asyncio.wait_for(task, 5)
    assert isinstance(reply, Reply)
    assert str(told[0]).encode() in reply.body
    assert scene.arrivals.waiting == 0


async def test_nobody_waits_where_there_is_something(scene: Scene) -> None:
    ana = await scene.company()
    await tell_many(scene, ana, 1)
    async with asyncio.timeout(5):
        assert numbers(await scene.fed(ana, wait="30")) == [1]


async def test_after_its_time_there_is_an_empty_answer(scene: Scene) -> None:
    clock = asyncio.get_running_loop().time
    ana, begun = await scene.company(), clock()
    assert await scene.fed(ana, wait="1") == {"limit": 100, "hasNext": False, "lastSequence": 0, "data": []}
    assert 1 <= clock() - begun < 5


async def test_the_time_is_real_whatever_the_clock_of_the_business_does(scene: Scene) -> None:
    ana = await scene.company()
    task = await waiting(scene, ana, query={"wait": "30"})
    await scene.set_clock((await scene.now()).replace(year=2040))
    assert not (await asyncio.wait((task,), timeout=0.5))[0]
    await tell_many(scene, ana, 1)
    assert isinstance(await asyncio.wait_for(task, 5), Reply)


async def test_who_hangs_up_is_waited_for_no_longer(scene: Scene) -> None:
    ana, gone = await scene.company(), asyncio.Event()

    async def hung_up() -> None:
        await gone.wait()

    task = await waiting(scene, ana, query={"wait": "30"}, gone=hung_up)
    gone.set()
    reply = await asyncio.wait_for(task, 5)
    assert isinstance(reply, Reply)
    assert b'"data":[]' in reply.body
    assert scene.arrivals.waiting == 0


async def test_a_process_that_ends_lets_nobody_wait(scene: Scene) -> None:
    ana = await scene.company()
    tasks = [await waiting(scene, ana, query={"wait": "30"}) for _ in range(3)]
    scene.arrivals.end()
    replies = await asyncio.wait_for(asyncio.gather(*tasks), 5)
    assert all(b'"data":[]' in reply.body for reply in replies if isinstance(reply, Reply))
    async with asyncio.timeout(5):
        assert (await scene.fed(ana, wait="30"))["data"] == []


async def test_a_client_revoked_while_it_waits_is_told_nothing(scene: Scene) -> None:
    ana = await scene.company()
    task = await waiting(scene, ana, query={"wait": "30"})
    await scene.admin.execute("UPDATE clients SET revoked_at = machine_now(), version = version + 1")
    await tell_many(scene, ana, 1)
    assert await asyncio.wait_for(task, 5) == Refused(Kind.UNAUTHORIZED)


async def test_hundreds_wait_at_no_cost_and_are_told_together(scene: Scene) -> None:
    """Of no connection, and of one statement a look, however many wait."""
    looks = 0
    real = scene.arrivals._latest
    assert real is not None

    async def counted(company_ids: Any) -> Mapping[UUID, int]:
        nonlocal looks
        looks += 1
        return await real(company_ids)

    scene.arrivals = Arrivals(counted)
    ana, dora = await scene.company(), await scene.company()
    tasks = [asyncio.create_task(scene.ask(ana, "GET", PATH, {"wait": "30"})) for _ in range(250)]
    other = asyncio.create_task(scene.ask(dora, "GET", PATH, {"wait": "30"}))

    async def all_wait() -> bool:
        return scene.arrivals.waiting == 251  # a request that waits gives up after half a minute

    await until(all_wait)
    assert scene.database.lent == 0
    begun, before = asyncio.get_running_loop().time(), looks
    await tell_many(scene, ana, 1)
    replies = await asyncio.wait_for(asyncio.gather(*tasks), 60)
    assert {type(reply) for reply in replies} == {Reply}
    assert all(b'"sequence":1' in reply.body for reply in replies if isinstance(reply, Reply))
    assert looks - before <= 3 + (asyncio.get_running_loop().time() - begun) / 0.1
    assert not other.done()
    await tell_many(scene, dora, 1)
    assert isinstance(await asyncio.wait_for(other, 60), Reply)

    async def nobody_looks() -> bool:
        return scene.arrivals._looking is None or scene.arrivals._looking.done()

    await until(nobody_looks)


async def test_while_the_database_is_away_nobody_is_lost(scene: Scene) -> None:
    away = True
    real = scene.arrivals._latest
    assert real is not None

    async def unsteady(company_ids: Any) -> Mapping[UUID, int]:
        if away:
            raise DatabaseAway("gone for a moment")
        return await real(company_ids)

    scene.arrivals = Arrivals(unsteady)
    ana = await scene.company()
    task = await waiting(scene, ana, query={"wait": "30"})
    await tell_many(scene, ana, 1)
    assert not task.done()
    away = False
    assert isinstance(await asyncio.wait_for(task, 5), Reply)


async def test_where_nobody_looks_ahead_one_looks_by_oneself(scene: Scene) -> None:
    scene.arrivals = Arrivals()
    ana = await scene.company()
    task = asyncio.create_task(scene.ask(ana, "GET", PATH, {"wait": "30"}))
    await tell_many(scene, ana, 1)
    assert isinstance(await asyncio.wait_for(task, 10), Reply)


class _Later(Arrivals):
    """Says behind which number a request would wait."""

    after: int | None = None

    async def later_than(self, company_id: UUID, after: int, seconds: float) -> None:
        del company_id, seconds
        self.after = after


async def test_who_waits_behind_an_era_waits_for_a_number_of_it(scene: Scene) -> None:
    """The numbers that the era left out are no events: nobody looks for them again and again."""
    ana, later = await scene.company(), _Later()
    await tell_many(scene, ana, 2)
    async with scene.database.session(ana.id) as session:
        await session.value("SELECT begin_era_of($1)", ana.id)
        last = await session.value("SELECT last_sequence FROM event_cursors WHERE company_id = $1", ana.id)
        asked = ReadFeed(2, 10, 30, later)
        with pytest.raises(Wait) as nothing:
            await asked.read(session, RequestContext(ana.id, await scene.now(), scene.chance))
    await nothing.value.pause()
    assert later.after == last > 1_000_000
