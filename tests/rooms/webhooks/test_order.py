import asyncio
from datetime import timedelta

from aiohttp import web
from tests.rooms.webhooks.conftest import Received, Scene, acknowledge, refuse, until

from lastro.webhooks import store
from lastro.webhooks.model import Attempted
from lastro.webhooks.rules import EventStatus


async def test_events_of_an_object_arrive_in_the_order_of_their_commits(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    objects = [scene.chance.uuid(await scene.now()) for _ in range(5)]
    told = {reference: list[str]() for reference in objects}
    for _ in range(6):
        for reference in objects:
            told[reference].append(str(await scene.tell(ana, receiver.url, reference=reference, object=str(reference))))
    assert await scene.step(scene.deliverer()) == 30
    for reference in objects:
        assert [r.event_id for r in receiver.seen if str(reference).encode() in r.body] == told[reference]


async def test_an_object_waits_for_its_earlier_event_and_others_do_not(scene: Scene) -> None:
    poison = ""

    async def refuse_one(received: Received) -> web.Response:
        return await (refuse if received.event_id == poison else acknowledge)(received)

    ana, receiver = await scene.company(), await scene.receiver(refuse_one)
    waiting = scene.chance.uuid(await scene.now())
    first = await scene.tell(ana, receiver.url, reference=waiting)
    poison = str(first)
    behind = [await scene.tell(ana, receiver.url, reference=waiting) for _ in range(3)]
    others = [await scene.tell(ana, receiver.url) for _ in range(5)]
    deliverer = scene.deliverer()
    assert await scene.step(deliverer) == 6
    assert {r.event_id for r in receiver.seen} == {poison, *map(str, others)}
    # What waits is due when the first is, so nothing is due now; and a newborn one is put behind as well.
    behind.append(await scene.tell(ana, receiver.url, reference=waiting))
    assert await scene.step(deliverer) == 0
    head = await scene.delivery(first)
    for event_id in behind:
        row = await scene.delivery(event_id)
        assert (row["status"], row["due_at"], row["waits"], row["sends"]) == ("PENDING", head["due_at"], True, 0)
    await scene.set_clock(head["due_at"])
    poison = ""
    assert await scene.step(deliverer) == 5
    assert [r.event_id for r in receiver.seen[-5:]] == [str(first), *map(str, behind)]
    assert not any((await scene.breaches()).values())


async def test_after_the_last_retry_the_next_event_goes_at_once(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    reference = scene.chance.uuid(await scene.now())
    first = await scene.tell(ana, receiver.url, reference=reference)
    second = await scene.tell(ana, receiver.url, reference=reference)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    for _ in range(3):
        await scene.set_clock((await scene.delivery(first))["due_at"])
        assert await scene.step(deliverer) == 1
    assert str(second) not in {r.event_id for r in receiver.seen}
    await scene.set_clock((await scene.delivery(first))["due_at"])
    assert await scene.step(deliverer) == 2
    assert (await scene.delivery(first))["status"] == "FAILED"
    assert [r.event_id for r in receiver.seen[-2:]] == [str(first), str(second)]


async def test_what_waited_is_woken_when_the_first_is_resent_before_its_time(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    reference = scene.chance.uuid(await scene.now())
    first = await scene.tell(ana, receiver.url, reference=reference)
    second = await scene.tell(ana, receiver.url, reference=reference)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    assert (await scene.delivery(second))["waits"]
    receiver.behaviour = acknowledge
    await scene.resend(ana, first)
    assert await scene.step(deliverer) == 2
    assert [r.event_id for r in receiver.seen] == [str(first), str(first), str(second)]


async def test_a_later_event_keeps_its_own_wait_when_an_earlier_one_is_resent(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    reference = scene.chance.uuid(await scene.now())
    deliverer = scene.deliverer()
    first = await scene.tell(ana, receiver.url, reference=reference)
    await scene.step(deliverer)
    receiver.behaviour = refuse
    second = await scene.tell(ana, receiver.url, reference=reference)
    await scene.step(deliverer)
    due_at = (await scene.delivery(second))["due_at"]
    receiver.behaviour = acknowledge
    await scene.resend(ana, first)
    assert await scene.step(deliverer) == 1
    row = await scene.delivery(second)
    assert (row["status"], row["due_at"], row["waits"]) == ("RETRYING", due_at, False)


async def test_another_url_of_the_same_object_does_not_wait(scene: Scene) -> None:
    ana, dead, receiver = await scene.company(), await scene.receiver(refuse), await scene.receiver()
    reference = scene.chance.uuid(await scene.now())
    await scene.tell(ana, dead.url, reference=reference)
    other = await scene.tell(ana, receiver.url, reference=reference)
    assert await scene.step(scene.deliverer()) == 2
    assert (await scene.delivery(other))["status"] == "DELIVERED"


async def test_two_companies_with_one_reference_do_not_wait_for_each_other(scene: Scene) -> None:
    ana, bento, receiver = await scene.company(), await scene.company(), await scene.receiver(refuse)
    reference = scene.chance.uuid(await scene.now())
    await scene.tell(ana, receiver.url, reference=reference)
    await scene.tell(bento, receiver.url, reference=reference)
    assert await scene.step(scene.deliverer()) == 2


async def test_a_step_of_days_runs_all_that_falls_due(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    reference = scene.chance.uuid(await scene.now())
    for _ in range(2):
        await scene.tell(ana, receiver.url, reference=reference)
    deliverer = scene.deliverer()
    attempts = await scene.step(deliverer)
    # From one due instant to the next, as the sandbox's clock steps.
    while (due_at := await scene.admin.fetchval("SELECT min(due_at) FROM deliveries")) is not None:
        assert due_at > await scene.now() - timedelta(seconds=5), "something was due and not done"
        await scene.set_clock(due_at)
        attempts += await deliverer.step()
    assert attempts == 10
    assert await scene.admin.fetchval("SELECT count(*) FROM deliveries WHERE status = 'FAILED'") == 2


async def test_what_is_put_behind_an_event_in_the_moment_in_which_that_ends_is_due_at_once(scene: Scene) -> None:
    """Who writes that the first was acknowledged waits for who puts the second behind it, and saw the second before that."""
    ana, receiver, about = await scene.company(), await scene.receiver(), scene.chance.uuid(await scene.now())
    first, second = [await scene.tell(ana, receiver.url, reference=about) for _ in range(2)]
    await scene.number_all()
    (to,) = await store.destinations(scene.work)
    async with scene.database.session(ana.id) as claiming:
        (claimed,) = await store.claim(claiming, to, scene.chance.uuid(await scene.now()), 1)
    assert claimed.id == first
    later = "UPDATE deliveries SET due_at = business_now() + interval '10 minutes', version = version + 1 WHERE id = $1"
    await scene.admin.execute(later, first)  # many are resent, one after the other
    acknowledged = Attempted(claimed, EventStatus.DELIVERED, 200, "", 1, None)

    async def end() -> None:
        async with scene.database.session(ana.id) as ending:
            assert await store.finish(ending, ana.id, [acknowledged]) == {first: EventStatus.DELIVERED}

    waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"
    async with scene.database.session(ana.id) as putting:
        await putting.fetch("BEGIN")
        await store.postpone(putting, to)
        ended = asyncio.create_task(end())
        await until(lambda: scene.admin.fetchval(waits))
        await putting.fetch("COMMIT")
    await ended
    row = await scene.delivery(second)
    assert (row["waits"], row["due_at"] <= await scene.now()) == (False, True)
