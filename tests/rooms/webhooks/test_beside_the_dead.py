"""Thousands of events stuck on a dead endpoint, and one for a live endpoint beside them. Told by order of work, not by time."""

import asyncio

import pytest
from aiohttp import web
from tests.rooms.webhooks.conftest import Company, Received, Receiver, Scene, acknowledge, refuse, until

STUCK = 2_000
PER_ENDPOINT = 8
# Requests to the dead one that may still begin before one for the live one that is due: what is claimed by then, and what a
# few rounds of claiming take. In line behind the others, it would be all of them.
_FEW = 12 * PER_ENDPOINT


async def stick(scene: Scene, company: Company, url: str) -> None:
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, gen_random_uuid(), 'T', gen_random_uuid(), $2, '{}', business_now() FROM generate_series(1, $3)",
        company.id, url, STUCK,
    )  # fmt: skip
    await scene.number_all()


@pytest.mark.parametrize("hangs", [True, False], ids=["it hangs", "it refuses"])
async def test_a_live_endpoint_does_not_wait_for_a_dead_one(scene: Scene, hangs: bool) -> None:
    release = asyncio.Event()

    async def hang(received: Received) -> web.Response:
        await release.wait()
        return await refuse(received)

    ana, bento = await scene.company(), await scene.company()
    dead = await scene.receiver(hang if hangs else refuse)
    begun_at: list[int] = []

    async def note(received: Received) -> web.Response:
        begun_at.append(len(dead.seen))
        return await acknowledge(received)

    live = await scene.receiver(note)
    await stick(scene, ana, dead.url)
    deliverer = scene.deliverer(per_endpoint=PER_ENDPOINT)
    async with scene.running(deliverer):
        try:
            await until(lambda: _seen(dead, 2))
            for count, company in enumerate((ana, bento, ana, bento), start=1):
                await scene.tell(company, live.url)
                await scene.number_all()  # which a transaction open elsewhere on the server may delay
                before = len(dead.seen)
                await until(lambda count=count: _seen(live, count))  # type: ignore[misc]
                assert begun_at[-1] - before <= (PER_ENDPOINT if hangs else _FEW)
            assert not hangs or len(dead.seen) <= PER_ENDPOINT
        finally:
            release.set()
    assert len({received.event_id for received in live.seen}) == len(live.seen) == 4
    assert not any((await scene.breaches()).values())


async def _seen(receiver: Receiver, wanted: int) -> bool:
    return len(receiver.seen) >= wanted
