"""One company names endpoints without end, none of which answers: what it is told waits, and nobody else's does."""

import asyncio
from typing import Any

from aiohttp import web
from tests.apart import EachApart
from tests.rooms.webhooks.conftest import Company, Received, Scene, acknowledge, refuse, until

from lastro.webhooks import store
from lastro.webhooks.model import Destination
from lastro.webhooks.store.deliveries import FIRST_UNTAKEN, WALKED

LIVE = "https://live.example/hook"
AT_ONCE, ENDPOINTS = 16, 20


async def tell_many(scene: Scene, company: Company, many: int, host: str = "https://h%s.example/") -> None:
    """So many events, each of an object of its own, to an endpoint of its own, due since a minute."""
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, gen_random_uuid(), 'T', gen_random_uuid(), format($2, n), '{}', business_now() - interval '1 minute'"
        " FROM generate_series(1, $3) n", company.id, host, many,
    )  # fmt: skip
    await scene.number_all()


async def looked(scene: Scene) -> list[Destination]:
    return await store.destinations(scene.work)


async def take(scene: Scene, where: str, *arguments: Any) -> None:
    """As if a worker had these in hand."""
    await scene.admin.execute(
        "UPDATE deliveries SET lease_token = gen_random_uuid(), leased_until = machine_now() + interval '30 seconds'"
        f" WHERE {where}",
        *arguments,
    )


async def test_of_all_slots_half_are_left_to_others(scene: Scene) -> None:
    release, begun, at_arrival = asyncio.Event(), list[str](), list[int]()

    async def hang(received: Received) -> web.Response:
        begun.append(received.event_id)
        await release.wait()
        return await acknowledge(received)

    async def note(received: Received) -> web.Response:
        at_arrival.append(len(begun))
        return await acknowledge(received)

    ana, bento, live = await scene.company(), await scene.company(), await scene.receiver(note)
    for _ in range(ENDPOINTS):
        await scene.tell(ana, (await scene.receiver(hang)).url)
    await scene.number_all()

    async def half_hang() -> bool:
        return len(begun) >= AT_ONCE // 2

    async with scene.running(scene.deliverer(at_once=AT_ONCE)) as running:
        try:
            await until(half_hang)
            for heard in range(1, 4):
                await scene.tell(bento, live.url)
                running.wake.set()
                await until(lambda heard=heard: _are(at_arrival, heard))  # type: ignore[misc]
            assert at_arrival == [AT_ONCE // 2] * 3
        finally:
            release.set()


async def _are(some: list[int], wanted: int) -> bool:
    return len(some) >= wanted


async def test_what_a_company_waits_for_is_named_before_another_companys_second(scene: Scene, room_database: Any) -> None:
    ana, bento = await scene.company(), await scene.company()
    await tell_many(scene, ana, 1_100)
    await scene.tell(bento, LIVE)
    await scene.number_all()
    found = await looked(scene)
    named = [to.company_id for to in found]
    assert named[:2] == [ana.id, bento.id]
    apart = EachApart(room_database)
    assert [to.company_id for to in await store.destinations(apart)] == named, "as if each had a server of its own"
    await apart.close()
    assert named.count(ana.id) == 250, "no more than it could have slots"


async def test_what_somebody_has_in_hand_is_not_named(scene: Scene) -> None:
    ana, bento = await scene.company(), await scene.company()
    await tell_many(scene, ana, 50)
    await take(scene, "company_id = $1", ana.id)
    await scene.tell(bento, LIVE)
    await scene.number_all()
    assert [to.company_id for to in await looked(scene)] == [bento.id]
    await scene.expire_leases()
    assert len(await looked(scene)) == 51


async def test_an_endpoint_is_named_for_what_waits_beside_requests_on_their_way(scene: Scene) -> None:
    ana = await scene.company()
    first, second = [await scene.tell(ana, LIVE) for _ in range(2)]
    await scene.number_all()
    await take(scene, "id = $1", first)
    assert [to.company_id for to in await looked(scene)] == [ana.id]
    await take(scene, "id = $1", second)
    assert await looked(scene) == []


async def test_a_companys_many_endpoints_take_no_part_of_anothers_claim(scene: Scene) -> None:
    ana, bento, receiver = await scene.company(), await scene.company(), await scene.receiver(refuse)
    await tell_many(scene, ana, 200, "http://10.0.0.%s/hook")  # refused before anything is sent
    for _ in range(40):
        await scene.tell(bento, receiver.url)
    await scene.number_all()
    deliverer = scene.deliverer()
    await deliverer._launch()
    counted = await scene.admin.fetch("SELECT company_id, sum(sends) AS sends FROM deliveries GROUP BY 1")
    assert {r["company_id"]: r["sends"] for r in counted} == {ana.id: 200, bento.id: 32}
    await deliverer.step()


async def test_no_look_is_longer_for_more_endpoints_and_each_is_looked_at_by_and_by(scene: Scene) -> None:
    ana, bento = await scene.company(), await scene.company()
    await tell_many(scene, ana, 2 * WALKED + 500)
    await scene.tell(bento, LIVE)
    await scene.number_all()
    walked = f"WITH RECURSIVE {FIRST_UNTAKEN} SELECT company_id, count(*) AS n FROM first GROUP BY 1"
    for _ in range(5):
        counted = {r["company_id"]: r["n"] for r in await scene.admin.fetch(walked)}
        assert counted[bento.id] == 1
        assert WALKED <= counted[ana.id] <= 2 * WALKED
    last = await scene.admin.fetchval("SELECT max(endpoint) FROM deliveries WHERE company_id = $1", ana.id)
    await scene.admin.execute(
        "UPDATE deliveries SET due_at = due_at + interval '1 day' WHERE company_id = $1 AND endpoint <> $2", ana.id, last
    )

    async def is_named() -> bool:
        return last in {to.endpoint for to in await looked(scene)}

    await until(is_named)
