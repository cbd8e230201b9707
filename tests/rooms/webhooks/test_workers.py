"""Several workers on one database: they share the work, send nothing twice, and keep the order of each object."""

import asyncio
import os
from collections import Counter
from datetime import UTC, datetime

import structlog
from aiohttp import web
from tests.rooms.webhooks.conftest import Received, Scene, acknowledge, refuse, until

from lastro.core.secrets import KeyRing
from lastro.core.work_queue import Worked
from lastro.http_client import OutgoingClient
from lastro.webhooks import Deliverer, DeliverySettings

OBJECTS, EVENTS_EACH = 24, 5
COMPANIES, PER_ENDPOINT = 2, 4  # requests at once to one host and port, of each worker


def worker(scene: Scene, made: Counter[int], name: int) -> Deliverer:
    """A deliverer with connections of its own outwards, whose attempts are counted under its name."""

    def on_worked(done: Worked) -> None:
        made[name] += 1

    client = OutgoingClient(sandbox=True)
    scene.stack.push_async_callback(client.close)
    settings = DeliverySettings(is_sandbox=True, per_endpoint=PER_ENDPOINT, claim=4)
    return Deliverer(
        scene.database, scene.work, client, scene.key_ring, scene.chance, lambda: datetime.now(UTC), settings, on_worked
    )


async def test_two_workers_share_a_load_and_keep_the_order_of_each_object(scene: Scene) -> None:
    under_way: Counter[str] = Counter()
    together: list[int] = []  # how many of its object were on their way, at each arrival
    both = asyncio.Event()  # more is on its way than one worker may have there: the other has begun, too

    async def count_of_each_object(received: Received) -> web.Response:
        reference = received.body.decode()
        under_way[reference] += 1
        together.append(under_way[reference])
        if under_way.total() > PER_ENDPOINT:
            both.set()
        await both.wait()
        await asyncio.sleep(0.002)  # so that two could be on their way together, were they let
        under_way[reference] -= 1
        return await acknowledge(received)

    companies, receiver = [await scene.company() for _ in range(COMPANIES)], await scene.receiver(count_of_each_object)
    objects = [scene.chance.uuid(await scene.now()) for _ in range(OBJECTS)]
    told = {reference: list[str]() for reference in objects}
    for n, reference in enumerate(objects):
        for _ in range(EVENTS_EACH):  # one after the other, so that those of an object are due before all others
            event_id = await scene.tell(companies[n % COMPANIES], receiver.url, reference=reference, n=n)
            told[reference].append(str(event_id))
    await scene.number_all()
    made: Counter[int] = Counter()
    async with scene.running(worker(scene, made, 1)), scene.running(worker(scene, made, 2)):
        await until(lambda: _delivered(scene, OBJECTS * EVENTS_EACH))
    assert set(together) == {1}
    came = [r.event_id for r in receiver.seen]
    assert sorted(came) == sorted(event_id for ids in told.values() for event_id in ids), "each once"
    for ids in told.values():
        assert [event_id for event_id in came if event_id in ids] == ids
    assert min(made[1], made[2]) > 0
    assert made.total() == OBJECTS * EVENTS_EACH
    assert await scene.admin.fetch("SELECT * FROM law_events_arrive_in_order") == []


async def _delivered(scene: Scene, wanted: int) -> bool:
    return bool(await scene.admin.fetchval("SELECT count(*) = $1 FROM deliveries WHERE status = 'DELIVERED'", wanted))


async def test_a_plan_that_ends_is_told_once(scene: Scene) -> None:
    """In the log of the worker that made the last attempt, with what one needs to find the receiver."""
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    with structlog.testing.capture_logs() as lines:
        await scene.step(deliverer)
        while (due_at := (await scene.delivery(event_id))["due_at"]) is not None:
            assert not [line for line in lines if line["event"] == "webhooks.given_up"]
            await scene.set_clock(due_at)
            await deliverer.step()
    (line,) = (line for line in lines if line["event"] == "webhooks.given_up")
    assert line == {
        "event": "webhooks.given_up", "log_level": "warning", "id": event_id, "kind": "ORDER-PAYIN.PAID",
        "company_id": ana.id, "endpoint": receiver.url.split("/")[2], "attempt": 5, "failure": "BAD_STATUS", "status": 500,
    }  # fmt: skip


async def test_a_worker_whose_keys_file_lacks_a_key_says_so(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    await scene.tell(ana, receiver.url)
    scene.key_ring = KeyRing.generate("another", os.urandom)
    with structlog.testing.capture_logs() as lines:
        await scene.step(scene.deliverer())
    assert [(line["event"], line["log_level"]) for line in lines] == [("keys.unreadable", "error")]
    assert receiver.seen == []


async def test_an_end_that_did_not_count_is_not_told(scene: Scene) -> None:
    async def take_over(received: Received) -> web.Response:
        await scene.admin.execute("UPDATE deliveries SET lease_token = gen_random_uuid()")
        return await refuse(received)

    ana, receiver = await scene.company(), await scene.receiver(take_over)
    event_id = await scene.tell(ana, receiver.url)
    await scene.number_all()
    await scene.admin.execute("UPDATE deliveries SET status = 'RETRYING', attempts = 4, plan_attempts = 4")
    with structlog.testing.capture_logs() as lines:
        assert await scene.deliverer().step() == 1
    assert (await scene.delivery(event_id))["status"] == "RETRYING"
    assert not [line for line in lines if line["event"] == "webhooks.given_up"]
