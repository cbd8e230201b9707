"""An endpoint that does not answer is left alone, tried now and then, and loses no event by it."""

import asyncio
from datetime import datetime, timedelta

from aiohttp import web
from tests.rooms.webhooks.circuits import attempted, away, circuit, opened, to_the_probe
from tests.rooms.webhooks.conftest import Received, Receiver, Scene, acknowledge, refuse, until

from lastro.core import failpoints
from lastro.webhooks.breaker import origin_of
from lastro.webhooks.circuit import HELD_AT_MOST, PAUSES, TRIPS_AT

SECOND = timedelta(seconds=1)


async def hang(_: Received) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError


async def test_after_five_events_without_an_answer_nothing_more_is_sent(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    before = await scene.now()
    ids = await opened(scene, ana, receiver, deliverer)
    assert [r.event_id for r in receiver.seen] == ids[:TRIPS_AT]
    row = await circuit(scene)
    assert (row["origin"], row["failure"]) == (origin_of(receiver.url), "BAD_STATUS")
    assert before <= row["opened_at"] == row["probe_at"] - PAUSES[0]
    # What waits is due, has lost nothing, and is nothing that could be done.
    for event_id in ids[TRIPS_AT:]:
        waiting = await scene.admin.fetchrow("SELECT * FROM deliveries WHERE id = $1::text::uuid", event_id)
        assert waiting is not None
        assert (waiting["status"], waiting["attempts"], waiting["sends"]) == ("PENDING", 0, 0)
    assert await deliverer.step() == await scene.deliverer().step() == 0
    assert not await scene.admin.fetchval("SELECT count(*) FROM law_nothing_is_overdue_at_rest")
    assert not any((await scene.breaches()).values())


async def test_the_answer_of_one_probe_lets_all_go(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    ids = await opened(scene, ana, receiver, deliverer)
    receiver.behaviour = acknowledge
    await scene.set_clock((await circuit(scene))["probe_at"] - SECOND)
    assert await deliverer.step() == 0, "it was not time yet"
    await to_the_probe(scene)
    assert await scene.deliverer().step() == 6, "by another worker as well"
    row = await circuit(scene)
    assert (row["state"], row["probe_at"], row["failed_probes"]) == ("CLOSED", None, 0)
    assert [r.event_id for r in receiver.seen[TRIPS_AT:]].count(ids[TRIPS_AT]) == 1
    assert await scene.admin.fetchval("SELECT count(*) FROM deliveries WHERE status = 'DELIVERED'") == 6


async def test_each_probe_in_vain_makes_the_pause_longer(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    await opened(scene, ana, receiver, deliverer, waiting=12)
    for failed in range(1, 8):
        await to_the_probe(scene)
        before, at = await attempted(scene), await scene.now()
        assert await deliverer.step() == 1
        assert await attempted(scene) == before + 1
        row = await circuit(scene)
        pause = PAUSES[min(failed, len(PAUSES) - 1)]
        assert (row["state"], row["failed_probes"]) == ("OPEN", failed)
        assert at + pause <= row["probe_at"] <= await scene.now() + pause


async def test_an_answer_of_any_kind_says_that_somebody_is_there(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    await opened(scene, ana, receiver, deliverer)
    receiver.behaviour = refuse
    await to_the_probe(scene)
    assert await deliverer.step() == 6
    assert (await circuit(scene))["state"] == "CLOSED"


async def test_an_endpoint_that_answers_is_not_left_alone_for_bad_events(scene: Scene) -> None:
    """However many there are: each is refused for its own sake."""
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    for _ in range(4 * TRIPS_AT):
        await scene.tell(ana, receiver.url)
    assert await scene.step(scene.deliverer()) == 4 * TRIPS_AT
    assert await scene.admin.fetch("SELECT 1 FROM webhook_circuits") == []


async def test_one_event_opens_nothing_with_all_of_its_attempts(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    while (due_at := (await scene.delivery(event_id))["due_at"]) is not None:
        await scene.set_clock(due_at)
        assert await deliverer.step() == 1
    assert (await scene.delivery(event_id))["status"] == "FAILED"
    assert await scene.admin.fetch("SELECT 1 FROM webhook_circuits") == []


async def test_events_that_hang_do_not_open_it_where_others_are_answered_between(scene: Scene) -> None:
    poison = set[str]()

    async def hang_for_some(received: Received) -> web.Response:
        return await (away if received.event_id in poison else acknowledge)(received)

    ana, receiver = await scene.company(), await scene.receiver(hang_for_some)
    for n in range(6 * TRIPS_AT):
        event_id = await scene.tell(ana, receiver.url)
        if n % TRIPS_AT:
            poison.add(str(event_id))
    assert await scene.step(scene.deliverer(per_endpoint=1)) == 6 * TRIPS_AT
    assert await scene.admin.fetch("SELECT 1 FROM webhook_circuits") == []


async def test_the_order_of_an_object_holds_over_all_of_it(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    objects = [scene.chance.uuid(await scene.now()) for _ in range(TRIPS_AT + 2)]
    told = {reference: list[str]() for reference in objects}
    for _ in range(3):
        for reference in objects:
            told[reference].append(str(await scene.tell(ana, receiver.url, reference=reference, of=str(reference))))
    deliverer = scene.deliverer(per_endpoint=1)
    await scene.step(deliverer)
    receiver.seen.clear()
    receiver.behaviour = acknowledge
    await to_the_probe(scene)
    await deliverer.step()
    await scene.set_clock(await scene.now() + timedelta(minutes=2))
    await deliverer.step()
    for reference, ids in told.items():
        assert [r.event_id for r in receiver.seen if str(reference).encode() in r.body] == ids
    assert await scene.admin.fetch("SELECT * FROM law_events_arrive_in_order") == []


async def test_what_has_waited_for_six_hours_is_attempted_all_the_same(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    ids = await opened(scene, ana, receiver, deliverer)
    born = await scene.admin.fetchval("SELECT min(due_at) FROM deliveries WHERE attempts = 0")
    await scene.admin.execute("UPDATE webhook_circuits SET probe_at = $1", born + timedelta(days=2))
    await scene.set_clock(born + HELD_AT_MOST - timedelta(minutes=1))
    assert await deliverer.step() == 0
    await scene.set_clock(born + HELD_AT_MOST + timedelta(minutes=2))
    assert await deliverer.step() == len(ids)
    assert (await circuit(scene))["state"] == "OPEN", "what is sent in spite of it is no probe"
    receiver.behaviour = acknowledge
    await scene.set_clock(await scene.now() + HELD_AT_MOST + timedelta(minutes=11))
    assert await deliverer.step() == len(ids)
    assert (await circuit(scene))["state"] == "CLOSED", "but its answer is one"


async def test_a_clock_moved_by_a_month_brings_each_event_to_its_end(scene: Scene) -> None:
    """As the sandbox's clock steps: from one instant at which something can be done to the next."""
    ana = await scene.company()
    ids = [await scene.tell(ana, "http://127.0.0.1:1/hook") for _ in range(2 * TRIPS_AT)]
    deliverer = scene.deliverer(per_endpoint=4)
    await scene.step(deliverer)
    target, steps = await scene.now() + timedelta(days=30), 0
    while (instant := await next_instant(scene)) is not None and instant < target:
        await scene.set_clock(instant + timedelta(milliseconds=1))
        await deliverer.step()
        steps += 1
        assert steps < 300, "the clock does not come to an end"
    for event_id in ids:
        row = await scene.delivery(event_id)
        assert (row["status"], row["plan_attempts"], row["attempts"]) == ("FAILED", 5, 5)
    assert not any((await scene.breaches()).values())


async def next_instant(scene: Scene) -> datetime | None:
    """As the sandbox's clock has it."""
    at: datetime | None = await scene.admin.fetchval(
        "SELECT least((SELECT min(due_at) FROM deliveries WHERE due_at > business_now()),"
        " (SELECT min(due_at) + $1 FROM held_deliveries))", HELD_AT_MOST
    )  # fmt: skip
    return at


async def test_the_view_holds_for_as_long_as_the_rule(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    await opened(scene, ana, receiver, scene.deliverer(per_endpoint=1))
    await scene.admin.execute("UPDATE webhook_circuits SET probe_at = probe_at + interval '1 year'")
    at = await scene.admin.fetchval("SELECT max(due_at) FROM held_deliveries")
    for ago, held in ((HELD_AT_MOST - SECOND, True), (HELD_AT_MOST + SECOND, False)):
        await scene.set_clock(at + ago)
        assert bool(await scene.admin.fetchval("SELECT count(*) FROM held_deliveries WHERE due_at = $1", at)) is held


async def test_one_company_does_not_close_the_door_to_another(scene: Scene) -> None:
    """They may share a host, and the one's path may be what does not answer."""
    behaviours = {"/hook": acknowledge, "/dead": away}

    async def by_path(received: Received) -> web.Response:
        return await behaviours[received.path](received)

    ana, bento, receiver = await scene.company(), await scene.company(), await scene.receiver(by_path)
    dead = receiver.url.replace("/hook", "/dead")
    for _ in range(3 * TRIPS_AT):
        await scene.tell(ana, dead)
    deliverer = scene.deliverer(per_endpoint=1)
    await scene.step(deliverer)
    assert (await circuit(scene))["company_id"] == ana.id
    ids = [str(await scene.tell(bento, receiver.url)) for _ in range(5)]
    assert await scene.step(deliverer) == 5
    assert [r.event_id for r in receiver.seen[-5:]] == ids


async def test_several_workers_make_one_probe(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    await opened(scene, ana, receiver, scene.deliverer(per_endpoint=1))
    await to_the_probe(scene)
    release = asyncio.Event()

    async def hold(received: Received) -> web.Response:
        await release.wait()
        return await away(received)

    receiver.behaviour = hold
    receiver.seen.clear()
    steps = [asyncio.create_task(scene.deliverer().step()) for _ in range(4)]
    await until(lambda: _ended(steps, 3))
    assert (await circuit(scene))["state"] == "HALF_OPEN"
    release.set()
    assert sorted(await asyncio.gather(*steps)) == [0, 0, 0, 1]
    assert len(receiver.seen) == 1
    assert (await circuit(scene))["state"] == "OPEN"


async def _ended(tasks: list[asyncio.Task[int]], wanted: int) -> bool:
    return sum(task.done() for task in tasks) >= wanted


async def test_a_probe_that_is_lost_with_its_worker_is_made_again(scene: Scene) -> None:
    class Killed(Exception):  # noqa: N818 it stands for kill -9
        pass

    def die(name: str) -> None:
        if name == "delivery.sent":
            raise Killed

    ana, receiver = await scene.company(), await scene.receiver(away)
    await opened(scene, ana, receiver, scene.deliverer(per_endpoint=1))
    await to_the_probe(scene)
    failpoints.listen(die)
    try:
        assert await scene.deliverer().step() == 1
    finally:
        failpoints.listen(None)
    assert (await circuit(scene))["state"] == "HALF_OPEN"
    receiver.behaviour = acknowledge
    assert await scene.deliverer().step() == 0, "it may still be on its way"
    await scene.expire_leases()
    await to_the_probe(scene)
    assert await scene.deliverer().step() == 6
    assert (await circuit(scene))["state"] == "CLOSED"


async def test_the_end_of_a_probe_that_was_taken_for_lost_changes_nothing(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    await opened(scene, ana, receiver, scene.deliverer(per_endpoint=1))
    await to_the_probe(scene)
    later = await scene.now() + timedelta(hours=3)

    async def overtaken(received: Received) -> web.Response:
        await scene.admin.execute("UPDATE webhook_circuits SET version = version + 1, probe_at = $1", later)
        return await away(received)

    receiver.behaviour = overtaken
    assert await scene.deliverer().step() == 1
    row = await circuit(scene)
    assert (row["state"], row["probe_at"], row["failed_probes"]) == ("HALF_OPEN", later, 0)


async def test_a_probe_for_which_there_is_nothing_is_given_back(scene: Scene) -> None:
    """What is due waits for an earlier event of its object, which somebody has in hand."""
    ana, receiver = await scene.company(), await scene.receiver(away)
    await opened(scene, ana, receiver, scene.deliverer(per_endpoint=1))
    reference = scene.chance.uuid(await scene.now())
    _, behind = [await scene.tell(ana, receiver.url, reference=reference) for _ in range(2)]
    await scene.number_all()
    await to_the_probe(scene)
    await scene.admin.execute(
        "UPDATE deliveries SET lease_token = gen_random_uuid(), leased_until = machine_now() + interval '1 hour'"
        " WHERE id <> $1", behind
    )  # fmt: skip
    before = await circuit(scene)
    assert await scene.deliverer().step() == 0
    row = await circuit(scene)
    assert (row["state"], row["failed_probes"], row["version"]) == ("OPEN", 0, before["version"] + 2)
    await scene.expire_leases()
    receiver.behaviour = acknowledge
    assert await scene.deliverer().step() == 8


async def test_an_answer_that_was_on_its_way_closes_what_was_opened_meanwhile(scene: Scene) -> None:
    late = asyncio.Event()

    async def first_is_slow(received: Received) -> web.Response:
        if received is receiver.seen[0]:
            await late.wait()
            return await acknowledge(received)
        return await away(received)

    ana, receiver = await scene.company(), await scene.receiver()
    receiver.behaviour = first_is_slow
    for _ in range(TRIPS_AT + 1):
        await scene.tell(ana, receiver.url)
    await scene.number_all()
    async with scene.running(scene.deliverer()):
        await until(lambda: _is(scene, "OPEN"))
        late.set()
        await until(lambda: _is(scene, "CLOSED"))


async def _is(scene: Scene, state: str) -> bool:
    return bool(await scene.admin.fetchval("SELECT count(*) FROM webhook_circuits WHERE state = $1", state))


async def test_it_opens_again_after_it_has_closed(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    deliverer = scene.deliverer(per_endpoint=1)
    await opened(scene, ana, receiver, deliverer)
    receiver.behaviour = acknowledge
    await to_the_probe(scene)
    await deliverer.step()
    first = await circuit(scene)
    receiver.behaviour = away
    await opened(scene, ana, receiver, deliverer)
    again = await circuit(scene)
    assert again["opened_at"] > first["opened_at"]
    assert again["version"] > first["version"]


async def test_a_running_worker_tries_again_by_itself(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(away)
    async with scene.running(scene.deliverer(per_endpoint=1)) as running:
        ids = {str(await scene.tell(ana, receiver.url)) for _ in range(TRIPS_AT + 3)}
        running.wake.set()
        await until(lambda: _is(scene, "OPEN"))
        await until(lambda: _attempts_are(scene, TRIPS_AT))
        receiver.behaviour = acknowledge
        receiver.seen.clear()
        await scene.set_clock(await scene.now() + timedelta(minutes=2))
        await until(lambda: _all_came(receiver, ids))


async def _attempts_are(scene: Scene, wanted: int) -> bool:
    return await attempted(scene) == wanted


async def _all_came(receiver: Receiver, ids: set[str]) -> bool:
    return {r.event_id for r in receiver.seen} == ids


async def test_a_time_out_counts_as_no_answer(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(hang)
    for _ in range(TRIPS_AT):
        await scene.tell(ana, receiver.url)
    await scene.step(scene.deliverer(timeout_seconds=0.2))
    row = await circuit(scene)
    assert (row["state"], row["failure"]) == ("OPEN", "TIMEOUT")
