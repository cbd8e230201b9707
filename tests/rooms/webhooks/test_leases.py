import asyncio
from collections.abc import Iterator

import pytest
from aiohttp import web
from tests.rooms.webhooks.conftest import Received, Scene, acknowledge, refuse

from lastro.core import failpoints
from lastro.webhooks import store
from lastro.webhooks.model import Attempted, Destination
from lastro.webhooks.rules import EventStatus


class Killed(Exception):  # noqa: N818 it stands for kill -9
    pass


@pytest.fixture
def killed_after_sending() -> Iterator[None]:
    def die(name: str) -> None:
        if name == "delivery.sent":
            raise Killed

    failpoints.listen(die)
    yield
    failpoints.listen(None)


async def test_a_worker_killed_after_sending_is_taken_over_when_its_lease_is_over(
    scene: Scene, killed_after_sending: None
) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    event_id = await scene.tell(ana, receiver.url)
    assert await scene.step(scene.deliverer()) == 1
    failpoints.listen(None)
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"], row["sends"]) == ("PENDING", 0, 1)

    other = scene.deliverer()
    assert await other.step() == 0, "the lease was not over"
    await scene.expire_leases()
    assert await other.step() == 1

    first, again = receiver.seen
    assert (first.event_id, first.body) == (again.event_id, again.body)
    assert first.headers["x-delivery-attempt"] == again.headers["x-delivery-attempt"] == "1"
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"], row["sends"], row["lease_token"]) == ("DELIVERED", 1, 2, None)
    assert len(await scene.attempts(event_id)) == 1


@pytest.mark.parametrize("answer", [acknowledge, refuse])
async def test_what_was_taken_over_is_not_finished_by_the_first_worker(scene: Scene, answer: object) -> None:
    token = scene.chance.uuid(await scene.now())

    async def take_over(received: Received) -> web.Response:
        await scene.admin.execute("UPDATE deliveries SET lease_token = $1", token)
        return await (acknowledge if answer is acknowledge else refuse)(received)

    ana, receiver = await scene.company(), await scene.receiver(take_over)
    event_id = await scene.tell(ana, receiver.url)
    assert await scene.step(scene.deliverer()) == 1
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"], row["version"], row["lease_token"]) == ("PENDING", 0, 1, token)
    assert await scene.attempts(event_id) == []


async def test_two_workers_send_nothing_twice(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    ids = [await scene.tell(ana, receiver.url) for _ in range(200)]
    await scene.number_all()
    steps = await asyncio.gather(*(scene.deliverer().step() for _ in range(3)))
    assert sum(steps) == len(ids)
    assert sorted(r.event_id for r in receiver.seen) == sorted(map(str, ids))


async def test_one_finish_counts_those_that_hold_their_lease_and_no_other(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    ids = [await scene.tell(ana, receiver.url) for _ in range(6)]

    async def steal_every_second(received: Received) -> web.Response:
        await scene.admin.execute(
            "UPDATE deliveries SET lease_token = NULL, leased_until = machine_now() + interval '1 minute' WHERE sequence % 2 = 0"
        )
        return await acknowledge(received)

    receiver.behaviour = steal_every_second
    await scene.step(scene.deliverer())
    statuses = [(await scene.delivery(event_id))["status"] for event_id in ids]
    assert statuses == ["DELIVERED", "PENDING"] * 3
    assert await scene.admin.fetchval("SELECT count(*) FROM delivery_attempts") == 3


async def test_of_two_attempts_of_one_event_the_one_that_holds_its_lease_is_kept(scene: Scene) -> None:
    """A worker that stood still until its lease was over took the event again: both attempts end in the same moment."""
    ana, receiver = await scene.company(), await scene.receiver()
    event_id, other_id = [await scene.tell(ana, receiver.url) for _ in range(2)]
    await scene.number_all()
    (to,) = await store.destinations(scene.work)
    async with scene.database.session(ana.id) as session:
        first = await store.claim(session, to, scene.chance.uuid(await scene.now()), 2)
        await scene.expire_leases()
        again = await store.claim(session, to, scene.chance.uuid(await scene.now()), 1)
        ended = [Attempted(one, EventStatus.DELIVERED, 200, "", 1, None) for one in (*first, *again)]
        told = await store.finish(session, ana.id, ended)
    assert told == dict.fromkeys((event_id, other_id), EventStatus.DELIVERED)
    assert [len(await scene.attempts(one)) for one in (event_id, other_id)] == [1, 1]


async def test_a_claim_takes_one_event_of_each_object_and_no_more_than_asked(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    reference = scene.chance.uuid(await scene.now())
    for _ in range(3):
        await scene.tell(ana, receiver.url, reference=reference)
    for _ in range(5):
        await scene.tell(ana, receiver.url)
    await scene.number_all()
    (to,) = await store.destinations(scene.work)
    assert isinstance(to, Destination)
    async with scene.database.session(ana.id) as session:
        first = await store.claim(session, to, scene.chance.uuid(await scene.now()), 4)
        rest = await store.claim(session, to, scene.chance.uuid(await scene.now()), 100)
        none = await store.claim(session, to, scene.chance.uuid(await scene.now()), 100)
    assert [c.sequence for c in first] == [1, 4, 5, 6]
    assert [c.sequence for c in rest] == [7, 8]
    assert none == []
